"""Owns the arcs of an elbow's circle on which all joint limits hold.

Every entry of the shoulder's and the wrist's matrix is ``a + b cos + c sin`` of the swivel, so a
joint stands on one of its limits where such a sum is zero: at two swivels, found by a square root.
Between them nothing changes. The swivel nearest to the natural one (zero) inside all limits is
therefore zero itself or one of at most 24 such places.
"""

import math

import numpy as np
from armspan.solvers.forward import Floats
from armspan.solvers.kernel import kernel
from armspan.solvers.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.swivel import (
    AHEAD_X,
    ELBOW_X,
    FRONT_X,
    HAND_X,
    HAND_Y,
    HAND_Z,
    SIDE_X,
    UPPER_X,
    UPPER_Y,
    UPPER_Z,
    Swivel,
    at,
)

_COS_LOWER = tuple(math.cos(a) for a in ARM_LOWER)
_SIN_LOWER = tuple(math.sin(a) for a in ARM_LOWER)
_COS_UPPER = tuple(math.cos(a) for a in ARM_UPPER)
_SIN_UPPER = tuple(math.sin(a) for a in ARM_UPPER)
_ON_THE_LIMIT = 1e-9


def _standing_on(row_y: int, sign: float, row_x: int, joint: int) -> list[list[float]]:
    """Where the joint atan2(sign y, x) stands on a limit: sin(limit) x = cos(limit) sign y."""
    return [
        [row_y, sign * math.cos(limit), row_x, -math.sin(limit), 0.0]
        for limit in (ARM_LOWER[joint], ARM_UPPER[joint])
    ]


def _with_sine(row: int, joint: int) -> list[list[float]]:
    """Where the joint asin(-row) stands on a limit."""
    return [[row, 1.0, row, 0.0, math.sin(limit)] for limit in (ARM_LOWER[joint], ARM_UPPER[joint])]


# One row for a limit: (row, factor, row, factor, constant) of a sum that is zero on the limit.
_CROSSINGS: Floats = np.array(
    _with_sine(UPPER_X, 2)
    + _with_sine(HAND_X, 6)
    + _standing_on(UPPER_Z, 1.0, UPPER_Y, 1)
    + _standing_on(FRONT_X, 1.0, ELBOW_X, 3)
    + _standing_on(AHEAD_X, -1.0, SIDE_X, 5)
    + _standing_on(HAND_Z, -1.0, HAND_Y, 7)
)


@kernel
def _between(y: float, x: float, joint: int) -> bool:
    """Whether atan2(y, x) lies within a joint's limits, by two vector products."""
    after_lower = _COS_LOWER[joint] * y - _SIN_LOWER[joint] * x >= -_ON_THE_LIMIT
    before_upper = _COS_UPPER[joint] * y - _SIN_UPPER[joint] * x <= _ON_THE_LIMIT
    if ARM_UPPER[joint] - ARM_LOWER[joint] > math.pi:
        return after_lower or before_upper
    return after_lower and before_upper


@kernel
def branch_within_limits(circle: Floats, c: float, s: float) -> int:
    """Which reading of the shoulder's angles is inside all limits at this swivel; -1 for none.

    The shoulder's three angles have two readings, abduction q (0) and pi - q (1); the wrist's
    second one lies outside the limits always.
    """
    flexion = -at(circle, HAND_X, c, s)
    if flexion < _SIN_LOWER[6] - _ON_THE_LIMIT or flexion > _SIN_UPPER[6] + _ON_THE_LIMIT:
        return -1
    if not _between(-at(circle, HAND_Z, c, s), at(circle, HAND_Y, c, s), 7):
        return -1
    if not _between(-at(circle, AHEAD_X, c, s), at(circle, SIDE_X, c, s), 5):
        return -1
    rise = -at(circle, UPPER_X, c, s)
    y1, x1 = at(circle, UPPER_Z, c, s), at(circle, UPPER_Y, c, s)
    y3, x3 = at(circle, FRONT_X, c, s), at(circle, ELBOW_X, c, s)
    if rise >= _SIN_LOWER[2] - _ON_THE_LIMIT and _between(y1, x1, 1) and _between(y3, x3, 3):
        return 0
    if rise >= _SIN_UPPER[2] - _ON_THE_LIMIT and _between(-y1, -x1, 1) and _between(-y3, -x3, 3):
        return 1
    return -1


@kernel
def nearest_swivel(circle: Floats) -> Swivel:
    """The swivel nearest to zero inside all limits: its cosine, sine and branch (-1: none)."""
    natural = branch_within_limits(circle, 1.0, 0.0)
    if natural >= 0:
        return (1.0, 0.0, natural)
    best = (-2.0, 0.0, -1)
    for k in range(_CROSSINGS.shape[0]):
        y, x = int(_CROSSINGS[k, 0]), int(_CROSSINGS[k, 2])
        of_y, of_x = _CROSSINGS[k, 1], _CROSSINGS[k, 3]
        a = of_y * circle[y, 0] + of_x * circle[x, 0] + _CROSSINGS[k, 4]
        b = of_y * circle[y, 1] + of_x * circle[x, 1]
        c = of_y * circle[y, 2] + of_x * circle[x, 2]
        square = b * b + c * c
        rest = square - a * a
        if rest >= 0.0 and square > 1e-24:
            root = math.sqrt(rest)
            for sign in (-1.0, 1.0):
                cosine = (-a * b + sign * root * c) / square
                if cosine > best[0]:
                    sine = (-a * c - sign * root * b) / square
                    branch = branch_within_limits(circle, cosine, sine)
                    if branch >= 0:
                        best = (cosine, sine, branch)
    return best
