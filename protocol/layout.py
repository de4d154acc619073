"""Owns the layout of the binary frames, as tables that every codec is driven by.

Whole numbers are little-endian. An avatar record is one little-endian integer of 376 bits; its
fields lie one after the other from bit 0 upwards. Sections may follow a snapshot's records.
"""

import math
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Final

from armspan.protocol import caps

TRACKER_FRAME_ID: Final = 0x01
SNAPSHOT_ID: Final = 0x02
HANDS_FRAME_ID: Final = 0x03


class Provenance(IntEnum):
    """Where the pose of a head or a hand comes from."""

    LOST = 0
    INFERRED = 1
    TRACKED = 2


class Sensor(IntEnum):
    """The three sensors of a tracker frame, in the order of its poses and its tracked bits."""

    HEAD = 0
    LEFT_HAND = 1
    RIGHT_HAND = 2


class HandsFlag(IntEnum):
    """The bits that say which parts of a person's hands are told."""

    LEFT_FINGERS = 1
    RIGHT_FINGERS = 2
    LEFT_POINT = 4
    RIGHT_POINT = 8


class Section(IntEnum):
    """What a section behind the records of a snapshot holds."""

    HANDS = 1


class Scalar(Enum):
    """The kinds of numbers in whole-byte tables, with their sizes in bytes."""

    U8 = 1
    U16 = 2
    U32 = 4
    U64 = 8
    F32 = -4

    @property
    def size_bytes(self) -> int:
        return abs(self.value)


@dataclass(frozen=True, slots=True)
class ByteField:
    """`count` numbers of one kind from byte `offset` on."""

    name: str
    offset: int
    kind: Scalar
    count: int
    note: str

    @property
    def size_bytes(self) -> int:
        return self.count * self.kind.size_bytes


TRACKER_FRAME: Final = (
    ByteField("id", 0, Scalar.U8, 1, "0x01"),
    ByteField("tracked", 1, Scalar.U8, 1, "bit 0 head, bit 1 left hand, bit 2 right hand; rest 0"),
    ByteField("discontinuity", 2, Scalar.U8, 1, "0 to 15, one up (after 15: 0) at every jump"),
    ByteField("reserved", 3, Scalar.U8, 1, "0"),
    ByteField("sample_time_us", 4, Scalar.U64, 1, "the sender's monotonic clock, < 2^53"),
    ByteField("head", 12, Scalar.F32, 7, "eyes frame: position x y z, rotation x y z w"),
    ByteField("left_palm", 40, Scalar.F32, 7, "the left palm's frame, likewise"),
    ByteField("right_palm", 68, Scalar.F32, 7, "the right palm's frame, likewise"),
    ByteField("left_input", 96, Scalar.U8, 4, "buttons (bits), pinch, grip, trigger (0 to 255)"),
    ByteField("right_input", 100, Scalar.U8, 4, "likewise"),
)
TRACKER_FRAME_BYTES: Final = 104

SNAPSHOT_HEADER: Final = (
    ByteField("id", 0, Scalar.U8, 1, "0x02"),
    ByteField("flags", 1, Scalar.U8, 1, "0; receivers ignore it"),
    ByteField("avatar_count", 2, Scalar.U16, 1, "records that follow"),
    ByteField("tick", 4, Scalar.U32, 1, "number of the tick, modulo 2^32"),
    ByteField("session_time_us", 8, Scalar.U64, 1, "session time of the tick, < 2^53"),
)
SNAPSHOT_HEADER_BYTES: Final = 16


_FINGERS = len(caps.FINGER_JOINTS)
HANDS_FRAME: Final = (
    ByteField("id", 0, Scalar.U8, 1, "0x03"),
    ByteField("flags", 1, Scalar.U8, 1, "which of the parts below are told; rest 0"),
    ByteField("reserved", 2, Scalar.U16, 1, "0"),
    ByteField("left_fingers", 4, Scalar.U8, _FINGERS, "the joints of the left hand"),
    ByteField("right_fingers", 24, Scalar.U8, _FINGERS, "the joints of the right hand"),
    ByteField("left_point", 44, Scalar.F32, 3, "where the left hand points at: x y z, world"),
    ByteField("right_point", 56, Scalar.F32, 3, "where the right hand points at, likewise"),
)
HANDS_FRAME_BYTES: Final = 68
HANDS_FLAGS: Final = sum(HandsFlag)

SECTION_HEADER: Final = (
    ByteField("kind", 0, Scalar.U8, 1, "what the body holds"),
    ByteField("reserved", 1, Scalar.U8, 1, "0; receivers ignore it"),
    ByteField("body_bytes", 2, Scalar.U16, 1, "size of the body, which follows"),
)
SECTION_HEADER_BYTES: Final = 4

# Every part but the first two is there only if its flag is set.
HANDS_ENTRY: Final = (
    ("id", Scalar.U16, 1, "the person's, as in `people`"),
    ("flags", Scalar.U8, 1, "as in the hands frame"),
    ("left_fingers", Scalar.U8, _FINGERS, "if bit 0 is set"),
    ("right_fingers", Scalar.U8, _FINGERS, "if bit 1 is set"),
    ("left_point", Scalar.F32, 3, "if bit 2 is set"),
    ("right_point", Scalar.F32, 3, "if bit 3 is set"),
)
HANDS_ENTRY_BYTES: Final = sum(count * kind.size_bytes for _, kind, count, _ in HANDS_ENTRY)
"""Of the longest entry."""


class Coding(Enum):
    """How a bit field turns a value into a whole number."""

    WHOLE = "whole"  # as it is
    LINEAR = "linear"  # clamped to [low, high], which become 0 and 2^bits - 1
    ANGLE = "angle"  # wrapped into (-pi, pi] first, then linear
    DROPPED = "dropped"  # index of a rotation's largest component; three LINEAR fields follow
    AGE = "age"  # microseconds in units of SAMPLE_AGE_UNIT_US, rounded, saturating


@dataclass(frozen=True, slots=True)
class BitField:
    """One field of the avatar record, `bits` wide; `low` and `high` for linear codings."""

    name: str
    bits: int
    coding: Coding
    low: float = 0.0
    high: float = 0.0

    @property
    def maximum(self) -> int:
        return (1 << self.bits) - 1

    @property
    def scale(self) -> float:
        """Whole numbers a unit of the value; 1 for codings that are not linear."""
        return self.maximum / (self.high - self.low) if self.high > self.low else 1.0

    @property
    def step(self) -> float:
        """The value of one whole number; 1 for codings that are not linear."""
        return (self.high - self.low) / self.maximum if self.high > self.low else 1.0


def _position(name: str) -> BitField:
    return BitField(name, 20, Coding.LINEAR, -caps.COORDINATE_M, caps.COORDINATE_M)


def _rotation(name: str, bits: int) -> tuple[BitField, ...]:
    """Smallest three: the largest component is dropped, the others follow in the order xyzw."""
    bound = math.sqrt(0.5)
    others = (BitField(f"{name}_{n}", bits, Coding.LINEAR, -bound, bound) for n in (1, 2, 3))
    return (BitField(f"{name}_dropped", 2, Coding.DROPPED), *others)


def _angle(name: str, bits: int) -> BitField:
    return BitField(name, bits, Coding.ANGLE, -math.pi, math.pi)


def _arm(side: str) -> tuple[BitField, ...]:
    return (
        _angle(f"{side}_shoulder_flexion", 14),
        _angle(f"{side}_shoulder_abduction", 14),
        _angle(f"{side}_shoulder_rotation", 14),
        _angle(f"{side}_elbow_flexion", 14),
        _angle(f"{side}_forearm_pronation", 12),
        _angle(f"{side}_wrist_flexion", 12),
        _angle(f"{side}_wrist_deviation", 12),
    )


AVATAR_RECORD: Final = (
    BitField("id", 16, Coding.WHOLE),
    _position("chest_x_m"),
    _position("chest_y_m"),
    _position("chest_z_m"),
    *_rotation("chest_rotation", 15),
    *_rotation("head_rotation", 10),
    _angle("torso_yaw", 15),
    *_arm("left"),
    *_arm("right"),
    BitField("sample_age", 12, Coding.AGE),
    BitField("head_provenance", 2, Coding.WHOLE),
    BitField("left_provenance", 2, Coding.WHOLE),
    BitField("right_provenance", 2, Coding.WHOLE),
    BitField("discontinuity", 4, Coding.WHOLE),
)
AVATAR_RECORD_BYTES: Final = 47

JOINT_FIELDS: Final = tuple(f.name for f in AVATAR_RECORD if f.coding is Coding.ANGLE)

FINGERS: Final = tuple(
    BitField(
        joint.name, 8, Coding.LINEAR, math.radians(joint.low_deg), math.radians(joint.high_deg)
    )
    for joint in caps.FINGER_JOINTS
)
"""The angles of one hand, radians."""
