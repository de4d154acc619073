"""Owns what cuts by a sphere write into, and how they write it."""

from typing import NamedTuple

import numpy as np
from armspan.solvers.tubes.surface import Floats, Indices, Surface
from numpy.typing import NDArray

Codes = NDArray[np.uint16]

LOOPS_KEPT = 128
"""Loops beyond this number are counted, not recorded."""

OUT, IN, MEETS = 1, 2, 4  # what an edge does: leaves the ball, enters it, has a part in it
# A face's code has two bits, OUT and IN, for every edge, then a bit for every half-edge walked.
VISITED = 6
CIRCLE = 1 << 15  # the sphere's circle lies wholly inside this face


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
    codes: Codes  # (F,) crossings of a face's edges
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
