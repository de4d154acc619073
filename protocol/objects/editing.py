"""Owns changes to documents that someone wrote: one posture goes in, every other byte stays.

Comments, wrapped lines and extensions of a designer's document would not survive being read and
written anew, so the new text is spliced in.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from armspan.protocol.objects.document import NAMESPACE, Posture
from armspan.protocol.objects.errors import DocumentError
from armspan.protocol.objects.parsing import ROOT, parse
from armspan.protocol.objects.reading import read_document
from armspan.protocol.objects.schema import find_problems
from armspan.protocol.objects.tree import text_of
from armspan.protocol.objects.writing import INDENT, posture_element

_SAME_HAND_M = 5e-4  # hands whose lengths differ by less are told apart by nobody
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DECLARED = f' xmlns="{NAMESPACE}"'


def with_posture(payload: bytes, posture: Posture) -> bytes:
    """Return the document with a posture in it.

    It replaces the one for the same site, hand and hand's length (to half a millimetre), if there
    is one. Raises DocumentError: what ``read_document`` refuses, or a posture for a site and
    parameter set that are not there.
    """
    read_document(payload).check_posture(posture)
    text = payload.removeprefix(_BYTE_ORDER_MARK)
    places = _find(text, posture)
    told = text_of(posture_element(posture))
    if places.root == ROOT:  # the namespace needs no prefix there
        told = told.replace(_DECLARED, "", 1)
    changed = _spliced(text, places, told.replace("\n", "\n" + 2 * INDENT))
    problems = find_problems(parse(changed))
    if problems:
        raise DocumentError(*problems)
    return payload[: len(payload) - len(text)] + changed


@dataclass
class _Places:
    """Where the bytes are that a posture goes between."""

    root: str = ""
    root_end: int = 0
    postures_end: int | None = None
    same: tuple[int, int] | None = None
    path: list[str] = field(default_factory=list[str])


def _spliced(text: bytes, places: _Places, told: str) -> bytes:
    """Put the posture over the one that it replaces, behind the others, or into a new element."""
    before, after = "", ""
    if places.same is not None:
        start, end = places.same
    elif places.postures_end is not None:
        start = end = places.postures_end
        before, after = 2 * INDENT, "\n" + INDENT
    else:
        start = end = places.root_end
        declared = "" if places.root == ROOT else _DECLARED
        before = f"{INDENT}<postures{declared}>\n{2 * INDENT}"
        after = f"\n{INDENT}</postures>\n"
    kept = text[:start]
    if before:
        kept = kept.rstrip(b" \t\r\n")
        before = "\n" + before
    new = before + told + after
    line_end = "\r\n" if b"\r\n" in text else "\n"
    return kept + new.replace("\n", line_end).encode() + text[end:]


def _find(text: bytes, posture: Posture) -> _Places:
    """Find the places in a document that was read already, so that it is sound."""
    parser = expat.ParserCreate("utf-8")
    places = _Places()
    started: list[int] = []

    def start(name: str, attributes: Mapping[str, str]) -> None:
        places.root = places.root or name
        places.path.append(name.rpartition(":")[2])
        if places.path == [ROOT, "postures", "posture"] and _same_hand(attributes, posture):
            started.append(parser.CurrentByteIndex)

    def end(_name: str) -> None:
        here = parser.CurrentByteIndex
        if places.path == [ROOT, "postures", "posture"] and started:
            places.same = (started.pop(), text.index(b">", here) + 1)
        elif places.path == [ROOT, "postures"]:
            places.postures_end = here
        elif places.path == [ROOT]:
            places.root_end = here
        places.path.pop()

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.Parse(text, True)
    return places


def _same_hand(known: Mapping[str, str], posture: Posture) -> bool:
    return (
        known["site"] == posture.site
        and known["hand"] == posture.hand.value
        and abs(float(known["hand_length_m"]) - posture.hand_length_m) < _SAME_HAND_M
    )
