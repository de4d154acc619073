"""Owns the cut of a mesh by a plane: the closed section round a point, its area and its centre.

Like the cut by a sphere (``cuts``), with the half-space below the plane in the place of the ball:
a loop has what is below the plane on its left as seen from outside the mesh, every face has at
most one out and one in crossing, and where a loop comes to an open edge of the mesh it follows the
border below the plane and goes on where that comes up again. The section is closed there by a
straight piece, whose length is told as the section's gap.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.tubes.surface import Surface, edge_from, next_open_edge
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]

LONGEST_SECTION = 32768
"""Points of a section, at most; longer loops are no section of a tube."""


class SectionScratch(NamedTuple):
    """What sections write into: one for each thread, made once, never cleared.

    After ``section_round`` returned a section, ``points[:corners]`` is its polygon (m, in order,
    the first point not repeated) and ``faces[:corners]`` the face in which each point lies: point i
    is on an edge of it, and the straight piece from point i to the next is in it (unless it bridges
    a gap).
    """

    stamp: Indices  # (1,) number of the last section
    face_stamp: Indices  # (F,) number of the last section that passed the face
    points: Floats  # (LONGEST_SECTION, 3) m
    faces: Indices  # (LONGEST_SECTION,)
    trial_points: Floats  # the same, of the loop at hand
    trial_faces: Indices


class Section(NamedTuple):
    """A closed planar section. All zeros if no loop was found."""

    corners: int
    """Points in ``scratch.points``; 0 if there is no section."""
    enclosed: bool
    """Whether it goes round the point; else it is the nearest loop there is."""
    area: float
    """m^2, positive."""
    x: float
    """Centroid of the area, m."""
    y: float
    z: float
    perimeter: float
    """m"""
    convex: bool
    """Whether the material is inside the section (a rod); else it is a hole in the material."""
    gap: float
    """m, of its perimeter that bridges open borders of the mesh; 0 on a closed mesh."""


def make_section_scratch(surface: Surface) -> SectionScratch:
    """Allocate what sections of ``surface`` write into."""
    return SectionScratch(
        stamp=np.zeros(1, np.int32),
        face_stamp=np.zeros(len(surface.faces), np.int32),
        points=np.empty((LONGEST_SECTION, 3)),
        faces=np.empty(LONGEST_SECTION, np.int32),
        trial_points=np.empty((LONGEST_SECTION, 3)),
        trial_faces=np.empty(LONGEST_SECTION, np.int32),
    )


@kernel
def section_round(
    surface: Surface,
    px: float,
    py: float,
    pz: float,
    nx: float,
    ny: float,
    nz: float,
    faces: Indices,
    scratch: SectionScratch,
) -> Section:
    """Find the smallest loop of plane and mesh that goes round the point in the plane.

    The plane passes the point (px, py, pz) m with the unit normal (nx, ny, nz). ``faces`` (any
    number, int32) are where loops are looked for; a loop that passes one of them is followed
    through the whole mesh. If no loop goes round the point, the one whose centroid is nearest to
    it is returned, with ``enclosed`` false. The order of ``faces`` decides at which point the
    polygon begins, and nothing else.
    """
    if scratch.stamp[0] == 2**31 - 1:
        scratch.stamp[0] = 0
        scratch.face_stamp.fill(0)
    scratch.stamp[0] += 1
    stamp = scratch.stamp[0]
    best = Section(0, False, 0.0, 0.0, 0.0, 0.0, 0.0, False, 0.0)
    rank = math.inf
    level = px * nx + py * ny + pz * nz
    for at in range(faces.shape[0]):
        f = faces[at]
        if scratch.face_stamp[f] == stamp:
            continue
        k = _out_edge(surface, f, nx, ny, nz, level)
        if k < 0:
            continue
        count, gap = _walk(surface, f, k, nx, ny, nz, level, stamp, scratch)
        if count < 3:
            continue
        section = _measure(scratch.trial_points, count, px, py, pz, nx, ny, nz, gap)
        value = section.area
        if not section.enclosed:
            value = _distance(section.x - px, section.y - py, section.z - pz)
        if section.enclosed == best.enclosed and value >= rank:
            continue
        if best.enclosed and not section.enclosed:
            continue
        best, rank = section, value
        for i in range(count):  # slices would take seconds to compile
            scratch.points[i, 0] = scratch.trial_points[i, 0]
            scratch.points[i, 1] = scratch.trial_points[i, 1]
            scratch.points[i, 2] = scratch.trial_points[i, 2]
            scratch.faces[i] = scratch.trial_faces[i]
    return best


@kernel
def _distance(x: float, y: float, z: float) -> float:
    return math.sqrt(x * x + y * y + z * z)


@kernel
def _height(surface: Surface, v: int, nx: float, ny: float, nz: float, level: float) -> float:
    """Give a vertex' height over the plane; below it if negative."""
    return (
        surface.vertices[v, 0] * nx + surface.vertices[v, 1] * ny + surface.vertices[v, 2] * nz
    ) - level


@kernel
def _out_edge(surface: Surface, f: int, nx: float, ny: float, nz: float, level: float) -> int:
    """Give the edge on which face f's perimeter comes up through the plane, -1 if none does."""
    a = _height(surface, surface.faces[f, 0], nx, ny, nz, level) < 0.0
    b = _height(surface, surface.faces[f, 1], nx, ny, nz, level) < 0.0
    c = _height(surface, surface.faces[f, 2], nx, ny, nz, level) < 0.0
    if a and not b:
        return 0
    if b and not c:
        return 1
    return 2 if c and not a else -1


@kernel
def _in_edge(surface: Surface, f: int, nx: float, ny: float, nz: float, level: float) -> int:
    """Give the edge on which face f's perimeter goes down through the plane, -1 if none does."""
    a = _height(surface, surface.faces[f, 0], nx, ny, nz, level) < 0.0
    b = _height(surface, surface.faces[f, 1], nx, ny, nz, level) < 0.0
    c = _height(surface, surface.faces[f, 2], nx, ny, nz, level) < 0.0
    if b and not a:
        return 0
    if c and not b:
        return 1
    return 2 if a and not c else -1


@kernel
def _put(
    surface: Surface, f: int, k: int, nx: float, ny: float, nz: float, level: float,
    count: int, scratch: SectionScratch,
) -> int:  # fmt: skip
    """Write the point where edge k of face f meets the plane; return the new count."""
    i, j = surface.faces[f, k], surface.faces[f, (k + 1) % 3]
    if i > j:
        i, j = j, i
    low = _height(surface, i, nx, ny, nz, level)
    high = _height(surface, j, nx, ny, nz, level)
    t = low / (low - high)
    for axis in range(3):
        start = surface.vertices[i, axis]
        scratch.trial_points[count, axis] = start + t * (surface.vertices[j, axis] - start)
    scratch.trial_faces[count] = f
    return count + 1


@kernel
def _walk(
    surface: Surface, f: int, k: int, nx: float, ny: float, nz: float, level: float,
    stamp: int, scratch: SectionScratch,
) -> tuple[int, float]:  # fmt: skip
    """Follow the loop through face f's out crossing on edge k; return its points and its gap.

    (0, 0) if it is too long for the scratch.
    """
    count, gap = 0, 0.0
    while scratch.face_stamp[f] != stamp:
        scratch.face_stamp[f] = stamp
        if count + 2 > LONGEST_SECTION:
            return 0, 0.0
        count = _put(surface, f, k, nx, ny, nz, level, count, scratch)
        k = _in_edge(surface, f, nx, ny, nz, level)
        g = surface.neighbours[f, k]
        if g >= 0:
            f, k = g, edge_from(surface.faces, g, surface.faces[f, (k + 1) % 3])
            continue
        count = _put(surface, f, k, nx, ny, nz, level, count, scratch)
        f, k = _along_border(surface, f, k, nx, ny, nz, level)
        here = count - 1
        count = _put(surface, f, k, nx, ny, nz, level, count, scratch)
        gap += _distance(
            scratch.trial_points[count - 1, 0] - scratch.trial_points[here, 0],
            scratch.trial_points[count - 1, 1] - scratch.trial_points[here, 1],
            scratch.trial_points[count - 1, 2] - scratch.trial_points[here, 2],
        )
        count -= 1  # the next turn of the loop, or the first one, wrote or writes it
    return count, gap


@kernel
def _along_border(
    surface: Surface, f: int, k: int, nx: float, ny: float, nz: float, level: float
) -> tuple[int, int]:
    """Follow the mesh's border below the plane to the open half-edge on which it comes up."""
    for _ in range(3 * surface.faces.shape[0]):
        f, k = next_open_edge(surface, f, k)
        low = _height(surface, surface.faces[f, k], nx, ny, nz, level)
        high = _height(surface, surface.faces[f, (k + 1) % 3], nx, ny, nz, level)
        if low < 0.0 and high >= 0.0:
            break
    return f, k


@kernel
def _measure(
    points: Floats, count: int, px: float, py: float, pz: float, nx: float, ny: float, nz: float,
    gap: float,
) -> Section:  # fmt: skip
    """Measure a closed polygon in the plane, with coordinates about the point."""
    ux, uy, uz, vx, vy, vz = _plane_axes(nx, ny, nz)
    doubled, first_u, first_v, perimeter = 0.0, 0.0, 0.0, 0.0
    winding = 0
    last = count - 1
    x, y, z = points[last, 0] - px, points[last, 1] - py, points[last, 2] - pz
    a, b = x * ux + y * uy + z * uz, x * vx + y * vy + z * vz
    for i in range(count):
        x, y, z = points[i, 0] - px, points[i, 1] - py, points[i, 2] - pz
        c, d = x * ux + y * uy + z * uz, x * vx + y * vy + z * vz
        turn = a * d - b * c
        doubled += turn
        first_u += turn * (a + c)
        first_v += turn * (b + d)
        perimeter += math.sqrt((c - a) * (c - a) + (d - b) * (d - b))
        if (b < 0.0) != (d < 0.0):
            if b < 0.0 and turn > 0.0:
                winding += 1
            elif b >= 0.0 and turn < 0.0:
                winding -= 1
        a, b = c, d
    cu = first_u / (3.0 * doubled) if doubled != 0.0 else 0.0
    cv = first_v / (3.0 * doubled) if doubled != 0.0 else 0.0
    return Section(
        count,
        winding != 0,
        0.5 * abs(doubled),
        px + cu * ux + cv * vx,
        py + cu * uy + cv * vy,
        pz + cu * uz + cv * vz,
        perimeter,
        doubled < 0.0,
        gap,
    )


@kernel
def _plane_axes(nx: float, ny: float, nz: float) -> tuple[float, float, float, float, float, float]:
    """Give two unit vectors that make a right-handed frame with the unit normal."""
    # Frisvad (2012) with the sign of Duff et al. (2017), "Building an orthonormal basis".
    sign = math.copysign(1.0, nz)
    a = -1.0 / (sign + nz)
    b = nx * ny * a
    return 1.0 + sign * nx * nx * a, sign * b, -sign * nx, b, sign + ny * ny * a, -ny
