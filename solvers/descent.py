"""Owns the descent to the nearest posture inside the limits: Newton's method in a box.

The Hessians of both arms meet in one number, the torso's yaw, so a step takes two 7 x 7 Cholesky
factors and one division (the arrow's point eliminated last). A joint that a step would carry past
a limit is set onto it and the others are asked again, so that a step is that of the quadratic
model inside the box; a Hessian that is not positive, or a step that does not win, is damped.

A pull towards the start, 3 mm a radian, decides what the hands leave open (a straight arm turns
about itself by its shoulder or by its forearm). It keeps the posture still and costs next to
nothing: an arm's reach weighs a hundred times more.
"""

from typing import NamedTuple

import numpy as np
from armspan.solvers.forward import Floats
from armspan.solvers.kernel import kernel
from armspan.solvers.linear import FREE, factorise_free, solve_two
from armspan.solvers.misfit import write_misfit
from armspan.solvers.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.targets import Task

_PULL = 1e-5  # square metres a square radian
_LONGEST_STEP = 1.0  # rad
_REFUSALS = 8
_PINS = 6  # rounds of setting joints onto limits within a step
_LEAST_PIVOT = 1e-7
_DAMPING_SHAPE = 3e-3  # square metres: after a Hessian that bends down
_DAMPING_REFUSED = 1e-2
_DAMPING_NONE = 1e-4  # below it damping is dropped, so that the last steps are Newton's own
_HELD, _PINNED = 0.0, 2.0


DESCENT_ROOM = 398  # numbers


class DescentScratch(NamedTuple):
    """Work arrays; the first axis of each is the side."""

    screws: Floats  # (8, 6)
    gradient: Floats  # (2, 8)
    hessian: Floats  # (2, 8, 8): lower triangles
    state: Floats  # (2, 8): free, held where it is, or pinned by this step
    factor: Floats  # (2, 7, 7)
    alone: Floats  # (2, 7): the step without the torso
    coupling: Floats  # (2, 7): what a radian of torso changes in it
    step: Floats  # (2, 8)
    trial: Floats  # (2, 8)
    box: Floats  # (2, 2, 8): lowest and highest angles (first axis) of each arm


@kernel
def descent_scratch_in(room: Floats) -> DescentScratch:
    """Cut the work arrays out of ``room``, at least ``DESCENT_ROOM`` long."""
    return DescentScratch(
        room[0:48].reshape((8, 6)),
        room[48:64].reshape((2, 8)),
        room[64:192].reshape((2, 8, 8)),
        room[192:208].reshape((2, 8)),
        room[208:306].reshape((2, 7, 7)),
        room[306:320].reshape((2, 7)),
        room[320:334].reshape((2, 7)),
        room[334:350].reshape((2, 8)),
        room[350:366].reshape((2, 8)),
        room[366:398].reshape((2, 2, 8)),
    )


@kernel
def descent_scratch() -> DescentScratch:
    """Allocate the work arrays: once a call that solves many bodies."""
    return descent_scratch_in(np.zeros(DESCENT_ROOM))


@kernel
def descend(
    task: Task, angles: Floats, start: Floats, farthest: float, most: int, worthwhile: float,
    turning: bool, scratch: DescentScratch,
) -> tuple[float, int]:  # fmt: skip
    """Improve ``angles`` (2, 8), inside the limits, in place; return what is missed and the steps.

    Missed is half the sum of squares (square metres) over tracked hands. ``start`` (2, 8) is where
    the pull goes, and no joint goes further than ``farthest`` (rad) from it. Ends after ``most``
    steps, or after one that won less than the share ``worthwhile``. ``turning``: whether the torso
    may turn. Arms without a target only follow it.
    """
    damping, steps = 0.0, 0
    _write_box(start, farthest, scratch.box)
    cost = _write_model(task, angles, start, scratch)
    while steps < most:
        won, here = False, cost
        for _ in range(_REFUSALS):
            _write_states(task, angles, turning, scratch)
            if not _write_step(task, angles, damping, scratch):
                damping = max(8.0 * damping, _DAMPING_SHAPE)
                continue
            _write_trial(task.tracked, angles, scratch)
            cost = _write_model(task, scratch.trial, start, scratch)
            won = cost <= here
            if won:
                break
            damping = max(8.0 * damping, _DAMPING_REFUSED)
            _write_model(task, angles, start, scratch)
        if not won:
            cost = here
            break
        steps += 1
        for side in range(2):
            for joint in range(8):
                angles[side, joint] = scratch.trial[side, joint]
        damping = 0.1 * damping if damping > _DAMPING_NONE else 0.0
        if here - cost < worthwhile * here:
            break
    return cost - _pull(task.tracked, angles, start), steps


@kernel
def _write_box(start: Floats, farthest: float, box: Floats) -> None:
    for side in range(2):
        for joint in range(8):
            here = start[side, joint]
            box[0, side, joint] = max(ARM_LOWER[joint], here - farthest)
            box[1, side, joint] = min(ARM_UPPER[joint], here + farthest)


@kernel
def _pull(tracked: tuple[bool, bool], angles: Floats, start: Floats) -> float:
    total = 0.0
    for side in range(2):
        if tracked[side]:
            for joint in range(8):
                off = angles[side, joint] - start[side, joint]
                total += 0.5 * _PULL * off * off
    return total


@kernel
def _write_model(task: Task, angles: Floats, start: Floats, scratch: DescentScratch) -> float:
    """Gradients and Hessians of what is missed and of the pull; returns both together."""
    total = _pull(task.tracked, angles, start)
    for side in range(2):
        if task.tracked[side]:
            gradient, hessian = scratch.gradient[side], scratch.hessian[side]
            total += write_misfit(task, angles, side, scratch.screws, gradient, hessian)
            for joint in range(8):
                gradient[joint] += _PULL * (angles[side, joint] - start[side, joint])
                hessian[joint, joint] += _PULL
    return total


@kernel
def _sign(side: int) -> float:
    """The left arm is a mirrored right one: its own torso yaw is the body's negated."""
    return 1.0 if side == 1 else -1.0


@kernel
def _write_states(task: Task, angles: Floats, turning: bool, scratch: DescentScratch) -> None:
    """Hold the joints that stand on a limit and are pushed against it."""
    torso = 0.0
    for side in range(2):
        if task.tracked[side]:
            torso += _sign(side) * scratch.gradient[side, 0]
            for joint in range(1, 8):
                push = -scratch.gradient[side, joint]
                scratch.state[side, joint] = _state(
                    angles[side, joint], push, side, joint, scratch.box
                )
    scratch.state[1, 0] = _state(angles[1, 0], -torso, 1, 0, scratch.box) if turning else _HELD


@kernel
def _state(angle: float, push: float, side: int, joint: int, box: Floats) -> float:
    low, high = box[0, side, joint], box[1, side, joint]
    return _HELD if (angle <= low and push < 0.0) or (angle >= high and push > 0.0) else FREE


@kernel
def _boxed(angle: float, side: int, joint: int, box: Floats) -> float:
    return min(max(angle, box[0, side, joint]), box[1, side, joint])


@kernel
def _write_step(task: Task, angles: Floats, damping: float, scratch: DescentScratch) -> bool:
    """The quadratic model's step in the box; False where the model is not convex."""
    torso, dirty = 0.0, (True, True)
    for _ in range(_PINS):
        bend, push = damping, 0.0
        for side in range(2):
            if task.tracked[side]:
                if dirty[side] and not _solve_arm(side, damping, scratch):
                    return False
                more = _torso_part(side, scratch)
                bend += more[0]
                push += more[1]
        if scratch.state[1, 0] == FREE:
            if bend < _LEAST_PIVOT:
                return False
            torso = push / bend
        pinned = _pin(1, 0, torso, angles, scratch)
        torso = scratch.step[1, 0]
        left = task.tracked[0] and _pin_arm(0, -torso, angles, scratch)
        right = task.tracked[1] and _pin_arm(1, torso, angles, scratch)
        dirty = (left, right)
        if not (pinned or left or right):
            break
    return True


@kernel
def _solve_arm(side: int, damping: float, scratch: DescentScratch) -> bool:
    """One arm's step for a torso that stays, and its change by the torso's turn."""
    hessian, state, step = scratch.hessian[side], scratch.state[side], scratch.step[side]
    alone, coupling = scratch.alone[side], scratch.coupling[side]
    if not factorise_free(hessian, state, damping, scratch.factor[side]):
        return False
    for i in range(7):
        alone[i], coupling[i] = 0.0, 0.0
        if state[i + 1] == FREE:
            coupling[i] = hessian[i + 1, 0]
            alone[i] = -scratch.gradient[side, i + 1]
            for k in range(1, 8):
                if state[k] == _PINNED:
                    alone[i] -= hessian[max(i + 1, k), min(i + 1, k)] * step[k]
    solve_two(scratch.factor[side], alone, coupling)
    return True


@kernel
def _torso_part(side: int, scratch: DescentScratch) -> tuple[float, float]:
    """What an arm adds to the torso's curvature and push, its own joints eliminated."""
    hessian, state = scratch.hessian[side], scratch.state[side]
    bend, push = hessian[0, 0], -scratch.gradient[side, 0]
    for i in range(7):
        if state[i + 1] == FREE:
            bend -= hessian[i + 1, 0] * scratch.coupling[side, i]
            push -= hessian[i + 1, 0] * scratch.alone[side, i]
        elif state[i + 1] == _PINNED:
            push -= hessian[i + 1, 0] * scratch.step[side, i + 1]
    return bend, _sign(side) * push


@kernel
def _pin_arm(side: int, torso: float, angles: Floats, scratch: DescentScratch) -> bool:
    """Write an arm's step; whether a joint was set onto a limit for it."""
    pinned = False
    for joint in range(1, 8):
        wanted = scratch.alone[side, joint - 1] - torso * scratch.coupling[side, joint - 1]
        pinned |= _pin(side, joint, wanted, angles, scratch)
    return pinned


@kernel
def _pin(side: int, joint: int, wanted: float, angles: Floats, scratch: DescentScratch) -> bool:
    """Write a joint's step, stopped at its limits; whether it was."""
    state = scratch.state[side, joint]
    if state == _PINNED:
        return False
    step = 0.0 if state == _HELD else wanted
    angle = angles[side, joint]
    allowed = _boxed(angle + step, side, joint, scratch.box) - angle
    stopped = state == FREE and allowed != step and abs(allowed - step) > 1e-12
    if stopped:
        scratch.state[side, joint] = _PINNED
    scratch.step[side, joint] = allowed
    return stopped


@kernel
def _write_trial(tracked: tuple[bool, bool], angles: Floats, scratch: DescentScratch) -> None:
    torso = scratch.step[1, 0]
    longest = abs(torso)
    for side in range(2):
        if tracked[side]:
            for joint in range(1, 8):
                longest = max(longest, abs(scratch.step[side, joint]))
    scale = min(1.0, _LONGEST_STEP / max(longest, 1e-12))
    yaw = _boxed(angles[1, 0] + scale * torso, 1, 0, scratch.box)
    for side in range(2):
        scratch.trial[side, 0] = _sign(side) * yaw
        for joint in range(1, 8):
            angle = angles[side, joint]
            if tracked[side]:
                angle += scale * scratch.step[side, joint]
                angle = _boxed(angle, side, joint, scratch.box)
            scratch.trial[side, joint] = angle
