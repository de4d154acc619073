"""Owns the cases of hands: frames and sections, their corners and every way to break them."""

import math
import random
import struct

from armspan.protocol import CloseCode, caps, layout
from armspan.protocol.frames import Snapshot, encode_snapshot
from armspan.protocol.hands import HandsFrame, HandsState, encode_hands, encode_sections

_SOURCE = random.Random(2)
_BAD, _NAN, _RANGE = CloseCode.MALFORMED, CloseCode.NOT_FINITE, CloseCode.OUT_OF_RANGE


def _angles() -> tuple[float, ...]:
    return tuple(_SOURCE.uniform(joint.low, joint.high) for joint in layout.FINGERS)


def _middles() -> tuple[float, ...]:
    """Halfway between two codes: halves go up."""
    return tuple(joint.low + 100.5 * joint.step for joint in layout.FINGERS)


HANDS: dict[str, HandsFrame] = {
    "nothing told": HandsFrame(0),
    "flat hands": HandsFrame(3),
    "everything told": HandsFrame(15, _angles(), _angles(), (1.5, -2.25, 3.125), (-0.5, 0.0, 99.0)),
    "the left hand alone": HandsFrame(1, _angles()),
    "the right hand alone": HandsFrame(2, right_fingers_rad=_angles()),
    "both hands point": HandsFrame(
        12, left_point=(0.1, 0.2, 0.3), right_point=(100.0, -100.0, 0.0)
    ),
    "the left hand points": HandsFrame(4, left_point=(-1e-30, 1e-30, 0.0)),
    "angles between two codes": HandsFrame(3, _middles(), _middles()),
    "angles beyond their bounds": HandsFrame(3, (-10.0,) * 20, (10.0,) * 20),
    "parts that are not told": HandsFrame(
        0, _angles(), _angles(), (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)
    ),
}

_ALL = encode_hands(HANDS["everything told"])
_NONE = encode_hands(HANDS["nothing told"])


def _patched(payload: bytes, at: int, replacement: bytes) -> bytes:
    return payload[:at] + replacement + payload[at + len(replacement) :]


def _pointing(frame: bytes, at: int, number: float) -> bytes:
    return _patched(frame, at, struct.pack("<f", number))


# Read, though no encoder of ours writes them: what is not told may hold any codes and points.
READABLE_HANDS: list[tuple[str, bytes]] = [
    ("codes of hands that are not told", _patched(_NONE, 4, bytes(range(40)))),
    ("a point beyond space that is not told", _pointing(_NONE, 44, 1e30)),
]

INVALID_HANDS: list[tuple[str, bytes, CloseCode]] = [
    ("empty", b"", _BAD),
    ("the id alone", _ALL[:1], _BAD),
    ("one byte short", _ALL[:-1], _BAD),
    ("one byte long", _ALL + b"\0", _BAD),
    ("another id", b"\x01" + _ALL[1:], CloseCode.UNKNOWN_MESSAGE),
    ("a fifth flag", _patched(_ALL, 1, b"\x1f"), _BAD),
    ("a reserved byte that is set", _patched(_ALL, 2, b"\x01"), _BAD),
    ("the other reserved byte that is set", _patched(_ALL, 3, b"\x80"), _BAD),
    ("a left point that is no number", _pointing(_ALL, 44, math.nan), _NAN),
    ("a right point at infinity", _pointing(_ALL, 64, -math.inf), _NAN),
    ("a point that is no number and not told", _pointing(_NONE, 60, math.nan), _NAN),
    ("a left point beyond space", _pointing(_ALL, 48, 100.00001), _RANGE),
    ("a right point beyond space", _pointing(_ALL, 56, -1e30), _RANGE),
]

TOLD = tuple(
    HandsState(
        id=_SOURCE.randint(1, 65_535),
        flags=flags,
        left_fingers_rad=_angles(),
        right_fingers_rad=_angles(),
        left_point=(_SOURCE.uniform(-9, 9), 1.0, -2.0),
        right_point=(3.0, _SOURCE.uniform(-9, 9), 4.0),
    )
    for flags in range(16)
)
SNAPSHOTS: dict[str, Snapshot] = {
    "the hands of somebody who is not shown": Snapshot(8, 9, (), TOLD[15:]),
    "hands of every kind": Snapshot(10, 11, (), TOLD),
}

_NOBODY = encode_snapshot(Snapshot(12, 13, ()))
_EMPTY_SECTION = b"\x01\0\0\0"
_HANDS = encode_sections(TOLD[15:])
READABLE_SNAPSHOTS: list[tuple[str, bytes]] = [
    ("a section of an unknown kind", _NOBODY + b"\x7f\0\x05\0later"),
    ("hands between unknown sections", _NOBODY + b"\x02\0\x01\0x" + _HANDS + b"\xff\0\0\0"),
    ("a section of nobody's hands", _NOBODY + _EMPTY_SECTION),
    ("two sections of hands", _NOBODY + _HANDS + encode_sections(TOLD[:2])),
    ("a section whose reserved byte is used later", _NOBODY + _patched(_HANDS, 1, b"\x07")),
]


def _section(*entries: bytes) -> bytes:
    body = b"".join(entries)
    return _NOBODY + struct.pack("<BBH", 1, 0, len(body)) + body


def _entry(person: int, flags: int, rest: bytes = b"") -> bytes:
    return struct.pack("<HB", person, flags) + rest


INVALID_SNAPSHOTS: list[tuple[str, bytes, CloseCode]] = [
    ("a section's header cut short", _NOBODY + b"\x01\0\0", _BAD),
    ("a section beyond the end", _NOBODY + b"\x01\0\x04\0\x01\0\x00", _BAD),
    ("an unknown section beyond the end", _NOBODY + b"\x7f\0\xff\xffrest", _BAD),
    ("hands cut short after their id", _section(b"\x01\0"), _BAD),
    ("hands cut short within the fingers", _section(_entry(1, 1, bytes(19))), _BAD),
    ("hands cut short within a point", _section(_entry(1, 8, bytes(11))), _BAD),
    ("hands of id 0", _section(_entry(0, 0)), _BAD),
    ("hands with a fifth flag", _section(_entry(1, 16)), _BAD),
    ("a byte behind the hands", _section(_entry(1, 0), b"\0"), _BAD),
    (
        "hands that point at no number",
        _section(_entry(1, 4, struct.pack("<3f", 0.0, math.nan, 0.0))),
        _NAN,
    ),
    (
        "hands that point beyond space",
        _section(_entry(1, 8, struct.pack("<3f", 0, 0, 101))),
        _RANGE,
    ),
    (
        "more hands than people",
        _section(*(_entry(1, 0) for _ in range(caps.PEOPLE_PER_SESSION + 1))),
        _BAD,
    ),
]
