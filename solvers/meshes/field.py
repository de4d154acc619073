"""Owns the distance field of a mesh: how far a point is from its surface, and on which side.

Two grids: a coarse one over the whole region, and bricks of a fine one where the surface is nearer
than the band. Nodes hold distances (``measuring.py`` says how they are found), and between nodes
they are interpolated: what is sharper than the fine grid is rounded off, by up to about a fifth of
its step.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.box_tree import Floats, Ints
from armspan.solvers.quaternion import Vec
from numpy.typing import NDArray

Reals = NDArray[np.float32]

CELLS = 8  # steps of the fine grid in one of the coarse grid
_FREE_M = 10.0  # the distance where there is nothing


class DistanceField(NamedTuple):
    """Signed distances round a mesh, negative inside, for kernels; read-only by agreement."""

    origin: Floats  # (3,) m, of the first node
    step_m: float  # of the fine grid
    coarse: Reals  # (X + 1, Y + 1, Z + 1) m, every eighth node
    brick_of: Ints  # (X, Y, Z) the brick that fills a coarse cell; -1: none, the surface is far
    bricks: Reals  # (B, 9, 9, 9) m


def free_field() -> DistanceField:
    """Make the field of nothing at all: everywhere far from any surface."""
    return DistanceField(
        np.zeros(3),
        1.0,
        np.full((2, 2, 2), _FREE_M, np.float32),
        np.full((1, 1, 1), -1, np.int32),
        np.empty((0, CELLS + 1, CELLS + 1, CELLS + 1), np.float32),
    )


@kernel
def field_distance(field: DistanceField, x: float, y: float, z: float) -> float:
    """Distance of a point (m, the mesh's frame) from the surface, in metres, negative inside.

    Outside the region it is that of the region's nearest point; a NaN is taken for the border.
    """
    across = 1.0 / field.step_m
    xs, ys, zs = field.brick_of.shape
    gx = _clamped((x - field.origin[0]) * across, CELLS * xs)
    gy = _clamped((y - field.origin[1]) * across, CELLS * ys)
    gz = _clamped((z - field.origin[2]) * across, CELLS * zs)
    i, j, k = (
        min(int(gx) // CELLS, xs - 1),
        min(int(gy) // CELLS, ys - 1),
        min(int(gz) // CELLS, zs - 1),
    )
    brick = field.brick_of[i, j, k]
    if brick < 0:
        return _between(field.coarse, i, j, k, gx / CELLS - i, gy / CELLS - j, gz / CELLS - k)
    u, v, w = gx - CELLS * i, gy - CELLS * j, gz - CELLS * k
    i, j, k = min(int(u), CELLS - 1), min(int(v), CELLS - 1), min(int(w), CELLS - 1)
    u, v, w = u - i, v - j, w - k
    # As _between, but for the view of one brick, which would cost as much as all the rest.
    g = field.bricks
    a = g[brick, i, j, k] + w * (g[brick, i, j, k + 1] - g[brick, i, j, k])
    b = g[brick, i, j + 1, k] + w * (g[brick, i, j + 1, k + 1] - g[brick, i, j + 1, k])
    c = g[brick, i + 1, j, k] + w * (g[brick, i + 1, j, k + 1] - g[brick, i + 1, j, k])
    d = g[brick, i + 1, j + 1, k] + w * (g[brick, i + 1, j + 1, k + 1] - g[brick, i + 1, j + 1, k])
    a += v * (b - a)
    c += v * (d - c)
    return a + u * (c - a)


@kernel
def _clamped(place: float, most: float) -> float:
    if not place > 0.0:
        return 0.0
    return min(place, most)


@kernel
def _between(grid: Reals, i: int, j: int, k: int, u: float, v: float, w: float) -> float:
    """Interpolate linearly in the grid's cell (i, j, k)."""
    a = grid[i, j, k] + w * (grid[i, j, k + 1] - grid[i, j, k])
    b = grid[i, j + 1, k] + w * (grid[i, j + 1, k + 1] - grid[i, j + 1, k])
    c = grid[i + 1, j, k] + w * (grid[i + 1, j, k + 1] - grid[i + 1, j, k])
    d = grid[i + 1, j + 1, k] + w * (grid[i + 1, j + 1, k + 1] - grid[i + 1, j + 1, k])
    a += v * (b - a)
    c += v * (d - c)
    return a + u * (c - a)


@kernel
def field_normal(field: DistanceField, x: float, y: float, z: float) -> Vec:
    """Direction in which the distance grows: the surface's outward normal near it; unit or zero."""
    h = 0.5 * field.step_m
    nx = field_distance(field, x + h, y, z) - field_distance(field, x - h, y, z)
    ny = field_distance(field, x, y + h, z) - field_distance(field, x, y - h, z)
    nz = field_distance(field, x, y, z + h) - field_distance(field, x, y, z - h)
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if length == 0.0:
        return (0.0, 0.0, 0.0)
    return (nx / length, ny / length, nz / length)


@kernel
def segment_depth(
    field: DistanceField, a: Vec, b: Vec, radius: float, least: float
) -> tuple[float, float]:
    """How deep a capsule from a to b is in the object, in metres, and where: 0 at a to 1 at b.

    Negative: it is that far from the surface. A depth below ``least`` is of no interest and comes
    back as ``least``; the higher it is, the faster. The walk along the axis takes steps that no
    deeper place can hide in, for a distance changes no faster than the place does, and at least
    half a step of the grid, so that the depth may be a quarter of a step short.
    """
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    best, at, place = least, 0.0, 0.0
    while True:
        t = place / length if length > 0.0 else 0.0
        depth = radius - field_distance(field, a[0] + t * ux, a[1] + t * uy, a[2] + t * uz)
        if depth > best:
            best, at = depth, t
        if not place < length:
            return best, at
        place = min(place + max(best - depth, 0.5 * field.step_m), length)


@kernel
def capsule_depth(field: DistanceField, capsule: Floats) -> float:
    """``segment_depth`` of a capsule (7,): ends a and b, radius; all its depth, however little."""
    a = (capsule[0], capsule[1], capsule[2])
    b = (capsule[3], capsule[4], capsule[5])
    return segment_depth(field, a, b, capsule[6], -np.inf)[0]


@kernel
def is_deeper(field: DistanceField, a: Vec, b: Vec, radius: float, allowed: float) -> bool:
    """Tell whether a capsule is deeper than allowed; one look is enough where it is far away."""
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    half = 0.5 * math.sqrt(ux * ux + uy * uy + uz * uz)
    middle = field_distance(field, a[0] + 0.5 * ux, a[1] + 0.5 * uy, a[2] + 0.5 * uz)
    if radius - middle > allowed:
        return True
    if radius - middle + half <= allowed:
        return False
    return segment_depth(field, a, b, radius, allowed)[0] > allowed
