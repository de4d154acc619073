"""The second-order model of what an arm misses, against finite differences."""

import numpy as np
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.forward import arm_frames, arm_screws
from armspan.solvers.body.misfit import GRADIENT, HESSIAN, MISFIT, MODEL_ROOM, write_misfit
from armspan.solvers.body.polish import ROTATION_WEIGHT
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.body.targets import Task, pose_error
from armspan.solvers.dual_quaternion import dq_from_pose, dq_position

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


def model_of(task: Task, arm: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Value, gradient (8,) and the Hessian's lower triangle (8, 8)."""
    room = np.full(56 + MODEL_ROOM, np.nan)
    room[:8] = arm
    value = write_misfit(task.palms[1], task.lengths, 0, 8, 56, room)
    model = room[56:]
    hessian = np.tril(model[HESSIAN : HESSIAN + 64].reshape(8, 8))
    np.testing.assert_array_equal(room[:8], arm)
    assert np.isnan(model[MISFIT])  # left to the caller
    return value, model[GRADIENT : GRADIENT + 8], hessian


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
        missed, gradient, hessian = model_of(task, arms[1])
        assert np.isclose(missed, value(task, arms[1]), rtol=1e-12)
        slope, bend = differences(task, arms[1])
        np.testing.assert_allclose(gradient, slope, atol=1e-7)
        np.testing.assert_allclose(hessian, np.tril(bend), atol=1e-5)


def test_where_nothing_is_missed_the_hessian_is_that_of_gauss_and_newton():
    arm = 0.5 * (np.array(ARM_LOWER) + ARM_UPPER) + 0.1
    palm = arm_frames(tuple(arm), DEFAULT_LENGTHS)[3]
    missed, gradient, hessian = model_of(Task((palm, palm), (False, True), DEFAULT_LENGTHS), arm)
    assert missed < 1e-24
    np.testing.assert_allclose(gradient, 0.0, atol=1e-12)
    screws = np.zeros((8, 6))
    arm_screws(tuple(arm), DEFAULT_LENGTHS, screws)
    screws[:, 3:] += np.cross(screws[:, :3], dq_position(palm))
    effects = screws * ([ROTATION_WEIGHT] * 3 + [1.0] * 3)
    np.testing.assert_allclose(hessian, np.tril(effects @ effects.T), atol=1e-12)
