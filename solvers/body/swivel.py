"""Owns the arm reduced to two numbers: torso yaw and elbow swivel.

With the torso fixed, the wrist's place decides the elbow's bend, and what is left is the swivel:
the elbow may go round a circle about the line from shoulder to wrist. On that circle every entry
of the shoulder's and the wrist's rotation matrix is ``a + b cos + c sin`` of the swivel (Shimizu
et al. 2008, "Analytical Inverse Kinematic Computation for 7-DOF Redundant Manipulators"); no
trigonometry is needed until the answer's angles are read off.

Swivel zero is where the elbow is wanted: the goal's direction as seen across the arm.
"""

import math
from typing import NamedTuple

from armspan.solvers.body.forward import ArmAngles, Floats
from armspan.solvers.body.skeleton import (
    ARM_LOWER,
    ARM_UPPER,
    FOREARM,
    PALM,
    SHOULDER_LATERAL,
    SHOULDER_UP,
    UPPER_ARM,
)
from armspan.solvers.dual_quaternion import Dual, dq_position, dq_real
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec, cross, dot, quat_axes

# Rows of a circle: coefficients a, b, c of a + b cos + c sin.
UPPER_X, UPPER_Y, UPPER_Z = 0, 1, 2  # the upper arm's y axis, in the torso's frame
ELBOW_X, FRONT_X = 3, 4  # x parts of the upper arm's x and z axes
HAND_X, HAND_Y, HAND_Z = 5, 6, 7  # the forearm's y axis against the unturned hand's axes
SIDE_X, AHEAD_X = 8, 9  # the forearm's x and z axes against the unturned hand's x
ELBOW_Y, ELBOW_Z = 10, 11  # the other parts of the upper arm's x axis
CIRCLE_ROWS = 12

_HALF_TURN_DOWN = 1e-3 - math.pi
_COS_FULL_BEND = math.cos(ARM_UPPER[4])
_DOWN: Vec = (0.0, -1.0, 0.0)
LOCKED = 3e-5  # cosine of abduction: nearer to a right angle two of the shoulder's axes are one

Swivel = tuple[float, float, int]
"""Cosine and sine of the swivel, and the branch of the shoulder's angles (-1: no posture)."""


class ArmGoal(NamedTuple):
    """What a right arm is asked for, in the chest's frame."""

    wrist: Vec
    """m"""
    hand: tuple[Vec, Vec, Vec]
    """The hand's axes as the zero posture names them: its frame at rest undone."""
    elbow: Vec
    """The place (m) to which the elbow is to be as near as it can."""


class Bend(NamedTuple):
    """The triangle of shoulder, elbow and wrist at one torso yaw."""

    reach: float
    """m from shoulder to wrist, as far as the elbow allows."""
    missed: float
    """m that the wrist is farther away than that (negative: nearer)."""
    away: Vec
    """From the shoulder to where the wrist is wanted, in the torso's frame, m."""
    upper: tuple[float, float]
    """Cosine and sine of the angle between the upper arm and the line to the wrist."""
    fore: tuple[float, float]
    """The same of the forearm."""


@kernel
def wrist_of(palm: Dual, lengths: Floats) -> Vec:
    """Where the wrist must be for the palm to be there (m)."""
    p = dq_position(palm)
    z = quat_axes(dq_real(palm))[2]
    k = lengths[PALM]
    return (p[0] + k * z[0], p[1] + k * z[1], p[2] + k * z[2])


@kernel
def arm_goal(palm: Dual, elbow: Vec, lengths: Floats) -> ArmGoal:
    """The goal of a right arm whose palm is wanted at ``palm`` (chest's frame)."""
    x, y, z = quat_axes(dq_real(palm))  # at rest they lie along +Z, +X, +Y
    return ArmGoal(wrist_of(palm, lengths), (y, z, x), elbow)


@kernel
def shoulder_to_wrist(wrist: Vec, yaw: float, lengths: Floats) -> Vec:
    """From a right shoulder to the wrist, in the frame of a torso turned by ``yaw``."""
    c, s = math.cos(yaw), math.sin(yaw)
    return (
        c * wrist[0] - s * wrist[2] - lengths[SHOULDER_LATERAL],
        wrist[1] - lengths[SHOULDER_UP],
        s * wrist[0] + c * wrist[2],
    )


@kernel
def reach_of(wanted: float, lengths: Floats) -> float:
    """The distance from shoulder to wrist, nearest to the wanted one, that the elbow allows."""
    upper, fore = lengths[UPPER_ARM], lengths[FOREARM]
    square = upper * upper + fore * fore + 2.0 * upper * fore * _COS_FULL_BEND
    return min(max(wanted, math.sqrt(max(square, 0.0))), upper + fore)


@kernel
def upper_angle(reach: float, lengths: Floats) -> tuple[float, float]:
    """Cosine and sine of the angle between the upper arm and the line to the wrist."""
    upper, fore = lengths[UPPER_ARM], lengths[FOREARM]
    along = (upper * upper + reach * reach - fore * fore) / (2.0 * upper * reach)
    along = min(max(along, -1.0), 1.0)
    return (along, math.sqrt(1.0 - along * along))


@kernel
def fore_angle(reach: float, upper: tuple[float, float], lengths: Floats) -> tuple[float, float]:
    """The same of the forearm, on the line's other side."""
    fore, up = lengths[FOREARM], lengths[UPPER_ARM]
    return ((reach - up * upper[0]) / fore, up * upper[1] / fore)


@kernel
def write_circle(goal: ArmGoal, turn: tuple[float, float], lengths: Floats, circle: Floats) -> Bend:
    """Write the elbow's circle (CIRCLE_ROWS, 3) for a torso turned by ``turn`` (cosine, sine).

    A wrist out of reach is first drawn straight to the nearest place in reach of the shoulder;
    the hand's orientation stays.
    """
    c, s = turn
    w, d = goal.wrist, goal.elbow
    away = (
        c * w[0] - s * w[2] - lengths[SHOULDER_LATERAL],
        w[1] - lengths[SHOULDER_UP],
        s * w[0] + c * w[2],
    )
    wanted = math.sqrt(dot(away, away))
    reach = reach_of(wanted, lengths)
    u = _DOWN
    if wanted > 1e-9:
        k = 1.0 / wanted
        u = (k * away[0], k * away[1], k * away[2])
    toward = (
        c * d[0] - s * d[2] - lengths[SHOULDER_LATERAL],
        d[1] - lengths[SHOULDER_UP],
        s * d[0] + c * d[2],
    )
    p = across(u, toward)
    b = cross(u, p)
    upper = upper_angle(reach, lengths)
    fore = fore_angle(reach, upper, lengths)
    _write_shoulder_rows(u, p, b, upper, circle)
    _write_wrist_rows(goal.hand, turn, u, p, b, fore, circle)
    return Bend(reach, wanted - reach, away, upper, fore)


@kernel
def elbow_flexion(reach: float, lengths: Floats) -> float:
    """The elbow's angle (rad) that puts the wrist so far from the shoulder."""
    upper, fore = lengths[UPPER_ARM], lengths[FOREARM]
    cosine = (reach * reach - upper * upper - fore * fore) / (2.0 * upper * fore)
    return math.acos(min(max(cosine, -1.0), 1.0))


@kernel
def across(u: Vec, wanted: Vec) -> Vec:
    """The unit vector across ``u`` (unit) that is nearest to the wanted direction."""
    k = dot(wanted, u)
    p = (wanted[0] - k * u[0], wanted[1] - k * u[1], wanted[2] - k * u[2])
    square = dot(p, p)
    if square < 1e-12:  # the elbow is wanted along the arm: any place on the circle serves
        x, y, z = abs(u[0]), abs(u[1]), abs(u[2])
        axis = (1.0, 0.0, 0.0) if x <= y and x <= z else (0.0, 0.0, 1.0)
        p = cross(u, axis)
        square = dot(p, p)
    k = 1.0 / math.sqrt(square)
    return (k * p[0], k * p[1], k * p[2])


@kernel
def _write_row(circle: Floats, row: int, a: float, b: float, c: float) -> None:
    circle[row, 0], circle[row, 1], circle[row, 2] = a, b, c


@kernel
def _write_shoulder_rows(
    u: Vec, p: Vec, b: Vec, upper: tuple[float, float], circle: Floats
) -> None:
    """In the basis u, p (swivel zero), b = u x p: y = -along u - aside p, x = -b, z = x x y."""
    along, aside = upper
    for i in range(3):
        _write_row(circle, UPPER_X + i, -along * u[i], -aside * p[i], -aside * b[i])
    _write_row(circle, ELBOW_X, 0.0, -b[0], p[0])
    _write_row(circle, ELBOW_Y, 0.0, -b[1], p[1])
    _write_row(circle, ELBOW_Z, 0.0, -b[2], p[2])
    _write_row(circle, FRONT_X, -aside * u[0], along * p[0], along * b[0])


@kernel
def _write_wrist_rows(
    hand: tuple[Vec, Vec, Vec], turn: tuple[float, float], u: Vec, p: Vec, b: Vec,
    fore: tuple[float, float], circle: Floats,
) -> None:  # fmt: skip
    """Forearm: y = -along u + aside p, x = -b, z = aside u + along p."""
    along, aside = fore
    c, s = turn
    for i in range(3):
        h = hand[i]
        axis = (c * h[0] - s * h[2], h[1], s * h[0] + c * h[2])
        at_u, at_p, at_b = dot(u, axis), dot(p, axis), dot(b, axis)
        _write_row(circle, HAND_X + i, -along * at_u, aside * at_p, aside * at_b)
        if i == 0:
            _write_row(circle, SIDE_X, 0.0, -at_b, at_p)
            _write_row(circle, AHEAD_X, aside * at_u, along * at_p, along * at_b)


@kernel
def at(circle: Floats, row: int, c: float, s: float) -> float:
    """A row's value at a swivel given by cosine and sine."""
    return circle[row, 0] + circle[row, 1] * c + circle[row, 2] * s


@kernel
def angles_at(circle: Floats, swivel: Swivel, yaw: float, bend: float) -> ArmAngles:
    """The arm's 8 angles at a swivel."""
    c, s, branch = swivel
    flexion, abduction, rotation = _shoulder_at(circle, c, s, branch)
    return (
        yaw,
        flexion,
        abduction,
        rotation,
        bend,
        math.atan2(-at(circle, AHEAD_X, c, s), at(circle, SIDE_X, c, s)),
        math.asin(min(max(-at(circle, HAND_X, c, s), -1.0), 1.0)),
        math.atan2(-at(circle, HAND_Z, c, s), at(circle, HAND_Y, c, s)),
    )


@kernel
def _shoulder_at(circle: Floats, c: float, s: float, branch: int) -> Vec:
    """Flexion, abduction and rotation of the shoulder at a swivel, in one of two readings."""
    rise = min(max(-at(circle, UPPER_X, c, s), -1.0), 1.0)
    if rise > 0.0 and 1.0 - rise * rise < LOCKED * LOCKED:
        turn = math.atan2(at(circle, ELBOW_Z, c, s), at(circle, ELBOW_Y, c, s))
        flexion, rotation = _shared_at_lock(turn)
        return (flexion, 0.5 * math.pi, rotation)
    sign = 1.0 if branch == 0 else -1.0
    abduction = math.asin(rise)
    flexion = math.atan2(sign * at(circle, UPPER_Z, c, s), sign * at(circle, UPPER_Y, c, s))
    rotation = math.atan2(sign * at(circle, FRONT_X, c, s), sign * at(circle, ELBOW_X, c, s))
    return (
        # half a turn up comes out as half a turn down when rounding has it so
        flexion + 2.0 * math.pi if flexion < _HALF_TURN_DOWN else flexion,
        abduction if branch == 0 else math.pi - abduction,
        rotation,
    )


@kernel
def _shared_at_lock(turn: float) -> tuple[float, float]:
    """Flexion and rotation of an arm held straight out, where only their difference counts.

    Flexion takes what it can, rotation the rest: every turn can be had.
    """
    flexion = min(max(turn, ARM_LOWER[1]), ARM_UPPER[1])
    if flexion - turn > ARM_UPPER[3]:
        flexion, turn = ARM_UPPER[1], turn + 2.0 * math.pi
    return flexion, flexion - turn
