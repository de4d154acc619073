"""What two hands miss at least: a bound that no posture beats, and that straight arms meet."""

import numpy as np
import pytest
from armspan.solvers.body.poses import PoseSet, make_poses
from armspan.solvers.body.shortfall import least_at, least_possible
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER, JOINT_LOWER, JOINT_UPPER

from tests.solvers.body.optimum import KINDS, kept_cases, missed, task_of
from tests.solvers.drawing import few

LOWEST, HIGHEST = ARM_LOWER[0], ARM_UPPER[0]
YAWS = np.linspace(LOWEST, HIGHEST, few(181, 13))
BOTH = np.array([True, True])


def bound_m(task) -> float:
    """In metres, as ``missed`` counts."""
    return float(np.sqrt(2.0 * least_possible(task, 0.0)[0]))


@pytest.mark.parametrize("kind", KINDS)
def test_brute_force_does_not_beat_the_bound(kind: str):
    """But for the hundredth that a search over the yaw may leave."""
    hands, tracked, least = kept_cases(kind, few(40, 5))
    for row, best in enumerate(least):
        assert bound_m(task_of(hands[row], tracked[row])) <= 1.01 * best + 1e-6


def test_no_posture_inside_the_limits_beats_the_bound():
    random = np.random.default_rng(1)
    for hands in make_poses(PoseSet.UNREACHABLE, few(100, 3), 1).hands:
        task = task_of(hands, BOTH)
        least = bound_m(task)
        for angles in random.uniform(JOINT_LOWER, JOINT_UPPER, (20, 15)):
            assert missed(angles, task) >= least


def test_the_yaw_it_is_met_at_is_the_best_of_all():
    for hands in make_poses(PoseSet.UNREACHABLE, few(100, 3), 2).hands:
        task = task_of(hands, BOTH)
        least, yaw = least_possible(task, 0.0)
        assert LOWEST <= yaw <= HIGHEST
        assert least == least_at(task, yaw)
        assert least <= 1.02 * min(least_at(task, float(at)) for at in YAWS)


def test_hands_in_reach_miss_nothing():
    for pose in (PoseSet.RANDOM, PoseSet.STRETCHED):
        poses = make_poses(pose, few(100, 3), 3)
        for hands, angles in zip(poses.hands, poses.joint_angles, strict=True):
            least, yaw = least_possible(task_of(hands, BOTH), float(angles[0]))
            assert least < 1e-12
            assert yaw == angles[0] or least < 1e-14


def test_an_arm_without_a_target_misses_nothing():
    for hands in make_poses(PoseSet.UNREACHABLE, few(50, 3), 4).hands:
        alone = [least_at(task_of(hands, np.array(one)), 0.2) for one in ((1, 0), (0, 1))]
        assert sum(alone) == pytest.approx(least_at(task_of(hands, BOTH), 0.2))
        assert least_at(task_of(hands, np.array([False, False])), 0.2) == 0.0
