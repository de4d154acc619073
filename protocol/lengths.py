"""Owns the lengths of a person's skeleton as they travel: eleven numbers in a fixed order."""

from collections.abc import Sequence
from typing import Annotated

from armspan.protocol.caps import LENGTH_NAMES, LENGTHS
from armspan.protocol.declaration import Record
from armspan.protocol.wire_types import Real

_CAPS = {length.name: length for length in LENGTHS}
_DEFAULTS = {length.name: length.default_m for length in LENGTHS}


def _bounds(name: str) -> Real:
    return Real(_CAPS[name].low_m, _CAPS[name].high_m)


class Lengths(Record):
    """The lengths of one person, metres; the defaults are the 50th percentile's."""

    shoulder_lateral_m: Annotated[float, _bounds("shoulder_lateral_m")] = _DEFAULTS[
        "shoulder_lateral_m"
    ]
    """Chest origin to shoulder, to the side."""
    shoulder_up_m: Annotated[float, _bounds("shoulder_up_m")] = _DEFAULTS["shoulder_up_m"]
    """Chest origin to shoulder, upwards."""
    upper_arm_m: Annotated[float, _bounds("upper_arm_m")] = _DEFAULTS["upper_arm_m"]
    """Shoulder to elbow."""
    forearm_m: Annotated[float, _bounds("forearm_m")] = _DEFAULTS["forearm_m"]
    """Elbow to wrist."""
    palm_m: Annotated[float, _bounds("palm_m")] = _DEFAULTS["palm_m"]
    """Wrist to the palm's centre, as used: scaled by the hand already."""
    hand_length_m: Annotated[float, _bounds("hand_length_m")] = _DEFAULTS["hand_length_m"]
    """Wrist to the tip of the middle finger."""
    eyes_up_m: Annotated[float, _bounds("eyes_up_m")] = _DEFAULTS["eyes_up_m"]
    """Base of the skull to the eyes, upwards."""
    eyes_forward_m: Annotated[float, _bounds("eyes_forward_m")] = _DEFAULTS["eyes_forward_m"]
    """Base of the skull to the eyes, forwards."""
    neck_m: Annotated[float, _bounds("neck_m")] = _DEFAULTS["neck_m"]
    """Base of the neck to the base of the skull."""
    sternum_down_m: Annotated[float, _bounds("sternum_down_m")] = _DEFAULTS["sternum_down_m"]
    """Base of the neck to the chest origin, downwards."""
    eye_height_m: Annotated[float, _bounds("eye_height_m")] = _DEFAULTS["eye_height_m"]
    """Floor to the eyes, standing."""

    @classmethod
    def from_row(cls, row: Sequence[float]) -> "Lengths":
        """From 11 numbers in the order of `LENGTH_NAMES`, metres (an array's `tolist()`)."""
        return cls(**dict(zip(LENGTH_NAMES, row, strict=True)))

    def as_row(self) -> tuple[float, ...]:
        """The 11 numbers in the order of `LENGTH_NAMES`, metres."""
        return tuple(getattr(self, name) for name in LENGTH_NAMES)
