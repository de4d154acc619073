"""Owns the default solve of two arms that share a torso: closed form first, then Newton.

Every frame starts afresh. First a search over torso yaw, outward from the yaw that people would
not have to turn to; at each yaw the exact swivel arcs say whether both arms have a posture inside
all limits. Where none has (the hand is held as no wrist can turn, or it is out of reach), each arm
takes its best compromise, and the coupled damped step looks whether there is an answer after all.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.arcs import nearest_swivel
from armspan.solvers.compromise import compromise
from armspan.solvers.forward import ArmAngles, Floats
from armspan.solvers.kernel import kernel
from armspan.solvers.polish import (
    ROTATION_WEIGHT,
    PolishScratch,
    polish,
    polish_scratch,
)
from armspan.solvers.reach import SLACK_M, YawPlan
from armspan.solvers.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.swivel import CIRCLE_ROWS, angles_at, write_circle
from armspan.solvers.targets import Task, all_solved

_YAW_STEPS = 24
_END_STEPS = 6
_BISECTIONS = 5  # torso to a tenth of a degree of the first yaw that serves
_POLISH_ITERATIONS = 12
_NOBODY = -1


class RobustScratch(NamedTuple):
    """Work arrays of one solve."""

    circle: Floats  # (2, CIRCLE_ROWS, 3)
    kept: Floats  # (2, 8)
    polish: PolishScratch


@kernel
def robust_scratch() -> RobustScratch:
    """Allocate the work arrays: once a call that solves many bodies."""
    return RobustScratch(np.zeros((2, CIRCLE_ROWS, 3)), np.zeros((2, 8)), polish_scratch())


@kernel
def solve_robust(task: Task, plan: YawPlan, angles: Floats, scratch: RobustScratch) -> int:
    """Solve one body; return the Newton iterations (0: the closed form had a posture in limits).

    ``plan`` says at which torso yaws to look. Writes ``angles`` (2, 8) in radians, left first,
    both as right arms (the left one's torso yaw is the body's negated). An arm that is not
    tracked keeps what it holds but for the torso.
    """
    iterations = 0
    if not _search(task, plan, angles, scratch.circle):
        for side in range(2):
            if task.tracked[side]:
                own = plan.preferred if side == 1 else -plan.preferred
                circle = scratch.circle[side]
                _store(angles, side, compromise(task.palms[side], own, task.lengths, circle))
        if plan.low < plan.high:
            iterations = _polish_if_it_solves(task, angles, scratch)
    for side in range(2):
        if not task.tracked[side]:
            angles[side, 0] = -angles[1 - side, 0]
    return iterations


@kernel
def _polish_if_it_solves(task: Task, angles: Floats, scratch: RobustScratch) -> int:
    """Newton from a compromise, for slivers of yaw that the search steps over.

    A step that moves both arms would take from a hand that is in its place to help the other, so
    an answer counts only if it solves them both.
    """
    for side in range(2):
        for joint in range(8):
            scratch.kept[side, joint] = angles[side, joint]
    iterations = polish(task, angles, ROTATION_WEIGHT, _POLISH_ITERATIONS, scratch.polish)
    if not all_solved(task, angles):
        for side in range(2):
            for joint in range(8):
                angles[side, joint] = scratch.kept[side, joint]
    return iterations


@kernel
def _search(task: Task, plan: YawPlan, angles: Floats, circle: Floats) -> bool:
    """Closed form at the yaw nearest to the preferred one that serves both arms."""
    step = (plan.high - plan.low) / _YAW_STEPS
    # with one yaw left the hands are out of reach, and a posture drawn into reach is the answer
    forgiven = 2.0 * SLACK_M if step > 0.0 else math.inf
    rounds = _YAW_STEPS + _END_STEPS + 1 if step > 0.0 else 1
    blocker = 1
    for k in range(rounds):
        best, best_yaw, last = -math.inf, 0.0, blocker
        for yaw in _yaws(plan, step, k):
            if plan.low <= yaw <= plan.high:
                failed, natural = _try_yaw(task, yaw, last, forgiven, angles, circle)
                if failed != _NOBODY:
                    blocker = failed
                elif natural > best:  # as good to the left as to the right: see the elbows
                    best, best_yaw = natural, yaw
        if best > -math.inf:
            on_grid = 0 < k <= _YAW_STEPS
            towards = min(max(plan.preferred - best_yaw, -step), step) if on_grid else 0.0
            _approach(task, best_yaw + towards, best_yaw, last, forgiven, angles, circle)
            return True
    return False


@kernel
def _yaws(plan: YawPlan, step: float, k: int) -> tuple[float, float]:
    """The yaws of a search's round: outward from the preferred one, at last the very ends.

    Straight arms leave only a sliver of yaw at the ends of their reach.
    """
    if k <= _YAW_STEPS:
        return (plan.preferred + k * step, plan.preferred - k * step)
    inset = step * 0.5 ** (k - _YAW_STEPS)
    return (
        plan.high - inset if plan.high < ARM_UPPER[0] else math.inf,
        plan.low + inset if plan.low > ARM_LOWER[0] else math.inf,
    )


@kernel
def _approach(
    task: Task, bad: float, good: float, first: int, forgiven: float, angles: Floats,
    circle: Floats,
) -> None:  # fmt: skip
    """Bisect from ``good`` to the edge of what serves, so that the torso does not move in steps.

    The angles are left as they are at the last yaw that served.
    """
    middle = good
    for _ in range(_BISECTIONS + 1 if bad != good else 1):
        if _try_yaw(task, middle, first, forgiven, angles, circle)[0] == _NOBODY:
            good = middle
        else:
            bad = middle
        middle = 0.5 * (bad + good)


@kernel
def _try_yaw(
    task: Task, yaw: float, first: int, forgiven: float, angles: Floats, circle: Floats
) -> tuple[int, float]:
    """Solve both arms in closed form at ``yaw``; write angles only if both have a posture.

    Returns the side that has no posture, or nobody, and then how natural the elbows are (the sum
    of their swivels' cosines). ``first`` is the side to look at first: the one that failed last.
    ``forgiven`` is how far (m) a wrist may be drawn to bring it into reach.
    """
    natural = 0.0
    swivels, bends = ((0.0, 0.0, -1), (0.0, 0.0, -1)), (0.0, 0.0)
    for turn in range(2):
        side = first if turn == 0 else 1 - first
        if task.tracked[side]:
            own = yaw if side == 1 else -yaw
            bend, miss = write_circle(task.palms[side], own, task.lengths, circle[side])
            if abs(miss) > forgiven:
                return side, natural
            swivel = nearest_swivel(circle[side])
            if swivel[2] < 0:
                return side, natural
            natural += swivel[0]
            swivels = (swivels[0], swivel) if side == 1 else (swivel, swivels[1])
            bends = (bends[0], bend) if side == 1 else (bend, bends[1])
    for side in range(2):
        if task.tracked[side]:
            own = yaw if side == 1 else -yaw
            _store(angles, side, angles_at(circle[side], swivels[side], own, bends[side]))
    return _NOBODY, natural


@kernel
def _store(angles: Floats, side: int, values: ArmAngles) -> None:
    for joint in range(8):
        angles[side, joint] = min(max(values[joint], ARM_LOWER[joint]), ARM_UPPER[joint])
