"""Owns the sites of objects that tell of none: their tubes, or those that Plumber finds."""

from collections.abc import Callable
from dataclasses import replace

from armspan.protocol.objects import Capsule, SmartObject, Torus
from armspan.server.objects.drafting import draft_sites, regions_of
from armspan.server.objects.folder import Geometry
from armspan.server.objects.primitives import triangles
from armspan.solvers.meshes.cleaning import clean
from armspan.solvers.tubes.plumber import find_tubes

Progress = Callable[[float, str], None]

_LOADING = (Torus(0.03, 0.005), Capsule(0.005, 0.05))  # a tube without ends, and one with
_LOADING_SCALES_M = (0.013,)
_LOADING_SIDES = 32


def with_sites(told: SmartObject, geometry: Geometry | None, on_progress: Progress) -> SmartObject:
    """The object as it is where it has grasp sites; else with a site at each tube to close round.

    An object without tubes gets those of its geometry's largest piece. Raises MeshError.
    """
    if told.grasp_sites:
        return told
    tubes = told.tubes
    if not tubes and geometry is not None:
        cleaned = clean(geometry.vertices, geometry.faces)
        tubes = regions_of(find_tubes(cleaned.mesh, on_progress=on_progress))
    return replace(told, tubes=tubes, grasp_sites=draft_sites(tubes), postures=())


def load_plumber() -> None:
    """Load or compile what Plumber runs, so that the time of the next search is its own."""
    for solid in _LOADING:
        vertices, faces = triangles(solid, _LOADING_SIDES)
        find_tubes(clean(vertices, faces).mesh, _LOADING_SCALES_M)
