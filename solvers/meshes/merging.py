"""Owns telling which vertices are at one place: files of triangles name every corner anew."""

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.topology import Floats, Ints


def merge_vertices(vertices: Floats, tolerance_m: float) -> Ints:
    """Return, for every vertex (V, 3), the first one at its place: (V,) int32.

    A vertex joins the nearest earlier one within the tolerance that stands for others; if there is
    none it stands for itself. So nothing moves by more than the tolerance, however many vertices
    form a chain, and the same input always gives the same answer. Linear in V.
    """
    leaders = np.empty(len(vertices), dtype=np.int32)
    heads = np.full(2 * len(vertices) + 1, -1, dtype=np.int32)
    following = np.empty(len(vertices), dtype=np.int32)
    lowest = vertices.min(axis=0)
    _merge(vertices, lowest, tolerance_m, heads, following, leaders)
    return leaders


@kernel
def _bucket(ix: int, iy: int, iz: int, size: int) -> int:
    """Scatter a cell; cells are below 2^21, so nothing overflows 64 bits."""
    mixed = (ix * 73856093) ^ (iy * 19349663) ^ (iz * 83492791)
    return (mixed ^ (mixed >> 15)) % size


@kernel
def _merge(
    vertices: Floats,
    lowest: Floats,
    tolerance_m: float,
    heads: Ints,
    following: Ints,
    leaders: Ints,
) -> None:
    """Chain those who stand for others by a hash of their cell, two tolerances wide.

    A ball of one tolerance about a vertex then reaches into the nearer neighbour along each axis
    and no further: eight cells. Those who stand for others are more than a tolerance apart, so no
    cell holds many.
    """
    size = len(heads)
    per_cell = 0.5 / tolerance_m
    for v in range(len(vertices)):
        x, y, z = vertices[v, 0], vertices[v, 1], vertices[v, 2]
        gx, gy, gz = (
            (x - lowest[0]) * per_cell,
            (y - lowest[1]) * per_cell,
            (z - lowest[2]) * per_cell,
        )
        ix, iy, iz = int(gx), int(gy), int(gz)
        own = _bucket(ix, iy, iz, size)
        best = -1
        other = heads[own]
        while other >= 0:
            if vertices[other, 0] == x and vertices[other, 1] == y and vertices[other, 2] == z:
                best = other
                break
            other = following[other]
        if best < 0:
            nearest = tolerance_m * tolerance_m
            sx = 1 if gx - ix >= 0.5 else -1
            sy = 1 if gy - iy >= 0.5 else -1
            sz = 1 if gz - iz >= 0.5 else -1
            for step in range(8):
                jx = ix + sx * (step & 1)
                jy = iy + sy * ((step >> 1) & 1)
                jz = iz + sz * (step >> 2)
                if jx < 0 or jy < 0 or jz < 0:
                    continue
                other = heads[_bucket(jx, jy, jz, size)]
                while other >= 0:
                    dx, dy, dz = (
                        vertices[other, 0] - x,
                        vertices[other, 1] - y,
                        vertices[other, 2] - z,
                    )
                    square = dx * dx + dy * dy + dz * dz
                    if square < nearest or (square == nearest and other < best):
                        nearest = square
                        best = other
                    other = following[other]
        if best < 0:
            best = v
            following[v] = heads[own]
            heads[own] = v
        leaders[v] = best
