"""The 2001 method: its step, its reset, its averaged torso, and the paper's own claim."""

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS, Method
from armspan.solvers.body.forward import arm_frames, arm_screws
from armspan.solvers.body.luciano import MOST_ITERATIONS, luciano_scratch, solve_luciano
from armspan.solvers.body.poses import PoseSet, make_poses
from armspan.solvers.body.stream import Stream, solve_stream
from armspan.solvers.body.targets import Task, make_task, pose_error
from armspan.solvers.quaternion import quat_mul

from tests.solvers.drawing import few

ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def tasks(count: int, tracked=(True, True), kind=PoseSet.RANDOM) -> list[Task]:
    hands = make_poses(kind, count, 11).hands
    return [make_task(ORIGIN, pair, *tracked, DEFAULT_LENGTHS) for pair in hands]


def newton_in_numpy(task: Task, side: int, steps: int) -> np.ndarray:
    """The paper's iteration for one arm, written from its description with numpy's SVD."""
    angles, target = np.zeros(8), np.array(task.palms[side])
    for _ in range(steps):
        screws, jacobian = np.empty((8, 6)), np.empty((8, 8))
        palm = np.array(arm_screws(tuple(angles), task.lengths, screws))
        for joint, (ax, ay, az, mx, my, mz) in enumerate(screws / 2):
            axis, moment = (ax, ay, az, 0.0), (mx, my, mz, 0.0)
            jacobian[:4, joint] = quat_mul(axis, tuple(palm[:4]))
            jacobian[4:, joint] = np.add(
                quat_mul(axis, tuple(palm[4:])), quat_mul(moment, tuple(palm[:4]))
            )
        nearer = target if target[:4] @ palm[:4] >= 0 else -target
        angles = angles + np.linalg.pinv(jacobian, 1e-6) @ (nearer - palm)
    return angles


def test_one_arm_follows_newtons_iteration_with_a_pseudo_inverse():
    for task in tasks(few(40, 3), (False, True)):
        angles = np.zeros((2, 8))
        taken = solve_luciano(task, angles, luciano_scratch())
        if taken <= 8:  # later, what rounding does to a step near a singular place grows
            turns = (angles[1] - newton_in_numpy(task, 1, taken)) / (2 * np.pi)
            np.testing.assert_allclose(turns, np.round(turns), atol=1e-5)


def test_one_arm_converges_most_often_in_fewer_than_13_iterations():
    """Luciano, Banerjee & Mehrotra 2001, on 1,000 random poses."""
    iterations = np.array(
        [
            solve_luciano(task, np.zeros((2, 8)), luciano_scratch())
            for task in tasks(few(1000, 15), (False, True))
        ]
    )
    assert (iterations <= MOST_ITERATIONS).mean() > 0.99
    assert np.bincount(iterations).argmax() < 13
    assert (iterations < 13).mean() > 0.7


def test_two_averaged_arms_share_one_torso_and_solve_most_bodies():
    solved = 0
    cases = tasks(few(300, 4))
    for task in cases:
        angles = np.zeros((2, 8))
        taken = solve_luciano(task, angles, luciano_scratch())
        assert angles[0, 0] == pytest.approx(-angles[1, 0], abs=1e-12)
        if taken <= MOST_ITERATIONS:
            solved += 1
            for side in range(2):
                palm = arm_frames(tuple(angles[side]), task.lengths)[3]
                off, turned = pose_error(task.palms[side], palm)
                assert off <= 1e-3
                assert turned <= np.radians(1.0)
    assert solved > few(70, 10) / 100 * len(cases)


def test_every_frame_starts_from_the_zero_posture_again():
    task = tasks(1)[0]
    fresh, used = np.zeros((2, 8)), np.full((2, 8), 1.7)
    solve_luciano(task, fresh, luciano_scratch())
    solve_luciano(task, used, luciano_scratch())
    np.testing.assert_array_equal(fresh, used)


def test_the_zero_posture_itself_takes_no_iteration():
    palms = (arm_frames((0.0,) * 8, DEFAULT_LENGTHS)[3],) * 2
    angles = np.ones((2, 8))
    assert solve_luciano(Task(palms, (True, True), DEFAULT_LENGTHS), angles, luciano_scratch()) == 0
    np.testing.assert_array_equal(angles, 0.0)


@pytest.mark.parametrize("kind", [PoseSet.STRETCHED, PoseSet.UNREACHABLE])
def test_where_it_fails_its_angles_stay_finite_and_wrapped(kind: PoseSet):
    hands = make_poses(kind, few(200, 3), 12).hands
    both = np.ones((len(hands), 2), np.bool_)
    stream = Stream(DEFAULT_LENGTHS, hands, both, chests=np.tile(ORIGIN, (len(hands), 1)))
    angles = solve_stream(Method.LUCIANO, stream).joint_angles
    assert (np.abs(angles) <= np.pi + 1e-9).all()
