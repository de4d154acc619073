"""Owns the points of a surface at which spheres are tried: about evenly spread, whatever the mesh.

A sphere at every vertex would cost the square of the number of faces. Points at a fixed share of
the radius cost (area / radius^2) spheres of (radius^2 / area) faces each: linear in the faces.
"""

import math
from dataclasses import dataclass

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.topology import Mesh
from armspan.solvers.tubes.surface import Surface, surface_of
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Flags = NDArray[np.bool_]

SPACING = 0.25
"""Distance between samples, as a share of the radius."""
MAX_SAMPLES = 1_000_000
"""A radius far below the mesh's own detail gets samples farther apart than that."""
_MOST_IN_ROW = 1e9  # keeps counts within 64 bits


@dataclass(frozen=True, slots=True)
class Samples:
    """Points on a surface, in the order of the faces they lie on."""

    points: Floats  # (N, 3) m
    faces: Indices  # (N,)


def sample_surface(
    mesh: Mesh,
    radius_m: float,
    taken: Flags | None = None,
    *,
    spacing: float = SPACING,
    surface: Surface | None = None,
) -> Samples:
    """Spread points over the surface where a tube may be that a sphere of ``radius_m`` shows.

    No face of such a tube is more than a diameter wide across its longest edge, for the sphere
    must hold the whole section; wider faces get none, so the number does not explode on large
    flat triangles. ``taken`` (F,) marks faces without samples. No two samples whose faces look to
    the same side are nearer to each other than ``spacing`` radii: both sides of a thin wall have
    theirs. Which ones are kept depends on distances and on the order of faces only, so a mesh
    that is moved or mirrored keeps its samples. ``surface`` spares making the mesh's again.
    """
    if surface is None:
        surface = surface_of(mesh)
    blocked = np.zeros(len(mesh.faces), np.bool_) if taken is None else taken
    spacing *= radius_m
    while True:
        count = _count_candidates(surface, mesh.areas, blocked, 2.0 * radius_m, spacing)
        if count <= 2 * MAX_SAMPLES:
            break
        spacing *= max(math.sqrt(count / (2 * MAX_SAMPLES)), 1.1)
    points, faces = np.empty((count, 3)), np.empty(count, np.int32)
    _fill_candidates(surface, mesh.areas, blocked, 2.0 * radius_m, spacing, points, faces)
    slots = 1 << max(2 * count - 1, 1).bit_length()
    heads, after = np.full(slots, -1, np.int32), np.empty(count, np.int32)
    kept = _thin(points, faces, mesh.normals, spacing, heads, after)
    return Samples(points[:kept].copy(), faces[:kept].copy())


@kernel
def _rows(
    surface: Surface, f: int, area: float, widest: float, spacing: float
) -> tuple[int, float, int, int, int]:
    """Lay rows of points along a face's longest edge: their number, its length, and a, b, apex.

    The edge's ends a and b are in index order. No rows if the face is too wide.
    """
    longest, edge = -1.0, 0
    for k in range(3):
        a, b = surface.faces[f, k], surface.faces[f, (k + 1) % 3]
        dx = surface.vertices[b, 0] - surface.vertices[a, 0]
        dy = surface.vertices[b, 1] - surface.vertices[a, 1]
        dz = surface.vertices[b, 2] - surface.vertices[a, 2]
        square = dx * dx + dy * dy + dz * dz
        if square > longest:
            longest, edge = square, k
    length = math.sqrt(longest)
    height = 2.0 * area / length
    a, b = surface.faces[f, edge], surface.faces[f, (edge + 1) % 3]
    rows = math.ceil(height / spacing) if height <= widest else 0
    return rows, length, min(a, b), max(a, b), surface.faces[f, (edge + 2) % 3]


@kernel
def _in_row(row: int, rows: int, length: float, spacing: float) -> int:
    """Give the number of points in a row."""
    share = 1.0 - (row + 0.5) / rows
    return math.ceil(min(length * share / spacing, _MOST_IN_ROW))


@kernel
def _count_candidates(
    surface: Surface, areas: Floats, blocked: Flags, widest: float, spacing: float
) -> int:
    count = 0
    for f in range(surface.faces.shape[0]):
        if blocked[f]:
            continue
        rows, length, _, _, _ = _rows(surface, f, areas[f], widest, spacing)
        for row in range(rows):
            count += _in_row(row, rows, length, spacing)
    return count


@kernel
def _fill_candidates(
    surface: Surface,
    areas: Floats,
    blocked: Flags,
    widest: float,
    spacing: float,
    points: Floats,
    faces: Indices,
) -> None:
    count = 0
    for f in range(surface.faces.shape[0]):
        if blocked[f]:
            continue
        rows, length, a, b, c = _rows(surface, f, areas[f], widest, spacing)
        for row in range(rows):
            up = (row + 0.5) / rows
            places = _in_row(row, rows, length, spacing)
            for place in range(places):
                on = (1.0 - up) * ((place + 0.5) / places)
                for axis in range(3):
                    points[count, axis] = (
                        (1.0 - up - on) * surface.vertices[a, axis]
                        + on * surface.vertices[b, axis]
                        + up * surface.vertices[c, axis]
                    )
                faces[count] = f
                count += 1


@kernel
def _cell(i: int, j: int, k: int, slots: int) -> int:
    """Hash a cell of the grid; other cells with the same slot only cost time."""
    return ((i * 73856093) ^ (j * 19349663) ^ (k * 83492791)) & (slots - 1)


@kernel
def _thin(
    points: Floats, faces: Indices, normals: Floats, spacing: float, heads: Indices, after: Indices
) -> int:
    """Keep every point that no kept one before it is near to, in place; return their number."""
    over = 1.0 / spacing
    near = spacing * spacing
    slots = heads.shape[0]
    kept = 0
    for at in range(points.shape[0]):
        x, y, z = float(points[at, 0]), float(points[at, 1]), float(points[at, 2])
        f = faces[at]
        i, j, k = math.floor(x * over), math.floor(y * over), math.floor(z * over)
        free = True
        for di in range(-1, 2):
            for dj in range(-1, 2):
                for dk in range(-1, 2):
                    other = heads[_cell(i + di, j + dj, k + dk, slots)] if free else -1
                    while other >= 0:
                        dx, dy, dz = (
                            x - points[other, 0],
                            y - points[other, 1],
                            z - points[other, 2],
                        )
                        g = faces[other]
                        if (
                            dx * dx + dy * dy + dz * dz < near
                            and normals[f, 0] * normals[g, 0]
                            + normals[f, 1] * normals[g, 1]
                            + normals[f, 2] * normals[g, 2]
                            > 0.0
                        ):
                            free = False
                            break
                        other = after[other]
        if free:
            slot = _cell(i, j, k, slots)
            points[kept, 0], points[kept, 1], points[kept, 2] = x, y, z
            faces[kept] = f
            after[kept] = heads[slot]
            heads[slot] = kept
            kept += 1
    return kept
