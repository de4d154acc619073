"""Owns where a person's elbow goes: its direction from the hand's place and turn.

The swivel is counted from a resting direction that is carried from straight ahead to the arm's
direction by the smallest turn. Recorded swivels stay within a right angle of it, so the model
predicts one number, t = tan(swivel / 2), which wraps nowhere and whose direction never vanishes:

    p = away / length of the arm                         the wrist's place
    m = (1, p, p p)                                      10 monomials
    h = (hand_x, hand_y, hand_z)                         9 numbers, the hand's turn
    s = m . PLACE (1, h) + h . TURN h                    145 coefficients, TURN upper triangular
    t = s / sqrt(1 + s^2 / MOST_TANGENT^2)               never beyond the greatest swivel

All inputs are bounded (p by the arm's length, axes by one), so nothing is ever extrapolated to
far away. ``docs/elbow.md`` tells how the coefficients were fitted, and what error remains.
"""

import math

from armspan.solvers.body.elbow_coefficients import (
    ELBOW_REST,
    MOST_TANGENT,
    PLACE,
    REST_AHEAD,
    TURN,
)
from armspan.solvers.body.forward import Floats
from armspan.solvers.body.skeleton import FOREARM, UPPER_ARM
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec, cross, dot

MONOMIALS = 10
HAND_TERMS = 9
TERMS = MONOMIALS * (1 + HAND_TERMS) + HAND_TERMS * (HAND_TERMS + 1) // 2

Monomials = tuple[float, float, float, float, float, float, float, float, float, float]
HandTerms = tuple[float, float, float, float, float, float, float, float, float]

_DOWN: Vec = (0.0, -1.0, 0.0)
_NO_DIRECTION = 1e-6


@kernel
def resting_elbow(u: Vec) -> Vec:
    """Swivel zero: unit direction across ``u`` (unit, shoulder to wrist of a right arm).

    Smooth but at the direction opposite ``REST_AHEAD``: backward and inward through the body.
    """
    w = 1.0 + dot(u, REST_AHEAD)
    if w < _NO_DIRECTION:
        return ELBOW_REST
    share = dot(u, ELBOW_REST) / w
    return (
        ELBOW_REST[0] - share * (u[0] + REST_AHEAD[0]),
        ELBOW_REST[1] - share * (u[1] + REST_AHEAD[1]),
        ELBOW_REST[2] - share * (u[2] + REST_AHEAD[2]),
    )


@kernel
def place_monomials(away: Vec, lengths: Floats) -> Monomials:
    """The vector m of the module's formula; ``away`` (m) runs from shoulder to wrist.

    A wrist out of reach counts as one at full stretch in the same direction.
    """
    longest = max(lengths[UPPER_ARM] + lengths[FOREARM], math.sqrt(dot(away, away)))
    scale = 1.0 / longest
    x, y, z = scale * away[0], scale * away[1], scale * away[2]
    return (1.0, x, y, z, x * x, x * y, x * z, y * y, y * z, z * z)


@kernel
def swivel_tangent(m: Monomials, h: HandTerms) -> float:
    """Tangent of half the swivel that people would choose, counted from the resting direction."""
    s = 0.0
    for i in range(MONOMIALS):
        row = PLACE[i, 0]
        for j in range(HAND_TERMS):
            row += PLACE[i, 1 + j] * h[j]
        s += m[i] * row
    for i in range(HAND_TERMS):
        row = 0.0
        for j in range(i, HAND_TERMS):
            row += TURN[i, j] * h[j]
        s += h[i] * row
    return s / math.sqrt(1.0 + s * s * (1.0 / (MOST_TANGENT * MOST_TANGENT)))


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
        scale = 1.0 / length
        u = (scale * away[0], scale * away[1], scale * away[2])
    m = place_monomials(away, lengths)
    t = swivel_tangent(m, (*hand_x, *hand_y, *hand_z))
    p = resting_elbow(u)
    b = cross(u, p)
    scale = 1.0 / (1.0 + t * t)
    c, s = (1.0 - t * t) * scale, 2.0 * t * scale
    return (c * p[0] + s * b[0], c * p[1] + s * b[1], c * p[2] + s * b[2])
