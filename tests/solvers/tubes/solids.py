"""Owns meshes that are carved: boolean operations on solids, and level sets of distances."""

from collections.abc import Callable, Sequence

import manifold3d
import numpy as np
from manifold3d import CrossSection, Manifold
from numpy.typing import NDArray

from tests.solvers.tubes.sweeps import Faces, MeshArrays, Points, fair_radius

Solid = Manifold


def solid_of(arrays: MeshArrays) -> Solid:
    """A solid with this closed surface."""
    vertices, faces = arrays
    made = Manifold(
        manifold3d.Mesh64(
            vert_properties=np.ascontiguousarray(vertices, dtype=np.float64),
            tri_verts=np.ascontiguousarray(faces, dtype=np.uint64),
        )
    )
    assert not made.is_empty(), made.status()
    return made


def arrays_of(solid: Solid) -> MeshArrays:
    """The solid's surface."""
    made = solid.to_mesh64()
    faces: Faces = np.array(made.tri_verts, dtype=np.int32)
    points: Points = np.array(made.vert_properties, dtype=np.float64)[:, :3]
    return np.ascontiguousarray(points), np.ascontiguousarray(faces)


def rod(radius_m: float, low_m: float, high_m: float, sides: int = 64) -> Solid:
    """A cylinder about z, of the circle's area."""
    corner = fair_radius(radius_m, sides)
    return Manifold.cylinder(high_m - low_m, corner, corner, sides).translate((0.0, 0.0, low_m))


def block(size: Sequence[float]) -> Solid:
    """A box about the origin."""
    return Manifold.cube(tuple(size), True)


def ball(radius_m: float, sides: int = 64) -> Solid:
    """A ball about the origin."""
    return Manifold.sphere(radius_m, sides)


def lathe(outline: Sequence[Sequence[float]], sides: int = 96) -> Solid:
    """A polygon of (radius, height) turned about z."""
    return Manifold.revolve(CrossSection([np.asarray(outline, dtype=float)]), sides)


def level_set(
    distance: Callable[[float, float, float], float],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    edge_m: float,
) -> MeshArrays:
    """The surface where ``distance`` (positive inside) is zero, of even triangles."""
    box = [*low.tolist(), *high.tolist()]
    return arrays_of(Manifold.level_set(distance, box, edge_m))
