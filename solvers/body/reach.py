"""Owns how far the arms reach: exact arcs of torso yaw, and the yaw to start from.

Turning the torso carries the shoulder round a circle, so a wrist is within a length of the
shoulder on one arc of yaw: ``cos(yaw - centre) >= k``. Both arms' arcs meet or they do not, which
is certainty about what cannot be reached, without any search.
"""

import math
from typing import NamedTuple

from armspan.solvers.body.forward import Floats
from armspan.solvers.body.skeleton import (
    ARM_LOWER,
    ARM_UPPER,
    FOREARM,
    SHOULDER_LATERAL,
    SHOULDER_UP,
    UPPER_ARM,
)
from armspan.solvers.body.swivel import shoulder_to_wrist, wrist_of
from armspan.solvers.body.targets import Task
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec, dot

_LOWEST, _HIGHEST = ARM_LOWER[0], ARM_UPPER[0]
_COS_FULL_BEND = math.cos(ARM_UPPER[4])
SLACK_M = 1e-5  # rounding of targets on their way (float32 at 100 m is 8 micrometres)
_COMFORT = 0.99  # share of the arm that is used before the torso is asked to turn

Arc = tuple[float, float]  # centre and half width, or lowest and highest, rad
Wrists = tuple[Vec, Vec]


@kernel
def reach_arc(wrist: Vec, lengths: Floats, reach: float) -> Arc:
    """Centre and half width of the yaws at which the wrist is within ``reach`` of the shoulder.

    The half width is negative for never and pi for always; the centre is the yaw that brings the
    shoulder nearest.
    """
    lateral, up = lengths[SHOULDER_LATERAL], lengths[SHOULDER_UP]
    centre = math.atan2(-wrist[2], wrist[0])
    radius = lateral * math.sqrt(wrist[0] * wrist[0] + wrist[2] * wrist[2])
    square = dot(wrist, wrist) + lateral * lateral + up * up - 2.0 * up * wrist[1]
    needed = 0.5 * (square - reach * reach)
    if needed > radius:
        return (centre, -1.0)
    if needed <= -radius:
        return (centre, math.pi)
    return (centre, math.acos(needed / radius))


@kernel
def _distance(wrist: Vec, yaw: float, lengths: Floats) -> float:
    away = shoulder_to_wrist(wrist, yaw, lengths)
    return math.sqrt(dot(away, away))


@kernel
def _nearest_yaw(centre: float) -> float:
    return min(max(centre, _LOWEST), _HIGHEST)


@kernel
def reaches_alone(wrist: Vec, lengths: Floats) -> bool:
    """Whether some yaw within limits puts the wrist where the elbow's range allows."""
    upper, fore = lengths[UPPER_ARM], lengths[FOREARM]
    centre = reach_arc(wrist, lengths, 0.0)[0]
    nearest = _distance(wrist, _nearest_yaw(centre), lengths)
    farthest = _distance(wrist, _LOWEST if centre > 0.0 else _HIGHEST, lengths)
    shortest = math.sqrt(upper * upper + fore * fore + 2.0 * upper * fore * _COS_FULL_BEND)
    return nearest <= upper + fore + SLACK_M and farthest >= shortest - SLACK_M


@kernel
def _clipped(centre: float, half: float) -> Arc:
    """Lowest and highest yaw of an arc inside the torso's limits (lowest above highest: none).

    An arc that leaves out a piece in the middle gives the yaws on both sides of the gap.
    """
    if half < 0.0:
        return (_HIGHEST, _LOWEST)
    if half >= math.pi:
        return (_LOWEST, _HIGHEST)
    turn = 2.0 * math.pi
    from_lowest = abs(_LOWEST - centre - turn * math.floor((_LOWEST - centre) / turn + 0.5))
    from_highest = abs(_HIGHEST - centre - turn * math.floor((_HIGHEST - centre) / turn + 0.5))
    start, end = centre - half - _LOWEST, _HIGHEST - centre - half
    low = _LOWEST if from_lowest <= half else _LOWEST + start - turn * math.floor(start / turn)
    high = _HIGHEST if from_highest <= half else _HIGHEST - end + turn * math.floor(end / turn)
    return (low, high)


@kernel
def _within(arcs: tuple[Arc, Arc], counts: tuple[bool, bool]) -> Arc:
    """Lowest and highest body yaw that the arcs which count, and the torso's limits, allow.

    Lowest above highest means none. The left arc is that of the mirrored arm, so its yaws are
    negated.
    """
    low, high = _LOWEST, _HIGHEST
    for side in range(2):
        if counts[side]:
            centre, half = arcs[side]
            first, last = _clipped(centre if side == 1 else -centre, half)
            low, high = max(low, first), min(high, last)
    return (low, high)


class YawPlan(NamedTuple):
    """Where to look for the torso's yaw (rad)."""

    preferred: float
    low: float
    high: float
    """Lowest above highest: the arms do not reach together at any yaw."""
    alone: tuple[bool, bool]
    """Which hands, left and right, are in reach for themselves; False without a target."""


@kernel
def plan_yaw(task: Task) -> YawPlan:
    """Choose the torso's yaws, and say what can be reached."""
    left, right = task.tracked
    wrists = (wrist_of(task.palms[0], task.lengths), wrist_of(task.palms[1], task.lengths))
    reach = task.lengths[UPPER_ARM] + task.lengths[FOREARM] + SLACK_M
    arcs = (reach_arc(wrists[0], task.lengths, reach), reach_arc(wrists[1], task.lengths, reach))
    low, high = _within(arcs, task.tracked)
    if low <= high:
        preferred = _comfortable_yaw(wrists, task.tracked, task.lengths)
        return YawPlan(min(max(preferred, low), high), low, high, task.tracked)
    alone = (
        left and reaches_alone(wrists[0], task.lengths),
        right and reaches_alone(wrists[1], task.lengths),
    )
    return YawPlan(0.0, low, high, alone)


@kernel
def _comfortable_yaw(wrists: Wrists, tracked: tuple[bool, bool], lengths: Floats) -> float:
    """As near to zero as leaves both elbows a little bent, or as little straight as can be."""
    reach = _COMFORT * (lengths[UPPER_ARM] + lengths[FOREARM])
    left, right = reach_arc(wrists[0], lengths, reach), reach_arc(wrists[1], lengths, reach)
    # an arc that has vanished stays as a point, so the yaw never jumps
    low, high = _within(((left[0], max(left[1], 0.0)), (right[0], max(right[1], 0.0))), tracked)
    return min(max(0.0, low), high) if low <= high else 0.5 * (low + high)
