"""Owns how much two hands must miss at the least: a bound that no posture can beat.

With every limit dropped but the arm's length, what an arm misses at a yaw of the torso depends on
one number more: by how much the fingers are tilted towards the line from the shoulder, which brings
the wrist nearer and costs a turn. The least of that over the tilt, of both arms over the yaw, is
what any posture misses at least; where it is met within a few per cent the posture is certified.
"""

import math

from armspan.solvers.dual_quaternion import dq_position, dq_real
from armspan.solvers.kernel import kernel
from armspan.solvers.polish import ROTATION_WEIGHT
from armspan.solvers.quaternion import Vec, dot, quat_axes
from armspan.solvers.skeleton import ARM_LOWER, ARM_UPPER, FOREARM, PALM, UPPER_ARM
from armspan.solvers.swivel import shoulder_to_wrist
from armspan.solvers.targets import Task

_LOWEST, _HIGHEST = ARM_LOWER[0], ARM_UPPER[0]
_YAWS = 5
_ROUNDS = 1
_NARROWING = 0.5
_TILT_STEPS = 2


@kernel
def least_possible(task: Task, yaw_start: float) -> tuple[float, float]:
    """What both hands miss at least, limits of the arms aside, and the yaw where: (m^2, rad).

    Zero at ``yaw_start`` if nothing need be missed there.
    """
    yaw, least = yaw_start, least_at(task, yaw_start)
    if least == 0.0:
        return least, yaw
    step = (_HIGHEST - _LOWEST) / (_YAWS - 1)
    for k in range(_YAWS):
        miss = least_at(task, _LOWEST + k * step)
        if miss < least:
            yaw, least = _LOWEST + k * step, miss
    for _ in range(_ROUNDS):  # the lowest point of a parabola through three
        step *= _NARROWING
        middle = min(max(yaw, _LOWEST + step), _HIGHEST - step)
        low, here, high = (
            least_at(task, middle - step), least_at(task, middle), least_at(task, middle + step),
        )  # fmt: skip
        curve = low + high - 2.0 * here
        off = 0.5 * (low - high) / curve if curve > 0.0 else 2.0 if low > high else -2.0
        guess = middle + step * min(max(off, -1.0), 1.0)
        miss = least_at(task, guess)
        if miss < least:
            yaw, least = guess, miss
    return least, yaw


@kernel
def least_at(task: Task, yaw: float) -> float:
    """The same at one yaw of the torso: half the sum of squares, m^2."""
    total = 0.0
    for side in range(2):
        if task.tracked[side]:
            total += _arm_miss(task, side, yaw if side == 1 else -yaw)
    return total


@kernel
def _arm_miss(task: Task, side: int, yaw: float) -> float:
    """Half the square of what an arm misses whose joints have no limits but a longest reach.

    With the palm D from the shoulder, fingers of length k at an angle B to that line are worth
    tilting by t: the wrist is sqrt(D^2 + k^2 - 2 D k cos(B - t)) away, and a turn costs w t.
    """
    lengths = task.lengths
    reach, k = lengths[UPPER_ARM] + lengths[FOREARM], lengths[PALM]
    away = shoulder_to_wrist(dq_position(task.palms[side]), yaw, lengths)  # to the palm, here
    far = math.sqrt(dot(away, away))
    if far <= reach - k:
        return 0.0
    back: Vec = quat_axes(dq_real(task.palms[side]))[2]
    c, s = math.cos(yaw), math.sin(yaw)
    fingers = (s * back[2] - c * back[0], -back[1], -s * back[0] - c * back[2])
    cosine = min(max(dot(fingers, away) / far, -1.0), 1.0)
    sine = math.sqrt(1.0 - cosine * cosine)
    off_line, square = math.atan2(sine, cosine), ROTATION_WEIGHT * ROTATION_WEIGHT
    tilt, wrist = 0.0, math.sqrt(far * far + k * k - 2.0 * far * k * cosine)
    if wrist <= reach:
        return 0.0
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
    return 0.5 * (missing * missing + square * tilt * tilt)
