"""Owns splitting the long edges of a mesh, so that no triangle is larger than is asked for."""

import math

import numpy as np
import numpy.typing as npt
from armspan.solvers.meshes.topology import (
    Floats,
    Ints,
    Mesh,
    MeshError,
    face_normals,
    find_neighbours,
)

_PASSES = 64
"""Every pass halves what is too long; 64 take any length that a float holds to any other in use."""
_UNSPLIT = -1


def split_long_edges(mesh: Mesh, longest_m: float, limit: int) -> tuple[Mesh, Ints]:
    """Halve edges until none is longer than ``longest_m``, or there are ``limit`` faces.

    Returns the mesh and, for each of its faces, the face of ``mesh`` that it is a piece of
    ((F',) int32, ascending). The surface stays where it was, down to the rounding of midpoints,
    and stays conforming: an edge is split for both its faces at once, longest first where the
    limit is near. A mesh with no such edge, or over the limit already, comes back as it is.
    Raises MeshError for a length that is not above zero.
    """
    if not (math.isfinite(longest_m) and longest_m > 0.0):
        raise MeshError(f"edges cannot be made shorter than {longest_m} m; give a length above 0")
    vertices, faces = mesh.vertices, mesh.faces
    parents = np.arange(len(faces), dtype=np.int32)
    finished: list[tuple[Ints, Ints]] = []
    room = max(0, limit - len(faces))
    for _ in range(_PASSES):
        squares = _squared_lengths(vertices, faces)
        is_long = squares > longest_m * longest_m
        whole = ~is_long.any(axis=1)
        finished.append((faces[whole], parents[whole]))
        faces, parents = faces[~whole], parents[~whole]
        if not len(faces) or room < 2:
            break
        middles, vertices = _midpoints(vertices, faces, squares[~whole], is_long[~whole], room)
        before = len(faces)
        faces, parents = _split(vertices, faces, parents, middles)
        room -= len(faces) - before
    finished.append((faces, parents))
    return _assembled(mesh, vertices, finished)


def _squared_lengths(vertices: Floats, faces: Ints) -> Floats:
    """Of edge k of each face (F, 3); both faces at an edge get the same number to the last bit."""
    corners = vertices[faces]
    along = np.roll(corners, -1, axis=1) - corners
    return np.einsum("ijk,ijk->ij", along, along)


def _midpoints(
    vertices: Floats,
    faces: Ints,
    squares: Floats,
    is_long: npt.NDArray[np.bool_],
    room: int,
) -> tuple[Ints, Floats]:
    """Put a vertex in the middle of every long edge.

    Returns the new vertex on each edge of each face, (F, 3) or _UNSPLIT, and all vertices. An edge
    adds one face on either side of it, so ``room`` for n more faces is room for n / 2 edges.
    """
    ends = np.sort(np.stack((faces, np.roll(faces, -1, axis=1)), axis=-1)[is_long], axis=1)
    keys = ends[:, 0].astype(np.int64) * len(vertices) + ends[:, 1]
    distinct, first, edge = np.unique(keys, return_index=True, return_inverse=True)
    chosen = np.arange(len(distinct))
    if 2 * len(distinct) > room:
        by_length = np.argsort(-squares[is_long][first], kind="stable")
        chosen = np.sort(by_length[: room // 2])
    new = np.full(len(distinct), _UNSPLIT, dtype=np.int32)
    new[chosen] = len(vertices) + np.arange(len(chosen), dtype=np.int32)
    middles = np.full(faces.shape, _UNSPLIT, dtype=np.int32)
    middles[is_long] = new[edge]
    low, high = ends[first[chosen]].T
    return middles, np.concatenate((vertices, 0.5 * (vertices[low] + vertices[high])))


def _split(vertices: Floats, faces: Ints, parents: Ints, middles: Ints) -> tuple[Ints, Ints]:
    """Cut every face along the vertices on its edges, into one to four that turn as it does."""
    splits = (middles != _UNSPLIT).sum(axis=1)
    pieces, origins = [faces[splits == 0]], [parents[splits == 0]]
    for count, cut in ((1, _in_two), (2, _in_three), (3, _in_four)):
        chosen = splits == count
        for piece in cut(vertices, *_turned(faces[chosen], middles[chosen])):
            pieces.append(piece)
            origins.append(parents[chosen])
    return np.concatenate(pieces), np.concatenate(origins)


def _turned(faces: Ints, middles: Ints) -> tuple[Ints, Ints]:
    """Turn the rows so that a single split is on edge 0, and a single whole edge is edge 2."""
    is_split = middles != _UNSPLIT
    odd_one = is_split.sum(axis=1) == 1
    first = is_split.argmin(axis=1) + 1
    first[odd_one] = is_split[odd_one].argmax(axis=1)
    turn = (first[:, None] + np.arange(3)) % 3
    return np.take_along_axis(faces, turn, axis=1), np.take_along_axis(middles, turn, axis=1)


def _in_two(_vertices: Floats, faces: Ints, middles: Ints) -> list[Ints]:
    (a, b, c), m = faces.T, middles[:, 0]
    return [_rows(a, m, c), _rows(m, b, c)]


def _in_three(vertices: Floats, faces: Ints, middles: Ints) -> list[Ints]:
    """Edges ab and bc are split: the corner at b, and the rest in two, cut the shorter way."""
    (a, b, c), (m, n) = faces.T, middles[:, :2].T
    from_m = np.linalg.norm(vertices[m] - vertices[c], axis=1)
    from_n = np.linalg.norm(vertices[n] - vertices[a], axis=1)
    over_m = (from_m <= from_n)[:, None]
    return [
        _rows(m, b, n),
        np.where(over_m, _rows(m, n, c), _rows(a, m, n)),
        np.where(over_m, _rows(a, m, c), _rows(a, n, c)),
    ]


def _in_four(_vertices: Floats, faces: Ints, middles: Ints) -> list[Ints]:
    (a, b, c), (m, n, o) = faces.T, middles.T
    return [_rows(a, m, o), _rows(m, b, n), _rows(o, n, c), _rows(m, n, o)]


def _rows(a: Ints, b: Ints, c: Ints) -> Ints:
    return np.stack((a, b, c), axis=1)


def _assembled(mesh: Mesh, vertices: Floats, parts: list[tuple[Ints, Ints]]) -> tuple[Mesh, Ints]:
    faces = np.concatenate([part[0] for part in parts])
    parents = np.concatenate([part[1] for part in parts])
    if len(faces) == len(mesh.faces):
        return mesh, np.arange(len(faces), dtype=np.int32)
    order = np.argsort(parents, kind="stable")
    faces, parents = np.ascontiguousarray(faces[order]), parents[order]
    neighbours = find_neighbours(faces, len(vertices))
    # The pieces of a flat face are exactly as flat: its normal is better than one of a sliver.
    _, areas = face_normals(vertices, faces)
    return Mesh(vertices, faces, neighbours, mesh.normals[parents], areas), parents
