"""Owns which poses the figures show."""

import numpy as np
from armspan.solvers.body.poses import PoseSet, make_poses
from armspan.solvers.body.reach import YawPlan, plan_yaw
from armspan.solvers.body.skeleton import DEFAULT_LENGTHS
from armspan.solvers.body.targets import Task, make_task

_SEED = 0
_STILL = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def random_pose(number: int) -> tuple[Task, YawPlan]:
    """One pose of those that ``armspan bench ik`` solves, and where to look for its torso."""
    hands = make_poses(PoseSet.RANDOM, number + 1, _SEED).hands[number]
    task = make_task(_STILL, hands, True, True, DEFAULT_LENGTHS)
    return task, plan_yaw(task)
