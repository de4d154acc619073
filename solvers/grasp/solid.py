"""Owns an object as grasps see it: where its material is, its centre of mass, its size."""

from dataclasses import dataclass

import numpy as np
from armspan.solvers.grasp.site import Floats, GraspSite
from armspan.solvers.meshes.box_tree import Ints
from armspan.solvers.meshes.field import DistanceField, free_field
from armspan.solvers.meshes.measuring import build_field

_OPEN = 0.03  # of its area: with larger holes a mesh is a shell


@dataclass(frozen=True, eq=False)
class Solid:
    """``field``: the distance field. ``centre``: (3,) m, of mass.

    ``size_m``: the largest distance of the surface from the centre, which torques are measured by.
    """

    field: DistanceField
    centre: Floats
    size_m: float

    @classmethod
    def of_tube(cls, site: GraspSite) -> "Solid":
        """Make a solid of nothing but a site's tube, which a search has anyway: it has no field."""
        centre = site.points.mean(axis=0)
        off_m = float(np.linalg.norm(site.points - centre, axis=1).max())
        return cls(free_field(), centre, float(np.hypot(off_m, site.radii.max())))


def make_solid(
    vertices: Floats,
    faces: Ints,
    *,
    centre: Floats | None = None,
    low: Floats | None = None,
    high: Floats | None = None,
) -> Solid:
    """Make a solid of a mesh: vertices (V, 3) m, faces (F, 3); open ones are closed as may be.

    ``centre``: of mass, where it is known. ``low``, ``high``: the region in which hands will be
    (``meshes/measuring.py``).
    """
    middle = centre_of(vertices, faces) if centre is None else centre
    size_m = float(np.linalg.norm(vertices[np.unique(faces)] - middle, axis=1).max())
    return Solid(build_field(vertices, faces, low=low, high=high), middle, size_m)


def centre_of(vertices: Floats, faces: Ints) -> Floats:
    """Centre of mass (3,) m of a solid of one material, inside a mesh.

    A mesh too open for its volume to mean anything counts as a shell: what its faces' area normals
    leave when they are summed up is the area of its holes, as far as they look one way.
    """
    middle = vertices[np.unique(faces)].mean(axis=0)
    a, b, c = np.moveaxis(vertices[faces] - middle, 1, 0)
    normals = 0.5 * np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    volumes = np.einsum("fk,fk->f", a, normals) / 3.0
    total = float(volumes.sum())
    if float(np.linalg.norm(normals.sum(axis=0))) <= _OPEN * float(areas.sum()) and total != 0.0:
        centre = middle + ((a + b + c) * volumes[:, None]).sum(axis=0) / (4.0 * total)
        if (centre >= vertices.min(axis=0)).all() and (centre <= vertices.max(axis=0)).all():
            return centre
    return middle + ((a + b + c) * areas[:, None]).sum(axis=0) / (3.0 * areas.sum())
