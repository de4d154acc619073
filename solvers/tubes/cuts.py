"""Owns the cut of a mesh by a sphere: the connected piece in the ball, and its boundary loops.

The cut is exact on the mesh as it is. A ball is convex, so what it leaves of an edge or a triangle
is in one piece, and how the pieces hang together is told by two predicates alone: is a vertex in
the ball, and does an edge whose ends are outside come into it. Both faces of an edge evaluate them
in the same order of vertices, hence agree to the last bit; everything after that (which arcs follow
each other, how many loops there are, the Euler characteristic) is combinatorial, and no rounding
can break it, however large, small or thin the triangles are.

Directions: a *half-edge* ``3 * face + k`` is edge k of a face, counter-clockwise as seen from
outside. Along it the ball is left at most once (its *out* crossing) and entered at most once (its
*in* crossing). A boundary loop has the piece on its left as seen from outside: in a face it runs
from an out crossing along the sphere to the next in crossing, which is an out crossing of the face
across. Where it comes to an open edge of the mesh it follows the mesh's border through the ball
until that leaves it; so a hole that the sphere crosses does not tear a loop apart.

Source: Mortara, Patanè, Spagnuolo, Falcidieno & Rossignac, "Plumber" (2004), the intersection of
a mesh with a sphere.
"""

from typing import NamedTuple

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.tubes.surface import Surface, edge_from, is_over_face, next_open_edge
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]

LOOPS_KEPT = 128
"""Loops beyond this number are counted, not recorded."""

_OUT, _IN, _MEETS = 1, 2, 4  # what an edge does: leaves the ball, enters it, has a part in it
_WEIGHT = (0, 0, 0, 0, -1, 0, 0, 1)  # Euler characteristic of the open edge's part, by those bits
# A face's code has two bits, _OUT and _IN, for every edge, then a bit for every half-edge walked.
_VISITED = 6
_CIRCLE = 1 << 15  # the sphere's circle lies wholly inside this face
_LAST_STAMP = 2**30 - 1


class CutScratch(NamedTuple):
    """What cuts write into: one for each thread, made once, never cleared.

    After ``cut_sphere`` returned (faces, loops, rims, euler): ``piece[:faces]`` are the faces of
    the piece; face f belongs to it if ``face_stamp[f] == stamp[0]``. Loop i < min(loops,
    LOOPS_KEPT) passes the half-edges ``loop_edges[loop_starts[i]:loop_starts[i + 1]]`` in order,
    each by its out crossing; that range is empty for a circle wholly inside the face ``piece[0]``.
    ``loop_open[i]`` is 1 if a part of it is the mesh's own border.

    After ``measure_loops`` also the last four arrays are filled, for the same loops.
    """

    stamp: Indices  # (1,) number of the last cut
    face_stamp: Indices  # (F,) number of the last cut that reached the face
    codes: NDArray[np.uint16]  # (F,) crossings of a face's edges
    piece: Indices  # (F + 3,)
    crossed: Indices  # (F,) faces of the piece that the sphere crosses
    borders: Indices  # (3 F,) open half-edges wholly in the ball
    loop_starts: Indices  # (LOOPS_KEPT + 1,)
    loop_edges: Indices  # (3 F,)
    loop_open: NDArray[np.uint8]  # (LOOPS_KEPT,)
    loop_length: Floats  # (LOOPS_KEPT,) m
    loop_centre: Floats  # (LOOPS_KEPT, 3) m, barycentre by arc length
    loop_reach: Floats  # (LOOPS_KEPT,) m, of the smallest ball about the barycentre that holds it
    loop_area: Floats  # (LOOPS_KEPT, 3) m^2, vector area (right-handed about the loop)


def make_scratch(surface: Surface) -> CutScratch:
    """Allocate what cuts of ``surface`` write into; about 40 bytes a face."""
    faces = len(surface.faces)
    return CutScratch(
        stamp=np.zeros(1, np.int32),
        face_stamp=np.zeros(faces, np.int32),
        codes=np.zeros(faces, np.uint16),
        piece=np.empty(faces + 3, np.int32),
        crossed=np.empty(faces, np.int32),
        borders=np.empty(3 * faces, np.int32),
        loop_starts=np.zeros(LOOPS_KEPT + 1, np.int32),
        loop_edges=np.empty(3 * faces, np.int32),
        loop_open=np.zeros(LOOPS_KEPT, np.uint8),
        loop_length=np.zeros(LOOPS_KEPT),
        loop_centre=np.zeros((LOOPS_KEPT, 3)),
        loop_reach=np.zeros(LOOPS_KEPT),
        loop_area=np.zeros((LOOPS_KEPT, 3)),
    )


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
        ab, bc, ca = _MEETS, _MEETS, _MEETS
        if inside != 7:
            ab = _edge_in_ball(vertices, a, b, da, db, x, y, z)
            bc = _edge_in_ball(vertices, b, c, db, dc, x, y, z)
            ca = _edge_in_ball(vertices, c, a, dc, da, x, y, z)
            outs = (ab & _OUT) + (bc & _OUT) + (ca & _OUT)
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
                if edge == _MEETS:
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
    """Tell what the edge from vertex i to j does, as bits of _OUT, _IN and _MEETS.

    di and dj are the ends' squared distances from the centre less the squared radius.
    """
    if di < 0.0 or dj < 0.0:
        return _MEETS | (_OUT if dj >= 0.0 else 0) | (_IN if di >= 0.0 else 0)
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
    return _MEETS | _OUT | _IN


@kernel
def _lone_disc(
    surface: Surface, f: int, x: float, y: float, z: float, rr: float, codes: NDArray[np.uint16]
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
    codes[f] = _CIRCLE
    return 1, 0, 0, 1


@kernel
def step_round(surface: Surface, codes: NDArray[np.uint16], f: int, k: int) -> tuple[int, int]:
    """Give the in half-edge (f, edge) at the other end of the arc from (f, k)'s out crossing."""
    for turn in range(1, 4):
        edge = (k + turn) % 3
        if codes[f] >> 2 * edge & _IN:
            return f, edge
    return f, k


@kernel
def leaves_ball(codes: NDArray[np.uint16], f: int, k: int) -> bool:
    """Tell whether half-edge (f, k) has an out crossing."""
    return codes[f] >> 2 * k & _OUT != 0


@kernel
def _was_visited(codes: NDArray[np.uint16], f: int, k: int) -> bool:
    return codes[f] >> (_VISITED + k) & 1 != 0


@kernel
def walk_boundary(
    surface: Surface, found: int, crossed: int, borders: int, scratch: CutScratch
) -> tuple[int, int]:
    """Do the second half of ``cut_sphere``, after ``flood_ball`` returned the numbers it takes.

    Returns (loops, rims); records the loops.
    """
    codes = scratch.codes
    if found == 1 and crossed == 0 and codes[scratch.piece[0]] == _CIRCLE:
        scratch.loop_starts[1] = 0
        scratch.loop_open[0] = 0
        return 1, 0
    loops, edges = 0, 0
    for at in range(crossed):
        first = scratch.crossed[at]
        for start in range(3):
            if not leaves_ball(codes, first, start) or _was_visited(codes, first, start):
                continue
            edges = _walk_loop(surface, first, start, loops, edges, scratch)
            loops += 1
    rims = 0
    for at in range(borders):
        f, k = scratch.borders[at] // 3, scratch.borders[at] % 3
        if not _was_visited(codes, f, k):
            rims += 1
        while not _was_visited(codes, f, k):
            codes[f] |= 1 << (_VISITED + k)
            f, k = next_open_edge(surface, f, k)
    return loops, rims


@kernel
def _walk_loop(surface: Surface, f: int, k: int, loop: int, edges: int, scratch: CutScratch) -> int:
    """Walk the loop through (f, k)'s out crossing; record and mark it; return where records end."""
    codes = scratch.codes
    kept = loop < LOOPS_KEPT
    opened = 0
    while not _was_visited(codes, f, k):
        codes[f] |= 1 << (_VISITED + k)
        if kept:
            scratch.loop_edges[edges] = 3 * f + k
            edges += 1
        f, k = step_round(surface, codes, f, k)
        g = surface.neighbours[f, k]
        if g >= 0:
            f, k = g, edge_from(surface.faces, g, surface.faces[f, (k + 1) % 3])
            continue
        opened = 1
        while not leaves_ball(codes, f, k):
            f, k = next_open_edge(surface, f, k)
            if leaves_ball(codes, f, k) or _was_visited(codes, f, k):
                break
            codes[f] |= 1 << (_VISITED + k)
    if kept:
        scratch.loop_open[loop] = opened
        scratch.loop_starts[loop + 1] = edges
    return edges
