"""Owns turning the faces of a surface the same way, and the surface as a whole outwards."""

import numpy as np
import numpy.typing as npt
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.topology import OPEN, Floats, Ints

_FLAT = 1e-4
"""Volume / area^1.5 (a ball has 0.094) below which a surface encloses nothing that counts."""


def components_of(faces: Ints, mates: Ints) -> tuple[Ints, npt.NDArray[np.bool_], int]:
    """Flood every connected piece of surface, and cut it where it is one-sided.

    Returns the component of each face (F,), whether a face must be turned to agree with the first
    of its component (F,), and how many edges were cut because no turning makes both their faces
    agree, as on a Möbius strip: ``mates`` (3 F,) loses those.
    """
    component = np.full(len(faces), -1, dtype=np.int32)
    turned = np.zeros(len(faces), dtype=np.bool_)
    cut = _flood(faces, mates, component, turned, np.empty(len(faces), dtype=np.int32))
    return component, turned, cut


@kernel
def _flood(
    faces: Ints,
    mates: Ints,
    component: Ints,
    turned: npt.NDArray[np.bool_],
    queue: Ints,
) -> int:
    """Breadth first, from the lowest face not reached yet, so that cuts are short."""
    components, cut = 0, 0
    for first in range(len(faces)):
        if component[first] >= 0:
            continue
        component[first] = components
        queue[0] = first
        done, waiting = 0, 1
        while done < waiting:
            face = queue[done]
            done += 1
            for k in range(3):
                side = 3 * face + k
                mate = mates[side]
                if mate < 0:
                    continue
                other = mate // 3
                same_way = faces[face, k] == faces[other, mate % 3]
                wanted = turned[face] != same_way
                if component[other] < 0:
                    component[other] = components
                    turned[other] = wanted
                    queue[waiting] = other
                    waiting += 1
                elif turned[other] != wanted:
                    mates[side] = mates[mate] = OPEN
                    cut += 1
        components += 1
    return cut


def turn(faces: Ints, mates: Ints, turned: npt.NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Turn the chosen faces (F,) over; returns faces and mates with their sides renumbered."""
    faces = faces.copy()
    faces[turned, 1], faces[turned, 2] = faces[turned, 2], faces[turned, 1]
    # (a, b, c) has the sides ab, bc, ca and (a, c, b) has ac, cb, ba: 0 and 2 change places.
    places = np.arange(faces.size, dtype=np.int32).reshape(-1, 3)
    places[turned] = places[turned, ::-1]
    places = places.ravel()
    renamed = mates[places]
    paired = renamed != OPEN
    renamed[paired] = places[renamed[paired]]
    return faces, renamed


def looks_inwards(vertices: Floats, faces: Ints, mates: Ints) -> bool:
    """Whether the faces, all turned the same way, have their backs to the outside.

    Every fan of them must have a vertex of its own (``split_fans``).

    By the sign of the enclosed volume, with a fan over every hole from the middle of its rim:
    exact for a closed surface, and a good guess for one with holes. A sheet encloses nothing
    that counts, and is taken as it is.
    """
    middle = vertices[faces[:, 0]].mean(axis=0)
    a, b, c = (vertices[faces[:, k]] - middle for k in range(3))
    spans = np.cross(b - a, c - a)
    area = 0.5 * float(np.sqrt(np.einsum("ij,ij->i", spans, spans)).sum())
    volume = float(np.einsum("ij,ij->", a, spans)) / 6.0
    starts, ends, rim, rims = rims_of(faces, mates)
    if rims:
        start, end = vertices[starts] - middle, vertices[ends] - middle
        long = np.linalg.norm(end - start, axis=1)
        weights = np.maximum(np.bincount(rim, long, rims), np.finfo(float).tiny)
        sums = [np.bincount(rim, long * 0.5 * (start + end)[:, k], rims) for k in range(3)]
        tips = (np.stack(sums, axis=1) / weights[:, None])[rim]
        volume += float(np.einsum("ij,ij->", tips, np.cross(end, start))) / 6.0
    return volume < -_FLAT * area**1.5


def rims_of(faces: Ints, mates: Ints) -> tuple[Ints, Ints, Ints, int]:
    """Find the rims of a surface's holes; every fan must have a vertex of its own.

    Returns where each open side starts and ends (S,), the rim that it is part of (S,), and how
    many rims there are.
    """
    sides = np.flatnonzero(mates == OPEN)
    starts = faces.ravel()[sides]
    ends = np.roll(faces, -1, axis=1).ravel()[sides]
    order = np.argsort(starts)
    following = order[np.searchsorted(starts[order], ends)].astype(np.int32)
    rim = np.full(len(sides), -1, dtype=np.int32)
    return starts, ends, rim, _label_rings(following, rim)


@kernel
def _label_rings(following: Ints, ring: Ints) -> int:
    rings = 0
    for first in range(len(following)):
        if ring[first] < 0:
            member = first
            while ring[member] < 0:
                ring[member] = rings
                member = following[member]
            rings += 1
    return rings
