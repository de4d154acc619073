"""Owns the classification of a surface by one sphere radius: where it is a limb.

A point is on a limb if what a sphere about it cuts out is a band: a connected piece with exactly
two boundary loops and no handle (Plumber's limb vertices; here points spread over the surface
stand for vertices, so the answer does not depend on how fine the mesh is). Specks, where the sphere
grazes a rough surface, are not counted.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.topology import Mesh
from armspan.solvers.tubes.cuts import (
    LOOPS_KEPT,
    CutScratch,
    cut_sphere,
    flood_ball,
    make_scratch,
    walk_boundary,
)
from armspan.solvers.tubes.loops import measure_loops
from armspan.solvers.tubes.samples import sample_surface
from armspan.solvers.tubes.sections import Section, SectionScratch, section_round
from armspan.solvers.tubes.sharing import share_out
from armspan.solvers.tubes.surface import Surface, surface_of
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Flags = NDArray[np.bool_]

LONGEST_LOOP = 4.4
"""Radii; a longer loop does not go round a limb that the sphere holds (a cylinder as thick as the
sphere is wide has loops of 3.8; the rim of a disc has 6.3)."""
LEAST_QUALITY = 0.1
"""Loops less alike, or nearer to each other, are of bumps and dents that the sphere grazes."""
COARSE = 0.5
"""Radii between the samples of the first pass. A ball that holds a ring of a tube shows no disc
also where its ends are in the ball with what they hang on, so the place is longer than the limb."""
_SPECK = 0.1  # radii; a shorter loop is none
_FIRST = 0.4  # about the share of the first pass in the work


@dataclass(frozen=True, slots=True)
class Limbs:
    """The limb samples of one radius, the best first.

    Attributes:
        points: (L, 3) m, where the sphere stands: on the surface.
        faces: (L,) the face of each point; the start face of its cut.
        centres: (L, 2, 3) m, barycentres of the two loops.
        lengths: (L, 2) m, of the loops.
        concave: (L,) whether the limb is a hole in the material.
        quality: (L,) 0 to 1: how alike the loops are in length, times how far apart they are
            against the sphere's diameter.
        tried: how many samples there were.
    """

    points: Floats
    faces: Indices
    centres: Floats
    lengths: Floats
    concave: Flags
    quality: Floats
    tried: int


class _Found(NamedTuple):
    """What the kernel says of every sample; quality is negative where it is no limb."""

    centres: Floats  # (N, 2, 3)
    lengths: Floats  # (N, 2)
    concave: Flags  # (N,)
    quality: Floats  # (N,)


def find_limbs(
    mesh: Mesh,
    radius_m: float,
    taken: Flags | None = None,
    *,
    threads: int = 2,
    on_progress: Callable[[float], None] | None = None,
    surface: Surface | None = None,
) -> Limbs:
    """Find where spheres of ``radius_m`` cut bands out of a mesh.

    First samples COARSE radii apart tell where there may be any; only there they are made as
    densely as ``sample_surface`` does. No sample is made on faces marked in ``taken`` (F,).
    ``on_progress`` is called with the share that is done, from 0 to 1, by the calling thread; what
    it raises ends the work. ``surface`` spares making the mesh's again. The result is the same for
    any number of threads.
    """
    surface = surface_of(mesh) if surface is None else surface
    scratches = [make_scratch(surface) for _ in range(max(threads, 1))]
    cold = np.ones(len(mesh.faces), np.bool_)
    first = sample_surface(mesh, radius_m, taken, spacing=COARSE, surface=surface)

    def look(start: int, stop: int, scratch: CutScratch) -> None:
        _look(surface, first.points, first.faces, start, stop, radius_m, scratch, cold)

    share_out(len(first.points), look, scratches, on_progress, 0.0, _FIRST)
    if taken is not None:
        cold |= taken
    samples = sample_surface(mesh, radius_m, cold, surface=surface)
    count = len(samples.points)
    found = _Found(
        np.zeros((count, 2, 3)), np.zeros((count, 2)), np.zeros(count, np.bool_), np.empty(count)
    )

    def classify(start: int, stop: int, scratch: CutScratch) -> None:
        _classify(surface, samples.points, samples.faces, start, stop, radius_m, scratch, found)

    share_out(count, classify, scratches, on_progress, _FIRST, 1.0)
    return _best_first(samples.points, samples.faces, found)


@kernel
def _look(
    surface: Surface,
    points: Floats,
    faces: Indices,
    start: int,
    stop: int,
    radius: float,
    scratch: CutScratch,
    cold: Flags,
) -> None:
    """Clear ``cold`` on the faces round each of the samples [start, stop) that shows no disc.

    Threads may clear the same entry: it has but one value to get.
    """
    vertices, piece = surface.vertices, scratch.piece
    for at in range(start, stop):
        x, y, z = points[at, 0], points[at, 1], points[at, 2]
        count, _, _, euler = flood_ball(surface, x, y, z, radius, faces[at], scratch)
        if euler > 0:
            continue
        for i in range(count):
            f = piece[i]
            a, b, c = surface.faces[f, 0], surface.faces[f, 1], surface.faces[f, 2]
            mx = (vertices[a, 0] + vertices[b, 0] + vertices[c, 0]) / 3.0
            my = (vertices[a, 1] + vertices[b, 1] + vertices[c, 1]) / 3.0
            mz = (vertices[a, 2] + vertices[b, 2] + vertices[c, 2]) / 3.0
            size = 0.0
            for v in (a, b, c):
                size = max(size, _apart(vertices[v, 0], vertices[v, 1], vertices[v, 2], mx, my, mz))
            if _apart(x, y, z, mx, my, mz) < COARSE * radius + size:
                cold[f] = False


@kernel
def _apart(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> float:
    """Give the distance of two points."""
    return math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay) + (bz - az) * (bz - az))


@kernel
def _classify(
    surface: Surface,
    points: Floats,
    faces: Indices,
    start: int,
    stop: int,
    radius: float,
    scratch: CutScratch,
    found: _Found,
) -> None:
    """Cut at the samples [start, stop) and write what is found of each."""
    for at in range(start, stop):
        x, y, z = points[at, 0], points[at, 1], points[at, 2]
        found.quality[at] = -1.0
        count, crossed, borders, euler = flood_ball(surface, x, y, z, radius, faces[at], scratch)
        if euler > 0:
            continue  # a disc or the whole surface: no need to walk round it
        loops, rims = walk_boundary(surface, count, crossed, borders, scratch)
        if loops < 2 or euler + loops + rims != 2:
            continue
        measure_loops(surface, x, y, z, radius, loops, scratch)
        i, j = _two_loops(loops, radius, scratch)
        if j < 0:
            continue
        first, second = scratch.loop_length[i], scratch.loop_length[j]
        apart, facing = 0.0, 0.0
        for axis in range(3):
            between = scratch.loop_centre[j, axis] - scratch.loop_centre[i, axis]
            apart += between * between
            facing += between * (scratch.loop_area[j, axis] - scratch.loop_area[i, axis])
            found.centres[at, 0, axis] = scratch.loop_centre[i, axis]
            found.centres[at, 1, axis] = scratch.loop_centre[j, axis]
        if facing <= 0.0 and max(first, second) > LONGEST_LOOP * radius:
            continue  # a hole may be short against the sphere: then its loops lie round its mouths
        quality = min(first, second) / max(first, second) * math.sqrt(apart) / (2.0 * radius)
        if quality < LEAST_QUALITY:
            continue
        found.lengths[at, 0], found.lengths[at, 1] = first, second
        found.concave[at] = facing > 0.0
        found.quality[at] = quality


@kernel
def _two_loops(loops: int, radius: float, scratch: CutScratch) -> tuple[int, int]:
    """Give the two loops of a limb, (-1, -1) if there are not just two that count."""
    first, second = -1, -1
    for loop in range(min(loops, LOOPS_KEPT)):
        if scratch.loop_length[loop] < _SPECK * radius:
            continue
        if second >= 0:
            return -1, -1
        if first < 0:
            first = loop
        else:
            second = loop
    return (first, second) if second >= 0 else (-1, -1)


def _best_first(points: Floats, faces: Indices, found: _Found) -> Limbs:
    """Keep the samples that are limbs, the best first, and by the order of faces where equal."""
    order = np.argsort(-found.quality, kind="stable")
    order = order[: int(np.count_nonzero(found.quality >= 0.0))]
    return Limbs(
        points=points[order],
        faces=faces[order],
        centres=found.centres[order],
        lengths=found.lengths[order],
        concave=found.concave[order],
        quality=found.quality[order],
        tried=len(points),
    )


@kernel
def medial_section(
    surface: Surface,
    x: float,
    y: float,
    z: float,
    radius: float,
    face: int,
    scratch: CutScratch,
    section_scratch: SectionScratch,
) -> Section:
    """Find the medial loop of a limb: its band's points equally far from both loops' barycentres.

    The arguments are those of a limb's cut; the band is cut again. A rolling sphere starts at the
    section's centroid. No corners if that is no limb or if the plane misses the band.
    """
    count, loops, _, _ = cut_sphere(surface, x, y, z, radius, face, scratch)
    measure_loops(surface, x, y, z, radius, loops, scratch)
    i, j = _two_loops(loops, radius, scratch)
    if j < 0:
        return Section(0, False, 0.0, 0.0, 0.0, 0.0, 0.0, False, 0.0)
    a, b = scratch.loop_centre[i], scratch.loop_centre[j]
    nx, ny, nz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    apart = math.sqrt(nx * nx + ny * ny + nz * nz)
    if not apart > 0.0:
        return Section(0, False, 0.0, 0.0, 0.0, 0.0, 0.0, False, 0.0)
    return section_round(
        surface,
        0.5 * (a[0] + b[0]),
        0.5 * (a[1] + b[1]),
        0.5 * (a[2] + b[2]),
        nx / apart,
        ny / apart,
        nz / apart,
        scratch.piece[:count],
        section_scratch,
    )
