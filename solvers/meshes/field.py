"""Owns the distance field of a mesh: how far a point is from its surface, and on which side.

Two grids: a coarse one over the whole region, and bricks of a fine one where the surface is nearer
than the band. A node's distance is that to the nearest triangle of all (exact, to float32); between
nodes it is interpolated, so what is sharper than the fine grid is rounded off, by up to about a
fifth of its step. The sign is that of six rays along the grid (``stabbing``), which a closed mesh
answers exactly; where they disagree, on open and broken scans, that of the generalized winding
number (``box_tree``): inside from one half on, so a hole is closed as its rim suggests. At such a
hole, where no surface is, the field jumps from minus to plus the distance to the rim.

Memory is bounded whatever the mesh is: the step grows until nodes and bricks are few enough.
"""

import math
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.box_tree import BoxTree, Floats, build_tree, nearest, winding
from armspan.solvers.meshes.stabbing import DISPUTED, INSIDE, Ints, Stabbed, stab, vote
from armspan.solvers.quaternion import Vec
from numpy.typing import NDArray

Reals = NDArray[np.float32]

SPACING_M = 0.002
BAND_M = 0.02  # a finger's radius and what it may sink in
_CELLS = 8  # steps of the fine grid in one of the coarse grid
_MOST_NODES = 250_000  # of the coarse grid
_MOST_BRICKS = 12_000  # of 9^3 float32: 35 MB
_FREE_M = 10.0  # the distance where there is nothing
_OFFSET = np.array([0.0137, 0.0291, 0.0413])  # steps: lines keep off a mesh's own round numbers


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
        np.empty((0, _CELLS + 1, _CELLS + 1, _CELLS + 1), np.float32),
    )


def build_field(
    vertices: Floats,
    faces: Ints,
    *,
    low: Floats | None = None,
    high: Floats | None = None,
    spacing_m: float = SPACING_M,
    band_m: float = BAND_M,
    threads: int = 2,
) -> DistanceField:
    """Build the distance field of a mesh: vertices (V, 3) m, faces (F, 3) counter-clockwise.

    ``low``, ``high``: (3,) m, the corners of the region that matters (for a site: as far as a hand
    reaches from it); None: all of the mesh. The region is cut to the mesh's surroundings. The step
    is ``spacing_m`` unless the region is so large that memory wants a longer one. The result does
    not depend on ``threads``.
    """
    vertices = np.ascontiguousarray(vertices, np.float64)
    bottom, top = vertices.min(axis=0) - band_m, vertices.max(axis=0) + band_m
    low = bottom if low is None else np.clip(low, bottom, top)
    high = top if high is None else np.clip(high, low, top)
    tree = build_tree(vertices, faces)
    with ThreadPoolExecutor(threads) as pool:
        step_m = spacing_m
        while True:
            cells = tuple(max(1, math.ceil(side / (step_m * _CELLS))) for side in high - low)
            if math.prod(cell + 1 for cell in cells) > _MOST_NODES:
                step_m *= 1.1
                continue
            origin = low - _OFFSET * step_m
            stabbed = stab(vertices, faces, origin, step_m, tuple(_CELLS * c + 1 for c in cells))
            nodes = _Nodes(tree, stabbed, origin, step_m)
            field = _sampled(nodes, cells, band_m, pool, threads)
            if field is not None:
                return field
            step_m *= 1.2


class _Nodes(NamedTuple):
    """What decides the value of a node."""

    tree: BoxTree
    stabbed: Stabbed
    origin: Floats
    step_m: float


def _sampled(
    nodes: _Nodes, cells: tuple[int, ...], band_m: float, pool: Executor, threads: int
) -> DistanceField | None:
    """Take the samples; None when that would be too many bricks."""
    coarse = np.empty([cell + 1 for cell in cells], np.float32)
    _in_parts(pool, threads, len(coarse), lambda a, b: _write_coarse(nodes, a, b, coarse))
    brick_of = np.full(cells, -1, np.int32)
    near = np.abs(coarse)
    for axis in range(3):  # the nearest of a cell's eight corners
        near = np.minimum(
            near.take(range(cells[axis]), axis), near.take(range(1, cells[axis] + 1), axis)
        )
    corner_m = 0.5 * math.sqrt(3.0) * _CELLS * nodes.step_m  # no point is farther from a corner
    full = np.argwhere(near <= band_m + corner_m).astype(np.int32)
    if len(full) > _MOST_BRICKS:
        return None
    brick_of[tuple(full.T)] = np.arange(len(full))
    bricks = np.empty((len(full), _CELLS + 1, _CELLS + 1, _CELLS + 1), np.float32)
    _in_parts(pool, threads, len(full), lambda a, b: _write_bricks(nodes, full, a, b, bricks))
    return DistanceField(nodes.origin, nodes.step_m, coarse, brick_of, bricks)


def _in_parts(pool: Executor, threads: int, count: int, work: Callable[[int, int], None]) -> None:
    """Let threads do a row of things in parts; small ones, for their costs differ."""
    parts = min(count, 8 * threads)
    bounds = [part * count // parts for part in range(parts + 1)] if parts else []
    for done in [pool.submit(work, a, b) for a, b in pairwise(bounds)]:
        done.result()


@kernel
def _write_coarse(nodes: _Nodes, first: int, stop: int, coarse: Reals) -> None:
    for i in range(first, stop):
        guess = -1
        for j in range(coarse.shape[1]):
            for k in range(coarse.shape[2]):
                value, guess = _node(nodes, _CELLS * i, _CELLS * j, _CELLS * k, guess)
                coarse[i, j, k] = value


@kernel
def _write_bricks(nodes: _Nodes, cells: Ints, first: int, stop: int, bricks: Reals) -> None:
    for brick in range(first, stop):
        i, j, k = _CELLS * cells[brick, 0], _CELLS * cells[brick, 1], _CELLS * cells[brick, 2]
        guess = -1
        for di in range(_CELLS + 1):
            for dj in range(_CELLS + 1):
                for dk in range(_CELLS + 1):
                    value, guess = _node(nodes, i + di, j + dj, k + dk, guess)
                    bricks[brick, di, dj, dk] = value


@kernel
def _node(nodes: _Nodes, i: int, j: int, k: int, guess: int) -> tuple[float, int]:
    """Signed distance of a node of the fine grid, and the nearest triangle's place."""
    x = nodes.origin[0] + i * nodes.step_m
    y = nodes.origin[1] + j * nodes.step_m
    z = nodes.origin[2] + k * nodes.step_m
    squared, found = nearest(nodes.tree, x, y, z, guess)
    side = vote(nodes.stabbed, i, j, k)
    inside = side == INSIDE or (side == DISPUTED and winding(nodes.tree, x, y, z) >= 0.5)
    distance = math.sqrt(squared)
    return (-distance if inside else distance), found


@kernel
def field_distance(field: DistanceField, x: float, y: float, z: float) -> float:
    """Distance of a point (m, the mesh's frame) from the surface, in metres, negative inside.

    Outside the region it is that of the region's nearest point; a NaN is taken for the border.
    """
    across = 1.0 / field.step_m
    xs, ys, zs = field.brick_of.shape
    gx = _clamped((x - field.origin[0]) * across, _CELLS * xs)
    gy = _clamped((y - field.origin[1]) * across, _CELLS * ys)
    gz = _clamped((z - field.origin[2]) * across, _CELLS * zs)
    i, j, k = (
        min(int(gx) // _CELLS, xs - 1),
        min(int(gy) // _CELLS, ys - 1),
        min(int(gz) // _CELLS, zs - 1),
    )
    brick = field.brick_of[i, j, k]
    if brick < 0:
        return _between(field.coarse, i, j, k, gx / _CELLS - i, gy / _CELLS - j, gz / _CELLS - k)
    gx, gy, gz = gx - _CELLS * i, gy - _CELLS * j, gz - _CELLS * k
    i, j, k = min(int(gx), _CELLS - 1), min(int(gy), _CELLS - 1), min(int(gz), _CELLS - 1)
    return _between(field.bricks[brick], i, j, k, gx - i, gy - j, gz - k)


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
