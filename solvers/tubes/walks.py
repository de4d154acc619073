"""Owns walks on the surface along a plane, as meridians of a tube take them.

Every walk goes from face to face across the edges that the plane crosses, so that what is found
hangs together with where it began, however large or thin the triangles are. A vertex counts as
above a plane or not (never on it), and a crossing is computed from the edge's vertices in index
order: both faces at an edge agree to the last bit.

A plane is a tuple of six: a point of it (m) and its unit normal.
"""

from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec
from armspan.solvers.tubes.surface import Surface

Plane = tuple[float, float, float, float, float, float]

NO_FACE = -1


@kernel
def height(surface: Surface, vertex: int, plane: Plane) -> float:
    """Give how far a vertex is above the plane, m."""
    return (
        (surface.vertices[vertex, 0] - plane[0]) * plane[3]
        + (surface.vertices[vertex, 1] - plane[1]) * plane[4]
        + (surface.vertices[vertex, 2] - plane[2]) * plane[5]
    )


@kernel
def crossing_at(surface: Surface, face: int, k: int, plane: Plane) -> Vec:
    """Give where edge k of a face crosses the plane; its ends must lie on different sides."""
    i, j = surface.faces[face, k], surface.faces[face, (k + 1) % 3]
    if i > j:
        i, j = j, i
    a, b = height(surface, i, plane), height(surface, j, plane)
    t = a / (a - b)
    return (
        surface.vertices[i, 0] + t * (surface.vertices[j, 0] - surface.vertices[i, 0]),
        surface.vertices[i, 1] + t * (surface.vertices[j, 1] - surface.vertices[i, 1]),
        surface.vertices[i, 2] + t * (surface.vertices[j, 2] - surface.vertices[i, 2]),
    )


@kernel
def edge_through(surface: Surface, face: int, downward: bool, plane: Plane) -> int:
    """Give the edge of a face that goes down (or up) through the plane, -1 for none.

    A face that the plane crosses has one of each, and what is down for it is up for the face
    across: a walk that always leaves by the one comes in by the other.
    """
    for k in range(3):
        above = height(surface, surface.faces[face, k], plane) >= 0.0
        next_above = height(surface, surface.faces[face, (k + 1) % 3], plane) >= 0.0
        if above != next_above and above == downward:
            return k
    return -1


@kernel
def is_crossed(surface: Surface, face: int, plane: Plane) -> bool:
    """Tell whether a face has vertices on both sides of the plane."""
    return edge_through(surface, face, True, plane) >= 0


@kernel
def goes_down_towards(
    surface: Surface, face: int, plane: Plane, tx: float, ty: float, tz: float
) -> int:
    """Tell by which edge a walk in the plane leaves ``face`` to go along t.

    1: the edge that goes down through the plane, 0: the one that goes up, -1: not crossed.
    """
    low = edge_through(surface, face, True, plane)
    high = edge_through(surface, face, False, plane)
    if low < 0 or high < 0:
        return -1
    a = crossing_at(surface, face, low, plane)
    b = crossing_at(surface, face, high, plane)
    return 1 if (a[0] - b[0]) * tx + (a[1] - b[1]) * ty + (a[2] - b[2]) * tz > 0.0 else 0


@kernel
def reach_plane(
    surface: Surface, start: int, along: Plane, tx: float, ty: float, tz: float, goal: Plane,
    most: int,
) -> int:  # fmt: skip
    """Walk from ``start`` in the plane ``along``, towards t, to a face that ``goal`` crosses.

    NO_FACE where ``start`` is not in the plane, or where the boundary, or ``most`` faces, come
    first.
    """
    down = goes_down_towards(surface, start, along, tx, ty, tz)
    if down < 0:
        return NO_FACE
    face = start
    for _ in range(most):
        if is_crossed(surface, face, goal):
            return face
        k = edge_through(surface, face, down == 1, along)
        if k < 0:
            return NO_FACE
        face = surface.neighbours[face, k]
        if face < 0:
            return NO_FACE
    return NO_FACE
