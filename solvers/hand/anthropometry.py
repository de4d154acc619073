"""Owns the sizes of a hand: from its length to joints, segments and radii, as one array.

``sizes`` is (SIZES,) float64, metres, a *right* hand in the palm's frame (origin at the palm's
centre, -Z to the fingers, +Y out of the back, so that the thumb is on -X). Digit ``d`` owns
``sizes[DIGIT_SIZE * d:][:DIGIT_SIZE]``: BASE xyz (the thumb's carpometacarpal joint, a finger's
knuckle), three LENGTHs (thumb: metacarpal, proximal, distal; finger: proximal, middle, distal,
the last to the tip of the skin) and the RADIUS of each of those segments. Behind the digits come
METACARPALS (xyz of the bases of the four fingers' metacarpals), WRIST_Z, HAND_LENGTH, PALM_DEPTH
(from the palm's centre to its skin, along -Y), and PALM: capsules of 7 numbers that do not move
with the fingers.
"""

from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Digit(IntEnum):
    """The digits, in the order of all arrays."""

    THUMB = 0
    INDEX = 1
    MIDDLE = 2
    RING = 3
    LITTLE = 4


DIGITS: Final = 5
SEGMENTS: Final = 3  # of a digit
DIGIT_SIZE: Final = 9
BASE: Final = 0
LENGTH: Final = 3
RADIUS: Final = 6
METACARPALS: Final = DIGIT_SIZE * DIGITS
WRIST_Z: Final = METACARPALS + 12
HAND_LENGTH: Final = WRIST_Z + 1
PALM_DEPTH: Final = WRIST_Z + 2
PALM: Final = WRIST_Z + 3
PALM_CAPSULES: Final = 5
SIZES: Final = PALM + 7 * PALM_CAPSULES

SHORTEST_HAND_M: Final = 0.150
LONGEST_HAND_M: Final = 0.230

_PALM_OF_HAND = 0.08 / 0.19
_PALM_SHARE = 0.84
_KNUCKLE_OF_HAND = _PALM_OF_HAND / _PALM_SHARE

# Millimetres of a hand whose middle finger has 92.31 mm from the knuckle to the tip.
_SEGMENTS_MM = (
    (46.22, 31.57, 27.34),
    (39.78, 22.38, 19.66),
    (44.63, 26.33, 21.35),
    (41.37, 25.65, 21.25),
    (32.74, 18.11, 19.69),
)
_FINGER_OF_HAND = 1.0 - _KNUCKLE_OF_HAND
_REFERENCE_MM = sum(_SEGMENTS_MM[Digit.MIDDLE]) / _FINGER_OF_HAND

# Of a hand 190 mm long.
_AT_MM = 190.0
_BASES_MM = (
    (-23.0, -8.0, 57.0),
    (-21.0, -1.5, -13.5),
    (0.0, 0.0, None),
    (19.5, -1.0, -9.0),
    (37.5, -1.5, 0.5),
)
_METACARPALS_MM = ((-11.0, 0.0, 52.0), (-1.0, 0.0, 50.0), (8.0, 0.0, 51.0), (16.0, -1.0, 53.0))
_RADII_MM = (
    (14.0, 11.0, 9.5),
    (10.0, 9.0, 8.0),
    (10.0, 9.0, 8.0),
    (9.5, 8.5, 7.5),
    (8.5, 7.5, 6.8),
)
_PALM_RADII_MM = (12.5, 12.5, 12.5, 12.0)
_PALM_BELOW_MM = 3.5


def hand_sizes(hand_length_m: float) -> Floats:
    """Sizes (SIZES,) of a hand ``hand_length_m`` long, from the wrist to the middle finger's tip.

    Everything grows with the length. Raises ValueError outside SHORTEST_HAND_M … LONGEST_HAND_M.
    """
    if not SHORTEST_HAND_M <= hand_length_m <= LONGEST_HAND_M:
        raise ValueError(
            f"a hand of {hand_length_m} m is not between {SHORTEST_HAND_M} and {LONGEST_HAND_M} m: "
            "give the distance from the wrist's crease to the middle finger's tip in metres"
        )
    sizes = np.empty(SIZES)
    by = hand_length_m / _AT_MM
    knuckle_z = (_PALM_OF_HAND - _KNUCKLE_OF_HAND) * hand_length_m
    for digit in range(DIGITS):
        of_digit = sizes[DIGIT_SIZE * digit :][:DIGIT_SIZE]
        x, y, z = _BASES_MM[digit]
        of_digit[BASE:LENGTH] = (x * by, y * by, knuckle_z if z is None else z * by)
        lengths_mm = np.array(_SEGMENTS_MM[digit])
        of_digit[LENGTH:RADIUS] = lengths_mm * (hand_length_m / _REFERENCE_MM)
        of_digit[RADIUS:] = np.array(_RADII_MM[digit]) * by
    sizes[METACARPALS:WRIST_Z] = np.array(_METACARPALS_MM).ravel() * by
    sizes[WRIST_Z] = _PALM_OF_HAND * hand_length_m
    sizes[HAND_LENGTH] = hand_length_m
    sizes[PALM_DEPTH] = (_PALM_BELOW_MM + _PALM_RADII_MM[1]) * by
    sizes[PALM:] = _palm_capsules(sizes, by).ravel()
    return sizes


def _palm_capsules(sizes: Floats, by: float) -> Floats:
    """Four capsules along the metacarpals, and one across the heel of the hand."""
    palm = np.empty((PALM_CAPSULES, 7))
    down = np.array([0.0, _PALM_BELOW_MM * by, 0.0])
    for finger in range(4):
        metacarpal = sizes[METACARPALS + 3 * finger :][:3]
        palm[finger, :3] = metacarpal - down
        palm[finger, 3:6] = sizes[DIGIT_SIZE * (finger + 1) :][:3] - down
        palm[finger, 6] = _PALM_RADII_MM[finger] * by
    palm[4, :3] = np.array([-14.0, -6.0, 62.0]) * by
    palm[4, 3:6] = np.array([16.0, -6.0, 62.0]) * by
    palm[4, 6] = 13.0 * by
    return palm
