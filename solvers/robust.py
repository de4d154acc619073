"""Owns the default solve of two arms that share a torso: closed form, or the nearest posture.

Every frame starts afresh. The torso's yaw is searched outward from the one people would choose; at
each yaw the exact arcs of swivel say whether both arms have a posture inside all limits, and the
one with the elbows nearest to where people hold them is taken. Where it is proved that there is
none (out of reach, or a hand held as no wrist can turn), the nearest posture is the answer.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.compromise import compromise
from armspan.solvers.dual_quaternion import Dual
from armspan.solvers.forward import ArmAngles, Floats
from armspan.solvers.kernel import kernel
from armspan.solvers.natural import natural_elbow
from armspan.solvers.polish import ROTATION_WEIGHT, PolishScratch, polish, polish_scratch
from armspan.solvers.quaternion import Vec
from armspan.solvers.reach import YawPlan
from armspan.solvers.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.swivel import (
    ArmGoal,
    angles_at,
    arm_goal,
    elbow_flexion,
    shoulder_to_wrist,
    wrist_of,
)
from armspan.solvers.targets import Task
from armspan.solvers.yaw_search import SearchScratch, find_yaw, search_scratch, swivel_at

_POLISH_ITERATIONS = 12


class RobustScratch(NamedTuple):
    """Work arrays of one solve."""

    search: SearchScratch
    polish: PolishScratch


class Outcome(NamedTuple):
    """What came of a solve."""

    iterations: int
    """Newton steps; 0 where the closed form had a posture inside the limits."""
    certain: bool
    """The hands are where they are asked to be, or it is proved that no posture puts them."""


@kernel
def robust_scratch() -> RobustScratch:
    """Allocate the work arrays: once a call that solves many bodies."""
    return RobustScratch(search_scratch(), polish_scratch())


@kernel
def solve_robust(task: Task, plan: YawPlan, angles: Floats, scratch: RobustScratch) -> Outcome:
    """Solve one body.

    ``plan`` says at which torso yaws to look. Writes ``angles`` (2, 8) in radians, left first,
    both as right arms (the left one's torso yaw is the body's negated). An arm that is not
    tracked keeps what it holds but for the torso.
    """
    goals = (_goal(task, 0, plan.preferred), _goal(task, 1, plan.preferred))
    search = scratch.search
    served, certain, iterations = False, True, 0
    if plan.low < plan.high:
        found = find_yaw(
            goals, task.tracked, task.lengths, plan.preferred, plan.low, plan.high, search
        )
        served, certain = found.served, found.certain
        if served:
            for side in range(2):
                if task.tracked[side]:
                    own = found.yaw if side == 1 else -found.yaw
                    swivel, bend = swivel_at(goals[side], own, task.lengths, side, search)
                    flexion = elbow_flexion(bend.reach, task.lengths)
                    _store(angles, side, angles_at(search.circle[side], swivel, own, flexion))
    if not served:
        for side in range(2):
            if task.tracked[side]:
                own = plan.preferred if side == 1 else -plan.preferred
                circle = search.circle[side]
                elbow = goals[side].elbow
                _store(angles, side, compromise(task.palms[side], own, elbow, task.lengths, circle))
        iterations = polish(task, angles, ROTATION_WEIGHT, _POLISH_ITERATIONS, scratch.polish)
    for side in range(2):
        if not task.tracked[side]:
            angles[side, 0] = -angles[1 - side, 0]
    return Outcome(iterations, certain)


@kernel
def _goal(task: Task, side: int, yaw: float) -> ArmGoal:
    own = yaw if side == 1 else -yaw
    palm = task.palms[side]
    elbow = _elbow_wanted(palm, own, task.lengths)
    return arm_goal(palm, elbow, task.lengths)


@kernel
def _elbow_wanted(palm: Dual, yaw: float, lengths: Floats) -> Vec:
    v = shoulder_to_wrist(wrist_of(palm, lengths), yaw, lengths)
    n = max(math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), 1e-9)
    d = natural_elbow((v[0] / n, v[1] / n, v[2] / n))
    c, s = math.cos(yaw), math.sin(yaw)
    return (c * d[0] + s * d[2], d[1], -s * d[0] + c * d[2])


@kernel
def _store(angles: Floats, side: int, values: ArmAngles) -> None:
    for joint in range(8):
        angles[side, joint] = min(max(values[joint], ARM_LOWER[joint]), ARM_UPPER[joint])
