"""Owns the walk round a piece that a ball has cut out: its loops, and its rims.

A loop has the piece on its left as seen from outside: in a face it runs from an out crossing along
the sphere to the next in crossing, which is an out crossing of the face across. Where it comes to
an open edge of the mesh it follows the mesh's border through the ball until that leaves it; so a
hole that the sphere crosses does not tear a loop apart.
"""

from armspan.solvers.kernel import kernel
from armspan.solvers.tubes.cut_scratch import (
    CIRCLE,
    IN,
    LOOPS_KEPT,
    OUT,
    VISITED,
    Codes,
    CutScratch,
)
from armspan.solvers.tubes.surface import Surface, edge_from, next_open_edge


@kernel
def step_round(surface: Surface, codes: Codes, f: int, k: int) -> tuple[int, int]:
    """Give the in half-edge (f, edge) at the other end of the arc from (f, k)'s out crossing."""
    for turn in range(1, 4):
        edge = (k + turn) % 3
        if codes[f] >> 2 * edge & IN:
            return f, edge
    return f, k


@kernel
def leaves_ball(codes: Codes, f: int, k: int) -> bool:
    """Tell whether half-edge (f, k) has an out crossing."""
    return codes[f] >> 2 * k & OUT != 0


@kernel
def _was_visited(codes: Codes, f: int, k: int) -> bool:
    return codes[f] >> (VISITED + k) & 1 != 0


@kernel
def walk_boundary(
    surface: Surface, found: int, crossed: int, borders: int, scratch: CutScratch
) -> tuple[int, int]:
    """Do the second half of ``cut_sphere``, after ``flood_ball`` returned the numbers it takes.

    Returns (loops, rims); records the loops.
    """
    codes = scratch.codes
    if found == 1 and crossed == 0 and codes[scratch.piece[0]] == CIRCLE:
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
            codes[f] |= 1 << (VISITED + k)
            f, k = next_open_edge(surface, f, k)
    return loops, rims


@kernel
def _walk_loop(surface: Surface, f: int, k: int, loop: int, edges: int, scratch: CutScratch) -> int:
    """Walk the loop through (f, k)'s out crossing; record and mark it; return where records end."""
    codes = scratch.codes
    kept = loop < LOOPS_KEPT
    opened = 0
    while not _was_visited(codes, f, k):
        codes[f] |= 1 << (VISITED + k)
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
            codes[f] |= 1 << (VISITED + k)
    if kept:
        scratch.loop_open[loop] = opened
        scratch.loop_starts[loop + 1] = edges
    return edges
