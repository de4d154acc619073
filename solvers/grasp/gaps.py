"""Owns gaps: between one capsule and a tube, a mesh, or other capsules.

A gap is the distance between surfaces, negative where they sink into each other. Capsules are rows
of 7 numbers, both ends and the radius; a tube's are rows of TUBE_ROW: both ends, a radius for each,
between which it changes linearly with the place on the axis, the middle, and the radius of a ball
about it that holds the capsule. These are the innermost loops of a search, and they
take the arrays they need one by one, because a large tuple costs more to hand over than the
arithmetic.
"""

import math
from typing import Final

import numpy as np
from armspan.solvers.grasp.capsule_distance import segment_distance
from armspan.solvers.grasp.frame import Axis
from armspan.solvers.grasp.site import Floats
from armspan.solvers.hand.anthropometry import SEGMENTS
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.field import CELLS, DistanceField, field_distance
from armspan.solvers.quaternion import Vec
from numpy.typing import NDArray

Ints = NDArray[np.int64]

TUBE_ROW: Final = 12
SIGHT_M: Final = 0.03  # what is farther off is not looked at while a digit closes
_INNER_M = 0.01  # a field's region ends farther than this from its mesh, or where that is cut off
FAR_M: Final = 1.0  # a gap of which nothing more needs to be known


@kernel
def tube_gap(
    capsules: Floats, row: int, tube: Floats, near: Ints, count: int, least: float
) -> float:
    """Gap between a capsule and the first ``count`` rows of the tube that ``near`` lists.

    Or ``least``, if that is less: then most pairs are farther apart by the balls that hold them.
    """
    ax, ay, az = capsules[row, 0], capsules[row, 1], capsules[row, 2]
    bx, by, bz = capsules[row, 3], capsules[row, 4], capsules[row, 5]
    ux, uy, uz = 0.5 * (bx - ax), 0.5 * (by - ay), 0.5 * (bz - az)
    ball = capsules[row, 6] + math.sqrt(ux * ux + uy * uy + uz * uz)
    mx, my, mz = ax + ux, ay + uy, az + uz
    for i in range(count):
        k = near[i]
        x, y, z = tube[k, 8] - mx, tube[k, 9] - my, tube[k, 10] - mz
        far = least + ball + tube[k, 11]
        if far <= 0.0 or x * x + y * y + z * z >= far * far:
            continue
        distance, _, t = segment_distance(
            (ax, ay, az),
            (bx, by, bz),
            (tube[k, 0], tube[k, 1], tube[k, 2]),
            (tube[k, 3], tube[k, 4], tube[k, 5]),
        )
        wide = tube[k, 6] + t * (tube[k, 7] - tube[k, 6])
        least = min(least, distance - wide - capsules[row, 6])
    return least


@kernel
def tube_direction(
    capsules: Floats, row: int, tube: Floats, near: Ints, count: int
) -> tuple[Vec, float]:
    """Unit direction from the tube's axis to a capsule where they are nearest, and the gap."""
    a = (capsules[row, 0], capsules[row, 1], capsules[row, 2])
    b = (capsules[row, 3], capsules[row, 4], capsules[row, 5])
    least = FAR_M
    normal = (0.0, 0.0, 0.0)
    for i in range(count):
        k = near[i]
        p, q = (tube[k, 0], tube[k, 1], tube[k, 2]), (tube[k, 3], tube[k, 4], tube[k, 5])
        distance, s, t = segment_distance(a, b, p, q)
        gap = distance - capsules[row, 6] - tube[k, 6] - t * (tube[k, 7] - tube[k, 6])
        if gap < least and distance > 0.0:
            least = gap
            x = a[0] + s * (b[0] - a[0]) - p[0] - t * (q[0] - p[0])
            y = a[1] + s * (b[1] - a[1]) - p[1] - t * (q[1] - p[1])
            z = a[2] + s * (b[2] - a[2]) - p[2] - t * (q[2] - p[2])
            normal = (x / distance, y / distance, z / distance)
    return normal, least


@kernel
def capsules_gap(capsules: Floats, row: int, others: Floats) -> float:
    """Gap between a capsule and the nearest of others (N, 7)."""
    a = (capsules[row, 0], capsules[row, 1], capsules[row, 2])
    b = (capsules[row, 3], capsules[row, 4], capsules[row, 5])
    least = FAR_M
    for k in range(others.shape[0]):
        distance, _, _ = segment_distance(
            a,
            b,
            (others[k, 0], others[k, 1], others[k, 2]),
            (others[k, 3], others[k, 4], others[k, 5]),
        )
        least = min(least, distance - others[k, 6])
    return least - capsules[row, 6]


@kernel
def solid_gap(
    capsules: Floats, row: int, field: DistanceField, place: Floats, least: float, step: float
) -> float:
    """Gap between a capsule and the mesh, or ``least`` where it is more than that.

    ``place`` (12,): origin and axes of the capsule's frame in the mesh's. Looks along the axis go
    as far as nothing nearer can hide, and at least ``step``, metres.
    """
    px, py, pz = to_object(place, capsules[row, 0], capsules[row, 1], capsules[row, 2])
    qx, qy, qz = to_object(place, capsules[row, 3], capsules[row, 4], capsules[row, 5])
    ux, uy, uz = qx - px, qy - py, qz - pz
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux / max(length, 1e-12), uy / max(length, 1e-12), uz / max(length, 1e-12)
    radius, along = capsules[row, 6], 0.5 * length
    gap = _mesh_distance(field, px + along * ux, py + along * uy, pz + along * uz) - radius
    if gap - along >= least:
        return least
    least, along = min(least, gap), 0.0
    while True:
        gap = _mesh_distance(field, px + along * ux, py + along * uy, pz + along * uz) - radius
        least = min(least, gap)
        if along >= length:
            return least
        along = min(along + max(gap - least, step), length)


@kernel
def _mesh_distance(field: DistanceField, x: float, y: float, z: float) -> float:
    """Distance from the mesh; outside the field's region, no more than it can be.

    There the field tells that of the region's nearest point b. The region is convex and holds the
    mesh, so that any point m of it is seen from b at a right angle or more: the distance is at
    least the hypotenuse.
    """
    near = field_distance(field, x, y, z)
    if near < _INNER_M:
        return near
    o, h = field.origin, field.step_m * CELLS
    nx, ny, nz = field.brick_of.shape
    ox = max(o[0] - x, x - o[0] - nx * h, 0.0)
    oy = max(o[1] - y, y - o[1] - ny * h, 0.0)
    oz = max(o[2] - z, z - o[2] - nz * h, 0.0)
    return math.sqrt(near * near + ox * ox + oy * oy + oz * oz)


@kernel
def digit_gap(rows: Floats, first: int, tube: Floats, near: Ints, count: int) -> float:
    """Least gap to the tube of a digit's segments (3, 7), from ``first`` on; SIGHT_M at most."""
    least = SIGHT_M
    for segment in range(first, SEGMENTS):
        least = tube_gap(rows, segment, tube, near, count, least)
    return least


@kernel
def solid_digit_gap(
    rows: Floats, first: int, field: DistanceField, place: Floats, least: float, step: float
) -> float:
    """Least gap to the mesh of a digit's segments, from ``first`` on, or ``least``."""
    for segment in range(first, SEGMENTS):
        least = solid_gap(rows, segment, field, place, least, step)
    return least


@kernel
def own_palm_gap(rows: Floats, palm: Floats) -> float:
    """Gap between a digit, but for its first segment, and the palm it belongs to."""
    return min(capsules_gap(rows, 1, palm), capsules_gap(rows, 2, palm))


@kernel
def digits_gap(rows: Floats, others: Floats) -> float:
    """Gap between two digits (3, 7) of a hand, but for that of their first segments, which join."""
    least = capsules_gap(rows, 0, others[1:])
    return min(least, capsules_gap(rows, 1, others), capsules_gap(rows, 2, others))


@kernel
def to_object(place: Floats, x: float, y: float, z: float) -> Vec:
    """Bring a point into the frame in which ``place`` (12,), an origin and three axes, is told."""
    return (
        place[0] + x * place[3] + y * place[6] + z * place[9],
        place[1] + x * place[4] + y * place[7] + z * place[10],
        place[2] + x * place[5] + y * place[8] + z * place[11],
    )


def tube_capsules(axis: Axis, chord_m: float) -> Floats:
    """Capsules (T, TUBE_ROW) of a tube: as few as miss axis and radii by ``chord_m`` at most."""
    out = np.empty((len(axis.arc) - 1, TUBE_ROW))
    return out[: _write_tube(axis.points, axis.radii, axis.arc, chord_m, out)].copy()


@kernel
def _write_tube(points: Floats, radii: Floats, arc: Floats, chord: float, out: Floats) -> int:
    last = points.shape[0] - 1
    start = count = 0
    while start < last:
        end = start + 1
        while end < last and _is_chord(points, radii, arc, start, end + 1, chord):
            end += 1
        for k in range(3):
            out[count, k], out[count, 3 + k] = points[start, k], points[end, k]
            out[count, 8 + k] = 0.5 * (points[start, k] + points[end, k])
        out[count, 6], out[count, 7] = radii[start], radii[end]
        x, y, z = out[count, 3], out[count, 4], out[count, 5]
        x, y, z = x - out[count, 8], y - out[count, 9], z - out[count, 10]
        out[count, 11] = math.sqrt(x * x + y * y + z * z) + max(radii[start], radii[end])
        count += 1
        start = end
    return count


@kernel
def _is_chord(
    points: Floats, radii: Floats, arc: Floats, start: int, end: int, chord: float
) -> bool:
    for i in range(start + 1, end):
        u = (arc[i] - arc[start]) / (arc[end] - arc[start])
        off = 0.0
        for k in range(3):
            miss = points[start, k] + u * (points[end, k] - points[start, k]) - points[i, k]
            off += miss * miss
        wide = radii[start] + u * (radii[end] - radii[start]) - radii[i]
        if off > chord * chord or abs(wide) > chord:
            return False
    return True
