"""Owns rigid transforms as unit dual quaternions: tuples of 8, real part xyzw, dual part xyzw.

A transform that turns by the quaternion r and then shifts by t is ``r + eps (t r) / 2``.
Names say where a transform goes, so chains read ``dq_mul(world_from_chest, chest_from_palm)``.
After Kavan, Collins, O'Sullivan & Zara, "Dual Quaternions for Rigid Transformation Blending"
(2006), with the scalar part last.
"""

import math

from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Quat, Vec, quat_conj, quat_mul

Dual = tuple[float, float, float, float, float, float, float, float]


@kernel
def dq_real(a: Dual) -> Quat:
    """Real part: the rotation."""
    return (a[0], a[1], a[2], a[3])


@kernel
def dq_dual(a: Dual) -> Quat:
    """Dual part: half the translation times the rotation."""
    return (a[4], a[5], a[6], a[7])


@kernel
def dq_join(real: Quat, dual: Quat) -> Dual:
    """Put both parts together."""
    return (real[0], real[1], real[2], real[3], dual[0], dual[1], dual[2], dual[3])


@kernel
def dq_from_pose(position: Vec, rotation: Quat) -> Dual:
    """Transform of a frame at ``position`` (m) turned by the unit quaternion ``rotation``."""
    half = (0.5 * position[0], 0.5 * position[1], 0.5 * position[2], 0.0)
    return dq_join(rotation, quat_mul(half, rotation))


@kernel
def dq_position(a: Dual) -> Vec:
    """Translation in metres: twice the dual part times the conjugate rotation."""
    t = quat_mul(dq_dual(a), quat_conj(dq_real(a)))
    return (2.0 * t[0], 2.0 * t[1], 2.0 * t[2])


@kernel
def dq_mul(a: Dual, b: Dual) -> Dual:
    """Compose: ``world_from_b = world_from_a * a_from_b``."""
    ar, br = dq_real(a), dq_real(b)
    p = quat_mul(ar, dq_dual(b))
    q = quat_mul(dq_dual(a), br)
    return dq_join(quat_mul(ar, br), (p[0] + q[0], p[1] + q[1], p[2] + q[2], p[3] + q[3]))


@kernel
def dq_inverse(a: Dual) -> Dual:
    """Inverse of a unit dual quaternion: both parts conjugated."""
    return (-a[0], -a[1], -a[2], a[3], -a[4], -a[5], -a[6], a[7])


@kernel
def dq_normalised(a: Dual) -> Dual:
    """Nearest unit dual quaternion: unit real part, dual part orthogonal to it."""
    norm2 = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]
    if norm2 < 1e-300:
        return (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
    along = (a[0] * a[4] + a[1] * a[5] + a[2] * a[6] + a[3] * a[7]) / norm2
    s = 1.0 / math.sqrt(norm2)
    return (
        s * a[0],
        s * a[1],
        s * a[2],
        s * a[3],
        s * (a[4] - along * a[0]),
        s * (a[5] - along * a[1]),
        s * (a[6] - along * a[2]),
        s * (a[7] - along * a[3]),
    )


@kernel
def dq_shift(a: Dual, t: Vec) -> Dual:
    """Continue ``a`` by a shift of ``t`` metres along its own axes: ``a (1 + eps t / 2)``."""
    half = quat_mul(dq_real(a), (0.5 * t[0], 0.5 * t[1], 0.5 * t[2], 0.0))
    return (
        a[0],
        a[1],
        a[2],
        a[3],
        a[4] + half[0],
        a[5] + half[1],
        a[6] + half[2],
        a[7] + half[3],
    )


# A joint turns about one axis of its own frame, so its quaternion has two entries only: s on that
# axis and c, the sine and cosine of half the angle. These products skip the zeros.


@kernel
def dq_turn_x(a: Dual, s: float, c: float) -> Dual:
    """Continue ``a`` by a turn about its x axis; s, c are sine and cosine of half the angle."""
    return (
        c * a[0] + s * a[3],
        c * a[1] + s * a[2],
        c * a[2] - s * a[1],
        c * a[3] - s * a[0],
        c * a[4] + s * a[7],
        c * a[5] + s * a[6],
        c * a[6] - s * a[5],
        c * a[7] - s * a[4],
    )


@kernel
def dq_turn_y(a: Dual, s: float, c: float) -> Dual:
    """Continue ``a`` by a turn about its y axis; s, c are sine and cosine of half the angle."""
    return (
        c * a[0] - s * a[2],
        c * a[1] + s * a[3],
        c * a[2] + s * a[0],
        c * a[3] - s * a[1],
        c * a[4] - s * a[6],
        c * a[5] + s * a[7],
        c * a[6] + s * a[4],
        c * a[7] - s * a[5],
    )


@kernel
def dq_turn_z(a: Dual, s: float, c: float) -> Dual:
    """Continue ``a`` by a turn about its z axis; s, c are sine and cosine of half the angle."""
    return (
        c * a[0] + s * a[1],
        c * a[1] - s * a[0],
        c * a[2] + s * a[3],
        c * a[3] - s * a[2],
        c * a[4] + s * a[5],
        c * a[5] - s * a[4],
        c * a[6] + s * a[7],
        c * a[7] - s * a[6],
    )


@kernel
def dq_mirrored(a: Dual) -> Dual:
    """The transform seen in a mirror whose plane is x = 0: a left arm as a right arm."""
    return (a[0], -a[1], -a[2], a[3], -a[4], a[5], a[6], -a[7])
