"""Owns the lengths of a person's skeleton as they travel: eleven numbers in a fixed order."""

from collections.abc import Sequence
from typing import Annotated

from armspan.protocol.caps import LENGTH_NAMES, LENGTHS
from armspan.protocol.declaration import Record
from armspan.protocol.wire_types import Real

_CAPS = {length.name: length for length in LENGTHS}


def _default(name: str) -> float:
    return _CAPS[name].default_m


def _bounds(name: str) -> Real:
    return Real(_CAPS[name].low_m, _CAPS[name].high_m)


class Lengths(Record):
    """The lengths of one person, metres; the defaults are the 50th percentile's."""

    shoulder_lateral_m: Annotated[float, _bounds("shoulder_lateral_m")] = _default(
        "shoulder_lateral_m"
    )
    shoulder_up_m: Annotated[float, _bounds("shoulder_up_m")] = _default("shoulder_up_m")
    upper_arm_m: Annotated[float, _bounds("upper_arm_m")] = _default("upper_arm_m")
    forearm_m: Annotated[float, _bounds("forearm_m")] = _default("forearm_m")
    palm_m: Annotated[float, _bounds("palm_m")] = _default("palm_m")
    hand_length_m: Annotated[float, _bounds("hand_length_m")] = _default("hand_length_m")
    eyes_up_m: Annotated[float, _bounds("eyes_up_m")] = _default("eyes_up_m")
    eyes_forward_m: Annotated[float, _bounds("eyes_forward_m")] = _default("eyes_forward_m")
    neck_m: Annotated[float, _bounds("neck_m")] = _default("neck_m")
    sternum_down_m: Annotated[float, _bounds("sternum_down_m")] = _default("sternum_down_m")
    eye_height_m: Annotated[float, _bounds("eye_height_m")] = _default("eye_height_m")

    @classmethod
    def from_row(cls, row: Sequence[float]) -> "Lengths":
        """From 11 numbers in the order of `LENGTH_NAMES`, metres (an array's `tolist()`)."""
        return cls(**dict(zip(LENGTH_NAMES, row, strict=True)))

    def as_row(self) -> tuple[float, ...]:
        """The 11 numbers in the order of `LENGTH_NAMES`, metres."""
        return tuple(getattr(self, name) for name in LENGTH_NAMES)
