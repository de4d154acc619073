"""Owns what a posture misses, to second order: value, gradient and Hessian for one arm.

What an arm misses is ``(|dp|^2 + (w angle)^2) / 2``, dp from the palm to its target and the angle
that of the turn still missing, at w = 0.1 m/rad. Newton's method without the second derivatives
(Gauss-Newton) creeps where much stays missing, as it does out of reach, so they are kept. With a
joint's axis a, its effect v on the palm, the missing turn's rotation vector f = angle n:

    gradient_i = -(dp . v_i + w^2 f . a_i)
    hessian_ij = (v_i - dp x a_i) . v_j
                 + w^2 ((c a_i - f x a_i / 2) . a_j + (1 - c) (n . a_i) (n . a_j)),   i <= j

with c = (angle / 2) cot(angle / 2): from the derivative of the rotation's logarithm and the order
in which joints turn (i nearer to the chest than j). Rotations come from dual quaternions.
"""

import math

from armspan.solvers.body.forward import Floats, arm_screws
from armspan.solvers.body.polish import ROTATION_WEIGHT
from armspan.solvers.body.targets import twist_between
from armspan.solvers.dual_quaternion import Dual, dq_position
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec, cross, dot

_SQUARE = ROTATION_WEIGHT * ROTATION_WEIGHT
# Where a model's parts are in its room.
HESSIAN = 0  # (8, 8): lower triangle
GRADIENT = 64  # (8,)
MISFIT = 72
MODEL_ROOM = 73
_SMALL_TURN = 1e-2  # rad: below it the cotangent's series is exact to rounding


@kernel
def write_misfit(
    palm: Dual, lengths: Floats, angles: int, screws: int, model: int, room: Floats
) -> float:
    """Half the square of what an arm misses (square metres), and its derivatives.

    In ``room`` the arm's 8 angles (rad) are at ``angles``, work memory (8, 6) is at ``screws``, and
    gradient and Hessian go to ``model``; both by the arm's own torso yaw first.
    """
    rows = room[screws : screws + 48].reshape((8, 6))
    k = angles
    q = (
        room[k], room[k + 1], room[k + 2], room[k + 3],
        room[k + 4], room[k + 5], room[k + 6], room[k + 7],
    )  # fmt: skip
    here = arm_screws(q, lengths, rows)
    twist = twist_between(palm, here)
    off, turn = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
    angle = math.sqrt(dot(turn, turn))
    small = angle < _SMALL_TURN
    c = 1.0 - angle * angle / 12.0 if small else 0.5 * angle / math.tan(0.5 * angle)
    # (1 - c) n n' = share f f'
    share = _SQUARE * (1.0 / 12.0 if small else (1.0 - c) / (angle * angle))
    _write_effects(rows, dq_position(here))
    for i in range(8):
        a = (rows[i, 0], rows[i, 1], rows[i, 2])
        v = (rows[i, 3], rows[i, 4], rows[i, 5])
        p, r, along = cross(off, a), cross(turn, a), dot(turn, a)
        room[model + GRADIENT + i] = -(dot(off, v) + _SQUARE * along)
        m0, m1, m2 = v[0] - p[0], v[1] - p[1], v[2] - p[2]
        t0 = _SQUARE * (c * a[0] - 0.5 * r[0]) + share * along * turn[0]
        t1 = _SQUARE * (c * a[1] - 0.5 * r[1]) + share * along * turn[1]
        t2 = _SQUARE * (c * a[2] - 0.5 * r[2]) + share * along * turn[2]
        for j in range(i, 8):
            room[model + HESSIAN + 8 * j + i] = (
                t0 * rows[j, 0] + t1 * rows[j, 1] + t2 * rows[j, 2]
                + m0 * rows[j, 3] + m1 * rows[j, 4] + m2 * rows[j, 5]
            )  # fmt: skip
    return 0.5 * (dot(off, off) + _SQUARE * angle * angle)


@kernel
def _write_effects(screws: Floats, point: Vec) -> None:
    """Turn the moments of screws (axis, moment) into how they move ``point``."""
    px, py, pz = point
    for j in range(8):
        ax, ay, az = screws[j, 0], screws[j, 1], screws[j, 2]
        screws[j, 3] += ay * pz - az * py
        screws[j, 4] += az * px - ax * pz
        screws[j, 5] += ax * py - ay * px
