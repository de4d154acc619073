"""The coupled method: the experiment's six iterations, one torso, no limits, and what it leaves."""

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.coupled import MOST_ITERATIONS, solve_coupled
from armspan.solvers.body.polish import polish_scratch
from armspan.solvers.body.poses import PoseSet, make_poses
from armspan.solvers.body.skeleton import ARM_REST
from armspan.solvers.body.targets import all_solved, make_task

from tests.solvers.drawing import few

CHEST = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def iterations_of(kind: PoseSet, count: int, seed: int) -> np.ndarray:
    """Iterations of every body; each claim to have solved one is checked."""
    scratch, taken = polish_scratch(), []
    for hands in make_poses(kind, count, seed).hands:
        task = make_task(CHEST, hands, True, True, DEFAULT_LENGTHS)
        angles = np.zeros((2, 8))
        taken.append(solve_coupled(task, angles, scratch))
        assert angles[0, 0] == -angles[1, 0]
        assert np.abs(angles).max() <= np.pi
        assert all_solved(task, angles) == (taken[-1] <= MOST_ITERATIONS)
    return np.array(taken)


def test_random_poses_take_six_iterations_and_seldom_thirteen():
    taken = iterations_of(PoseSet.RANDOM, few(1000, 10), 0)
    assert (taken <= MOST_ITERATIONS).mean() >= 0.999
    assert np.median(taken) <= few(6, 8)
    assert (taken < 13).mean() >= few(98, 80) / 100


def test_stretched_arms_are_no_obstacle():
    assert (iterations_of(PoseSet.STRETCHED, few(1000, 4), 0) <= MOST_ITERATIONS).mean() >= 0.99


def test_what_no_torso_brings_into_reach_is_given_up_and_stays_finite():
    hands = make_poses(PoseSet.RANDOM, 1, 0).hands[0]
    hands[:, :3] *= 100.0
    angles = np.zeros((2, 8))
    task = make_task(CHEST, hands, True, True, DEFAULT_LENGTHS)
    assert solve_coupled(task, angles, polish_scratch()) == MOST_ITERATIONS + 1
    assert np.isfinite(angles).all()


@pytest.mark.parametrize("side", [0, 1])
def test_an_arm_without_a_target_only_follows_the_torso(side: int):
    for hands in make_poses(PoseSet.RANDOM, few(50, 2), 1).hands:
        task = make_task(CHEST, hands, side == 0, side == 1, DEFAULT_LENGTHS)
        angles = np.array([ARM_REST, ARM_REST])
        assert solve_coupled(task, angles, polish_scratch()) <= MOST_ITERATIONS
        np.testing.assert_array_equal(angles[1 - side, 1:], ARM_REST[1:])
        assert angles[0, 0] == -angles[1, 0]
