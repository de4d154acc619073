"""Owns the way from anyone's bytes to an XML tree: bounded, and deaf to everything outside.

No document type, so no entities and no external subsets; no network; nothing is included.
"""

import re

from armspan.protocol.objects.document import NAMESPACE, VERSION
from armspan.protocol.objects.errors import DocumentError, Problem, shown
from armspan.protocol.objects.tree import Element, XmlError, depths, name_of, parse_xml

MAX_DOCUMENT_BYTES = 4 * 1024 * 1024  # ten of the longest axes
MAX_DEPTH = 32  # nothing of ours is deeper than 4; an extension may be
ROOT = "smart_object"

_FAMILY = "urn:armspan:smart-object:"
_DOCUMENT_TYPE = re.compile(r"<!(DOCTYPE|ENTITY)")
_ENCODING = re.compile(r"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)""")
_PLACE = re.compile(r", line \d+, column \d+$")  # what libxml2 says twice


def parse(payload: bytes) -> Element:
    """Return the root of a document; raises DocumentError unless it is a smart object's."""
    text = _decoded(payload)
    found = _DOCUMENT_TYPE.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise DocumentError(Problem(line, f"{found[0]} is refused; leave the document type out"))
    try:
        root = parse_xml(text.encode("utf-8"))
    except XmlError as failure:
        why = _PLACE.sub("", " ".join(str(failure).split()))
        raise DocumentError(Problem(failure.line, f"is no XML: {why}")) from None
    _check_depth(root)
    _check_root(root)
    return root


def _decoded(payload: bytes) -> str:
    if len(payload) > MAX_DOCUMENT_BYTES:
        raise DocumentError(
            f"the document has more than {MAX_DOCUMENT_BYTES:,} bytes; keep meshes in files of "
            "their own"
        )
    if not payload.strip():
        raise DocumentError("the document is empty; a smart_object is wanted")
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        line = payload.count(b"\n", 0, failure.start) + 1
        raise DocumentError(Problem(line, "is no UTF-8; save the document as UTF-8")) from None
    said = _ENCODING.match(text)
    if said and said[1].lower() != "utf-8":
        raise DocumentError(
            Problem(1, f"says that its encoding is {shown(said[1])}; UTF-8 is wanted, and said")
        )
    return text


def _check_depth(root: Element) -> None:
    for depth, element in depths(root):
        if depth > MAX_DEPTH:
            raise DocumentError(
                Problem(element.sourceline or 0, f"elements are more than {MAX_DEPTH} deep")
            )


def _check_root(root: Element) -> None:
    namespace, name = name_of(root)
    if (namespace, name) == (NAMESPACE, ROOT):
        return
    if namespace == NAMESPACE:
        wrong = f"{shown(name)} is no root; {ROOT} is"
    elif namespace.startswith(_FAMILY):
        wrong = (
            f"the document is of version {shown(namespace.removeprefix(_FAMILY))}, and this "
            f"program reads {VERSION}; use a program that knows it"
        )
    else:
        of = f"namespace {shown(namespace)}" if namespace else "no namespace"
        wrong = f'the root is {shown(name)} of {of}; <{ROOT} xmlns="{NAMESPACE}"> is wanted'
    raise DocumentError(Problem(root.sourceline or 1, wrong))
