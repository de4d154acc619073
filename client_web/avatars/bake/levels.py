"""Owns the levels of detail: the same parts with fewer triangles, by meshoptimizer."""

import ctypes

import meshoptimizer
import numpy as np

from client_web.avatars.bake.arrays import Floats
from client_web.avatars.bake.body import Body
from client_web.avatars.bake.mesh import Mesh
from client_web.avatars.bake.pose import posed
from client_web.avatars.bake.rig import FINGERS, PHALANGES, SIDES

NORMAL_WEIGHT = 0.02
COLOUR_WEIGHT = 0.12
ANY_ERROR = 1e9


def welded(mesh: Mesh) -> Mesh:
    """The mesh with equal vertices made one."""
    table = np.concatenate([np.round(values, 6) for values in mesh.columns.values()], axis=1)
    _, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
    triangles = inverse.reshape(-1)[mesh.triangles]
    keep = (triangles != np.roll(triangles, 1, axis=1)).all(1)
    columns = {name: values[first] for name, values in mesh.columns.items()}
    return Mesh(triangles, columns).select(keep)


def bends(body: Body) -> Floats:
    """World rotations (bones, 3, 3) with every elbow, knee and finger bent."""
    skeleton = body.skeleton
    own = np.zeros((len(skeleton.names), 3))
    for (_, side), sign in zip(SIDES, (1.0, -1.0), strict=True):
        own[skeleton.index(f"{side}LowerArm")] = (0.0, -1.4 * sign, 0.0)
        own[skeleton.index(f"{side}UpperArm")] = (0.0, 0.0, -1.1 * sign)
        own[skeleton.index(f"{side}LowerLeg")] = (1.2, 0.0, 0.0)
        own[skeleton.index(f"{side}UpperLeg")] = (-1.2, 0.0, 0.0)
        for _, finger in FINGERS:
            for part in PHALANGES:
                own[skeleton.index(f"{side}{finger}{part}")] = (0.0, 0.0, -1.0 * sign)
    turns = rotations(own)
    for bone, parent in enumerate(skeleton.parents):
        if parent >= 0:
            turns[bone] = turns[parent] @ turns[bone]
    return turns


def rotations(vectors: Floats) -> Floats:
    """Rotation vectors (n, 3) as matrices (n, 3, 3), after Rodrigues."""
    angle = np.linalg.norm(vectors, axis=1)[:, None, None]
    x, y, z = (vectors / np.maximum(angle[:, 0], 1e-12)).T
    none = np.zeros_like(x)
    cross = np.array([[none, -z, y], [z, none, -x], [-y, x, none]]).transpose(2, 0, 1)
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def skinned(body: Body, mesh: Mesh, turns: Floats) -> Floats:
    """Where the mesh's vertices go (n, 3) with the bones turned by world rotations."""
    after = posed(body.skeleton, turns)
    shift = after.heads - np.einsum("bij,bj->bi", turns, body.skeleton.heads)
    weights = mesh.columns["weights"]
    matrices = np.einsum("nb,bij->nij", weights, turns)
    return np.einsum("nij,nj->ni", matrices, mesh.points) + weights @ shift


def simplified(mesh: Mesh, triangles: int, body: Body) -> Mesh:
    """The mesh with about so many triangles.

    An error in a bent pose counts as much as one in the T-pose, so that joints keep the vertices
    that they need for bending.
    """
    if len(mesh.triangles) <= triangles:
        return mesh
    points = np.ascontiguousarray(mesh.points, np.float32)
    extent = float(np.ptp(points, axis=0).max())
    bent = skinned(body, mesh, bends(body))
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
