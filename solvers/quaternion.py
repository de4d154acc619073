"""Owns unit quaternions as tuples (x, y, z, w), and the few vector helpers they need.

Small tuples stay in registers once a kernel is compiled; nothing here allocates.
Rotations are active and chain from the right: ``quat_mul(a, b)`` turns by b, then by a.
"""

import math

from armspan.solvers.kernel import kernel

Quat = tuple[float, float, float, float]
Vec = tuple[float, float, float]


@kernel
def quat_mul(a: Quat, b: Quat) -> Quat:
    """Hamilton product ``a b``."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


@kernel
def quat_conj(a: Quat) -> Quat:
    """Conjugate; the inverse rotation when ``a`` has unit length."""
    return (-a[0], -a[1], -a[2], a[3])


@kernel
def quat_normalised(a: Quat) -> Quat:
    """Scale ``a`` to unit length; zero becomes the identity, so no division can fail."""
    norm = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3])
    if norm < 1e-150:
        return (0.0, 0.0, 0.0, 1.0)
    return (a[0] / norm, a[1] / norm, a[2] / norm, a[3] / norm)


@kernel
def quat_rotate(q: Quat, v: Vec) -> Vec:
    """Turn the vector ``v`` by the unit quaternion ``q``."""
    x, y, z, w = q
    tx = 2.0 * (y * v[2] - z * v[1])
    ty = 2.0 * (z * v[0] - x * v[2])
    tz = 2.0 * (x * v[1] - y * v[0])
    return (
        v[0] + w * tx + y * tz - z * ty,
        v[1] + w * ty + z * tx - x * tz,
        v[2] + w * tz + x * ty - y * tx,
    )


@kernel
def quat_axes(q: Quat) -> tuple[Vec, Vec, Vec]:
    """Columns of the rotation matrix: where the x, y and z axes go."""
    x, y, z, w = q
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
        (2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
        (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


@kernel
def quat_log(q: Quat) -> Vec:
    """Rotation vector (axis times angle, radians, angle at most pi) of a unit quaternion."""
    sign = 1.0 if q[3] >= 0.0 else -1.0
    sine = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2])
    half_angle_over_sine = 1.0 if sine < 1e-9 else math.atan2(sine, sign * q[3]) / sine
    scale = 2.0 * sign * half_angle_over_sine
    return (scale * q[0], scale * q[1], scale * q[2])


@kernel
def quat_from_rotation_vector(v: Vec) -> Quat:
    """Unit quaternion that turns about ``v`` by its length in radians."""
    angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    scale = 0.5 - angle * angle / 48.0 if angle < 1e-4 else math.sin(0.5 * angle) / angle
    return (scale * v[0], scale * v[1], scale * v[2], math.cos(0.5 * angle))


@kernel
def quat_mirrored(q: Quat) -> Quat:
    """The rotation seen in a mirror whose plane is x = 0."""
    return (q[0], -q[1], -q[2], q[3])


@kernel
def dot(a: Vec, b: Vec) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vec, b: Vec) -> Vec:
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
