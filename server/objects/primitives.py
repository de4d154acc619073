"""Owns the triangles of the plain solids that a smart object may be made of."""

# trimesh types what it makes as unknown
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false

from typing import Any

import numpy as np
import trimesh.creation as creation
from armspan.protocol.objects import Box, Capsule, Cylinder, Sphere, Torus
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Solid = Box | Sphere | Cylinder | Capsule | Torus

_ROUND = 96  # sides of a circle: flat by 0.05 % of its radius
_SPHERE_SPLITS = 4  # of an icosahedron's edges in two
_Y_FROM_Z = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])  # axis Z becomes Y


def triangles(solid: Solid, sides: int = _ROUND) -> tuple[Floats, Ints]:
    """Vertices (V, 3) m in the solid's own frame, and faces (F, 3) counter-clockwise.

    A round solid's vertices lie on it, and its circles have so many ``sides``. Mesh files are
    read, not made (``mesh_files.py``).
    """
    made: Any
    if isinstance(solid, Box):
        made = creation.box(solid.size_m)
        return _arrays(made.vertices, made.faces)
    if isinstance(solid, Sphere):
        made = creation.icosphere(_SPHERE_SPLITS, solid.radius_m)
        return _arrays(made.vertices, made.faces)
    if isinstance(solid, Cylinder):
        made = creation.cylinder(solid.radius_m, solid.length_m, sections=sides)
    elif isinstance(solid, Capsule):
        made = creation.capsule(solid.length_m, solid.radius_m, count=[sides // 2, sides])
    else:
        made = creation.torus(solid.radius_m, solid.tube_radius_m, sides, sides // 2)
    vertices = np.asarray(made.vertices) @ _Y_FROM_Z.T
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    return _arrays(vertices - middle * [0.0, 1.0, 0.0], made.faces)


def tube_triangles(points: Floats, radii: Floats) -> tuple[Floats, Ints]:
    """A tube round an axis (K, 3) with radii (K,), m: a capsule for every step of the axis."""
    vertices: list[Floats] = []
    faces: list[Ints] = []
    count = 0
    for a, b, radius in zip(points[:-1], points[1:], radii, strict=False):
        length = float(np.linalg.norm(b - a))
        if length == 0.0:
            continue
        own, corners = triangles(Capsule(float(radius), length))
        up = (b - a) / length
        side = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
        side /= np.linalg.norm(side)
        axes = np.stack([side, up, np.cross(side, up)])
        vertices.append(own @ axes + 0.5 * (a + b))
        faces.append(corners + np.int32(count))
        count += len(own)
    return np.vstack(vertices), np.vstack(faces)


def _arrays(vertices: Any, faces: Any) -> tuple[Floats, Ints]:
    return (
        np.ascontiguousarray(vertices, dtype=np.float64),
        np.ascontiguousarray(faces, dtype=np.int32),
    )
