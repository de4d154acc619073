"""Where descents start: inside the limits, best first, at the answer where nothing is broken."""

import numpy as np
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.forward import arm_frames
from armspan.solvers.body.goals import both_goals
from armspan.solvers.body.nearest_start import (
    START_ROOM,
    write_next_start,
    write_starts,
    write_straight,
)
from armspan.solvers.body.poses import PoseSet, make_poses, palms_of
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_REST, ARM_UPPER, FOREARM, UPPER_ARM
from armspan.solvers.body.targets import pose_error, worst_error

from tests.solvers.body.optimum import task_of
from tests.solvers.drawing import few

BOTH = np.array([True, True])
REACH = float(DEFAULT_LENGTHS[UPPER_ARM] + DEFAULT_LENGTHS[FOREARM])


def starts(hands: np.ndarray, yaw: float) -> list[np.ndarray]:
    """All starts (8,) of a right arm."""
    goal = both_goals(task_of(hands, BOTH), yaw)[1]
    room, angles = np.zeros(START_ROOM), np.zeros(10)
    write_starts(goal, yaw, DEFAULT_LENGTHS, room)
    found = []
    while write_next_start(yaw, room, 2, angles):
        found.append(angles[2:].copy())
        assert len(found) <= 24
    np.testing.assert_array_equal(angles[:2], 0.0)
    return found


def test_starts_are_inside_the_limits_and_differ():
    for hands in make_poses(PoseSet.UNREACHABLE, few(100, 3), 6).hands:
        found = starts(hands, 0.3)
        assert len(found) >= 2  # one of each reading at the least
        for angles in found:
            assert angles[0] == 0.3
            assert (angles >= ARM_LOWER).all()
            assert (angles <= ARM_UPPER).all()
        assert len(np.unique(np.round(found, 6), axis=0)) > 1


def test_where_a_wide_arc_breaks_no_limit_the_first_start_is_an_answer():
    answered = 0
    poses = make_poses(PoseSet.RANDOM, few(200, 5), 7)
    for hands, angles in zip(poses.hands, poses.joint_angles, strict=True):
        first = starts(hands, float(angles[0]))[0]
        off, turned = worst_error(task_of(hands, np.array([False, True])), np.array([first, first]))
        answered += off < 1e-6 and turned < 1e-6
    assert answered >= few(80, 1)


def test_a_straight_arm_that_breaks_no_limit_points_at_a_wrist_out_of_reach():
    random, room = np.random.default_rng(8), np.zeros(START_ROOM)
    low, high = np.array(ARM_LOWER), np.array(ARM_UPPER)
    for far in (1.001, 1.3, 3.0):
        for _ in range(few(30, 2)):
            arm, found = random.uniform(0.95 * low, 0.95 * high), np.zeros(8)
            arm[4] = 0.0
            both = np.concatenate([[arm[0]], np.array(ARM_REST[1:]), arm[1:]])
            task = task_of(palms_of(both[None], np.array([[0.0, far]]))[0], BOTH)
            goal = both_goals(task, arm[0])[1]
            assert write_straight(goal, arm[0], DEFAULT_LENGTHS, room, 0, found)
            assert (found >= low).all()
            assert (found <= high).all()
            off, turned = pose_error(task.palms[1], arm_frames(tuple(found), DEFAULT_LENGTHS)[3])
            assert abs(off - (far - 1.0) * REACH) < 1e-9
            assert turned < 1e-6


def test_a_wrist_in_reach_or_a_hand_beyond_its_limits_has_no_straight_arm():
    room, found = np.zeros(START_ROOM), np.zeros(8)
    for bend, deviation, far in ((0.5, 0.0, 0.0), (0.0, 1.0, 1.2)):
        both = np.zeros(15)
        both[8], both[11], both[14] = 1.0, bend, deviation
        goal = both_goals(task_of(palms_of(both[None], np.array([[0.0, far]]))[0], BOTH), 0.0)[1]
        assert not write_straight(goal, 0.0, DEFAULT_LENGTHS, room, 0, found)
        np.testing.assert_array_equal(found, 0.0)
