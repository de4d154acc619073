"""Owns turning a field on a grid into a mesh: the surface where it is zero, by surface nets.

A cell that the surface passes holds one vertex, at the mean of where it crosses the cell's edges
(Gibson 1998); four cells round a grid edge whose ends differ in sign make a square.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

_CORNERS = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
_EDGES = [
    (a, b)
    for a in range(8)
    for b in range(a + 1, 8)
    if np.abs(_CORNERS[a] - _CORNERS[b]).sum() == 1
]


def surface_nets(field: Floats, origin: Floats, spacing_m: float) -> tuple[Floats, Ints]:
    """Vertices (V, 3) m and faces (F, 3) of where ``field`` (X, Y, Z) is zero; inside is negative.

    Faces are counter-clockwise from outside. The surface must not reach the grid's border.
    """
    inside = field < 0.0
    cells = np.array(field.shape) - 1
    corners = [_at(inside, corner, cells) for corner in _CORNERS]
    count = np.sum(corners, axis=0)
    passed = (count > 0) & (count < 8)
    number = np.full(tuple(cells), -1, dtype=np.int32)
    number[passed] = np.arange(int(passed.sum()), dtype=np.int32)
    values = [_at(field, corner, cells)[passed] for corner in _CORNERS]
    places = np.zeros((int(passed.sum()), 3))
    crossings = np.zeros((len(places), 1))
    for a, b in _EDGES:
        crossed = (values[a] < 0.0) != (values[b] < 0.0)
        share = values[a][crossed] / (values[a][crossed] - values[b][crossed])
        places[crossed] += _CORNERS[a] + share[:, None] * (_CORNERS[b] - _CORNERS[a])
        crossings[crossed] += 1.0
    vertices = origin + spacing_m * (np.argwhere(passed) + places / crossings)
    faces = np.concatenate([_squares(inside, number, axis) for axis in range(3)])
    return vertices, np.ascontiguousarray(faces, np.int32)


def _at(grid: NDArray[np.generic], corner: NDArray[np.int_], cells: NDArray[np.int_]) -> Floats:
    """The values at one corner of every cell."""
    i, j, k = corner
    x, y, z = cells
    return grid[i : i + x, j : j + y, k : k + z]  # pyright: ignore[reportReturnType]


def _squares(inside: NDArray[np.bool_], number: Ints, axis: int) -> Ints:
    """Two triangles for every grid edge along ``axis`` that leads in or out."""
    turned = np.moveaxis(inside, (axis, (axis + 1) % 3, (axis + 2) % 3), (0, 1, 2))
    cells = np.moveaxis(number, (axis, (axis + 1) % 3, (axis + 2) % 3), (0, 1, 2))
    leaves = turned[:-1, 1:-1, 1:-1] & ~turned[1:, 1:-1, 1:-1]
    enters = ~turned[:-1, 1:-1, 1:-1] & turned[1:, 1:-1, 1:-1]
    round_edge = (cells[:, :-1, :-1], cells[:, 1:, :-1], cells[:, 1:, 1:], cells[:, :-1, 1:])
    found: list[Ints] = []
    for where, order in ((leaves, (0, 1, 2, 3)), (enters, (3, 2, 1, 0))):
        a, b, c, d = (round_edge[corner][where] for corner in order)
        found += [np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]
    return np.concatenate(found)
