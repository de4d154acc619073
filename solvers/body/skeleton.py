"""Owns the skeleton's facts: joint and length names, default lengths, limits, resting postures.

Axes and signs are those of ``docs/conventions.md``. The numerics treat every arm as a right arm
of eight joints (the shared torso yaw first); a left arm is solved mirrored, so both share one
set of limits and one code path.
"""

import math
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Side(IntEnum):
    """Index of an axis that means sides."""

    LEFT = 0
    RIGHT = 1


ARM_JOINT_NAMES = (
    "shoulder_flexion",
    "shoulder_abduction",
    "shoulder_rotation",
    "elbow_flexion",
    "forearm_pronation",
    "wrist_flexion",
    "wrist_deviation",
)
JOINT_NAMES = (
    "torso_yaw",
    *(f"left_{name}" for name in ARM_JOINT_NAMES),
    *(f"right_{name}" for name in ARM_JOINT_NAMES),
)

LENGTH_NAMES = (
    "shoulder_lateral_m",
    "shoulder_up_m",
    "upper_arm_m",
    "forearm_m",
    "palm_m",
    "hand_length_m",
    "eyes_up_m",
    "eyes_forward_m",
    "neck_m",
    "sternum_down_m",
    "eye_height_m",
)
DEFAULT_LENGTHS: NDArray[np.float64] = np.array(
    [0.18, 0.05, 0.30, 0.26, 0.08, 0.19, 0.07, 0.09, 0.12, 0.065, 1.62]
)
DEFAULT_LENGTHS.setflags(write=False)

# Where each length sits in an array of lengths: kernels read it through these.
SHOULDER_LATERAL, SHOULDER_UP, UPPER_ARM, FOREARM, PALM, HAND_LENGTH = range(6)
EYES_UP, EYES_FORWARD, NECK, STERNUM_DOWN, EYE_HEIGHT = range(6, 11)

# Limits of one arm in radians, torso yaw first (AAOS ranges of motion).
ARM_LOWER = tuple(math.radians(d) for d in (-45, -60, -50, -90, 0, -80, -70, -30))
ARM_UPPER = tuple(math.radians(d) for d in (45, 180, 180, 70, 150, 80, 80, 20))

# `home` bends the elbows: the zero posture is singular (a hand that must go straight up from it
# gives Newton's method no direction).
ARM_HOME = (0.0, 0.0, 0.0, 0.0, math.pi / 2, 0.0, 0.0, 0.0)
# An arm without a sensor hangs beside the body, its elbow and hand relaxed.
ARM_REST = (0.0, 0.05, 0.12, 0.0, 0.22, 0.15, 0.1, 0.0)

JOINT_LOWER: NDArray[np.float64] = np.array(ARM_LOWER + ARM_LOWER[1:])
JOINT_UPPER: NDArray[np.float64] = np.array(ARM_UPPER + ARM_UPPER[1:])
JOINT_HOME: NDArray[np.float64] = np.array(ARM_HOME + ARM_HOME[1:])
for _table in (JOINT_LOWER, JOINT_UPPER, JOINT_HOME):
    _table.setflags(write=False)
