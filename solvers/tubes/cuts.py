"""Owns the cut of a mesh by a sphere: the connected piece in the ball, and its boundary loops.

The cut is exact on the mesh as it is. A ball is convex, so what it leaves of an edge or a triangle
is in one piece, and how the pieces hang together is told by two predicates alone: is a vertex in
the ball, and does an edge whose ends are outside come into it. Both faces of an edge evaluate them
in the same order of vertices, hence agree to the last bit; everything after that (which arcs follow
each other, how many loops there are, the Euler characteristic) is combinatorial, and no rounding
can break it, however large, small or thin the triangles are.

Directions: a *half-edge* ``3 * face + k`` is edge k of a face, counter-clockwise as seen from
outside. Along it the ball is left at most once (its *out* crossing) and entered at most once (its
*in* crossing). The walk along them is in ``boundary``, what is measured on the way in ``loops``.

Source: Mortara, Patanè, Spagnuolo, Falcidieno & Rossignac, "Plumber" (2004), the intersection of
a mesh with a sphere.
"""

from armspan.solvers.kernel import kernel
from armspan.solvers.tubes.boundary import walk_boundary
from armspan.solvers.tubes.cut_scratch import (
    CIRCLE,
    IN,
    LOOPS_KEPT,
    MEETS,
    OUT,
    Codes,
    CutScratch,
    make_scratch,
)
from armspan.solvers.tubes.surface import Floats, Surface, is_over_face

__all__ = ["LOOPS_KEPT", "CutScratch", "cut_sphere", "flood_ball", "make_scratch", "walk_boundary"]

_WEIGHT = (0, 0, 0, 0, -1, 0, 0, 1)  # Euler characteristic of the open edge's part, by those bits
_LAST_STAMP = 2**30 - 1


@kernel
def cut_sphere(
    surface: Surface,
    x: float,
    y: float,
    z: float,
    radius: float,
    start_face: int,
    scratch: CutScratch,
) -> tuple[int, int, int, int]:
    """Cut out the connected piece of surface in a ball that holds ``start_face``'s part of it.

    Centre (x, y, z) and radius in m. Returns (faces, loops, rims, euler) and fills ``scratch``:
    the number of faces with a part in the piece; of boundary loops that touch the sphere; of
    loops of the mesh's own border wholly inside the ball; and the Euler characteristic of the
    piece, so that 2 - 2 * genus = euler + loops + rims. (0, 0, 0, 0) if no point of ``start_face``
    is in the ball.
    """
    found, crossed, borders, euler = flood_ball(surface, x, y, z, radius, start_face, scratch)
    loops, rims = walk_boundary(surface, found, crossed, borders, scratch)
    return found, loops, rims, euler


@kernel
def flood_ball(
    surface: Surface,
    x: float,
    y: float,
    z: float,
    radius: float,
    start_face: int,
    scratch: CutScratch,
) -> tuple[int, int, int, int]:
    """Do the first half of ``cut_sphere``: the faces and the Euler characteristic.

    Returns (faces, crossed, borders, euler): ``crossed`` and ``borders`` are what
    ``walk_boundary``, the other half, needs. It may be left out: a piece with characteristic 1
    that the sphere crosses is a disc, with one loop.
    """
    rr = radius * radius
    if scratch.stamp[0] >= _LAST_STAMP:
        scratch.stamp[0] = 0
        scratch.face_stamp.fill(0)
    scratch.stamp[0] += 1
    stamp = scratch.stamp[0]
    face_stamp, piece, codes = scratch.face_stamp, scratch.piece, scratch.codes
    links, vertices = surface.links, surface.vertices
    piece[0] = start_face
    face_stamp[start_face] = stamp
    found, crossed, borders, euler, doubled_edges, head = 1, 0, 0, 0, 0, 0
    while head < found:
        f = piece[head]
        head += 1
        a, b, c = links[f, 0], links[f, 1], links[f, 2]
        da = _square(vertices, a, x, y, z) - rr
        db = _square(vertices, b, x, y, z) - rr
        dc = _square(vertices, c, x, y, z) - rr
        inside = (da < 0.0) | (db < 0.0) << 1 | (dc < 0.0) << 2
        owned = inside & links[f, 6]
        euler += (owned & 1) + (owned >> 1 & 1) + (owned >> 2)
        ab, bc, ca = MEETS, MEETS, MEETS
        if inside != 7:
            ab = _edge_in_ball(vertices, a, b, da, db, x, y, z)
            bc = _edge_in_ball(vertices, b, c, db, dc, x, y, z)
            ca = _edge_in_ball(vertices, c, a, dc, da, x, y, z)
            outs = (ab & OUT) + (bc & OUT) + (ca & OUT)
            euler -= outs
            code = ab & 3 | (bc & 3) << 2 | (ca & 3) << 4
            codes[f] = code
            if code:
                scratch.crossed[crossed] = f
                crossed += 1
            elif head == 1:
                return _lone_disc(surface, f, x, y, z, rr, codes)
        else:
            codes[f] = 0
        euler += 1  # compactly supported, of the open triangle's part in the closed ball
        for k in range(3):
            edge = ab if k == 0 else bc if k == 1 else ca
            if edge == 0:
                continue
            g = links[f, 3 + k]
            weight = _WEIGHT[edge]
            doubled_edges += weight
            if g >= 0:  # no branch on what is new: it could not be foretold
                piece[found] = g
                found += face_stamp[g] != stamp
                face_stamp[g] = stamp
            else:
                doubled_edges += weight  # an inner edge is seen from both sides
                if edge == MEETS:
                    scratch.borders[borders] = 3 * f + k
                    borders += 1
    return found, crossed, borders, euler + doubled_edges // 2


@kernel
def _square(vertices: Floats, v: int, x: float, y: float, z: float) -> float:
    """Give a vertex' squared distance from a point."""
    dx, dy, dz = vertices[v, 0] - x, vertices[v, 1] - y, vertices[v, 2] - z
    return dx * dx + dy * dy + dz * dz


@kernel
def _edge_in_ball(
    vertices: Floats, i: int, j: int, di: float, dj: float, x: float, y: float, z: float
) -> int:
    """Tell what the edge from vertex i to j does, as bits of OUT, IN and MEETS.

    di and dj are the ends' squared distances from the centre less the squared radius.
    """
    if di < 0.0 or dj < 0.0:
        return MEETS | (OUT if dj >= 0.0 else 0) | (IN if di >= 0.0 else 0)
    if i > j:  # the same numbers for both faces of the edge
        i, j, di = j, i, dj
    ex, ey, ez = (
        vertices[j, 0] - vertices[i, 0],
        vertices[j, 1] - vertices[i, 1],
        vertices[j, 2] - vertices[i, 2],
    )
    along = (x - vertices[i, 0]) * ex + (y - vertices[i, 1]) * ey + (z - vertices[i, 2]) * ez
    square = ex * ex + ey * ey + ez * ez
    if along <= 0.0 or along >= square or di * square >= along * along:
        return 0
    return MEETS | OUT | IN


@kernel
def _lone_disc(
    surface: Surface, f: int, x: float, y: float, z: float, rr: float, codes: Codes
) -> tuple[int, int, int, int]:
    """Answer for a face none of whose edges the ball meets: a disc inside it, or nothing."""
    nx, ny, nz = surface.normals[f, 0], surface.normals[f, 1], surface.normals[f, 2]
    v = surface.faces[f, 0]
    height = (
        (x - surface.vertices[v, 0]) * nx
        + (y - surface.vertices[v, 1]) * ny
        + (z - surface.vertices[v, 2]) * nz
    )
    if height * height >= rr or not is_over_face(surface, f, x, y, z):
        return 0, 0, 0, 0
    codes[f] = CIRCLE
    return 1, 0, 0, 1
