"""Tests of the hand as a whole: joints and capsules agree."""

import numpy as np
import pytest
from armspan.solvers.body.skeleton import Side
from armspan.solvers.hand import ANGLE_LOWER, ANGLE_UPPER, FLAT, HAND_JOINTS, make_hand


def _some_angles(count: int) -> list[np.ndarray]:
    random = np.random.default_rng(5)
    return [random.uniform(ANGLE_LOWER, ANGLE_UPPER) for _ in range(count)]


def test_a_flat_middle_finger_ends_at_the_hand_s_length():
    for length_m in (0.15, 0.19, 0.23):
        joints = make_hand(length_m, Side.RIGHT).joints(FLAT)
        wrist, tip = joints[0, :3], joints[HAND_JOINTS.index("middle-finger-tip"), :3]
        assert np.linalg.norm(tip - wrist) == pytest.approx(length_m, abs=1e-12)


@pytest.mark.parametrize("side", [Side.LEFT, Side.RIGHT])
def test_capsules_join_the_joints(side: Side):
    hand = make_hand(0.19, side)
    for angles in _some_angles(20):
        joints, capsules = hand.joints(angles), hand.capsules(angles)
        for digit in range(5):
            first = 1 if digit == 0 else 5 * digit + 1
            for segment in range(3):
                capsule = capsules[3 * digit + segment]
                np.testing.assert_allclose(capsule[:3], joints[first + segment, :3], atol=1e-12)
                end = joints[first + segment + 1, :3]
                short = capsule[6] if segment == 2 else 0.0
                assert np.linalg.norm(end - capsule[3:6]) == pytest.approx(short, abs=1e-12)
