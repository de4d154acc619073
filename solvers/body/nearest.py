"""Owns the posture nearest to targets that no posture inside the limits hits.

The wrist is out of reach, or the hand turned as no wrist turns, or the arms want two torsos: the
body takes the posture inside the limits that misses least, a turn weighed at 0.1 m/rad, both hands
together. A closed-form start at the yaw of the bound (``shortfall.py``), then a descent
(``descent.py``): what comes within 5 % of the bound is certified, and most hands out of reach do.
Else an arm that misses more than its own bound tries its other starts, and other yaws are looked
at as far as the bound leaves them open.
"""

import math

import numpy as np
from armspan.solvers.body.descent import ANGLES, DESCENT_ROOM, MISSED, descend
from armspan.solvers.body.forward import Floats
from armspan.solvers.body.goals import Pair, own_yaw
from armspan.solvers.body.nearest_start import (
    START_ROOM,
    write_next_start,
    write_starts,
    write_straight,
)
from armspan.solvers.body.shortfall import arm_least_at, least_at, least_possible
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.body.targets import Task
from armspan.solvers.kernel import kernel

_ENOUGH = 1.05**2  # times the bound
_EXACT = 0.5e-8  # square metres, halved: a tenth of a millimetre
_STEPS = 16
_ARM_STEPS = 4
_STARTS = 2  # of an arm at a yaw
_BETTER = 0.98  # of what is missed: another basin must win so much
_PROMISING = 1.3  # times the best so far: what two arms, each for itself, must not exceed
_YAWS = tuple(math.radians(d) for d in (0.0, 20.0, -20.0, 40.0, -40.0))
_WORTH = 1.3**2  # times the bound: what is nearer to it is not looked for at other yaws

# Where things are in the room: the descent's own first.
_BEST = DESCENT_ROOM  # (2, 8): the best angles of all
_BEST_ARM = _BEST + 16  # (8,): of one arm at one yaw
_START = _BEST_ARM + 8
NEAREST_ROOM = _START + START_ROOM  # numbers


@kernel
def nearest_scratch_in(room: Floats) -> Floats:
    """Cut the work memory out of ``room``, at least ``NEAREST_ROOM`` long."""
    return room[:NEAREST_ROOM]


@kernel
def nearest_scratch() -> Floats:
    """Allocate the work memory: once a call that solves many bodies."""
    return np.zeros(NEAREST_ROOM)


@kernel
def nearest(
    task: Task, goals: Pair, yaw_start: float, thorough: bool, angles: Floats, room: Floats
) -> int:
    """Write the posture that misses least; return the Newton steps taken.

    ``angles`` (2, 8) rad, left first, both as right arms; an arm without a target keeps its own
    but for the torso. ``yaw_start`` is the torso's yaw where every yaw reaches. Other yaws
    than the bound's are looked at only if ``thorough``. ``room`` is work memory.
    """
    bound, yaw = least_possible(task, yaw_start)
    _load(angles, room)
    _turn_torso(yaw, room)
    for side in range(2):
        if task.tracked[side]:
            own, starts = own_yaw(yaw, side), room[_START:]
            first = ANGLES + 8 * side
            if not write_straight(goals[side], own, task.lengths, starts, first, room):
                write_starts(goals[side], own, task.lengths, starts)
                write_next_start(own, starts, first, room)
    steps = descend(task, math.inf, _STEPS, True, True, room)
    cost = room[MISSED] + room[MISSED + 1]
    if cost > _ENOUGH * bound + _EXACT:
        _copy(ANGLES, _BEST, room)
        cost, taken = _with_other_starts(task, goals, cost, room)
        steps += taken
        if thorough and cost > _WORTH * bound + _EXACT:
            steps += _with_other_yaws(task, goals, bound, cost, room)
        _copy(_BEST, ANGLES, room)
    _store(room, angles)
    return steps


@kernel
def nearest_from(task: Task, farthest: float, angles: Floats, room: Floats) -> int:
    """As ``nearest``, but only downhill from the ``angles`` (2, 8) that are shown already.

    The same basin from frame to frame, so nothing jumps, and what the hands leave open stays. No
    joint turns by more than ``farthest`` (rad): where a basin ends the posture glides to the next.
    """
    _load(angles, room)
    _turn_torso(room[ANGLES + 8], room)
    steps = descend(task, farthest, _STEPS, True, True, room)
    _store(room, angles)
    return steps


@kernel
def nearest_arm(
    task: Task, side: int, yaw: float, goals: Pair, angles: Floats, room: Floats
) -> float:
    """Write the posture of one arm alone, the torso held at ``yaw``; return what it misses (m).

    The other arm's angles stay, but for the torso.
    """
    _load(angles, room)
    _turn_torso(yaw, room)
    missed = _write_best_arm(task, side, goals, math.inf, room)[0]
    _store(room, angles)
    return math.sqrt(2.0 * missed)


@kernel
def _with_other_starts(task: Task, goals: Pair, cost: float, room: Floats) -> tuple[float, int]:
    """Where an arm misses more than its own bound at this yaw, look at its other starts there."""
    yaw, steps, better = room[ANGLES + 8], 0, False
    missed = (room[MISSED], room[MISSED + 1])
    for side in range(2):
        if task.tracked[side]:
            least = arm_least_at(task, side, own_yaw(yaw, side))[0]
            if missed[side] > _ENOUGH * least + _EXACT:
                found, taken = _write_best_arm(task, side, goals, _BETTER * missed[side], room)
                steps += taken
                better |= found < _BETTER * missed[side]
    if better:
        found, taken = _descend_together(task, cost, room)
        return found, steps + taken
    return cost, steps


@kernel
def _with_other_yaws(task: Task, goals: Pair, bound: float, cost: float, room: Floats) -> int:
    """Each arm for itself at other yaws, and together where that is promising."""
    steps, towards = 0, 1.0 if room[_BEST + 8] >= 0.0 else -1.0  # mirrored hands: mirrored order
    for k in range(len(_YAWS)):
        yaw = towards * _YAWS[k]
        if cost > _ENOUGH * bound + _EXACT and _ENOUGH * least_at(task, yaw) < cost:
            _turn_torso(yaw, room)
            total = 0.0
            for side in range(2):
                if task.tracked[side] and total < _PROMISING * cost:
                    found, taken = _write_best_arm(task, side, goals, math.inf, room)
                    total += found
                    steps += taken
            if total < _PROMISING * cost:
                cost, taken = _descend_together(task, cost, room)
                steps += taken
    return steps


@kernel
def _descend_together(task: Task, cost: float, room: Floats) -> tuple[float, int]:
    """Descend from the room's angles; they become the best if they miss less than ``cost``."""
    steps = descend(task, math.inf, _STEPS, True, True, room)
    found = room[MISSED] + room[MISSED + 1]
    if found < _BETTER * cost:
        _copy(ANGLES, _BEST, room)
        return found, steps
    return cost, steps


@kernel
def _write_best_arm(
    task: Task, side: int, goals: Pair, most: float, room: Floats
) -> tuple[float, int]:
    """An arm for itself with the torso where it is; what it misses, and the steps taken.

    It keeps its angles if no start comes to less than ``most``; with such a limit it stands in the
    basin of the first start already.
    """
    first, steps, least = ANGLES + 8 * side, 0, most
    own, starts = room[first], room[_START:]
    alone = Task(task.palms, (side == 0, side == 1), task.lengths)
    enough = _ENOUGH * arm_least_at(task, side, own)[0] + _EXACT
    write_starts(goals[side], own, task.lengths, starts)
    for joint in range(8):
        room[_BEST_ARM + joint] = room[first + joint]
    for k in range(_STARTS):
        if least > enough and write_next_start(own, starts, first, room):
            if k == 0 and most < math.inf:
                continue
            steps += descend(alone, math.inf, _ARM_STEPS, False, False, room)
            if room[MISSED + side] < least:
                least = room[MISSED + side]
                for joint in range(8):
                    room[_BEST_ARM + joint] = room[first + joint]
    for joint in range(8):
        room[first + joint] = room[_BEST_ARM + joint]
    return least, steps


@kernel
def _turn_torso(yaw: float, room: Floats) -> None:
    room[ANGLES], room[ANGLES + 8] = -yaw, yaw


@kernel
def _copy(source: int, target: int, room: Floats) -> None:
    for k in range(16):
        room[target + k] = room[source + k]


@kernel
def _load(angles: Floats, room: Floats) -> None:
    for side in range(2):
        for joint in range(8):
            inside = min(max(angles[side, joint], ARM_LOWER[joint]), ARM_UPPER[joint])
            room[ANGLES + 8 * side + joint] = inside


@kernel
def _store(room: Floats, angles: Floats) -> None:
    for side in range(2):
        for joint in range(8):
            angles[side, joint] = room[ANGLES + 8 * side + joint]
