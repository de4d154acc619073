"""Owns what may be done to a mesh that must not change what is found: motion, noise, meshing."""

import numpy as np
from scipy.spatial.transform import Rotation

from tests.solvers.tubes.solids import arrays_of, solid_of
from tests.solvers.tubes.sweeps import Faces, MeshArrays, Points


def moved(arrays: MeshArrays, seed: int, reach_m: float = 1.0) -> MeshArrays:
    """Turned at random and pushed away."""
    random = np.random.default_rng(seed)
    turn = Rotation.from_quat(random.normal(size=4)).as_matrix()
    return arrays[0] @ turn.T + random.uniform(-reach_m, reach_m, size=3), arrays[1]


def mirrored(arrays: MeshArrays) -> MeshArrays:
    """In a mirror across x = 0; faces are turned so that they still look outwards."""
    return arrays[0] * (-1.0, 1.0, 1.0), np.ascontiguousarray(arrays[1][:, ::-1])


def scaled(arrays: MeshArrays, factor: float) -> MeshArrays:
    """Larger or smaller."""
    return arrays[0] * factor, arrays[1]


def noisy(arrays: MeshArrays, deviation_m: float, seed: int) -> MeshArrays:
    """Every vertex pushed by normal noise of this standard deviation along each axis."""
    random = np.random.default_rng(seed)
    return arrays[0] + random.normal(scale=deviation_m, size=arrays[0].shape), arrays[1]


def shuffled(arrays: MeshArrays, seed: int) -> MeshArrays:
    """The same surface with vertices, faces and corners of faces in another order."""
    vertices, faces = arrays
    random = np.random.default_rng(seed)
    order = random.permutation(len(vertices))
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    faces = place[faces][random.permutation(len(faces))]
    turns = random.integers(0, 3, size=len(faces))
    corners = (np.arange(3)[None, :] + turns[:, None]) % 3
    return vertices[order], np.take_along_axis(faces, corners, axis=1).astype(np.int32)


def finer(arrays: MeshArrays, edge_m: float) -> MeshArrays:
    """Faces split till no edge is longer; the surface stays where it is."""
    return arrays_of(solid_of(arrays).refine_to_length(edge_m))


def thinned(arrays: MeshArrays, tolerance_m: float) -> MeshArrays:
    """As few faces as the tolerance allows: large and thin triangles beside small ones."""
    return arrays_of(solid_of(arrays).simplify(tolerance_m))


def quartered(arrays: MeshArrays) -> MeshArrays:
    """Every face in four."""
    return arrays_of(solid_of(arrays).refine(2))


def soup(arrays: MeshArrays) -> MeshArrays:
    """Every face with vertices of its own, as STL files have them."""
    vertices, faces = arrays
    apart: Points = vertices[faces.reshape(-1)]
    alone: Faces = np.arange(len(apart), dtype=np.int32).reshape(-1, 3)
    return apart, alone
