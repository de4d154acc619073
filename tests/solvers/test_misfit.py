"""The second-order model of what an arm misses, against finite differences."""

import numpy as np
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.dual_quaternion import dq_from_pose
from armspan.solvers.forward import arm_frames
from armspan.solvers.misfit import write_misfit
from armspan.solvers.polish import ROTATION_WEIGHT
from armspan.solvers.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.targets import Task, pose_error

from tests.solvers.drawing import few

STEP = 1e-4


def value(task: Task, arm: np.ndarray) -> float:
    off, turned = pose_error(task.palms[1], arm_frames(tuple(arm), DEFAULT_LENGTHS)[3])
    return 0.5 * (off**2 + (ROTATION_WEIGHT * turned) ** 2)


def differences(task: Task, arm: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    moves = STEP * np.eye(8)
    slope = np.array([value(task, arm + m) - value(task, arm - m) for m in moves]) / (2 * STEP)
    bend = [
        [
            value(task, arm + m + n) - value(task, arm + m - n)
            - value(task, arm - m + n) + value(task, arm - m - n)
            for n in moves
        ]
        for m in moves
    ]  # fmt: skip
    return slope, np.array(bend) / (4 * STEP**2)


def test_gradient_and_hessian_are_those_of_what_is_missed():
    random = np.random.default_rng(0)
    for _ in range(few(40, 3)):
        rotation = random.normal(size=4)
        palm = dq_from_pose(
            tuple(random.uniform(-1.0, 1.0, 3)), tuple(rotation / np.linalg.norm(rotation))
        )
        arms = random.uniform(ARM_LOWER, ARM_UPPER, (2, 8))
        task = Task((palm, palm), (False, True), DEFAULT_LENGTHS)
        if pose_error(palm, arm_frames(tuple(arms[1]), DEFAULT_LENGTHS)[3])[1] > 3.0:
            continue  # near half a turn the angle itself has an edge
        gradient, hessian = np.zeros(8), np.zeros((8, 8))
        missed = write_misfit(task, arms, 1, np.zeros((8, 6)), gradient, hessian)
        assert np.isclose(missed, value(task, arms[1]), rtol=1e-12)
        slope, bend = differences(task, arms[1])
        np.testing.assert_allclose(gradient, slope, atol=1e-7)
        np.testing.assert_allclose(np.tril(hessian), np.tril(bend), atol=1e-5)


def test_where_nothing_is_missed_the_hessian_is_that_of_gauss_and_newton():
    arm = 0.5 * (np.array(ARM_LOWER) + ARM_UPPER) + 0.1
    palm = arm_frames(tuple(arm), DEFAULT_LENGTHS)[3]
    gradient, hessian, screws = np.zeros(8), np.zeros((8, 8)), np.zeros((8, 6))
    task = Task((palm, palm), (False, True), DEFAULT_LENGTHS)
    assert write_misfit(task, np.array([arm, arm]), 1, screws, gradient, hessian) < 1e-24
    np.testing.assert_allclose(gradient, 0.0, atol=1e-12)
    effects = screws * ([ROTATION_WEIGHT] * 3 + [1.0] * 3)
    np.testing.assert_allclose(np.tril(hessian), np.tril(effects @ effects.T), atol=1e-12)
