"""Owns the sizes of a hand: from its length to joints, segments and radii, as one array.

``sizes`` is (SIZES,) float64, metres, a *right* hand in the palm's frame (origin at the palm's
centre, -Z to the fingers, +Y out of the back, so that the thumb is on -X). Digit ``d`` owns
``sizes[DIGIT_SIZE * d:][:DIGIT_SIZE]``: BASE xyz (the thumb's carpometacarpal joint, a finger's
knuckle), three LENGTHs (thumb: metacarpal, proximal, distal; finger: proximal, middle, distal,
the last to the tip of the skin) and the RADIUS of each of those segments. Behind the digits come
METACARPALS (xyz of the bases of the four fingers' metacarpals), WRIST_Z, HAND_LENGTH, PALM_DEPTH
(from the palm's centre to its skin, along -Y), and PALM: capsules of 7 numbers that do not move
with the fingers.

Where the numbers come from (``docs/hand.md`` weighs them):

- lengths: Buryanov & Kotiuk 2010, table of bones and of the flesh over the tips, 66 adults,
  Int. J. Morphol. 28(3), 755-758, doi 10.4067/S0717-95022010000300015;
- where knuckles and the bases of metacarpals lie: Buchholz, Armstrong & Goldstein 1992,
  Ergonomics 35(3), 261-273, doi 10.1080/00140139208967812, of hand length and hand breadth;
- radii of fingers, of hand breadth: half the mean of breadth and depth at a segment's two ends, as
  the hand model of Sancho-Bru et al. 2011 has them (doi 10.5772/19977);
- breadth of a hand of its length, and percentiles: ANSUR II (Gordon et al. 2014, Natick
  TR-15/007), the mean of men and women.
"""

from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class HandError(ValueError):
    """A hand that nobody has."""


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

SHORTEST_HAND_M: Final = 0.07  # what the wire takes for a hand: a small child's, and beyond the
LONGEST_HAND_M: Final = 0.32  # longest ever measured
# 5th percentile of women and 95th of men (ANSUR II; n = 1,986 and 4,082).
SMALL_HAND_M: Final = 0.165
LARGE_HAND_M: Final = 0.210

# The conventions' palm: 0.08 m from the wrist in a hand 0.19 m long, and 0.84 of the way from
# there to the middle finger's knuckle.
_PALM_OF_HAND = 0.08 / 0.19
_PALM_SHARE = 0.84
_KNUCKLE_OF_HAND = _PALM_OF_HAND / _PALM_SHARE
_BREADTH_OF_HAND = 0.445

_SEGMENTS_MM = (
    (46.22, 31.57, 21.67 + 5.67),
    (39.78, 22.38, 15.82 + 3.84),
    (44.63, 26.33, 17.40 + 3.95),
    (41.37, 25.65, 17.30 + 3.95),
    (32.74, 18.11, 15.96 + 3.73),
)
_OF_REFERENCE = (1.0 - _KNUCKLE_OF_HAND) / sum(_SEGMENTS_MM[Digit.MIDDLE])

# Right of the middle ray, of hand breadth; behind the middle knuckle, of hand length. The thumb's
# row is its carpometacarpal joint.
_BASES_ASIDE = (-0.196, -0.126 - 0.126, 0.0, 0.129 + 0.077, 0.223 + 0.179)
_BASES_BEHIND = (0.373, -0.001, 0.0, 0.037, 0.078)
_METACARPALS_ASIDE = (-0.126, 0.0, 0.129, 0.223)
_METACARPALS_BEHIND = 0.373

# Above the middle ray, of hand length: the arch of the palm, and the trapezium before the carpus.
# Index and little finger must be level, for the palm's frame is found from their knuckles.
_BASES_ABOVE = (-0.050, -0.006, 0.0, -0.003, -0.006)

# Half the thickness of the thumb's metacarpal with the flesh about it, then measured thicknesses.
_THICKNESS = (
    (0.360, 0.250, 0.212),
    (0.229, 0.198, 0.176),
    (0.216, 0.197, 0.180),
    (0.203, 0.182, 0.168),
    (0.183, 0.165, 0.149),
)
# Neighbours in the flat hand touch, and flesh gives: this much keeps their capsules apart.
_FIRM = 0.98

# Of hand length. A hand is as thick at the palm as 0.165 of its length, more of it below the
# bones than above; a palm's capsules end before the knuckles, where the flesh folds.
_PALM_RADIUS = 0.082
_PALM_BELOW = 0.021
_PALM_SHORT = 0.062
_HEEL_RADIUS = 0.088
_HEEL_ASIDE = 0.075
_HEEL_BEHIND = 0.41


def hand_sizes(hand_length_m: float) -> Floats:
    """Sizes (SIZES,) of a hand ``hand_length_m`` long, from the wrist to the middle finger's tip.

    Everything grows with the length. Raises HandError outside SHORTEST_HAND_M … LONGEST_HAND_M.
    """
    if not SHORTEST_HAND_M <= hand_length_m <= LONGEST_HAND_M:
        raise HandError(
            f"a hand {hand_length_m:g} m long is not between {SHORTEST_HAND_M:g} and "
            f"{LONGEST_HAND_M:g} m: give the distance from the wrist to the middle finger's tip in "
            "metres"
        )
    sizes = np.empty(SIZES)
    knuckle_z = _PALM_OF_HAND - _KNUCKLE_OF_HAND
    for digit in range(DIGITS):
        of_digit = sizes[DIGIT_SIZE * digit :][:DIGIT_SIZE]
        aside, behind = _BASES_ASIDE[digit] * _BREADTH_OF_HAND, knuckle_z + _BASES_BEHIND[digit]
        of_digit[BASE:LENGTH] = (aside, _BASES_ABOVE[digit], behind)
        of_digit[LENGTH:RADIUS] = np.array(_SEGMENTS_MM[digit]) * _OF_REFERENCE
        of_digit[RADIUS:] = np.array(_THICKNESS[digit]) * (0.5 * _FIRM * _BREADTH_OF_HAND)
    for finger, aside in enumerate(_METACARPALS_ASIDE):
        sizes[METACARPALS + 3 * finger :][:3] = (
            aside * _BREADTH_OF_HAND,
            0.0,
            knuckle_z + _METACARPALS_BEHIND,
        )
    sizes[WRIST_Z] = _PALM_OF_HAND
    sizes[HAND_LENGTH] = 1.0
    sizes[PALM_DEPTH] = _PALM_BELOW + _PALM_RADIUS
    sizes[PALM:] = _palm_capsules(sizes, knuckle_z).ravel()
    return sizes * hand_length_m


def _palm_capsules(sizes: Floats, knuckle_z: float) -> Floats:
    """Four capsules along the metacarpals, and one across the heel; of a hand of length 1."""
    palm = np.empty((PALM_CAPSULES, 7))
    for finger in range(4):
        start = sizes[METACARPALS + 3 * finger :][:3]
        along = sizes[DIGIT_SIZE * (finger + 1) :][:3] - start
        length = float(np.linalg.norm(along))
        palm[finger, :3] = start
        palm[finger, 3:6] = start + along * (1.0 - _PALM_SHORT / length)
        palm[finger, 6] = _PALM_RADIUS
    heel_z = knuckle_z + _HEEL_BEHIND
    palm[4] = (-_HEEL_ASIDE, 0.0, heel_z, _HEEL_ASIDE, 0.0, heel_z, _HEEL_RADIUS)
    palm[:, [1, 4]] -= _PALM_BELOW
    return palm
