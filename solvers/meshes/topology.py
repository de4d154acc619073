"""Owns what a triangle mesh is: corners, faces, and which face lies across which edge."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

OPEN = -1
"""The neighbour across an edge that only one face has."""


class MeshError(ValueError):
    """Numbers that are no usable mesh: the value, the rule it broke, and what to do."""


@dataclass(frozen=True, slots=True)
class Mesh:
    """A manifold, consistently oriented triangle mesh, open or closed.

    Arrays are C-contiguous, and read-only by agreement. Metres, in the object's own frame.
    """

    vertices: Floats
    """(V, 3) m."""
    faces: Ints
    """(F, 3) indices of vertices, counter-clockwise as seen from outside."""
    neighbours: Ints
    """(F, 3) the face across edge k, from faces[f, k] to faces[f, (k + 1) % 3]; or OPEN."""
    normals: Floats
    """(F, 3) unit, outward."""
    areas: Floats
    """(F,) m²."""

    @property
    def watertight(self) -> bool:
        """Whether there is no open edge."""
        return bool((self.neighbours != OPEN).all())


def build_mesh(vertices: npt.ArrayLike, faces: npt.ArrayLike) -> Mesh:
    """Find the neighbours and normals of a mesh that is clean already (``clean`` makes it so).

    vertices (V, 3) m, faces (F, 3) indices, counter-clockwise from outside. Raises MeshError for
    anything else than finite corners, faces of three different vertices with an area, and edges of
    at most two faces that run along it in opposite directions.
    """
    points, corners = checked_arrays(vertices, faces)
    if (np.roll(corners, -1, axis=1) == corners).any():
        raise MeshError("a face has the same vertex twice; clean the mesh first")
    neighbours = find_neighbours(corners, len(points))
    normals, areas = face_normals(points, corners)
    if not (areas > 0.0).all():
        flat = int(np.argmin(areas > 0.0))
        raise MeshError(f"face {flat} has no area; clean the mesh first")
    return Mesh(points, corners, neighbours, normals, areas)


def checked_arrays(vertices: npt.ArrayLike, faces: npt.ArrayLike) -> tuple[Floats, Ints]:
    """Return (V, 3) float64 and (F, 3) int32, contiguous and writeable; raises MeshError.

    They are copies only where the input is none of that: kernels are compiled once more for
    arrays that are read-only or laid out otherwise.
    """
    points, corners = _as_numbers(vertices, "vertices"), _as_numbers(faces, "faces")
    if not len(points) or not len(corners):
        raise MeshError(
            f"a mesh of {len(points):,} vertices and {len(corners):,} faces is empty, and at least "
            "one triangle is needed; export the object as triangles"
        )
    if len(points) > np.iinfo(np.int32).max or 3 * len(corners) > np.iinfo(np.int32).max:
        raise MeshError(
            f"{len(corners):,} faces are more than indices of 32 bits reach; reduce its polygons"
        )
    points = np.require(points, np.float64, ["C", "W"])
    finite = np.isfinite(points).all(axis=1)
    if not finite.all():
        raise MeshError(
            f"{int((~finite).sum()):,} of {len(points):,} vertices are not finite numbers (the "
            f"first is vertex {int(np.argmin(finite))}); export the mesh again"
        )
    if corners.dtype.kind not in "iu":
        raise MeshError(f"faces are indices, whole numbers, and these are {corners.dtype}")
    low, high = int(corners.min()), int(corners.max())
    if low < 0 or high >= len(points):
        raise MeshError(
            f"a face names vertex {low if low < 0 else high}, and there are {len(points):,} "
            "(counted from 0); the file is damaged, so export the mesh again"
        )
    return points, np.require(corners, np.int32, ["C", "W"])


def _as_numbers(values: npt.ArrayLike, what: str) -> npt.NDArray[np.generic]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise MeshError(f"{what} must be rows of three numbers, and these rows differ") from None
    if array.size == 0:
        return np.empty((0, 3), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in "iuf":
        raise MeshError(
            f"{what} must be rows of three numbers, and these are {array.dtype} {array.shape}"
        )
    return array


def find_neighbours(faces: Ints, vertex_count: int) -> Ints:
    """Return (F, 3): the face across every edge, or OPEN.

    Raises MeshError for an edge with more than two faces, or with two that run along it in the
    same direction.
    """
    starts = faces.ravel().astype(np.int64)
    ends = np.roll(faces, -1, axis=1).ravel().astype(np.int64)
    keys = np.minimum(starts, ends) * vertex_count + np.maximum(starts, ends)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    same = ordered[1:] == ordered[:-1]
    if (same[1:] & same[:-1]).any():
        raise MeshError("an edge has more than two faces; clean the mesh first")
    first, second = order[:-1][same], order[1:][same]
    if (starts[first] == starts[second]).any():
        raise MeshError("two faces at an edge are turned opposite ways; clean the mesh first")
    neighbours = np.full(faces.size, OPEN, dtype=np.int32)
    neighbours[first] = second // 3
    neighbours[second] = first // 3
    return neighbours.reshape(-1, 3)


def face_normals(vertices: Floats, faces: Ints) -> tuple[Floats, Floats]:
    """Return unit normals (F, 3) and areas (F,) in m²; without area the normal is all zeros."""
    corner = vertices[faces[:, 0]]
    normals = np.cross(vertices[faces[:, 1]] - corner, vertices[faces[:, 2]] - corner)
    doubled = np.sqrt(np.einsum("ij,ij->i", normals, normals))
    normals /= np.where(doubled > 0.0, doubled, 1.0)[:, None]
    return normals, 0.5 * doubled
