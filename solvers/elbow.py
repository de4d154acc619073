"""Owns where a person's elbow goes: its direction from the hand's place and turn.

The swivel is counted from a resting direction that is carried from straight ahead to the arm's
direction by the smallest turn. Recorded swivels stay within a right angle of it, so the model
predicts one number, t = tan(swivel / 2), which has no place where it vanishes or wraps:

    r = (1, hand_x, hand_y, hand_z)                    10 numbers, the hand's turn
    a = (1, p, p p, hand_x, hand_y, hand_z)            19 numbers, p = away / length of the arm
    s = a . (SWIVEL r)                                 second degree in place and turn
    t = s / sqrt(1 + s^2 / MOST_TANGENT^2)             never beyond the greatest swivel

All inputs are bounded (p by the arm's length, axes by one), so nothing is ever extrapolated to
far away. ``docs/elbow.md`` tells how the coefficients were fitted, and what error remains.
"""

import math

from armspan.solvers.elbow_coefficients import (
    ELBOW_REST,
    MOST_TANGENT,
    REST_AHEAD,
    SWIVEL,
)
from armspan.solvers.forward import Floats
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec, cross, dot
from armspan.solvers.skeleton import FOREARM, UPPER_ARM

PLACE_TERMS = 19
TURN_TERMS = 10

PlaceTerms = tuple[
    float, float, float, float, float, float, float, float, float, float,
    float, float, float, float, float, float, float, float, float,
]  # fmt: skip
TurnTerms = tuple[float, float, float, float, float, float, float, float, float, float]

_DOWN: Vec = (0.0, -1.0, 0.0)


@kernel
def resting_elbow(u: Vec) -> Vec:
    """Swivel zero: unit direction across ``u`` (unit, shoulder to wrist of a right arm).

    Smooth but at the direction opposite ``REST_AHEAD``: backward and inward through the body.
    """
    w = max(1.0 + dot(u, REST_AHEAD), 1e-6)
    share = dot(u, ELBOW_REST) / w
    p = (
        ELBOW_REST[0] - share * (u[0] + REST_AHEAD[0]),
        ELBOW_REST[1] - share * (u[1] + REST_AHEAD[1]),
        ELBOW_REST[2] - share * (u[2] + REST_AHEAD[2]),
    )
    k = dot(p, u)  # zero but for rounding, and for the one direction that has no answer
    p = (p[0] - k * u[0], p[1] - k * u[1], p[2] - k * u[2])
    norm = math.sqrt(dot(p, p))
    if norm < 1e-6:
        return _DOWN
    return (p[0] / norm, p[1] / norm, p[2] / norm)


@kernel
def arm_terms(
    away: Vec, hand_x: Vec, hand_y: Vec, hand_z: Vec, lengths: Floats
) -> tuple[PlaceTerms, TurnTerms]:
    """What the model sees of a right arm: the vectors a and r of the module's formula.

    ``away`` runs from shoulder to wrist (m); a wrist out of reach counts as one at full stretch
    in the same direction. The hand's axes are unit vectors. All in the chest's frame.
    """
    longest = max(lengths[UPPER_ARM] + lengths[FOREARM], math.sqrt(dot(away, away)))
    x, y, z = away[0] / longest, away[1] / longest, away[2] / longest
    place = (
        1.0, x, y, z, x * x, x * y, x * z, y * y, y * z, z * z,
        hand_x[0], hand_x[1], hand_x[2], hand_y[0], hand_y[1], hand_y[2],
        hand_z[0], hand_z[1], hand_z[2],
    )  # fmt: skip
    turn = (
        1.0, hand_x[0], hand_x[1], hand_x[2], hand_y[0], hand_y[1], hand_y[2],
        hand_z[0], hand_z[1], hand_z[2],
    )  # fmt: skip
    return place, turn


@kernel
def swivel_tangent(away: Vec, hand_x: Vec, hand_y: Vec, hand_z: Vec, lengths: Floats) -> float:
    """Tangent of half the swivel that people would choose, from the resting direction."""
    place, turn = arm_terms(away, hand_x, hand_y, hand_z, lengths)
    total = 0.0
    for i in range(PLACE_TERMS):
        row = 0.0
        for j in range(TURN_TERMS):
            row += SWIVEL[i, j] * turn[j]
        total += place[i] * row
    return total / math.sqrt(1.0 + (total / MOST_TANGENT) ** 2)


@kernel
def elbow_direction(away: Vec, hand_x: Vec, hand_y: Vec, hand_z: Vec, lengths: Floats) -> Vec:
    """Unit direction, across ``away``, in which the elbow leaves the line to the wrist.

    ``away`` (m) runs from the shoulder to the wrist of a right arm; the hand's axes are the palm
    frame's X, Y, Z; all in the chest's frame (a left arm's mirrored at x = 0). Finite for
    all finite input; a wrist in the shoulder counts as one straight below it.
    """
    length = math.sqrt(dot(away, away))
    u = _DOWN
    if length > 1e-9:
        u = (away[0] / length, away[1] / length, away[2] / length)
    t = swivel_tangent(away, hand_x, hand_y, hand_z, lengths)
    p = resting_elbow(u)
    b = cross(u, p)
    scale = 1.0 / (1.0 + t * t)
    c, s = (1.0 - t * t) * scale, 2.0 * t * scale
    return (c * p[0] + s * b[0], c * p[1] + s * b[1], c * p[2] + s * b[2])
