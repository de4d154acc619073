"""Owns the posture nearest to targets that no posture inside the limits hits.

The wrist is out of reach, or the hand turned as no wrist turns, or the arms want two torsos: the
body takes the posture inside the limits that misses least, a turn weighed at 0.1 m/rad, both hands
together. A closed-form start at the yaw of the bound (``shortfall.py``), then a descent
(``descent.py``): what comes within 5 % of the bound is certified, and most hands out of reach do.
Else other yaws and both readings of the shoulder's angles are tried, as far as the bound leaves
them open.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.descent import DescentScratch, descend, descent_scratch_in
from armspan.solvers.forward import ArmAngles, Floats
from armspan.solvers.goals import Pair
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import dot
from armspan.solvers.shortfall import least_at, least_possible
from armspan.solvers.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.swivel import (
    CIRCLE_ROWS,
    ArmGoal,
    angles_at,
    elbow_flexion,
    write_circle,
)
from armspan.solvers.targets import Task

_ENOUGH = 1.05**2  # times the bound
_EXACT = 0.5e-8  # square metres, halved: a tenth of a millimetre
_STEPS = 16
_WORTHWHILE = 1e-2  # share of the cost that a step must win to be followed by another
_ARM_STEPS = 3
_ARM_WORTHWHILE = 1e-2
_PROMISING = 1.5  # times the best so far: what two arms, each for itself, must not exceed
_SWIVELS = 8
_YAWS = 6
_YAW_STEP = 0.35  # rad
_SHOULDER_COSTS = 9.0  # times what the same angle beyond its limit costs at the wrist


NEAREST_ROOM = 482  # numbers


class NearestScratch(NamedTuple):
    """Work arrays."""

    circle: Floats  # (CIRCLE_ROWS, 3)
    start: Floats  # (2, 8)
    tried: Floats  # (2, 8)
    reading: Floats  # (2, 8)
    descent: DescentScratch


@kernel
def nearest_scratch_in(room: Floats) -> NearestScratch:
    """Cut the work arrays out of ``room``, at least ``NEAREST_ROOM`` long."""
    return NearestScratch(
        room[0:36].reshape((CIRCLE_ROWS, 3)),
        room[36:52].reshape((2, 8)),
        room[52:68].reshape((2, 8)),
        room[68:84].reshape((2, 8)),
        descent_scratch_in(room[84:]),
    )


@kernel
def nearest_scratch() -> NearestScratch:
    """Allocate the work arrays: once a call that solves many bodies."""
    return nearest_scratch_in(np.zeros(NEAREST_ROOM))


@kernel
def nearest(
    task: Task, goals: Pair, yaw_start: float, thorough: bool, angles: Floats, scratch: NearestScratch
) -> int:
    """Write the posture that misses least; return the Newton steps taken.

    ``angles`` (2, 8) rad, left first, both as right arms; an arm without a target keeps its own
    but for the torso. ``yaw_start`` is the torso's yaw where every yaw reaches. Where the closed
    form's basin is not certain to be the best, others are looked at only if ``thorough``.
    """
    bound, yaw = least_possible(task, yaw_start)
    for side in range(2):
        angles[side, 0] = yaw if side == 1 else -yaw
        if task.tracked[side]:
            _write_start(task, goals[side], side, angles, scratch)
    _copy(angles, scratch.start)
    cost, steps = descend(
        task, angles, scratch.start, math.inf, _STEPS, _WORTHWHILE, True, scratch.descent
    )
    if not thorough or cost <= _ENOUGH * bound + _EXACT:
        return steps
    return steps + _search(task, goals, yaw, bound, cost, angles, scratch)


@kernel
def nearest_from(task: Task, farthest: float, angles: Floats, scratch: NearestScratch) -> int:
    """As ``nearest``, but only downhill from the ``angles`` (2, 8) that are shown already.

    The same basin from frame to frame, so nothing jumps, and what the hands leave open stays. No
    joint turns by more than ``farthest`` (rad): where a basin ends the posture glides to the next.
    """
    for side in range(2):
        for joint in range(8):
            inside = min(max(angles[side, joint], ARM_LOWER[joint]), ARM_UPPER[joint])
            angles[side, joint] = inside
    angles[0, 0] = -angles[1, 0]
    _copy(angles, scratch.start)
    return descend(
        task, angles, scratch.start, farthest, _STEPS, _WORTHWHILE, True, scratch.descent
    )[1]


@kernel
def _copy(source: Floats, target: Floats) -> None:
    for side in range(2):
        for joint in range(8):
            target[side, joint] = source[side, joint]


@kernel
def _search(
    task: Task, goals: Pair, yaw: float, bound: float, cost: float, angles: Floats, scratch: NearestScratch
) -> int:
    """Look at other yaws and readings for something better than ``angles``, which miss ``cost``."""
    steps = 0
    for k in range(_YAWS):
        at = yaw if k == 0 else _YAW_STEP * (k - 3)
        if cost > _ENOUGH * bound + _EXACT and _ENOUGH * least_at(task, at) < cost:
            total, taken = _write_best_arms(task, goals, at, _PROMISING * cost, scratch)
            steps += taken
            if total < _PROMISING * cost:
                _copy(scratch.tried, scratch.start)
                found, taken = descend(
                    task,
                    scratch.tried,
                    scratch.start,
                    math.inf,
                    _STEPS,
                    _WORTHWHILE,
                    True,
                    scratch.descent,
                )
                steps += taken
                if found < cost:
                    cost = found
                    for side in range(2):
                        for joint in range(8 if task.tracked[side] else 1):
                            angles[side, joint] = scratch.tried[side, joint]
    return steps


@kernel
def _write_best_arms(
    task: Task, goals: Pair, yaw: float, most: float, scratch: NearestScratch
) -> tuple[float, int]:
    """Each arm for itself at one yaw, into ``scratch.tried``: what both miss, and the steps.

    Given up once the first arm alone misses more than ``most``.
    """
    total, steps = 0.0, 0
    for side in range(2):
        own = yaw if side == 1 else -yaw
        scratch.tried[side, 0] = own
        if task.tracked[side] and total < most:
            alone = Task(task.palms, (side == 0, side == 1), task.lengths)
            arm, least = scratch.reading, math.inf
            bend = _write_circle(task, goals[side], own, scratch.circle)[0]
            for reading in range(2):
                arm[0, 0], arm[1, 0] = -yaw, yaw
                _store(arm, side, _closed_form(scratch.circle, own, bend, _SWIVELS, reading)[0])
                _copy(arm, scratch.start)
                cost, taken = descend(
                    alone,
                    arm,
                    scratch.start,
                    math.inf,
                    _ARM_STEPS,
                    _ARM_WORTHWHILE,
                    False,
                    scratch.descent,
                )
                steps += taken
                if cost < least:
                    least = cost
                    for joint in range(1, 8):
                        scratch.tried[side, joint] = arm[side, joint]
            total += least
    return total, steps


@kernel
def _write_start(task: Task, goal: ArmGoal, side: int, angles: Floats, scratch: NearestScratch) -> None:
    """The closed form at the yaw that ``angles`` holds, in the reading that breaks less."""
    own = angles[side, 0]
    bend, missed = _write_circle(task, goal, own, scratch.circle)
    one = _closed_form(scratch.circle, own, bend, 1 if missed > 0.0 else _SWIVELS, 0)
    two = _closed_form(scratch.circle, own, bend, 1 if missed > 0.0 else _SWIVELS, 1)
    _store(angles, side, one[0] if one[1] <= two[1] else two[0])


@kernel
def _write_circle(task: Task, goal: ArmGoal, yaw: float, circle: Floats) -> tuple[float, float]:
    """The elbow's flexion (rad), and by how much (m) the wrist is out of reach."""
    bend = write_circle(goal, (math.cos(yaw), math.sin(yaw)), task.lengths, circle)
    return elbow_flexion(bend.reach, task.lengths), bend.missed


@kernel
def _store(angles: Floats, side: int, values: ArmAngles) -> None:
    for joint in range(8):
        angles[side, joint] = values[joint]


@kernel
def _closed_form(
    circle: Floats, yaw: float, bend: float, swivels: int, reading: int
) -> tuple[ArmAngles, float]:
    """The swivel that leaves the limits least, held at them, in one reading of the shoulder.

    A straight arm has no swivel to choose: the elbow is where it is, and the forearm turns.
    """
    best, least = angles_at(circle, (1.0, 0.0, reading), yaw, bend), math.inf
    for k in range(swivels):
        swivel = 2.0 * math.pi * k / swivels
        candidate = angles_at(circle, (math.cos(swivel), math.sin(swivel), reading), yaw, bend)
        if swivels == 1:
            candidate = _twist_shared(candidate)
        held, broken = _held(candidate)
        if broken < least:
            best, least = held, broken
    return best, least


@kernel
def _twist_shared(q: ArmAngles) -> ArmAngles:
    """A straight arm turns about itself by its shoulder or its forearm: what one cannot, the other.

    Only what is past a limit is handed over.
    """
    spare = _beyond(q[3], 3)
    r, p = q[3] - spare, q[5] + spare
    spare = _beyond(p, 5)
    return (q[0], q[1], q[2], r + spare, q[4], p - spare, q[6], q[7])


@kernel
def _held(q: ArmAngles) -> tuple[ArmAngles, float]:
    """Every angle inside its limits, those outside at the nearer one; and what that broke.

    The wrist's other reading (half a turn more, the flexion mirrored) is taken if it breaks less.
    """
    f, a, r = _beyond(q[1], 1), _beyond(q[2], 2), _beyond(q[3], 3)
    p, b, d = q[5], q[6], q[7]
    one = (_beyond(p, 5), _beyond(b, 6), _beyond(d, 7))
    p2, b2, d2 = p + math.pi, math.pi - b, d + math.pi
    two = (_beyond(p2, 5), _beyond(b2, 6), _beyond(d2, 7))
    if dot(two, two) < dot(one, one):
        p, b, d, one = p2, b2, d2, two
    held = (
        q[0],
        _near(q[1] - f, 1),
        _near(q[2] - a, 2),
        _near(q[3] - r, 3),
        min(max(q[4], ARM_LOWER[4]), ARM_UPPER[4]),
        _near(p - one[0], 5),
        _near(b - one[1], 6),
        _near(d - one[2], 7),
    )
    return held, _SHOULDER_COSTS * (f * f + a * a + r * r) + dot(one, one)


@kernel
def _beyond(angle: float, joint: int) -> float:
    """How far an angle is past its nearer limit (signed, the short way round); zero inside."""
    half = 0.5 * (ARM_UPPER[joint] - ARM_LOWER[joint])
    off = angle - 0.5 * (ARM_LOWER[joint] + ARM_UPPER[joint])
    off -= 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5)
    return max(off - half, 0.0) + min(off + half, 0.0)


@kernel
def _near(angle: float, joint: int) -> float:
    """The same angle, whole turns away, that is inside its limits but for rounding."""
    off = angle - 0.5 * (ARM_LOWER[joint] + ARM_UPPER[joint])
    angle -= 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5)
    return min(max(angle, ARM_LOWER[joint]), ARM_UPPER[joint])
