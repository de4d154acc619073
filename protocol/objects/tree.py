"""Owns what the document uses of lxml, with types, which lxml itself does not have.

The parser is the secure one and there is no other: no document type is loaded, no entity resolved,
no address opened.
"""

# pyright: reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Iterator, MutableMapping
from typing import Protocol, cast

from lxml import etree


class Element(Protocol):
    """An element of lxml, as far as it is used here."""

    text: str | None
    tail: str | None

    @property
    def tag(self) -> str:
        """``{namespace}name``"""
        ...

    @property
    def attrib(self) -> MutableMapping[str, str]:
        """Attributes by name."""
        ...

    @property
    def sourceline(self) -> int | None:
        """The line where the start tag ends."""
        ...

    def get(self, key: str, /) -> str | None:
        """Return an attribute."""
        ...

    def set(self, key: str, value: str, /) -> None:
        """Set an attribute."""
        ...

    def find(self, path: str, /) -> "Element | None":
        """Return the first element of a path."""
        ...

    def iterfind(self, path: str, /) -> "Iterator[Element]":
        """Go through the elements of a path."""
        ...

    def iter(self, tag: object = None, /) -> "Iterator[Element]":
        """Go through the tree; ``etree.Element`` leaves comments out."""
        ...

    def append(self, element: "Element", /) -> None:
        """Put an element at the end."""
        ...

    def __len__(self) -> int:
        """How many children there are, comments included."""
        ...

    def __getitem__(self, number: int, /) -> "Element":
        """Return a child."""
        ...


class XmlError(Exception):
    """What is no XML: where, and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


def parse_xml(text: bytes) -> Element:
    """Return the root of a text in UTF-8, whatever it says of its encoding itself.

    Raises XmlError.
    """
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=False,
        strip_cdata=False,
    )
    try:
        return cast(Element, etree.fromstring(text, parser))
    except etree.XMLSyntaxError as failure:
        raise XmlError(failure.lineno or 1, failure.msg or "unreadable") from None


def new_root(name: str, namespace: str) -> Element:
    """Return an element of a namespace that needs no prefix in it."""
    return cast(Element, etree.Element(f"{{{namespace}}}{name}", nsmap={None: namespace}))


def sub_element(parent: Element, tag: str) -> Element:
    """Return a new last child."""
    return cast(Element, etree.SubElement(parent, tag))


def indent(root: Element, space: str, level: int = 0) -> None:
    """Put every child on a line of its own."""
    etree.indent(root, space, level=level)


def elements(root: Element) -> Iterator[Element]:
    """Go through a tree, without its comments."""
    return root.iter(etree.Element)


def depths(root: Element) -> Iterator[tuple[int, Element]]:
    """Go through a tree, and tell of every node how deep it is; the root is 1."""
    depth = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        yield depth, element


def name_of(element: Element) -> tuple[str, str]:
    """Return the namespace, which may be empty, and the name in it."""
    name = etree.QName(element)
    return name.namespace or "", name.localname


def canonical(element: Element) -> str:
    """Return the element as exclusive canonical XML, which no prefix around it changes."""
    text = etree.tostring(element, method="c14n", exclusive=True, with_tail=False)
    return cast(bytes, text).decode()


def text_of(element: Element) -> str:
    """Return the element as a text, with every namespace that it needs."""
    return cast(str, etree.tostring(element, encoding="unicode", with_tail=False))


def serialised(root: Element) -> bytes:
    """Return the document of a root in UTF-8."""
    return cast(bytes, etree.tostring(root, encoding="UTF-8", xml_declaration=True)) + b"\n"


def schema_errors(schema: bytes, root: Element) -> list[tuple[int, str]]:
    """Return lines and words of what an XSD finds in a tree."""
    judge = etree.XMLSchema(etree.fromstring(schema))  # new each time: the errors are kept in it
    judge.validate(root)
    return [(int(entry.line), str(entry.message)) for entry in judge.error_log]
