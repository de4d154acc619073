"""The skeleton's facts, and that the wire has the same ones."""

import math

import numpy as np
from armspan.protocol.caps import LENGTHS
from armspan.solvers.body.skeleton import (
    ARM_HOME,
    ARM_LOWER,
    ARM_REST,
    ARM_UPPER,
    DEFAULT_LENGTHS,
    EYE_HEIGHT,
    JOINT_LOWER,
    JOINT_NAMES,
    JOINT_UPPER,
    LENGTH_NAMES,
    PALM,
    UPPER_ARM,
)


def test_the_wire_has_the_same_lengths_in_the_same_order_with_the_same_defaults():
    assert tuple(length.name for length in LENGTHS) == LENGTH_NAMES
    assert [length.default_m for length in LENGTHS] == DEFAULT_LENGTHS.tolist()
    assert all(length.low_m <= length.default_m <= length.high_m for length in LENGTHS)


def test_a_body_has_one_torso_and_two_arms_of_seven():
    assert len(JOINT_NAMES) == len(JOINT_LOWER) == len(JOINT_UPPER) == 15
    assert JOINT_NAMES[0] == "torso_yaw"
    assert JOINT_NAMES[1:8] == tuple("left_" + name[6:] for name in JOINT_NAMES[8:])
    assert JOINT_NAMES[8:] == (
        "right_shoulder_flexion",
        "right_shoulder_abduction",
        "right_shoulder_rotation",
        "right_elbow_flexion",
        "right_forearm_pronation",
        "right_wrist_flexion",
        "right_wrist_deviation",
    )


def test_both_arms_have_the_same_limits():
    np.testing.assert_array_equal(JOINT_LOWER[1:8], JOINT_LOWER[8:])
    np.testing.assert_array_equal(JOINT_UPPER[1:8], JOINT_UPPER[8:])


def test_the_torso_turns_as_far_left_as_right():
    """A left arm is solved mirrored, its yaw negated: the limits must be, too."""
    assert ARM_LOWER[0] == -ARM_UPPER[0] == -math.pi / 4


def test_the_limits_are_those_of_the_conventions():
    degrees = [(-45, 45), (-60, 180), (-50, 180), (-90, 70), (0, 150), (-80, 80), (-70, 80)]
    degrees.append((-30, 20))
    np.testing.assert_allclose(np.degrees([ARM_LOWER, ARM_UPPER]).T, degrees)


def test_the_resting_postures_are_inside_the_limits():
    for posture in (ARM_HOME, ARM_REST):
        assert all(
            low <= angle <= high
            for low, angle, high in zip(ARM_LOWER, posture, ARM_UPPER, strict=True)
        )


def test_lengths_are_read_by_name():
    assert LENGTH_NAMES[UPPER_ARM] == "upper_arm_m"
    assert LENGTH_NAMES[PALM] == "palm_m"
    assert LENGTH_NAMES[EYE_HEIGHT] == "eye_height_m"
