"""Owns the lines of a grid through a mesh: which nodes of the grid are inside, by six votes each.

Along every line of a grid, in all three directions, the crossings with the mesh are listed with
their senses. How often a ray from a node to either end of its line leaves the solid is then a
count, and a closed mesh answers the same six times, exactly, however it folds and overlaps. Where a
scan is open or broken the votes differ, and the caller asks the winding number there, and only
there (votes: Nooruddin & Turk 2003).
"""

from typing import NamedTuple

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.box_tree import Floats, Ints
from numpy.typing import NDArray

INSIDE, OUTSIDE, DISPUTED = 1, 0, -1


class Lines(NamedTuple):
    """Crossings of the grid's lines along one axis, for kernels."""

    starts: NDArray[np.int64]  # (lines + 1,): the crossings of line (u, v) start at u * V + v
    places: Floats  # (C,) where, in steps of the grid from its first node, rising on each line
    senses: NDArray[np.int8]  # (C,) +1 where the line leaves the solid, -1 where it enters


class Stabbed(NamedTuple):
    """The crossings along x, y and z."""

    counts: Ints  # (3,) nodes along x, y, z
    x: Lines
    y: Lines
    z: Lines


def stab(
    vertices: Floats, faces: Ints, origin: Floats, step_m: float, counts: tuple[int, ...]
) -> Stabbed:
    """List where the lines of a grid cross a mesh.

    ``origin``: (3,) m of node (0, 0, 0). ``counts``: nodes along x, y, z.
    """
    scaled = (vertices - origin) / step_m
    x, y, z = (_along(scaled, faces, axis, counts) for axis in range(3))
    return Stabbed(np.array(counts, np.int32), x, y, z)


def _along(scaled: Floats, faces: Ints, axis: int, counts: tuple[int, ...]) -> Lines:
    us, vs = counts[(axis + 1) % 3], counts[(axis + 2) % 3]
    starts = np.zeros(us * vs + 1, np.int64)
    nothing = np.empty(0)
    _stab(scaled, faces, axis, us, vs, starts, nothing, np.empty(0, np.int8))
    np.cumsum(starts, out=starts)
    places, senses = np.empty(starts[-1]), np.empty(starts[-1], np.int8)
    _stab(scaled, faces, axis, us, vs, starts, places, senses)
    _sort(starts, places, senses)
    return Lines(starts, places, senses)


@kernel
def _stab(
    scaled: Floats,
    faces: Ints,
    axis: int,
    us: int,
    vs: int,
    starts: NDArray[np.int64],
    places: Floats,
    senses: NDArray[np.int8],
) -> None:
    """Count the crossings into ``starts[line + 1]``; or, with room for them, write them.

    When it writes, ``starts`` comes as the lists' starts and is the same again afterwards.
    """
    writes = places.shape[0] > 0
    first, second = (axis + 1) % 3, (axis + 2) % 3
    for face in range(faces.shape[0]):
        a, b, c = faces[face, 0], faces[face, 1], faces[face, 2]
        au, av = scaled[a, first], scaled[a, second]
        bu, bv = scaled[b, first], scaled[b, second]
        cu, cv = scaled[c, first], scaled[c, second]
        low_u, high_u = max(min(au, bu, cu), 0.0), min(max(au, bu, cu), us - 1.0)
        low_v, high_v = max(min(av, bv, cv), 0.0), min(max(av, bv, cv), vs - 1.0)
        if low_u > high_u or low_v > high_v:
            continue
        for u in range(int(np.ceil(low_u)), int(np.floor(high_u)) + 1):
            for v in range(int(np.ceil(low_v)), int(np.floor(high_v)) + 1):
                left_ab = _left_of(scaled, a, b, first, second, u, v)
                left_bc = _left_of(scaled, b, c, first, second, u, v)
                left_ca = _left_of(scaled, c, a, first, second, u, v)
                if left_ab != left_bc or left_ab != left_ca:
                    continue
                line = u * vs + v
                if not writes:
                    starts[line + 1] += 1
                    continue
                at = starts[line]
                starts[line] += 1
                wa = (bu - u) * (cv - v) - (bv - v) * (cu - u)
                wb = (cu - u) * (av - v) - (cv - v) * (au - u)
                wc = (au - u) * (bv - v) - (av - v) * (bu - u)
                total = wa + wb + wc
                height = wa * scaled[a, axis] + wb * scaled[b, axis] + wc * scaled[c, axis]
                if total != 0.0:
                    places[at] = height / total
                else:  # edge on, to rounding
                    places[at] = scaled[a, axis]
                senses[at] = 1 if left_ab else -1
    if writes:
        for line in range(starts.shape[0] - 1, 0, -1):
            starts[line] = starts[line - 1]
        starts[0] = 0


@kernel
def _left_of(scaled: Floats, a: int, b: int, first: int, second: int, u: float, v: float) -> bool:
    """Tell on which side of the edge a b a line is; opposite for b a, to the last bit."""
    turned = a > b
    if turned:
        a, b = b, a
    au, av = scaled[a, first] - u, scaled[a, second] - v
    bu, bv = scaled[b, first] - u, scaled[b, second] - v
    return (au * bv - av * bu > 0.0) != turned


@kernel
def _sort(starts: NDArray[np.int64], places: Floats, senses: NDArray[np.int8]) -> None:
    """Sort every line's crossings by place; they are few."""
    for line in range(starts.shape[0] - 1):
        for at in range(starts[line] + 1, starts[line + 1]):
            place, sense = places[at], senses[at]
            to = at
            while to > starts[line] and places[to - 1] > place:
                places[to], senses[to] = places[to - 1], senses[to - 1]
                to -= 1
            places[to], senses[to] = place, sense


@kernel
def vote(stabbed: Stabbed, i: int, j: int, k: int) -> int:
    """Say whether the grid's node (i, j, k) is INSIDE, OUTSIDE, or DISPUTED."""
    xs, ys, zs = stabbed.counts
    insides = _votes(stabbed.x, j * zs + k, i)
    insides += _votes(stabbed.y, k * xs + i, j)
    insides += _votes(stabbed.z, i * ys + j, k)
    if insides == 6:
        return INSIDE
    return OUTSIDE if insides == 0 else DISPUTED


@kernel
def _votes(lines: Lines, line: int, place: float) -> int:
    """Count the rays to both ends of a line that say inside: they leave more often than enter."""
    below, above = 0, 0
    for at in range(lines.starts[line], lines.starts[line + 1]):
        if lines.places[at] < place:
            below -= lines.senses[at]
        else:
            above += lines.senses[at]
    return int(below > 0) + int(above > 0)
