"""Owns what is measured on a section's polygon: how flat it is, its radius in every direction."""

import math

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.tubes.surface import Floats, Indices


@kernel
def flatness_of(
    points: Floats, count: int, cx: float, cy: float, cz: float, ux: float, uy: float, uz: float,
    vx: float, vy: float, vz: float,
) -> float:  # fmt: skip
    """Give how much wider than deep a polygon with centroid c in the plane of u and v is."""
    area, xx, yy, xy = 0.0, 0.0, 0.0, 0.0
    dx, dy, dz = points[count - 1, 0] - cx, points[count - 1, 1] - cy, points[count - 1, 2] - cz
    ax, ay = dx * ux + dy * uy + dz * uz, dx * vx + dy * vy + dz * vz
    for i in range(count):
        dx, dy, dz = points[i, 0] - cx, points[i, 1] - cy, points[i, 2] - cz
        bx, by = dx * ux + dy * uy + dz * uz, dx * vx + dy * vy + dz * vz
        w = ax * by - bx * ay
        area += w
        xx += (ax * ax + ax * bx + bx * bx) * w
        yy += (ay * ay + ay * by + by * by) * w
        xy += 0.5 * (ax * by + 2.0 * ax * ay + 2.0 * bx * by + bx * ay) * w
        ax, ay = bx, by
    middle, half = 0.5 * abs(xx + yy), math.sqrt(0.25 * (xx - yy) ** 2 + xy * xy)
    return math.sqrt((middle + half) / max(middle - half, 1e-6 * middle))


@kernel
def measure_profile(
    points: Floats, crossed: Indices, count: int, cx: float, cy: float, cz: float,
    ux: float, uy: float, uz: float, vx: float, vy: float, vz: float,
    profile: Floats, profile_faces: Indices,
) -> None:  # fmt: skip
    """Write the outermost distance of the polygon from c in every direction, and the face there.

    Direction 0 is u, a quarter turn later comes v.
    """
    directions = profile.shape[0]
    step = 2.0 * math.pi / directions
    profile[:] = np.nan
    profile_faces[:] = -1
    dx, dy, dz = points[0, 0] - cx, points[0, 1] - cy, points[0, 2] - cz
    ax = dx * ux + dy * uy + dz * uz
    ay = dx * vx + dy * vy + dz * vz
    start = math.atan2(ay, ax)
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        dx, dy, dz = points[j, 0] - cx, points[j, 1] - cy, points[j, 2] - cz
        bx = dx * ux + dy * uy + dz * uz
        by = dx * vx + dy * vy + dz * vz
        end = math.atan2(by, bx)
        turn = end - start
        if turn > math.pi:
            turn -= 2.0 * math.pi
        elif turn < -math.pi:
            turn += 2.0 * math.pi
        low, high = (start, start + turn) if turn >= 0.0 else (start + turn, start)
        k = math.ceil(low / step)
        while k * step <= high:
            c, s = math.cos(k * step), math.sin(k * step)
            along = c * (by - ay) - s * (bx - ax)
            if along != 0.0:
                reach = (ax * by - ay * bx) / along
                at = k % directions
                if not profile[at] >= reach:
                    profile[at] = reach
                    profile_faces[at] = crossed[i]
            k += 1
        ax, ay, start = bx, by, end


@kernel
def mean_radius(profile: Floats) -> float:
    """Give the mean of what is not nan."""
    total, count = 0.0, 0
    for d in range(profile.shape[0]):
        if profile[d] == profile[d]:
            total += profile[d]
            count += 1
    return total / max(count, 1)
