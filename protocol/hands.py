"""Owns the reference codec of hands: the frame that clients send, and the section of a snapshot.

Angles are radians, in the order of `layout.FINGERS`, quantised as linear fields of a record are.
"""

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from armspan.protocol import caps, quantise
from armspan.protocol.close_codes import CloseCode
from armspan.protocol.errors import ProtocolError
from armspan.protocol.layout import (
    FINGERS,
    HANDS_FLAGS,
    HANDS_FRAME_BYTES,
    HANDS_FRAME_ID,
    SECTION_HEADER_BYTES,
    HandsFlag,
    Section,
)

Buffer = bytes | bytearray | memoryview
Point = tuple[float, float, float]

_FRAME = struct.Struct("<BBH20s20s3f3f")
_ENTRY = struct.Struct("<HB")
_SECTION = struct.Struct("<BBH")
_POINT = struct.Struct("<3f")
_FLAT = (0.0,) * len(FINGERS)
_NOWHERE: Point = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class HandsFrame:
    """What a client tells of its hands; parts whose flag is not set are zeros when decoded."""

    flags: int  # members of HandsFlag
    left_fingers_rad: tuple[float, ...] = _FLAT  # 20
    right_fingers_rad: tuple[float, ...] = _FLAT
    left_point: Point = _NOWHERE  # world, metres
    right_point: Point = _NOWHERE


@dataclass(frozen=True, slots=True)
class HandsState(HandsFrame):
    """What a snapshot tells of one person's hands; parts that are not told are zeros."""

    id: int = 0


def encode_hands(frame: HandsFrame) -> bytes:
    """The 68 bytes of a hands frame; parts whose flag is not set become zeros. Checks nothing."""
    told = frame.flags
    return _FRAME.pack(
        HANDS_FRAME_ID,
        told,
        0,
        _fingers(frame.left_fingers_rad) if told & HandsFlag.LEFT_FINGERS else b"",
        _fingers(frame.right_fingers_rad) if told & HandsFlag.RIGHT_FINGERS else b"",
        *(frame.left_point if told & HandsFlag.LEFT_POINT else _NOWHERE),
        *(frame.right_point if told & HandsFlag.RIGHT_POINT else _NOWHERE),
    )


def decode_hands(payload: Buffer) -> HandsFrame:
    """The hands frame in `payload`; raises ProtocolError."""
    if len(payload) and payload[0] != HANDS_FRAME_ID:
        raise ProtocolError(
            CloseCode.UNKNOWN_MESSAGE,
            f"A message of id 0x{payload[0]:02x} is no hands frame (0x{HANDS_FRAME_ID:02x}).",
        )
    if len(payload) != HANDS_FRAME_BYTES:
        raise _malformed(
            f"A hands frame has {len(payload)} bytes, but must have {HANDS_FRAME_BYTES}."
        )
    _, flags, reserved, left, right, *numbers = _FRAME.unpack(payload)
    _check_flags(flags)
    if reserved:
        raise _malformed(f"The hands frame's reserved is {reserved}, but must be 0.")
    left_x, left_y, left_z, right_x, right_y, right_z = numbers
    return HandsFrame(
        flags,
        _angles(left) if flags & HandsFlag.LEFT_FINGERS else _FLAT,
        _angles(right) if flags & HandsFlag.RIGHT_FINGERS else _FLAT,
        _checked_point((left_x, left_y, left_z), flags & HandsFlag.LEFT_POINT),
        _checked_point((right_x, right_y, right_z), flags & HandsFlag.RIGHT_POINT),
    )


def encode_sections(hands: tuple[HandsState, ...]) -> bytes:
    """The sections of a snapshot that tell these hands: none, one, or more where one is full."""
    bodies: list[bytes] = []
    for entry in map(_encode_entry, hands):
        if not bodies or len(bodies[-1]) + len(entry) > caps.SECTION_BODY_BYTES:
            bodies.append(b"")
        bodies[-1] += entry
    return b"".join(_SECTION.pack(Section.HANDS, 0, len(body)) + body for body in bodies)


def decode_sections(payload: Buffer, at: int) -> tuple[HandsState, ...]:
    """The hands in the sections from byte `at` on; other kinds are skipped. ProtocolError."""
    hands: list[HandsState] = []
    for kind, body in _sections(bytes(payload), at):
        if kind == Section.HANDS:
            hands += _entries(body)
    if len(hands) > caps.PEOPLE_PER_SESSION:
        raise _malformed(
            f"A snapshot tells the hands of {len(hands)} people, but may of "
            f"{caps.PEOPLE_PER_SESSION}."
        )
    return tuple(hands)


def _sections(payload: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    while at < len(payload):
        if at + SECTION_HEADER_BYTES > len(payload):
            raise _malformed(f"A snapshot ends within the header of a section, at byte {at}.")
        kind, _, body_bytes = _SECTION.unpack_from(payload, at)
        at += SECTION_HEADER_BYTES
        if at + body_bytes > len(payload):
            raise _malformed(
                f"A section of {body_bytes} bytes begins at byte {at}, but the snapshot has "
                f"{len(payload)}."
            )
        yield kind, payload[at : at + body_bytes]
        at += body_bytes


def _encode_entry(hands: HandsState) -> bytes:
    return b"".join(
        (
            _ENTRY.pack(hands.id, hands.flags),
            _fingers(hands.left_fingers_rad) if hands.flags & HandsFlag.LEFT_FINGERS else b"",
            _fingers(hands.right_fingers_rad) if hands.flags & HandsFlag.RIGHT_FINGERS else b"",
            _POINT.pack(*hands.left_point) if hands.flags & HandsFlag.LEFT_POINT else b"",
            _POINT.pack(*hands.right_point) if hands.flags & HandsFlag.RIGHT_POINT else b"",
        )
    )


def _entries(body: bytes) -> Iterator[HandsState]:
    """One entry after the other; each says by its flags how long it is."""
    rest = _Rest(body)
    while rest.bytes:
        person, flags = _ENTRY.unpack(rest.take(_ENTRY.size))
        if person == 0:
            raise _malformed("Hands belong to id 0, but ids begin at 1.")
        _check_flags(flags)
        yield HandsState(
            id=person,
            flags=flags,
            left_fingers_rad=rest.fingers(flags & HandsFlag.LEFT_FINGERS),
            right_fingers_rad=rest.fingers(flags & HandsFlag.RIGHT_FINGERS),
            left_point=rest.point(flags & HandsFlag.LEFT_POINT),
            right_point=rest.point(flags & HandsFlag.RIGHT_POINT),
        )


class _Rest:
    """What is still to be read of a section's body."""

    def __init__(self, body: bytes) -> None:
        self.bytes = body

    def take(self, size_bytes: int) -> bytes:
        taken, self.bytes = self.bytes[:size_bytes], self.bytes[size_bytes:]
        if len(taken) < size_bytes:
            raise _malformed("A section ends within the hands of a person.")
        return taken

    def fingers(self, told: int) -> tuple[float, ...]:
        return _angles(self.take(len(FINGERS))) if told else _FLAT

    def point(self, told: int) -> Point:
        if not told:
            return _NOWHERE
        x, y, z = _POINT.unpack(self.take(_POINT.size))
        return _checked_point((x, y, z), told)


def _fingers(angles_rad: tuple[float, ...]) -> bytes:
    pairs = zip(FINGERS, angles_rad, strict=True)
    return bytes(quantise.linear(field, angle_rad) for field, angle_rad in pairs)


def _angles(codes: bytes) -> tuple[float, ...]:
    pairs = zip(FINGERS, codes, strict=True)
    return tuple(quantise.from_linear(field, code) for field, code in pairs)


def _check_flags(flags: int) -> None:
    if flags > HANDS_FLAGS:
        raise _malformed(f"The flags of hands are {flags}, but may be at most {HANDS_FLAGS}.")


def _checked_point(point: Point, told: int) -> Point:
    """The point if it is told; one that is not has to be finite all the same."""
    for number in point:
        if not math.isfinite(number):
            raise ProtocolError(
                CloseCode.NOT_FINITE,
                f"A hand points at {number}, but every number must be finite; send 0 for a point "
                "that is not told.",
            )
    for number in point:
        if told and abs(number) > caps.COORDINATE_M:
            raise ProtocolError(
                CloseCode.OUT_OF_RANGE,
                f"A hand points at {number:.9g} m, but points lie within {caps.COORDINATE_M:g} m; "
                "cut the ray there.",
            )
    return point if told else _NOWHERE


def _malformed(text: str) -> ProtocolError:
    return ProtocolError(CloseCode.MALFORMED, text)
