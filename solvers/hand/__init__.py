"""Owns the hand: its joints, sizes, limits and segments."""

from armspan.solvers.hand.angles import (
    ANGLE_LOWER,
    ANGLE_NAMES,
    ANGLE_UPPER,
    ANGLES,
    FLAT,
    RELAXED,
    dip_from_pip,
)
from armspan.solvers.hand.anthropometry import (
    DIGITS,
    LONGEST_HAND_M,
    PALM_DEPTH,
    SEGMENTS,
    SHORTEST_HAND_M,
    SIZES,
    Digit,
    HandError,
    hand_sizes,
)
from armspan.solvers.hand.capsules import (
    CAPSULES,
    FIRST_PALM,
    finger_capsules,
    hand_capsules,
    palm_capsules,
    thumb_capsules,
)
from armspan.solvers.hand.forward import HAND_JOINTS, LEFT, RIGHT, hand_joints
from armspan.solvers.hand.model import Hand, make_hand

__all__ = [
    "ANGLES",
    "ANGLE_LOWER",
    "ANGLE_NAMES",
    "ANGLE_UPPER",
    "CAPSULES",
    "DIGITS",
    "FIRST_PALM",
    "FLAT",
    "HAND_JOINTS",
    "LEFT",
    "LONGEST_HAND_M",
    "PALM_DEPTH",
    "RELAXED",
    "RIGHT",
    "SEGMENTS",
    "SHORTEST_HAND_M",
    "SIZES",
    "Digit",
    "Hand",
    "HandError",
    "dip_from_pip",
    "finger_capsules",
    "hand_capsules",
    "hand_joints",
    "hand_sizes",
    "make_hand",
    "palm_capsules",
    "thumb_capsules",
]
