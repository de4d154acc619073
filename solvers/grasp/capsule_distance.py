"""Owns how far two capsules are apart, which is how far two segments are apart, less the radii.

The squared distance of a point of one segment to one of the other is a convex quadratic Q(s, t)
(Abaci et al., section 6.1, after Schneider & Eberly): its minimum on the unit square lies inside,
or on an edge. The determinant of Q and the stationary point are formed from cross products and not
as ``a c - b b``, whose digits cancel for segments that are nearly parallel; so the distance is good
to a few roundings for every pair, crossing, parallel, or without length.
"""

import math

from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec

_PARALLEL = 1e-30  # squared sine below which any place along the overlap is as near as another
_POINT = 1e-200  # squared length, in square metres, of a segment that is a point


@kernel
def segment_distance(p0: Vec, p1: Vec, q0: Vec, q1: Vec) -> tuple[float, float, float]:
    """Least distance of the segments p0-p1 and q0-q1, and where: ``(distance, s, t)``.

    The nearest points are ``p0 + s (p1 - p0)`` and ``q0 + t (q1 - q0)``, s and t from 0 to 1.
    Where several pairs are equally near, one of them is given, always the same.
    """
    ux, uy, uz = p1[0] - p0[0], p1[1] - p0[1], p1[2] - p0[2]
    vx, vy, vz = q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]
    rx, ry, rz = q0[0] - p0[0], q0[1] - p0[1], q0[2] - p0[2]
    a = ux * ux + uy * uy + uz * uz
    c = vx * vx + vy * vy + vz * vz
    b = ux * vx + uy * vy + uz * vz
    d = ux * rx + uy * ry + uz * rz
    e = vx * rx + vy * ry + vz * rz
    s = 0.0
    t = 0.0
    if a > _POINT and c > _POINT:
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        n = nx * nx + ny * ny + nz * nz
        if n > _PARALLEL * a * c:
            wx, wy, wz = ry * vz - rz * vy, rz * vx - rx * vz, rx * vy - ry * vx
            s = min(max((wx * nx + wy * ny + wz * nz) / n, 0.0), 1.0)
        t = min(max((b * s - e) / c, 0.0), 1.0)
        s = min(max((b * t + d) / a, 0.0), 1.0)
    elif c > _POINT:
        t = min(max(-e / c, 0.0), 1.0)
    elif a > _POINT:
        s = min(max(d / a, 0.0), 1.0)
    gx, gy, gz = rx + t * vx - s * ux, ry + t * vy - s * uy, rz + t * vz - s * uz
    return math.sqrt(gx * gx + gy * gy + gz * gz), s, t


@kernel
def point_distance(p: Vec, q0: Vec, q1: Vec) -> tuple[float, float]:
    """Least distance of the point p and the segment q0-q1, and where on it: ``(distance, t)``."""
    vx, vy, vz = q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]
    rx, ry, rz = q0[0] - p[0], q0[1] - p[1], q0[2] - p[2]
    c = vx * vx + vy * vy + vz * vz
    t = 0.0
    if c > _POINT:
        t = min(max(-(vx * rx + vy * ry + vz * rz) / c, 0.0), 1.0)
    gx, gy, gz = rx + t * vx, ry + t * vy, rz + t * vz
    return math.sqrt(gx * gx + gy * gy + gz * gz), t
