"""Owns the arcs of an elbow's circle on which all joint limits hold.

Every entry of the shoulder's and the wrist's matrix is ``a + b cos + c sin`` of the swivel, so a
joint keeps on the right side of one of its limits where such a sum, a *line*, is not negative. A
line is zero at two swivels, found by a square root, and between all of these nothing changes. The
swivel nearest to the wanted one (zero) inside all limits is therefore zero itself or one of them.

A line is the scalar product of two unit vectors, one of them carried by the arm. So when the arm
is known to turn by no more than ``slack`` (rad), a line that stays below ``-slack`` proves that
the limit is broken throughout.
"""

import math

from armspan.solvers.body.forward import Floats
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.body.swivel import (
    AHEAD_X,
    ELBOW_X,
    FRONT_X,
    HAND_X,
    HAND_Y,
    HAND_Z,
    LOCKED,
    SIDE_X,
    UPPER_X,
    UPPER_Y,
    UPPER_Z,
    Swivel,
)
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec

# Lines (12, 3): coefficients a, b, c of a + b cos + c sin.
_WRIST = 0  # 6 lines, all of them must hold
_FLEXION = 6  # 2: the shoulder's flexion spans over half a turn, so that one of them suffices
_ROTATION = 8  # 2 of the shoulder's rotation
_RISE = 10  # the shoulder's abduction q from its lower limit up to a right angle
_BEYOND = 11  # and, read as pi - q, from there to its upper limit
LINES = 12

_LOW = tuple((math.cos(a), math.sin(a)) for a in ARM_LOWER)
_HIGH = tuple((math.cos(a), math.sin(a)) for a in ARM_UPPER)
_ROUNDING = 5e-6  # rad: what float32 does to a target; angles are held at their limits
Slack = tuple[float, float]
"""How far (rad) forearm against hand, and upper arm against torso, may turn unseen."""
EXACT: Slack = (0.0, 0.0)


@kernel
def _write_line(lines: Floats, k: int, circle: Floats, of_y: float, y: int, of_x: float, x: int,
                constant: float) -> None:  # fmt: skip
    lines[k, 0] = of_y * circle[y, 0] + of_x * circle[x, 0] + constant
    lines[k, 1] = of_y * circle[y, 1] + of_x * circle[x, 1]
    lines[k, 2] = of_y * circle[y, 2] + of_x * circle[x, 2]


@kernel
def _write_sector(lines: Floats, k: int, circle: Floats, sign: float, y: int, x: int,
                  joint: int) -> None:  # fmt: skip
    """atan2(sign y, x) above its lower limit, below its upper one: two vector products."""
    low, high = _LOW[joint], _HIGH[joint]
    _write_line(lines, k, circle, sign * low[0], y, -low[1], x, 0.0)
    _write_line(lines, k + 1, circle, -sign * high[0], y, high[1], x, 0.0)


@kernel
def write_lines(circle: Floats, lines: Floats) -> None:
    """Write the limits' lines (LINES, 3) of an elbow's circle."""
    _write_line(lines, _WRIST, circle, -1.0, HAND_X, 0.0, HAND_X, -_LOW[6][1])
    _write_line(lines, _WRIST + 1, circle, 1.0, HAND_X, 0.0, HAND_X, _HIGH[6][1])
    _write_sector(lines, _WRIST + 2, circle, -1.0, HAND_Z, HAND_Y, 7)
    _write_sector(lines, _WRIST + 4, circle, -1.0, AHEAD_X, SIDE_X, 5)
    _write_sector(lines, _FLEXION, circle, 1.0, UPPER_Z, UPPER_Y, 1)
    _write_sector(lines, _ROTATION, circle, 1.0, FRONT_X, ELBOW_X, 3)
    _write_line(lines, _RISE, circle, -1.0, UPPER_X, 0.0, UPPER_X, -_LOW[2][1])
    _write_line(lines, _BEYOND, circle, -1.0, UPPER_X, 0.0, UPPER_X, -_HIGH[2][1])


@kernel
def _value(lines: Floats, k: int, c: float, s: float) -> float:
    return lines[k, 0] + lines[k, 1] * c + lines[k, 2] * s


@kernel
def broken(lines: Floats, c: float, s: float) -> tuple[float, float]:
    """By how much (about rad) the limits of wrist and shoulder are broken at a swivel."""
    wrist = 0.0
    for k in range(_WRIST, _WRIST + 6):
        wrist += max(-_value(lines, k, c, s), 0.0)
    forward, backward = _value(lines, _FLEXION, c, s), _value(lines, _FLEXION + 1, c, s)
    inward, outward = _value(lines, _ROTATION, c, s), _value(lines, _ROTATION + 1, c, s)
    near = max(-max(forward, backward), 0.0) + max(-min(inward, outward), 0.0)
    far = max(min(forward, backward), 0.0) + max(max(inward, outward), 0.0)
    near += max(-_value(lines, _RISE, c, s), 0.0)
    far += max(-_value(lines, _BEYOND, c, s), 0.0)
    return wrist, min(near, far)


@kernel
def _entry(lines: Floats, k: int, sign: float, offset: float, direction: float) -> Vec:
    """Where ``sign`` times line ``k`` comes up to ``-offset`` on the way in a direction.

    Cosine and sine of the swivel, and 1 if there is such a place, else 0.
    """
    a, b, c = sign * lines[k, 0] + offset, sign * lines[k, 1], sign * lines[k, 2]
    square = b * b + c * c
    rest = square - a * a
    if rest < 0.0 or square < 1e-24:
        return (0.0, 0.0, 0.0)
    scale = 1.0 / square
    root = direction * math.sqrt(rest)
    return (scale * (root * c - a * b), -scale * (a * c + root * b), 1.0)


@kernel
def _walk(lines: Floats, reading: int, direction: float, slack: Slack, start: Swivel,
          least: float) -> Swivel:  # fmt: skip
    """The first swivel inside the limits on the way from ``start`` to half a turn.

    Wherever a line does not hold, nothing before its next entry can be inside: a few steps do.
    ``least`` is the cosine below which nothing is of use. ``reading`` -1 looks at the wrist only.
    The answer's branch is -1 if there is none on this way, -2 if there is none at all.
    """
    c, s = start[0], start[1]
    for _ in range(3 * LINES):
        k, sign, offset = _broken(lines, reading, c, s, slack)
        if k < 0:
            return (c, s, max(reading, 0))
        x, y, there = _entry(lines, k, sign, offset, direction)
        if k == _FLEXION:  # one of two suffices: whichever comes first
            other = _entry(lines, k + 1, sign, offset, direction)
            ahead = there > 0.0 and direction * y >= 0.0 and x <= c
            comes = other[2] > 0.0 and direction * other[1] >= 0.0 and other[0] <= c
            if comes and (not ahead or other[0] > x):
                x, y, there = other
        if there == 0.0:
            return (-2.0, 0.0, -2)
        if direction * y < 0.0 or x > c or x < least:
            return (-2.0, 0.0, -1)
        c, s = x, y
    return (-2.0, 0.0, -1)


@kernel
def _broken(
    lines: Floats, reading: int, c: float, s: float, slack: Slack
) -> tuple[int, float, float]:
    """A line that does not hold here (-1: all do), the sign to read it with, and its slack."""
    least = -_ROUNDING - slack[0]
    for k in range(_WRIST, _WRIST + 6):
        if _value(lines, k, c, s) < least:
            return k, 1.0, slack[0]
    if reading < 0:
        return -1, 1.0, 0.0
    if _value(lines, _RISE + reading, c, s) < -_ROUNDING - slack[1]:
        return _RISE + reading, 1.0, slack[1]
    rise = _value(lines, _RISE, c, s) + _LOW[2][1]
    length = math.sqrt(max(1.0 - rise * rise, 0.0))  # of what the other lines are products with
    if rise > 0.0 and length < LOCKED + slack[1]:
        return -1, 1.0, 0.0
    sign = 1.0 if reading == 0 else -1.0
    least = -_ROUNDING * length - slack[1]
    for k in range(_ROTATION, _ROTATION + 2):
        if sign * _value(lines, k, c, s) < least:
            return k, sign, slack[1]
    if (
        sign * _value(lines, _FLEXION, c, s) < least
        and sign * _value(lines, _FLEXION + 1, c, s) < least
    ):
        return _FLEXION, sign, slack[1]
    return -1, 1.0, 0.0


@kernel
def nearest_swivel(lines: Floats, slack: Slack) -> Swivel:
    """The swivel nearest to zero inside all limits: its cosine, sine and branch (-1: none)."""
    best = (-2.0, 0.0, -1)
    for direction in (-1.0, 1.0):
        wrist = _walk(lines, -1, direction, slack, (1.0, 0.0, 0), best[0])
        if wrist[2] == -2:
            return (-2.0, 0.0, -1)
        if wrist[2] >= 0:
            for reading in range(2):
                found = _walk(lines, reading, direction, slack, wrist, best[0])
                if found[0] > best[0]:
                    best = found
            if best[0] == 1.0:
                return best
    return best
