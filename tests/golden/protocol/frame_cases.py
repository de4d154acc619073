"""Owns the cases of poses: corners of every field, and every way to break a frame."""

import dataclasses
import math
import random
import struct

from armspan.protocol import CloseCode, caps, layout
from armspan.protocol.frames import (
    AvatarState,
    Pose,
    Snapshot,
    TrackerFrame,
    encode_snapshot,
    encode_tracker,
)

HALF = math.sqrt(0.5)
HEAD: Pose = (0.25, 1.625, -0.5, 0.0, HALF, 0.0, HALF)
LEFT: Pose = (-0.25, 1.0, -0.75, 0.5, 0.5, 0.5, 0.5)
RIGHT: Pose = (0.25, 1.0, -0.75, 0.0, 0.0, 0.0, -1.0)
FRAME = TrackerFrame(
    sample_time_us=0x0001_0203_0405_0607,
    head=HEAD,
    left_palm=LEFT,
    right_palm=RIGHT,
    discontinuity=9,
    left_input=(1, 2, 3, 4),
    right_input=(255, 0, 128, 64),
)
_NOWHERE: Pose = (1e30, -1e30, 500.0, 0.0, 0.0, 0.0, 0.0)


def _frame(**changes: object) -> TrackerFrame:
    return dataclasses.replace(FRAME, **changes)  # type: ignore[arg-type]


TRACKERS: dict[str, TrackerFrame] = {
    "all sensors": FRAME,
    "none tracked, poses anywhere": _frame(
        tracked=0, head=_NOWHERE, left_palm=_NOWHERE, right_palm=_NOWHERE
    ),
    "left hand lost": _frame(tracked=0b101, left_palm=_NOWHERE),
    "at the beginning of time": _frame(sample_time_us=0, discontinuity=0),
    "at the end of time": _frame(sample_time_us=2**53 - 1, discontinuity=15),
    "at the edge of space": _frame(head=(100.0, -100.0, 100.0, 0.0, 0.0, 0.0, 1.0)),
    "a rotation to be normalised": _frame(head=(0.0, 1.5, 0.0, 0.0, 0.0, 0.0, 1.0078125)),
}

_GOOD = encode_tracker(FRAME)


def _patched(payload: bytes, at: int, replacement: bytes) -> bytes:
    return payload[:at] + replacement + payload[at + len(replacement) :]


def _tracker_with(at: int, value: float) -> bytes:
    return _patched(_GOOD, at, struct.pack("<f", value))


_BAD, _NAN, _RANGE = CloseCode.MALFORMED, CloseCode.NOT_FINITE, CloseCode.OUT_OF_RANGE
INVALID_TRACKERS: list[tuple[str, bytes, CloseCode]] = [
    ("empty", b"", _BAD),
    ("the id alone", _GOOD[:1], _BAD),
    ("one byte short", _GOOD[:-1], _BAD),
    ("one byte long", _GOOD + b"\0", _BAD),
    ("another id", b"\x02" + _GOOD[1:], CloseCode.UNKNOWN_MESSAGE),
    ("a fourth sensor", _patched(_GOOD, 1, b"\x0f"), _BAD),
    ("a discontinuity of 16", _patched(_GOOD, 2, b"\x10"), _BAD),
    ("a reserved byte that is set", _patched(_GOOD, 3, b"\x01"), _BAD),
    ("a time of 2^53", _patched(_GOOD, 4, struct.pack("<Q", 2**53)), _BAD),
    ("a time of 2^64 - 1", _patched(_GOOD, 4, b"\xff" * 8), _BAD),
    ("a head that is nowhere", _tracker_with(12, math.nan), _NAN),
    ("a left hand at infinity", _tracker_with(44, -math.inf), _NAN),
    ("a right hand whose rotation is no number", _tracker_with(92, math.nan), _NAN),
    (
        "an untracked hand that is no number",
        _patched(_tracker_with(40, math.nan), 1, b"\x05"),
        _NAN,
    ),
    ("a head beyond space", _tracker_with(16, 100.00001), _RANGE),
    ("a left hand beyond space", _tracker_with(48, -1e30), _RANGE),
    ("a rotation that is too long", _tracker_with(92, -1.0101), _RANGE),
    ("a rotation that is too short", _tracker_with(92, 0.9899), _RANGE),
    ("a rotation of nothing", _tracker_with(92, 0.0), _RANGE),
    ("a rotation whose norm overflows", _tracker_with(92, 3e38), _RANGE),
]


def _avatar(**changes: object) -> AvatarState:
    rest = AvatarState(
        id=1,
        chest_position_m=(0.0, 1.3, 0.0),
        chest_rotation=(0.0, 0.0, 0.0, 1.0),
        head_rotation=(0.0, 0.0, 0.0, 1.0),
        joint_angles_rad=(0.0,) * 15,
    )
    return dataclasses.replace(rest, **changes)  # type: ignore[arg-type]


def _random_avatar(source: random.Random) -> AvatarState:
    def rotation() -> tuple[float, float, float, float]:
        x, y, z, w = (source.gauss(0.0, 1.0) for _ in range(4))
        norm = math.sqrt(x * x + y * y + z * z + w * w)
        return x / norm, y / norm, z / norm, w / norm

    x, y, z = (source.uniform(-5.0, 5.0) for _ in range(3))
    head, left, right = (source.randrange(3) for _ in range(3))
    return AvatarState(
        id=source.randint(1, 65_535),
        chest_position_m=(x, y, z),
        chest_rotation=rotation(),
        head_rotation=rotation(),
        joint_angles_rad=tuple(source.uniform(-math.pi, math.pi) for _ in range(15)),
        sample_age_us=source.randrange(40_000),
        provenance=(head, left, right),
        discontinuity=source.randrange(16),
    )


_SOURCE = random.Random(1)
_ROTATIONS = {
    "x is dropped": (0.9, 0.3, 0.3, -0.1),
    "y is dropped, negative": (0.3, -0.9, 0.3, -0.1),
    "z is dropped": (0.3, 0.3, 0.9, -0.1),
    "w is dropped, negative": (0.3, -0.1, 0.3, -0.9),
    "all are equal": (0.5, 0.5, 0.5, 0.5),
    "two are equal, the first negative": (-HALF, 0.0, 0.0, HALF),
}
SNAPSHOTS: dict[str, Snapshot] = {
    "nobody": Snapshot(0, 0, ()),
    "one at rest": Snapshot(1, 16_667, (_avatar(),)),
    "the last tick": Snapshot(2**32 - 1, 2**53 - 1, (_avatar(id=65_535),)),
    "beyond every bound": Snapshot(
        2,
        3,
        (
            _avatar(
                chest_position_m=(-1e9, 100.0, 1e9),
                joint_angles_rad=(math.pi, -math.pi, 4.0, -4.0, 100.0, *(7.0,) * 10),
                sample_age_us=10**9,
                provenance=(0, 1, 2),
                discontinuity=15,
            ),
            _avatar(sample_age_us=-5, provenance=(0, 0, 0)),
        ),
    ),
    **{
        f"a rotation of which {name}": Snapshot(
            4, 5, (_avatar(chest_rotation=rotation, head_rotation=rotation),)
        )
        for name, rotation in _ROTATIONS.items()
    },
    "twenty at random": Snapshot(6, 7, tuple(_random_avatar(_SOURCE) for _ in range(20))),
}

_ONE = encode_snapshot(SNAPSHOTS["one at rest"])


def _with_fields(**wholes: int) -> bytes:
    """One avatar at rest, some of its fields overwritten."""
    record = int.from_bytes(_ONE[16:], "little")
    shift = 0
    for field in layout.AVATAR_RECORD:
        if field.name in wholes:
            record &= ~(field.maximum << shift)
            record |= wholes[field.name] << shift
        shift += field.bits
    return _ONE[:16] + record.to_bytes(47, "little")


# Read, though no encoder of ours writes them.
READABLE_SNAPSHOTS: list[tuple[str, bytes]] = [
    ("a section of an unknown kind behind a record", _ONE + b"\x7f\0\x05\0later"),
    ("flags of a newer version", _patched(_ONE, 1, b"\xff")),
    (
        "a rotation whose three are too long",
        _with_fields(chest_rotation_1=0x7FFF, chest_rotation_2=0x7FFF, chest_rotation_3=0x7FFF),
    ),
]

INVALID_SNAPSHOTS: list[tuple[str, bytes, CloseCode]] = [
    ("empty", b"", _BAD),
    ("a header cut short", _ONE[:15], _BAD),
    ("a record cut short", _ONE[:-1], _BAD),
    ("another id", b"\x01" + _ONE[1:], CloseCode.UNKNOWN_MESSAGE),
    ("more avatars than records", _patched(_ONE, 2, b"\x02\x00"), _BAD),
    (
        "more avatars than the cap",
        _patched(_ONE, 2, struct.pack("<H", 1025)) + bytes(47 * 1024),
        _BAD,
    ),
    ("a time of 2^53", _patched(_ONE, 8, struct.pack("<Q", 2**53)), _BAD),
    ("a person of id 0", _with_fields(id=0), _BAD),
    ("a provenance of 3 for the head", _with_fields(head_provenance=3), _BAD),
    ("a provenance of 3 for the right hand", _with_fields(right_provenance=3), _BAD),
    ("too large", _ONE + bytes(caps.SERVER_MESSAGE_BYTES), CloseCode.TOO_LARGE),
]
