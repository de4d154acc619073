"""Owns the levels of detail: the same parts with fewer triangles, by meshoptimizer."""

import ctypes

import meshoptimizer
import numpy as np

from client_web.avatars.bake.arrays import Floats
from client_web.avatars.bake.mesh import Mesh

NORMAL_WEIGHT = 0.02
COLOUR_WEIGHT = 0.05
ANY_ERROR = 1e9


def welded(mesh: Mesh) -> Mesh:
    """The mesh with equal vertices made one."""
    table = np.concatenate([np.round(values, 6) for values in mesh.columns.values()], axis=1)
    _, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
    triangles = inverse.reshape(-1)[mesh.triangles]
    keep = (triangles != np.roll(triangles, 1, axis=1)).all(1)
    columns = {name: values[first] for name, values in mesh.columns.items()}
    return Mesh(triangles, columns).select(keep)


def simplified(mesh: Mesh, triangles: int, bent: Floats) -> Mesh:
    """The mesh with about so many triangles. ``bent`` (n, 3): the vertices in another pose.

    An error in the bent pose counts as much as one in the T-pose, so that joints keep the
    vertices that they need for bending.
    """
    if len(mesh.triangles) <= triangles:
        return mesh
    points = np.ascontiguousarray(mesh.points, np.float32)
    extent = float(np.ptp(points, axis=0).max())
    columns = [mesh.columns["normal"], mesh.columns["colour"], bent]
    attributes = np.ascontiguousarray(np.concatenate(columns, axis=1), np.float32)
    weights = np.array(
        [NORMAL_WEIGHT / extent] * 3 + [COLOUR_WEIGHT / extent] * 3 + [0.7 / extent] * 3, np.float32
    )
    indices = mesh.triangles.ravel().astype(np.uint32)
    out = np.zeros(len(indices), np.uint32)
    used = meshoptimizer.simplify_with_attributes(
        out,
        indices,
        points,
        attributes,
        weights,
        # The wrapper hands numbers on to C as they are: each must be one of C's, of full width.
        index_count=ctypes.c_size_t(len(indices)),
        vertex_count=ctypes.c_size_t(len(points)),
        vertex_positions_stride=ctypes.c_size_t(points.strides[0]),
        vertex_attributes_stride=ctypes.c_size_t(attributes.strides[0]),
        attribute_count=ctypes.c_size_t(len(weights)),
        target_index_count=ctypes.c_size_t(3 * triangles),
        target_error=ctypes.c_float(ANY_ERROR),
        options=ctypes.c_uint(0),
    )
    reduced = Mesh(out[:used].astype(np.int64).reshape(-1, 3), mesh.columns)
    return reduced.select(np.ones(len(reduced.triangles), dtype=bool))
