"""Owns the soft shade in creases: how much of the sky each vertex sees, baked into its colour."""

import numpy as np

from client_web.avatars.bake.arrays import Floats
from client_web.avatars.bake.mesh import Mesh, smooth, unit

DIRECTIONS = 48
SAMPLES_PER_CELL = 2.0
# A surface shades itself only from further away than this many cells.
BIAS_CELLS = 2.5


def directions(count: int) -> Floats:
    """Unit vectors (count, 3) spread evenly over the sphere, on a golden spiral."""
    step = np.arange(count) + 0.5
    height = 1 - 2 * step / count
    turn = np.pi * (1 + 5**0.5) * step
    level = np.sqrt(1 - height**2)
    return np.stack([np.cos(turn) * level, height, np.sin(turn) * level], axis=1)


def scattered(mesh: Mesh, cell_m: float) -> Floats:
    """Points (p, 3) all over a mesh, several to each cell's area; the same every time."""
    chance = np.random.default_rng(1)
    area = np.linalg.norm(mesh.area_normals(), axis=1) / 2
    counts = np.ceil(area * SAMPLES_PER_CELL / cell_m**2).astype(int)
    triangle = np.repeat(mesh.triangles, counts, axis=0)
    first, second = chance.random((2, len(triangle), 1))
    over = first + second > 1
    first, second = np.where(over, 1 - first, first), np.where(over, 1 - second, second)
    a, b, c = (mesh.points[triangle[:, corner]] for corner in range(3))
    return a + first * (b - a) + second * (c - a)


def openness(mesh: Mesh, around: Mesh, cell_m: float) -> Floats:
    """How much of the sky before its surface each vertex (n,) sees past ``around``: 0…1.

    Each direction is one depth map: what lies nearest to the sky in each cell hides the rest.
    """
    points, normals = mesh.points, mesh.columns["normal"]
    samples = scattered(around, cell_m)
    seen, total = np.zeros(len(points)), np.full(len(points), 1e-9)
    for direction in directions(DIRECTIONS):
        weight = np.maximum(normals @ direction, 0.0)
        aside = unit(np.cross(direction, [[0.31, 0.77, 0.56]]))[0]
        plane = np.stack([aside, np.cross(direction, aside)], axis=1)
        flat = samples @ plane
        corner = flat.min(0)
        cells = ((flat - corner) / cell_m).astype(int)
        width = cells.max(0) + 1
        nearest = np.full(width[0] * width[1], -np.inf)
        np.maximum.at(nearest, cells[:, 0] * width[1] + cells[:, 1], samples @ direction)
        mine = np.clip(((points @ plane - corner) / cell_m).astype(int), 0, width - 1)
        hidden = nearest[mine[:, 0] * width[1] + mine[:, 1]]
        seen += weight * (points @ direction > hidden - BIAS_CELLS * cell_m)
        total += weight
    return seen / total


def shaded(mesh: Mesh, seen: Floats, strength: float) -> Mesh:
    """The mesh with its colour darkened where little of the sky is seen (n,)."""
    seen = smooth(mesh, seen[:, None], 2)[:, 0]
    shade = 1 - strength * (1 - np.minimum(1.0, 1.25 * seen)) ** 1.2
    return mesh.with_columns(colour=mesh.columns["colour"] * shade[:, None])
