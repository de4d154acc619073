"""Owns how a mesh's distance field is measured: where its bricks are, and what its nodes hold.

A node's distance is that to the nearest triangle of all (exact, to float32), on every node near the
surface, on every second one along the axes elsewhere in a brick. The sign is that of six rays along
the grid (``stabbing.py``), which a closed mesh answers exactly; where they disagree, on open and
broken scans, that of the generalized winding number (``box_tree.py``): inside from one half on, so
a hole is closed as its rim suggests. At such a hole, where no surface is, the field jumps from
minus to plus the distance to the rim.

Memory is bounded whatever the mesh is: the step grows until nodes and bricks are few enough.
"""

import math
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.box_tree import BoxTree, Floats, Ints, build_tree, nearest, winding
from armspan.solvers.meshes.field import CELLS, DistanceField, Reals
from armspan.solvers.meshes.stabbing import DISPUTED, INSIDE, Stabbed, stab, vote
from armspan.solvers.meshes.topology import MeshError

SPACING_M = 0.002
BAND_M = 0.016  # more than the radius of any part of a hand
_NEAR = 5.0  # steps from the surface within which every node is measured: as far as fingers touch
_MOST_NODES = 250_000  # of the coarse grid
_MOST_BRICKS = 12_000  # of 9^3 float32: 35 MB
_PARTS = 16  # of the work that threads share
_OFFSET = np.array([0.0137, 0.0291, 0.0413])  # steps: lines keep off a mesh's own round numbers


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
    not depend on ``threads``. Raises MeshError without a single face.
    """
    if len(faces) == 0:
        raise MeshError("a mesh of 0 faces has no surface to be far from: give it at least one")
    vertices = np.ascontiguousarray(vertices, np.float64)
    bottom, top = vertices.min(axis=0) - band_m, vertices.max(axis=0) + band_m
    low = np.clip(bottom if low is None else low, bottom, top)
    high = np.clip(top if high is None else high, low, top)
    extent: list[float] = (high - low).tolist()
    tree = build_tree(vertices, faces)
    with ThreadPoolExecutor(threads) as pool:
        step_m = spacing_m
        while True:
            cells = tuple(max(1, math.ceil(side / (step_m * CELLS))) for side in extent)
            if math.prod(cell + 1 for cell in cells) > _MOST_NODES:
                step_m *= 1.1
                continue
            origin = low - _OFFSET * step_m
            stabbed = stab(vertices, faces, origin, step_m, tuple(CELLS * c + 1 for c in cells))
            nodes = _Nodes(tree, stabbed, origin, step_m)
            field = _sampled(nodes, cells, band_m, pool)
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
    nodes: _Nodes, cells: tuple[int, ...], band_m: float, pool: Executor
) -> DistanceField | None:
    """Take the samples; None when that would be too many bricks."""
    coarse = np.empty([cell + 1 for cell in cells], np.float32)
    _in_parts(pool, len(coarse), lambda a, b: _write_coarse(nodes, a, b, coarse))
    brick_of = np.full(cells, -1, np.int32)
    # A cell's points are within its half diagonal of both its middle and one of its corners.
    reach_m = band_m + 0.5 * math.sqrt(3.0) * CELLS * nodes.step_m
    maybe = np.argwhere(_least_corner(coarse) <= reach_m).astype(np.int32)
    middle = np.empty(len(maybe))
    _in_parts(pool, len(maybe), lambda a, b: _write_middles(nodes, maybe, a, b, middle))
    full = maybe[middle <= reach_m]
    if len(full) > _MOST_BRICKS:
        return None
    brick_of[tuple(full.T)] = np.arange(len(full))
    bricks = np.empty((len(full), CELLS + 1, CELLS + 1, CELLS + 1), np.float32)
    _in_parts(pool, len(full), lambda a, b: _write_bricks(nodes, full, a, b, bricks))
    return DistanceField(nodes.origin, nodes.step_m, coarse, brick_of, bricks)


def _in_parts(pool: Executor, count: int, work: Callable[[int, int], None]) -> None:
    """Let threads do a row of things in parts: many, for their costs differ."""
    parts = min(count, _PARTS)
    bounds = [part * count // parts for part in range(parts + 1)] if parts else []
    for done in [pool.submit(work, a, b) for a, b in pairwise(bounds)]:
        done.result()


def _least_corner(coarse: Reals) -> Reals:
    """The least distance from the surface among the eight corners of every cell."""
    least = np.abs(coarse)
    least = np.minimum(least[1:], least[:-1])
    least = np.minimum(least[:, 1:], least[:, :-1])
    return np.minimum(least[:, :, 1:], least[:, :, :-1])


@kernel
def _write_coarse(nodes: _Nodes, first: int, stop: int, coarse: Reals) -> None:
    for i in range(first, stop):
        guess = -1
        for j in range(coarse.shape[1]):
            for k in range(coarse.shape[2]):
                value, guess = _node(nodes, CELLS * i, CELLS * j, CELLS * k, guess)
                coarse[i, j, k] = value


@kernel
def _write_middles(nodes: _Nodes, cells: Ints, first: int, stop: int, middle: Floats) -> None:
    """Write how far the middles of cells are from the surface, whatever their side."""
    guess = -1
    for cell in range(first, stop):
        x = nodes.origin[0] + CELLS * (cells[cell, 0] + 0.5) * nodes.step_m
        y = nodes.origin[1] + CELLS * (cells[cell, 1] + 0.5) * nodes.step_m
        z = nodes.origin[2] + CELLS * (cells[cell, 2] + 0.5) * nodes.step_m
        squared, guess = nearest(nodes.tree, x, y, z, guess)
        middle[cell] = math.sqrt(squared)


@kernel
def _write_bricks(nodes: _Nodes, cells: Ints, first: int, stop: int, bricks: Reals) -> None:
    for brick in range(first, stop):
        start = (CELLS * cells[brick, 0], CELLS * cells[brick, 1], CELLS * cells[brick, 2])
        _write_every_second(nodes, start, bricks[brick])
        _write_others(nodes, start, bricks[brick])


@kernel
def _write_every_second(nodes: _Nodes, start: tuple[int, int, int], values: Reals) -> None:
    guess_i = -1
    for i in range(0, CELLS + 1, 2):
        guess_j = guess_i
        for j in range(0, CELLS + 1, 2):
            guess = guess_j
            for k in range(0, CELLS + 1, 2):
                values[i, j, k], guess = _node(
                    nodes, start[0] + i, start[1] + j, start[2] + k, guess
                )
                if k == 0:
                    guess_j = guess
                    if j == 0:
                        guess_i = guess


@kernel
def _write_others(nodes: _Nodes, start: tuple[int, int, int], values: Reals) -> None:
    """Write the nodes between: measured near the surface, else the mean of those around them.

    A distance bends with one over itself, so that far enough away the mean is as good.
    """
    near = _NEAR * nodes.step_m
    guess = -1
    for i in range(CELLS + 1):
        for j in range(CELLS + 1):
            for k in range(CELLS + 1):
                if (i | j | k) & 1 == 0:
                    continue
                least, most, total = np.inf, -np.inf, 0.0
                for x in (i - (i & 1), i + (i & 1)):
                    for y in (j - (j & 1), j + (j & 1)):
                        for z in (k - (k & 1), k + (k & 1)):
                            value = values[x, y, z]
                            least, most = min(least, value), max(most, value)
                            total += value
                if least > near or most < -near:
                    values[i, j, k] = 0.125 * total
                else:
                    values[i, j, k], guess = _node(
                        nodes, start[0] + i, start[1] + j, start[2] + k, guess
                    )


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
