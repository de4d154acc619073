"""Owns how much two hands must miss at the least: a bound that no posture can beat.

With every limit dropped but the arm's length, what an arm misses at a yaw of the torso depends on
one number more: by how much the fingers are tilted towards the line from the shoulder, which brings
the wrist nearer and costs a turn. The least of that over the tilt, of both arms over the yaw, is
what any posture misses at least; where it is met within a few per cent the posture is certified.
"""

import math

from armspan.solvers.body.polish import ROTATION_WEIGHT
from armspan.solvers.body.skeleton import (
    ARM_LOWER,
    ARM_UPPER,
    FOREARM,
    PALM,
    SHOULDER_LATERAL,
    UPPER_ARM,
)
from armspan.solvers.body.swivel import shoulder_to_wrist
from armspan.solvers.body.targets import Task
from armspan.solvers.dual_quaternion import dq_position, dq_real
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec, dot, quat_axes

_LOWEST, _HIGHEST = ARM_LOWER[0], ARM_UPPER[0]
_ROUNDS = 3
_TILT_STEPS = 2
_NEAR_MIDDLE = 0.5  # rad
_SETTLED = 1e-3  # share of the bound that a better yaw must promise to be looked at

Sloped = tuple[float, float]
"""What is missed (half the sum of squares, m^2), and its derivative by the body's yaw."""


@kernel
def least_possible(task: Task, yaw_start: float) -> tuple[float, float]:
    """What both hands miss at least, limits of the arms aside, and the yaw where: (m^2, rad).

    Zero at ``yaw_start`` if nothing need be missed there. Else the lowest point of a cubic through
    values and slopes in the middle and at the torso's limits, and in ever narrower brackets.
    """
    yaw, here = yaw_start, sloped_at(task, yaw_start)
    if here[0] == 0.0:
        return 0.0, yaw
    if abs(yaw) > _NEAR_MIDDLE:
        yaw, here = 0.0, sloped_at(task, 0.0)
    low, at_low = _LOWEST, sloped_at(task, _LOWEST)
    high, at_high = _HIGHEST, sloped_at(task, _HIGHEST)
    if at_low[0] < here[0] and at_low[0] <= at_high[0] and at_low[1] >= 0.0:
        return at_low[0], low
    if at_high[0] < here[0] and at_high[1] <= 0.0:
        return at_high[0], high
    for _ in range(_ROUNDS):
        if here[1] > 0.0:
            high, at_high = yaw, here
        else:
            low, at_low = yaw, here
        guess = _cubic_lowest(low, at_low, high, at_high)
        if abs(here[1] * (guess - yaw)) < _SETTLED * here[0]:
            break
        yaw, here = guess, sloped_at(task, guess)
    return here[0], yaw


@kernel
def _cubic_lowest(a: float, at_a: Sloped, b: float, at_b: Sloped) -> float:
    """Where the cubic with these values and slopes at ``a`` and ``b`` is lowest between them."""
    width = b - a
    rise = 3.0 * (at_a[0] - at_b[0]) / width + at_a[1] + at_b[1]
    root = math.sqrt(max(rise * rise - at_a[1] * at_b[1], 0.0))
    below = at_b[1] - at_a[1] + 2.0 * root
    share = (at_b[1] + root - rise) / below if below > 0.0 else 1.0
    return b - width * min(max(share, 0.0), 1.0)


@kernel
def least_at(task: Task, yaw: float) -> float:
    """The same at one yaw of the torso: half the sum of squares, m^2."""
    return sloped_at(task, yaw)[0]


@kernel
def sloped_at(task: Task, yaw: float) -> Sloped:
    """The same and its derivative by the yaw."""
    total, slope = 0.0, 0.0
    for side in range(2):
        if task.tracked[side]:
            miss = arm_least_at(task, side, yaw if side == 1 else -yaw)
            total += miss[0]
            slope += miss[1] if side == 1 else -miss[1]
    return total, slope


@kernel
def arm_least_at(task: Task, side: int, yaw: float) -> Sloped:
    """Half the square of what an arm misses whose joints have no limits but a longest reach.

    ``yaw`` is the arm's own. With the palm D from the shoulder, fingers of length k at an angle B
    to that line are worth tilting by t: the wrist is sqrt(D^2 + k^2 - 2 D k cos(B - t)) away, and a
    turn costs w t. The slope is what the wrist's distance loses where the tilt is the best one.
    """
    lengths = task.lengths
    reach, k = lengths[UPPER_ARM] + lengths[FOREARM], lengths[PALM]
    away = shoulder_to_wrist(dq_position(task.palms[side]), yaw, lengths)  # to the palm, here
    far = math.sqrt(dot(away, away))
    if far <= reach - k:
        return 0.0, 0.0
    back: Vec = quat_axes(dq_real(task.palms[side]))[2]
    c, s = math.cos(yaw), math.sin(yaw)
    fingers = (s * back[2] - c * back[0], -back[1], -s * back[0] - c * back[2])
    cosine = min(max(dot(fingers, away) / far, -1.0), 1.0)
    wrist = math.sqrt(far * far + k * k - 2.0 * far * k * cosine)
    if wrist <= reach:
        return 0.0, 0.0
    sine, square = math.sqrt(1.0 - cosine * cosine), ROTATION_WEIGHT * ROTATION_WEIGHT
    off_line, tilt = math.atan2(sine, cosine), 0.0
    along, across = cosine, sine  # of what is left of the angle B
    for _ in range(_TILT_STEPS):
        missing = max(wrist - reach, 0.0)
        slope = -far * k * across / wrist
        bend = (far * k * along - slope * slope) / wrist
        curve = slope * slope + max(missing * bend, 0.0) + square
        tilt = min(max(tilt - (missing * slope + square * tilt) / curve, 0.0), off_line)
        c, s = math.cos(tilt), math.sin(tilt)
        along, across = cosine * c + sine * s, sine * c - cosine * s
        wrist = math.sqrt(far * far + k * k - 2.0 * far * k * along)
    missing = max(wrist - reach, 0.0)
    # seen from the torso the wrist goes round its axis by (-z, x), and the shoulder stays
    side_on = across / sine if sine > 1e-6 else 0.0
    on_line = (along - side_on * cosine) / far
    z = away[2] - k * (on_line * away[2] + side_on * fingers[2])
    turn = lengths[SHOULDER_LATERAL] * z / max(wrist, 1e-9)
    return 0.5 * (missing * missing + square * tilt * tilt), missing * turn
