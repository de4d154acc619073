"""Owns the arithmetic between values and the whole numbers of an avatar record.

float64 throughout, in the order written here: other codecs repeat it and agree bit for bit.
"""

import math

from armspan.protocol.caps import SAMPLE_AGE_UNIT_US
from armspan.protocol.layout import BitField

Rotation = tuple[float, float, float, float]
_TURN = 2.0 * math.pi


def linear(field: BitField, value: float) -> int:
    """round((value - low) * scale), halves up; values beyond [low, high] saturate."""
    return int(min(max((value - field.low) * field.scale, 0.0), field.maximum) + 0.5)


def from_linear(field: BitField, whole: int) -> float:
    """The middle of the interval that `linear` maps to `whole`."""
    return field.low + whole * field.step


def wrapped(angle_rad: float) -> float:
    """The same angle in (-pi, pi]."""
    if -math.pi < angle_rad <= math.pi:
        return angle_rad
    return angle_rad - _TURN * float(math.ceil((angle_rad - math.pi) / _TURN))


def age(age_us: int, maximum: int) -> int:
    """Units of 250 us, rounded, 0 for the future, saturating."""
    return min(max(age_us + SAMPLE_AGE_UNIT_US // 2, 0) // SAMPLE_AGE_UNIT_US, maximum)


def smallest_three(rotation: Rotation) -> tuple[int, tuple[float, float, float]]:
    """The index of the largest component (the first of equals), and the others in xyzw order.

    The sign of the quaternion is chosen so that the dropped component is not negative.
    """
    dropped = 0
    for index in (1, 2, 3):
        if abs(rotation[index]) > abs(rotation[dropped]):
            dropped = index
    sign = -1.0 if rotation[dropped] < 0.0 else 1.0
    a, b, c = (sign * rotation[index] for index in range(4) if index != dropped)
    return dropped, (a, b, c)


def from_smallest_three(dropped: int, others: tuple[float, float, float]) -> Rotation:
    """The unit quaternion xyzw. Others that are too long (no encoder writes them) are shortened."""
    a, b, c = others
    rest = 1.0 - (a * a + b * b + c * c)
    if rest < 0.0:
        norm = math.sqrt(a * a + b * b + c * c)
        a, b, c, rest = a / norm, b / norm, c / norm, 0.0
    components = [a, b, c]
    components.insert(dropped, math.sqrt(rest))
    x, y, z, w = components
    return x, y, z, w
