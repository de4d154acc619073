"""Owns pairing the sides of faces at every edge, also where more than two faces meet.

A *side* is edge k of face f and has the number 3 f + k; the side across the edge is its *mate*.
"""

import numpy as np
import numpy.typing as npt
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.orienting import components_of
from armspan.solvers.meshes.topology import OPEN, Floats, Ints

_MOST = 16
"""Faces at one edge that are worth pairing; where more meet, all are left open."""
_TURNED = 4.0
"""Cost of pairing two faces that do not run along their edge in opposite directions."""
_FRAYED = 2.0
"""Cost of pairing a face of a patch with open edges: what hangs on a solid tears no hole in it."""
_CONCAVE = 0.01
"""Cost that decides between equals: solids that touch along an edge stay two solids."""


def pair_sides(vertices: Floats, faces: Ints) -> tuple[Ints, int]:
    """Give every side at most one mate.

    Returns mates (3 F,), OPEN without one, and how many edges have more than two faces. There
    faces of solids are paired before those of flaps, the pairs that run on most smoothly first,
    and an odd face out stays open. Paired faces may still be turned opposite ways.
    """
    order, firsts, sizes = _grouped(faces, len(vertices))
    mates = np.full(faces.size, OPEN, dtype=np.int32)
    twos = firsts[sizes == 2]
    mates[order[twos]] = order[twos + 1]
    mates[order[twos + 1]] = order[twos]
    many = (sizes > 2) & (sizes <= _MOST)
    if many.any():
        frayed = _frayed(faces, mates, order[firsts[sizes == 1]] // 3)
        _pair_crowds(vertices, faces, order, firsts[many], sizes[many], frayed, mates)
    return mates, int((sizes > 2).sum())


def _grouped(faces: Ints, vertex_count: int) -> tuple[Ints, Ints, Ints]:
    """Sort sides by their edge: the order, where each edge's begin in it, and how many it has."""
    starts = faces.ravel().astype(np.int64)
    ends = np.roll(faces, -1, axis=1).ravel().astype(np.int64)
    keys = np.minimum(starts, ends) * vertex_count + np.maximum(starts, ends)
    order = np.argsort(keys, kind="stable").astype(np.int32)
    firsts = np.flatnonzero(np.diff(keys[order], prepend=-1)).astype(np.int32)
    sizes = np.diff(firsts, append=np.int32(len(order)))
    return order, firsts, sizes


def _frayed(faces: Ints, mates: Ints, open_faces: Ints) -> npt.NDArray[np.bool_]:
    """Tell the faces (F,) of patches, bounded by crowded edges, that have an open edge."""
    patch, _, _ = components_of(faces, mates.copy())
    is_open = np.zeros(int(patch.max()) + 1, dtype=np.bool_)
    is_open[patch[open_faces]] = True
    return is_open[patch]


@kernel
def _pair_crowds(
    vertices: Floats,
    faces: Ints,
    order: Ints,
    firsts: Ints,
    sizes: Ints,
    frayed: npt.NDArray[np.bool_],
    mates: Ints,
) -> None:
    """Pair the sides of each edge greedily, those first between which the surface bends least."""
    inward = np.empty((_MOST, 3))  # unit, from the edge into the face
    outward = np.empty((_MOST, 3))  # the face's normal
    along = np.empty(_MOST, dtype=np.int8)
    for group in range(len(firsts)):
        first, size = firsts[group], sizes[group]
        for i in range(size):
            _frame(vertices, faces, int(order[first + i]), inward, outward, along, i)
        for _ in range(size // 2):
            best, a, b = np.inf, -1, -1
            for i in range(size):
                if mates[order[first + i]] >= 0:
                    continue
                for j in range(i + 1, size):
                    if mates[order[first + j]] >= 0:
                        continue
                    cost = 1.0 + _dot(inward[i], inward[j])
                    if along[i] == along[j]:
                        cost += _TURNED
                    if _dot(outward[i], inward[j]) > 0.0:
                        cost += _CONCAVE
                    if frayed[order[first + i] // 3] or frayed[order[first + j] // 3]:
                        cost += _FRAYED
                    if cost < best:
                        best, a, b = cost, i, j
            if a >= 0:
                mates[order[first + a]] = order[first + b]
                mates[order[first + b]] = order[first + a]


@kernel
def _dot(a: Floats, b: Floats) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def _frame(
    vertices: Floats,
    faces: Ints,
    side: int,
    inward: Floats,
    outward: Floats,
    along: npt.NDArray[np.int8],
    row: int,
) -> None:
    """Write where the face of a side lies as seen from its edge, into row ``row`` of the outputs.

    Everything is measured from the edge's lower vertex, so that all faces at it agree.
    """
    face, k = side // 3, side % 3
    start, end, apex = faces[face, k], faces[face, (k + 1) % 3], faces[face, (k + 2) % 3]
    along[row] = 1 if start < end else -1
    low, high = min(start, end), max(start, end)
    ex = vertices[high, 0] - vertices[low, 0]
    ey = vertices[high, 1] - vertices[low, 1]
    ez = vertices[high, 2] - vertices[low, 2]
    length = np.sqrt(ex * ex + ey * ey + ez * ez)
    ex, ey, ez = ex / length, ey / length, ez / length
    ax = vertices[apex, 0] - vertices[low, 0]
    ay = vertices[apex, 1] - vertices[low, 1]
    az = vertices[apex, 2] - vertices[low, 2]
    part = ax * ex + ay * ey + az * ez
    ax, ay, az = ax - part * ex, ay - part * ey, az - part * ez
    height = np.sqrt(ax * ax + ay * ay + az * az)
    if height > 0.0:
        ax, ay, az = ax / height, ay / height, az / height
    inward[row, 0], inward[row, 1], inward[row, 2] = ax, ay, az
    turn = along[row]
    outward[row, 0] = turn * (ey * az - ez * ay)
    outward[row, 1] = turn * (ez * ax - ex * az)
    outward[row, 2] = turn * (ex * ay - ey * ax)
