"""The coupled step, against one dense system; and what a polish promises."""

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.forward import arm_frames, arm_screws
from armspan.solvers.body.polish import ROTATION_WEIGHT, polish, polish_scratch
from armspan.solvers.body.skeleton import ARM_HOME, ARM_LOWER, ARM_UPPER
from armspan.solvers.body.targets import Task, pose_error, twist_between
from armspan.solvers.dual_quaternion import dq_position

from tests.solvers.drawing import few

LOWER, UPPER = np.array(ARM_LOWER), np.array(ARM_UPPER)


def random_arms(random: np.random.Generator) -> np.ndarray:
    """(2, 8) angles of right arms inside the limits, with one torso."""
    arms = random.uniform(LOWER, UPPER, (2, 8))
    arms[0, 0] = -arms[1, 0]
    return arms


def task_of(arms: np.ndarray, tracked=(True, True)) -> Task:
    palms = tuple(arm_frames(tuple(arm), DEFAULT_LENGTHS)[3] for arm in arms)
    return Task(palms, tracked, DEFAULT_LENGTHS)


def cost(task: Task, arms: np.ndarray) -> float:
    total = 0.0
    for side in range(2):
        if task.tracked[side]:
            palm = arm_frames(tuple(arms[side]), DEFAULT_LENGTHS)[3]
            off, turned = pose_error(task.palms[side], palm)
            total += off**2 + (ROTATION_WEIGHT * turned) ** 2
    return total


def dense_step(task: Task, arms: np.ndarray, damping: float) -> np.ndarray:
    """(2, 8) from the whole 12 x 15 Jacobian at once, torso first, left arm, right arm."""
    jacobian, error = np.zeros((12, 15)), np.zeros(12)
    weights = np.array([1, 1, 1, *[ROTATION_WEIGHT] * 3])
    for side in range(2):
        rows = slice(6 * side, 6 * side + 6)
        screws = np.empty((8, 6))
        palm = arm_screws(tuple(arms[side]), DEFAULT_LENGTHS, screws)
        moved = screws[:, 3:] + np.cross(screws[:, :3], dq_position(palm))
        columns = (np.hstack([moved, screws[:, :3]]) * weights).T
        jacobian[rows, 0] = columns[:, 0] * (1 if side == 1 else -1)
        jacobian[rows, 1 + 7 * side : 8 + 7 * side] = columns[:, 1:]
        error[rows] = weights * twist_between(task.palms[side], palm)
    step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + damping * np.eye(12), error)
    return np.array([[-step[0], *step[1:8]], [step[0], *step[8:]]])


def test_block_elimination_gives_the_step_of_the_whole_system():
    random = np.random.default_rng(2)
    for _ in range(few(30, 4)):
        here = random_arms(random) * 0.5 + 0.25 * (LOWER + UPPER)  # clear of the limits
        here[0, 0] = -here[1, 0]
        there = here + random.uniform(-1e-3, 1e-3, (2, 8))
        there[0, 0] = -there[1, 0]
        task, moved = task_of(there), here.copy()
        assert polish(task, moved, ROTATION_WEIGHT, 1, polish_scratch()) <= 1
        np.testing.assert_allclose(moved - here, dense_step(task, here, 1e-4), atol=1e-7)


def test_from_nearby_both_palms_are_reached_in_a_few_steps():
    random = np.random.default_rng(3)
    solved, cases = 0, few(100, 4)
    for _ in range(cases):
        arms = random_arms(random) * 0.8 + 0.1 * (LOWER + UPPER)
        arms[0, 0] = -arms[1, 0]
        task = task_of(arms)
        start = np.clip(arms + random.uniform(-0.1, 0.1, (2, 8)), LOWER, UPPER)
        start[0, 0] = -start[1, 0]
        solved += polish(task, start, ROTATION_WEIGHT, 12, polish_scratch()) <= 8 and bool(
            cost(task, start) < 1e-9
        )
    assert solved >= 0.9 * cases


@pytest.mark.parametrize("tracked", [(True, True), (False, True), (True, False)])
def test_a_polish_stays_inside_the_limits_and_never_makes_things_worse(tracked):
    random = np.random.default_rng(4)
    for _ in range(few(50, 3)):
        task = task_of(random_arms(random), tracked)
        arms = random_arms(random)
        untouched, before = arms.copy(), cost(task, arms)
        polish(task, arms, ROTATION_WEIGHT, 8, polish_scratch())
        assert (arms >= LOWER).all()
        assert (arms <= UPPER).all()
        assert arms[0, 0] == -arms[1, 0]
        assert cost(task, arms) <= before
        for side in range(2):
            if not tracked[side]:
                np.testing.assert_array_equal(arms[side, 1:], untouched[side, 1:])


def test_a_solved_body_is_left_alone():
    arms = np.array([ARM_HOME, ARM_HOME])
    before = arms.copy()
    assert polish(task_of(arms), arms, ROTATION_WEIGHT, 8, polish_scratch()) == 0
    np.testing.assert_array_equal(arms, before)
