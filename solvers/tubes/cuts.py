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
_VISITED = 6  # bits of a face's code: 0-2 out crossings, 3-5 in crossings, 6-8 walked already
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
    vertex_stamp: Indices  # (V,) twice that number, plus one if the vertex is in the ball
    codes: NDArray[np.uint16]  # (F,) crossings of a face's edges
    piece: Indices  # (F,)
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
    """Allocate what cuts of ``surface`` write into; about 60 bytes a face."""
    vertices, faces = len(surface.vertices), len(surface.faces)
    return CutScratch(
        stamp=np.zeros(1, np.int32),
        face_stamp=np.zeros(faces, np.int32),
        vertex_stamp=np.zeros(vertices, np.int32),
        codes=np.zeros(faces, np.uint16),
        piece=np.empty(faces, np.int32),
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
    rr = radius * radius
    if scratch.stamp[0] >= _LAST_STAMP:
        scratch.stamp[0] = 0
        scratch.face_stamp[:] = 0
        scratch.vertex_stamp[:] = 0
    scratch.stamp[0] += 1
    stamp = scratch.stamp[0]
    faces, neighbours, piece, codes = (
        surface.faces,
        surface.neighbours,
        scratch.piece,
        scratch.codes,
    )
    piece[0] = start_face
    scratch.face_stamp[start_face] = stamp
    found, crossed, borders = 1, 0, 0
    euler, doubled_edges = 0, 0
    head = 0
    while head < found:
        f = piece[head]
        head += 1
        a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
        in_a, new_a = _is_inside(surface.vertices, a, x, y, z, rr, stamp, scratch.vertex_stamp)
        in_b, new_b = _is_inside(surface.vertices, b, x, y, z, rr, stamp, scratch.vertex_stamp)
        in_c, new_c = _is_inside(surface.vertices, c, x, y, z, rr, stamp, scratch.vertex_stamp)
        euler += new_a + new_b + new_c
        code, outs = 0, 0
        for k in range(3):
            if k == 0:
                i, j, in_i, in_j = a, b, in_a, in_b
            elif k == 1:
                i, j, in_i, in_j = b, c, in_b, in_c
            else:
                i, j, in_i, in_j = c, a, in_c, in_a
            edge = _edge_in_ball(surface.vertices, i, j, in_i, in_j, x, y, z, rr)
            if edge == 0:
                continue
            g = neighbours[f, k]
            share = 1 if g >= 0 else 2  # an inner edge is seen from both sides
            if edge == _MEETS:
                doubled_edges -= share
                if g < 0:
                    scratch.borders[borders] = 3 * f + k
                    borders += 1
            elif edge == _MEETS | _IN | _OUT:
                doubled_edges += share
            if edge & _OUT:
                code |= 1 << k
                outs += 1
            if edge & _IN:
                code |= 8 << k
            if g >= 0 and scratch.face_stamp[g] != stamp:
                scratch.face_stamp[g] = stamp
                piece[found] = g
                found += 1
        codes[f] = code
        euler += 1 - outs  # compactly supported, of the open triangle's part in the closed ball
        if code:
            scratch.crossed[crossed] = f
            crossed += 1
        elif head == 1 and not in_a:
            return _lone_disc(surface, f, x, y, z, rr, scratch)
    loops = _walk_loops(surface, crossed, scratch)
    rims = _walk_rims(surface, borders, scratch)
    return found, loops, rims, euler + doubled_edges // 2


@kernel
def _is_inside(
    vertices: Floats,
    v: int,
    x: float,
    y: float,
    z: float,
    rr: float,
    stamp: int,
    vertex_stamp: Indices,
) -> tuple[bool, int]:
    """Tell whether a vertex is in the ball, and 1 if it is and this cut did not know it yet."""
    known = vertex_stamp[v]
    if known >> 1 == stamp:
        return known & 1 == 1, 0
    dx, dy, dz = vertices[v, 0] - x, vertices[v, 1] - y, vertices[v, 2] - z
    if dx * dx + dy * dy + dz * dz < rr:
        vertex_stamp[v] = 2 * stamp + 1
        return True, 1
    vertex_stamp[v] = 2 * stamp
    return False, 0


@kernel
def _edge_in_ball(
    vertices: Floats,
    i: int,
    j: int,
    in_i: bool,
    in_j: bool,
    x: float,
    y: float,
    z: float,
    rr: float,
) -> int:
    """Tell what the edge from vertex i to j does, as bits of _OUT, _IN and _MEETS."""
    if in_i:
        return _MEETS if in_j else _MEETS | _OUT
    if in_j:
        return _MEETS | _IN
    if i > j:  # the same numbers for both faces of the edge
        i, j = j, i
    px, py, pz = vertices[i, 0] - x, vertices[i, 1] - y, vertices[i, 2] - z
    ex, ey, ez = (
        vertices[j, 0] - vertices[i, 0],
        vertices[j, 1] - vertices[i, 1],
        vertices[j, 2] - vertices[i, 2],
    )
    along = -(px * ex + py * ey + pz * ez)
    square = ex * ex + ey * ey + ez * ez
    if along <= 0.0 or along >= square:
        return 0
    if (px * px + py * py + pz * pz - rr) * square >= along * along:
        return 0
    return _MEETS | _OUT | _IN


@kernel
def _lone_disc(
    surface: Surface, f: int, x: float, y: float, z: float, rr: float, scratch: CutScratch
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
    scratch.loop_starts[0], scratch.loop_starts[1] = 0, 0
    scratch.loop_open[0] = 0
    return 1, 1, 0, 1


@kernel
def step_round(surface: Surface, codes: NDArray[np.uint16], f: int, k: int) -> tuple[int, int]:
    """Give the in half-edge (f, edge) at the other end of the arc from (f, k)'s out crossing."""
    for turn in range(1, 4):
        edge = (k + turn) % 3
        if codes[f] & (8 << edge):
            return f, edge
    return f, k


@kernel
def _walk_loops(surface: Surface, crossed: int, scratch: CutScratch) -> int:
    """Record the loops through the crossed faces; return how many there are."""
    codes = scratch.codes
    loops, edges = 0, 0
    for at in range(crossed):
        first = scratch.crossed[at]
        for start in range(3):
            code = codes[first]
            if not code & (1 << start) or code & (1 << (_VISITED + start)):
                continue
            kept = loops < LOOPS_KEPT
            opened = 0
            if kept:
                scratch.loop_starts[loops] = edges
            f, k = first, start
            while not codes[f] & (1 << (_VISITED + k)):
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
                while not codes[f] & (1 << k):
                    f, k = next_open_edge(surface, f, k)
                    if codes[f] & (1 << (_VISITED + k)):
                        break
                    if not codes[f] & (1 << k):
                        codes[f] |= 1 << (_VISITED + k)
            if kept:
                scratch.loop_open[loops] = opened
                scratch.loop_starts[loops + 1] = edges
            loops += 1
    return loops


@kernel
def _walk_rims(surface: Surface, borders: int, scratch: CutScratch) -> int:
    """Count the mesh's border loops that are wholly in the ball."""
    rims = 0
    codes = scratch.codes
    for at in range(borders):
        f, k = scratch.borders[at] // 3, scratch.borders[at] % 3
        if codes[f] & (1 << (_VISITED + k)):
            continue
        rims += 1
        while not codes[f] & (1 << (_VISITED + k)):
            codes[f] |= 1 << (_VISITED + k)
            f, k = next_open_edge(surface, f, k)
    return rims
