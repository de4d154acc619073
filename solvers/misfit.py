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

from armspan.solvers.dual_quaternion import dq_position
from armspan.solvers.forward import Floats, arm_screws, row_angles
from armspan.solvers.kernel import kernel
from armspan.solvers.polish import ROTATION_WEIGHT
from armspan.solvers.quaternion import Vec, cross, dot
from armspan.solvers.targets import Task, twist_between

_SQUARE = ROTATION_WEIGHT * ROTATION_WEIGHT
_SMALL_TURN = 1e-2  # rad: below it the cotangent's series is exact to rounding


@kernel
def write_misfit(
    task: Task, angles: Floats, side: int, screws: Floats, gradient: Floats, hessian: Floats
) -> float:
    """Half the square of what an arm misses (square metres), and its derivatives.

    ``angles`` (2, 8) rad. Overwrites ``screws`` (8, 6) by work, ``gradient`` (8,), and the lower
    triangle of ``hessian`` (8, 8); both by the arm's own torso yaw first.
    """
    palm = arm_screws(row_angles(angles, side), task.lengths, screws)
    twist = twist_between(task.palms[side], palm)
    off, turn = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
    angle = math.sqrt(dot(turn, turn))
    small = angle < _SMALL_TURN
    c = 1.0 - angle * angle / 12.0 if small else 0.5 * angle / math.tan(0.5 * angle)
    # (1 - c) n n' = share f f'
    share = _SQUARE * (1.0 / 12.0 if small else (1.0 - c) / (angle * angle))
    _write_effects(screws, dq_position(palm))
    for i in range(8):
        a = (screws[i, 0], screws[i, 1], screws[i, 2])
        v = (screws[i, 3], screws[i, 4], screws[i, 5])
        p, r, along = cross(off, a), cross(turn, a), dot(turn, a)
        gradient[i] = -(dot(off, v) + _SQUARE * along)
        m0, m1, m2 = v[0] - p[0], v[1] - p[1], v[2] - p[2]
        t0 = _SQUARE * (c * a[0] - 0.5 * r[0]) + share * along * turn[0]
        t1 = _SQUARE * (c * a[1] - 0.5 * r[1]) + share * along * turn[1]
        t2 = _SQUARE * (c * a[2] - 0.5 * r[2]) + share * along * turn[2]
        for j in range(i, 8):
            hessian[j, i] = (
                t0 * screws[j, 0] + t1 * screws[j, 1] + t2 * screws[j, 2]
                + m0 * screws[j, 3] + m1 * screws[j, 4] + m2 * screws[j, 5]
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
