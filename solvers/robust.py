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
from armspan.solvers.dual_quaternion import dq_real
from armspan.solvers.elbow import elbow_direction
from armspan.solvers.forward import ArmAngles, Floats
from armspan.solvers.kernel import kernel
from armspan.solvers.person import person_arm
from armspan.solvers.polish import ROTATION_WEIGHT, PolishScratch, cost_of, polish, polish_scratch
from armspan.solvers.quaternion import Vec, dot, quat_axes
from armspan.solvers.reach import YawPlan
from armspan.solvers.skeleton import (
    ARM_LOWER,
    ARM_UPPER,
    SHOULDER_LATERAL,
    SHOULDER_UP,
    UPPER_ARM,
)
from armspan.solvers.swivel import (
    ArmGoal,
    angles_at,
    arm_goal,
    elbow_flexion,
    reach_of,
    shoulder_to_wrist,
    upper_angle,
    wrist_of,
)
from armspan.solvers.targets import Task, worst_error
from armspan.solvers.yaw_search import SearchScratch, find_yaw, search_scratch, swivel_at

_POLISH_ITERATIONS = 12
_OUTWARD = 0.05  # m: gives a straight arm's elbow a side
_PLACE_FIRST = 0.01  # m/rad
_TURNED = math.radians(20)
_NEAR = 0.06  # m, a turn weighed 0.1 m/rad


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
                _solve_alone(task, goals[side], own, side, angles, search)
        if cost_of(task, angles, ROTATION_WEIGHT) > _NEAR * _NEAR:
            iterations = polish(task, angles, ROTATION_WEIGHT, _POLISH_ITERATIONS, scratch.polish)
    for side in range(2):
        if not task.tracked[side]:
            angles[side, 0] = -angles[1 - side, 0]
    return Outcome(iterations, certain)


@kernel
def _solve_alone(task: Task, goal: ArmGoal, yaw: float, side: int, angles: Floats,
                 search: SearchScratch) -> None:  # fmt: skip
    """One arm at one yaw: exact where it can be, else place before turn."""
    swivel, bend = swivel_at(goal, yaw, task.lengths, side, search)
    circle = search.circle[side]
    if swivel[2] >= 0:
        flexion = elbow_flexion(bend.reach, task.lengths)
        _store(angles, side, angles_at(circle, swivel, yaw, flexion))
    else:
        palm = task.palms[side]
        _store(angles, side, compromise(palm, yaw, goal.elbow, task.lengths, circle))


@kernel
def _goal(task: Task, side: int, yaw: float) -> ArmGoal:
    """A right arm's goal, its elbow wanted where people hold it when the torso turns by ``yaw``."""
    own = yaw if side == 1 else -yaw
    c, s = math.cos(own), math.sin(own)
    palm, lengths = task.palms[side], task.lengths
    x, y, z = quat_axes(dq_real(palm))
    away = shoulder_to_wrist(wrist_of(palm, lengths), own, lengths)
    d = elbow_direction(away, _turned(x, c, s), _turned(y, c, s), _turned(z, c, s), lengths)
    distance = max(math.sqrt(dot(away, away)), 1e-9)
    along, aside = upper_angle(reach_of(distance, lengths), lengths)
    k = lengths[UPPER_ARM] * along / distance
    m = lengths[UPPER_ARM] * aside + _OUTWARD
    elbow = (
        lengths[SHOULDER_LATERAL] + k * away[0] + m * d[0],
        lengths[SHOULDER_UP] + k * away[1] + m * d[1],
        k * away[2] + m * d[2],
    )
    return arm_goal(palm, _turned(elbow, c, -s), lengths)


@kernel
def _turned(v: Vec, c: float, s: float) -> Vec:
    """A vector of the chest in the frame of a torso turned by an angle (cosine, sine)."""
    return (c * v[0] - s * v[2], v[1], s * v[0] + c * v[2])


@kernel
def _store(angles: Floats, side: int, values: ArmAngles) -> None:
    for joint in range(8):
        angles[side, joint] = min(max(values[joint], ARM_LOWER[joint]), ARM_UPPER[joint])


@kernel
def solve_person(task: Task, plan: YawPlan, angles: Floats, scratch: RobustScratch) -> Outcome:
    """Solve one body of a motion."""
    search = scratch.search
    if plan.low < plan.high:
        for side in range(2):
            if task.tracked[side]:
                own = plan.preferred if side == 1 else -plan.preferred
                goal = _goal(task, side, plan.preferred)
                _store(angles, side, person_arm(task.palms[side], goal, own, task.lengths,
                                                search.circle[side], search.lines[side]))
        off, turned = worst_error(task, angles)
        if off > 1e-4:
            polish(task, angles, _PLACE_FIRST, 4, scratch.polish)
            off, turned = worst_error(task, angles)
        if off <= 1e-3 and turned <= _TURNED:
            for side in range(2):
                if not task.tracked[side]:
                    angles[side, 0] = -angles[1 - side, 0]
            return Outcome(0, True)
    return solve_robust(task, plan, angles, scratch)
