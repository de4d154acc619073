"""Owns the arm reduced to two numbers: torso yaw and elbow swivel.

With the torso fixed, the wrist's place decides the elbow's bend, and what is left is the swivel:
the elbow may go round a circle about the line from shoulder to wrist. On that circle every entry
of the shoulder's and the wrist's rotation matrix is ``a + b cos + c sin`` of the swivel (Shimizu
et al. 2008, "Analytical Inverse Kinematic Computation for 7-DOF Redundant Manipulators"); no
trigonometry is needed until the answer's angles are read off.

Swivel zero is where the elbow goes by itself: down, a little outward. That direction is carried
from straight ahead to the arm's direction by the smallest turn, which is smooth for all arms but
one that points backward, up and inward.
"""

import math

from armspan.solvers.dual_quaternion import Dual, dq_from_pose, dq_position, dq_real
from armspan.solvers.forward import ArmAngles, Floats
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec, cross, dot, quat_axes
from armspan.solvers.skeleton import (
    ARM_UPPER,
    FOREARM,
    PALM,
    SHOULDER_LATERAL,
    SHOULDER_UP,
    UPPER_ARM,
)

# Rows of a circle (10, 3): coefficients a, b, c of a + b cos + c sin.
UPPER_X, UPPER_Y, UPPER_Z = 0, 1, 2  # the upper arm's y axis
ELBOW_X, FRONT_X = 3, 4  # x parts of the upper arm's x and z axes
HAND_X, HAND_Y, HAND_Z = 5, 6, 7  # the forearm's y axis against the unturned hand's axes
SIDE_X, AHEAD_X = 8, 9  # the forearm's x and z axes against the unturned hand's x
CIRCLE_ROWS = 10

_HALF_TURN_DOWN = 1e-3 - math.pi
_COS_FULL_BEND = math.cos(ARM_UPPER[4])

Swivel = tuple[float, float, int]
"""Cosine and sine of the swivel, and the branch of the shoulder's angles (-1: no posture)."""

# The arm's direction that swivel zero is defined at, and where the elbow goes there.
_AHEAD: Vec = (0.5440, 0.1850, -0.8185)
_ELBOW_AHEAD: Vec = (0.4660, -0.8780, 0.1113)


@kernel
def wrist_of(palm: Dual, lengths: Floats) -> Vec:
    """Where the wrist must be for the palm to be there (m)."""
    p = dq_position(palm)
    z = quat_axes(dq_real(palm))[2]
    k = lengths[PALM]
    return (p[0] + k * z[0], p[1] + k * z[1], p[2] + k * z[2])


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
def write_circle(palm: Dual, yaw: float, lengths: Floats, circle: Floats) -> tuple[float, float]:
    """Write the elbow's circle (10, 3); return the elbow's flexion and how far the wrist misses.

    A wrist out of reach is first drawn straight to the nearest place in reach of the shoulder
    (the second number, in metres, else zero); the hand's orientation stays.
    """
    upper, fore = lengths[UPPER_ARM], lengths[FOREARM]
    away = shoulder_to_wrist(wrist_of(palm, lengths), yaw, lengths)
    wanted = math.sqrt(dot(away, away))
    reach = reach_of(wanted, lengths)
    u = (0.0, -1.0, 0.0)
    if wanted > 1e-9:
        u = (away[0] / wanted, away[1] / wanted, away[2] / wanted)
    cos_bend = (reach * reach - upper * upper - fore * fore) / (2.0 * upper * fore)
    cos_bend = min(max(cos_bend, -1.0), 1.0)
    along = (upper * upper + reach * reach - fore * fore) / (2.0 * upper * reach)
    along = min(max(along, -1.0), 1.0)
    aside = math.sqrt(1.0 - along * along)
    _write_shoulder_rows(u, along, aside, circle)
    fore_along, fore_aside = (reach - upper * along) / fore, upper * aside / fore
    _write_wrist_rows(palm, yaw, u, fore_along, fore_aside, circle)
    return math.acos(cos_bend), wanted - reach


@kernel
def drawn_into_reach(palm: Dual, yaw: float, lengths: Floats) -> Dual:
    """The palm moved straight towards (or from) the shoulder until the wrist is in reach."""
    away = shoulder_to_wrist(wrist_of(palm, lengths), yaw, lengths)
    wanted = math.sqrt(dot(away, away))
    reach = reach_of(wanted, lengths)
    if reach == wanted or wanted < 1e-9:
        return palm
    k = reach / wanted - 1.0
    c, s = math.cos(yaw), math.sin(yaw)
    p = dq_position(palm)
    moved = (
        p[0] + k * (c * away[0] + s * away[2]),
        p[1] + k * away[1],
        p[2] + k * (c * away[2] - s * away[0]),
    )
    return dq_from_pose(moved, dq_real(palm))


@kernel
def reach_of(wanted: float, lengths: Floats) -> float:
    """The distance from shoulder to wrist, nearest to the wanted one, that the elbow allows."""
    upper, fore = lengths[UPPER_ARM], lengths[FOREARM]
    square = upper * upper + fore * fore + 2.0 * upper * fore * _COS_FULL_BEND
    return min(max(wanted, math.sqrt(max(square, 0.0))), upper + fore)


@kernel
def natural_elbow(u: Vec) -> Vec:
    """Swivel zero: unit direction across ``u`` (unit, shoulder to wrist, torso frame)."""
    w = max(1.0 + dot(u, _AHEAD), 1e-6)
    share = dot(u, _ELBOW_AHEAD) / w
    p = (
        _ELBOW_AHEAD[0] - share * (u[0] + _AHEAD[0]),
        _ELBOW_AHEAD[1] - share * (u[1] + _AHEAD[1]),
        _ELBOW_AHEAD[2] - share * (u[2] + _AHEAD[2]),
    )
    k = dot(p, u)  # zero but for rounding, and for the one direction that has no answer
    p = (p[0] - k * u[0], p[1] - k * u[1], p[2] - k * u[2])
    norm = math.sqrt(dot(p, p))
    if norm < 1e-6:
        return (0.0, -1.0, 0.0)
    return (p[0] / norm, p[1] / norm, p[2] / norm)


@kernel
def _write_row(circle: Floats, row: int, a: float, b: float, c: float) -> None:
    circle[row, 0], circle[row, 1], circle[row, 2] = a, b, c


@kernel
def _write_shoulder_rows(u: Vec, along: float, aside: float, circle: Floats) -> None:
    """In the basis u, p (swivel zero), b = u x p: y = -along u - aside p, x = -b, z = x x y."""
    p = natural_elbow(u)
    b = cross(u, p)
    for i in range(3):
        _write_row(circle, UPPER_X + i, -along * u[i], -aside * p[i], -aside * b[i])
    _write_row(circle, ELBOW_X, 0.0, -b[0], p[0])
    _write_row(circle, FRONT_X, -aside * u[0], along * p[0], along * b[0])


@kernel
def _write_wrist_rows(palm: Dual, yaw: float, u: Vec, along: float, aside: float,
                      circle: Floats) -> None:  # fmt: skip
    """Forearm: y = -along u + aside p, x = -b, z = aside u + along p."""
    p = natural_elbow(u)
    b = cross(u, p)
    hand_x, hand_y, hand_z = _unturned_hand(palm, yaw)
    for row, axis in ((HAND_X, hand_x), (HAND_Y, hand_y), (HAND_Z, hand_z)):
        _write_row(circle, row, -along * dot(u, axis), aside * dot(p, axis), aside * dot(b, axis))
    _write_row(circle, SIDE_X, 0.0, -dot(b, hand_x), dot(p, hand_x))
    ahead = (aside * dot(u, hand_x), along * dot(p, hand_x), along * dot(b, hand_x))
    _write_row(circle, AHEAD_X, ahead[0], ahead[1], ahead[2])


@kernel
def _unturned_hand(palm: Dual, yaw: float) -> tuple[Vec, Vec, Vec]:
    """The hand's axes as the zero posture names them (its frame at rest undone), torso frame."""
    x, y, z = quat_axes(dq_real(palm))  # at rest they lie along +Z, +X, +Y
    c, s = math.cos(yaw), math.sin(yaw)
    return (
        (c * y[0] - s * y[2], y[1], s * y[0] + c * y[2]),
        (c * z[0] - s * z[2], z[1], s * z[0] + c * z[2]),
        (c * x[0] - s * x[2], x[1], s * x[0] + c * x[2]),
    )


@kernel
def at(circle: Floats, row: int, c: float, s: float) -> float:
    """A row's value at a swivel given by cosine and sine."""
    return circle[row, 0] + circle[row, 1] * c + circle[row, 2] * s


@kernel
def angles_at(circle: Floats, swivel: Swivel, yaw: float, bend: float) -> ArmAngles:
    """The arm's 8 angles at a swivel."""
    c, s, branch = swivel
    sign = 1.0 if branch == 0 else -1.0
    abduction = math.asin(min(max(-at(circle, UPPER_X, c, s), -1.0), 1.0))
    flexion = math.atan2(sign * at(circle, UPPER_Z, c, s), sign * at(circle, UPPER_Y, c, s))
    rotation = math.atan2(sign * at(circle, FRONT_X, c, s), sign * at(circle, ELBOW_X, c, s))
    return (
        yaw,
        # half a turn up comes out as half a turn down when rounding has it so
        flexion + 2.0 * math.pi if flexion < _HALF_TURN_DOWN else flexion,
        abduction if branch == 0 else math.pi - abduction,
        rotation,
        bend,
        math.atan2(-at(circle, AHEAD_X, c, s), at(circle, SIDE_X, c, s)),
        math.asin(min(max(-at(circle, HAND_X, c, s), -1.0), 1.0)),
        math.atan2(-at(circle, HAND_Z, c, s), at(circle, HAND_Y, c, s)),
    )
