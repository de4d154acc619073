"""Where descents start: inside the limits, best first, at the answer where nothing is broken."""

import numpy as np
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.goals import both_goals
from armspan.solvers.nearest_start import START_ROOM, write_next_start, write_starts
from armspan.solvers.poses import PoseSet, make_poses
from armspan.solvers.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.targets import worst_error

from tests.solvers.drawing import few
from tests.solvers.optimum import task_of

BOTH = np.array([True, True])


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
