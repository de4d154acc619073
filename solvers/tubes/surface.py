"""Owns a mesh as kernels take it, and how one goes about on it: over edges, along its border."""

from typing import NamedTuple

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.topology import Mesh
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Flags = NDArray[np.bool_]

PEG = -2
"""Owner of faces, to whom follows another tube: they are of one so much thinner that this one
passes it by, as if it were not there."""


class Surface(NamedTuple):
    """The arrays of a mesh, as kernels take them (see ``Mesh``)."""

    vertices: Floats  # (V, 3) m
    faces: Indices  # (F, 3)
    neighbours: Indices  # (F, 3), -1 where open
    normals: Floats  # (F, 3)
    links: Indices
    """(F, 8): a face's vertices, its neighbours, which of its corners it owns as bits 0-2 (every
    vertex is owned by the first face that has it), and nothing; in one place, for the cache."""


def surface_of(mesh: Mesh) -> Surface:
    """Give a mesh's arrays for kernels; all but ``links`` are the mesh's own."""
    corners = mesh.faces.size
    owner = np.empty(len(mesh.vertices), np.int64)
    owner[mesh.faces.ravel()[::-1]] = np.arange(corners)[::-1]
    owns = owner[mesh.faces.ravel()] == np.arange(corners)
    links = np.zeros((len(mesh.faces), 8), np.int32)
    links[:, :3] = mesh.faces
    links[:, 3:6] = mesh.neighbours
    links[:, 6] = owns.reshape(-1, 3) @ (1, 2, 4)
    return Surface(mesh.vertices, mesh.faces, mesh.neighbours, mesh.normals, links)


@kernel
def is_over_face(surface: Surface, f: int, x: float, y: float, z: float) -> bool:
    """Tell whether the foot of a point in the plane of face f is in the face."""
    for k in range(3):
        a, b = surface.faces[f, k], surface.faces[f, (k + 1) % 3]
        ex = surface.vertices[b, 0] - surface.vertices[a, 0]
        ey = surface.vertices[b, 1] - surface.vertices[a, 1]
        ez = surface.vertices[b, 2] - surface.vertices[a, 2]
        px = x - surface.vertices[a, 0]
        py = y - surface.vertices[a, 1]
        pz = z - surface.vertices[a, 2]
        left = (
            surface.normals[f, 0] * (ey * pz - ez * py)
            + surface.normals[f, 1] * (ez * px - ex * pz)
            + surface.normals[f, 2] * (ex * py - ey * px)
        )
        if left < 0.0:
            return False
    return True


@kernel
def edge_from(faces: Indices, f: int, v: int) -> int:
    """Give the number of face f's edge that starts at its vertex v."""
    if faces[f, 0] == v:
        return 0
    return 1 if faces[f, 1] == v else 2


@kernel
def next_open_edge(surface: Surface, f: int, k: int) -> tuple[int, int]:
    """Give the open half-edge (face, edge) that follows the open half-edge (f, k) on its border."""
    k = (k + 1) % 3
    for _ in range(surface.faces.shape[0]):
        g = surface.neighbours[f, k]
        if g < 0:
            break
        k = (edge_from(surface.faces, g, surface.faces[f, (k + 1) % 3]) + 1) % 3
        f = g
    return f, k
