"""Owns the default solve of two arms that share a torso.

A frame that stands alone is a question of geometry: a posture inside the limits wherever there is
one, in closed form, else the nearest. A frame of a motion is a person: the torso turns for the
hands' places and not for a wrist that trackers show a little beyond the table of limits; the hand
is then turned a little otherwise than asked. Where that would be more than a little, geometry
decides there as well.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.body.forward import ArmAngles, Floats, row_angles
from armspan.solvers.body.goals import Pair, both_goals, own_yaw
from armspan.solvers.body.nearest import NEAREST_ROOM, nearest, nearest_arm, nearest_scratch_in
from armspan.solvers.body.person import person_arm
from armspan.solvers.body.polish import PLACE_FIRST, POLISH_ROOM, polish, polish_scratch_in
from armspan.solvers.body.reach import YawPlan, plan_yaw
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.body.swivel import angles_at, elbow_flexion
from armspan.solvers.body.targets import SOLVED_M, Task, worst_error
from armspan.solvers.body.yaw_search import (
    SEARCH_ROOM,
    Reach,
    SearchScratch,
    find_yaw,
    search_scratch_in,
)
from armspan.solvers.kernel import kernel

_TURNED_RAD = math.radians(30.0)  # how far a hand may be turned otherwise than asked, in a motion
_IN_PLACE_M = 1e-4
_PLACE_ITERATIONS = 4


ROBUST_ROOM = SEARCH_ROOM + max(POLISH_ROOM, NEAREST_ROOM)  # numbers


class RobustScratch(NamedTuple):
    """Work arrays of one solve."""

    search: SearchScratch
    room: Floats  # for what is not needed every time


class Outcome(NamedTuple):
    """What came of a solve."""

    iterations: int
    """Newton steps; 0 where the closed form had a posture."""
    impossible: bool
    """It is proved that no posture puts all hands where they are asked to be."""


@kernel
def robust_scratch_in(room: Floats) -> RobustScratch:
    """Cut the work arrays out of ``room``, at least ``ROBUST_ROOM`` long."""
    return RobustScratch(search_scratch_in(room), room[SEARCH_ROOM:])


@kernel
def robust_scratch() -> RobustScratch:
    """Allocate the work arrays: once a call that solves many bodies."""
    return robust_scratch_in(np.zeros(ROBUST_ROOM))


@kernel
def solve_robust(
    task: Task, plan: YawPlan, moving: bool, angles: Floats, scratch: RobustScratch
) -> Outcome:
    """Solve one body.

    ``plan`` says at which torso yaws to look. Writes ``angles`` (2, 8) in radians, left first,
    both as right arms (the left one's torso yaw is the body's negated). An arm that is not
    tracked keeps what it holds but for the torso.
    """
    goals = both_goals(task, plan.preferred)
    in_reach = plan.low <= plan.high
    off, turned = math.inf, math.inf
    if moving and in_reach:
        off, turned = _as_a_person(task, plan.preferred, goals, angles, scratch)
    outcome = Outcome(0, False)
    if off > SOLVED_M or turned > _TURNED_RAD:
        outcome = _by_geometry(task, plan, goals, off <= SOLVED_M, angles, scratch)
    for side in range(2):
        if task.tracked[side]:
            _store(angles, side, row_angles(angles, side))
        else:
            angles[side, 0] = -angles[1 - side, 0]
    return outcome


@kernel
def _by_geometry(
    task: Task, plan: YawPlan, goals: Pair, in_place: bool, angles: Floats,
    scratch: RobustScratch,
) -> Outcome:  # fmt: skip
    """A posture inside all limits if there is one; else what ``angles`` hold, or the nearest.

    ``in_place``: the palms of ``angles`` are in their places already, though turned.
    """
    impossible = True
    if plan.low <= plan.high:
        served, impossible = _in_closed_form(task, plan, goals, angles, scratch.search)
        if served or in_place:
            return Outcome(0, impossible)
    if task.tracked[0] and task.tracked[1] and (plan.alone[0] or plan.alone[1]):
        served = _serves(task, 0, goals, plan.alone[0], scratch.search)
        other = _serves(task, 1, goals, plan.alone[1], scratch.search)
        if served != other:
            return Outcome(_one_first(task, 0 if served else 1, goals, angles, scratch), impossible)
    room = nearest_scratch_in(scratch.room)
    return Outcome(nearest(task, goals, 0.0, True, angles, room), impossible)


@kernel
def _alone(task: Task, side: int) -> Task:
    return Task(task.palms, (side == 0, side == 1), task.lengths)


@kernel
def _serves(task: Task, side: int, goals: Pair, in_reach: bool, scratch: SearchScratch) -> bool:
    """Whether one hand can be served for itself."""
    if not in_reach:
        return False
    alone = _alone(task, side)
    plan = plan_yaw(alone)
    who = Reach(goals, alone.tracked, task.lengths)
    return find_yaw(who, plan.preferred, plan.low, plan.high, scratch).served


@kernel
def _one_first(task: Task, side: int, goals: Pair, angles: Floats, scratch: RobustScratch) -> int:
    """Serve the one hand that can be, and bring the other as near as that allows.

    A tracker that loses a hand across the room must not pull the other one from its place. Of
    the torso's yaws that serve, it is the one nearest to what the other hand would have.
    """
    room = nearest_scratch_in(scratch.room)
    steps = nearest(_alone(task, 1 - side), goals, 0.0, True, angles, room)
    alone = _alone(task, side)
    plan = plan_yaw(alone)
    wish = min(max(angles[1 - side, 0] * (1.0 if side == 0 else -1.0), plan.low), plan.high)
    wished = YawPlan(wish, plan.low, plan.high, plan.alone)
    if not _in_closed_form(alone, wished, goals, angles, scratch.search)[0]:
        _in_closed_form(alone, plan, goals, angles, scratch.search)
    nearest_arm(task, 1 - side, own_yaw(angles[side, 0], side), goals, angles, room)
    return steps


@kernel
def _in_closed_form(
    task: Task, plan: YawPlan, goals: Pair, angles: Floats, scratch: SearchScratch
) -> tuple[bool, bool]:
    """Write the posture inside all limits; whether there is one, or it is proved that none is."""
    who = Reach(goals, task.tracked, task.lengths)
    found = find_yaw(who, plan.preferred, plan.low, plan.high, scratch)
    if found.served:
        for side in range(2):
            if task.tracked[side]:
                c, s, branch, reach = scratch.posture[side]
                bend = elbow_flexion(reach, task.lengths)
                yaw = own_yaw(found.yaw, side)
                _store(
                    angles, side, angles_at(scratch.circle[side], (c, s, int(branch)), yaw, bend)
                )
    return found.served, found.certain and not found.served


@kernel
def _as_a_person(
    task: Task, yaw: float, goals: Pair, angles: Floats, scratch: RobustScratch
) -> tuple[float, float]:
    """Write the posture a person takes; by how far (m) and how much (rad) the palms miss."""
    search = scratch.search
    for side in range(2):
        if task.tracked[side]:
            own = own_yaw(yaw, side)
            circle, lines = search.circle[side], search.lines[side]
            palm = task.palms[side]
            _store(angles, side, person_arm(palm, goals[side], own, task.lengths, circle, lines))
    off, turned = worst_error(task, angles)
    if off > _IN_PLACE_M:
        polish(task, angles, PLACE_FIRST, _PLACE_ITERATIONS, polish_scratch_in(scratch.room))
        off, turned = worst_error(task, angles)
    return off, turned


@kernel
def _store(angles: Floats, side: int, values: ArmAngles) -> None:
    for joint in range(8):
        angles[side, joint] = min(max(values[joint], ARM_LOWER[joint]), ARM_UPPER[joint])
