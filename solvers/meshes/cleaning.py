"""Owns making a usable mesh of any triangles: what scanners write is rarely a surface."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from armspan.solvers.meshes.fans import entangled_sides, split_fans
from armspan.solvers.meshes.flattening import flip_flat, is_flat
from armspan.solvers.meshes.merging import merge_vertices
from armspan.solvers.meshes.orienting import components_of, looks_inwards, rims_of
from armspan.solvers.meshes.pairing import pair_sides
from armspan.solvers.meshes.report import CleaningReport
from armspan.solvers.meshes.surface import Mask, Surface
from armspan.solvers.meshes.topology import (
    OPEN,
    Floats,
    Ints,
    Mesh,
    MeshError,
    checked_arrays,
    face_normals,
)

MERGING = 1e-6
"""Vertices this near to each other, as a share of the mesh's diagonal, are one."""
LARGEST_M = 1_000.0
SMALLEST_M = 1e-5
FARTHEST_M = 1e6
"""From the origin: farther off, numbers place corners no better than merging does."""
_OPENINGS = 3
"""Tries to undo a tangle by opening edges, before its faces are left out."""

Progress = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A usable mesh, what was done to get it, and where its faces came from."""

    mesh: Mesh
    report: CleaningReport
    face_of: Ints
    """(F,) int32, ascending: the face of the input that each face was."""


def clean(
    vertices: npt.ArrayLike, faces: npt.ArrayLike, on_progress: Progress | None = None
) -> Cleaned:
    """Make a manifold, consistently turned mesh of the largest connected piece.

    vertices (V, 3) m and faces (F, 3) indices, in any state. Vertices within ``MERGING`` of the
    diagonal become one; faces without area and repeated ones go; where more than two faces meet at
    an edge those that run on most smoothly are joined and the others left open; a vertex where
    surface meets itself becomes several; all faces are turned the same way, outwards. Faces hang
    together across edges, not by mere vertices, and the piece with the largest area is kept.
    Time grows as F log F. ``on_progress`` is told a share done and a text.
    Raises MeshError when there is no surface in it.
    """
    tell = on_progress or _say_nothing
    tell(0.0, "checking the mesh")
    points, corners = checked_arrays(vertices, faces)
    tolerance_m = MERGING * _diagonal(points, corners)
    tell(0.05, "merging vertices")
    corners, merged = _merged(points, corners, tolerance_m)
    tell(0.3, "sorting out faces")
    kept, degenerate, duplicate = _distinct(corners)
    face_of = np.flatnonzero(kept).astype(np.int32)
    corners = np.ascontiguousarray(corners[kept])
    tell(0.45, "finding neighbours")
    mates, crowded = pair_sides(points, corners)
    surface = Surface(corners, mates, face_of, np.zeros(len(corners), dtype=np.bool_))
    tell(0.65, "turning faces the same way")
    component, flat, cut = _untangled(points, surface, tolerance_m, doubted=crowded > 0)
    tell(0.85, "keeping the largest piece")
    report = CleaningReport(merged, degenerate + flat, duplicate, crowded, cut)
    cleaned = _largest(points, surface, component, report)
    tell(1.0, "the mesh is clean")
    return cleaned


def warm_up() -> None:
    """Compile, or load from the cache, all that cleaning runs."""
    one = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    # Two solids that share an edge: pairing has a kernel for just that.
    clean(
        np.concatenate((one, -one + [0.0, 0.0, 1.0])), np.concatenate((faces, faces[:, ::-1] + 4))
    )


def _say_nothing(_share: float, _text: str) -> None:
    pass


def _diagonal(points: Floats, corners: Ints) -> float:
    is_used = np.zeros(len(points), dtype=np.bool_)
    is_used[corners.ravel()] = True
    used = points[is_used]
    farthest = float(np.abs(used).max())
    if farthest > FARTHEST_M:
        raise MeshError(
            f"the mesh reaches to {farthest:.3g} m from its origin, and {FARTHEST_M:,.0f} m is the "
            "most; check its unit, or move it to its origin"
        )
    diagonal = float(np.linalg.norm(np.ptp(used, axis=0)))
    if not SMALLEST_M <= diagonal <= LARGEST_M:
        raise MeshError(
            f"the mesh measures {diagonal:.3g} m from corner to corner, and {SMALLEST_M:g} to "
            f"{LARGEST_M:,.0f} m can be worked with; check its unit"
        )
    return diagonal


def _merged(points: Floats, corners: Ints, tolerance_m: float) -> tuple[Ints, int]:
    """Name the first vertex at each place in all faces; also how many vertices that leaves idle."""
    leaders = merge_vertices(points, tolerance_m)
    before, after = np.zeros((2, len(points)), dtype=np.bool_)
    before[corners.ravel()] = True
    corners = leaders[corners]
    after[corners.ravel()] = True
    return corners, int(before.sum() - after.sum())


def _distinct(corners: Ints) -> tuple[Mask, int, int]:
    """Choose faces of three vertices, each three once: the first, whichever way it turns."""
    a, b, c = np.sort(corners, axis=1).astype(np.int64).T
    kept = (a != b) & (b != c)
    degenerate = len(corners) - int(kept.sum())
    if degenerate == len(corners):
        raise MeshError(
            f"none of the {len(corners):,} faces has an area; check the mesh and export it again"
        )
    order = np.lexsort((c, a * (int(c.max()) + 1) + b))
    same = (np.diff(a[order]) == 0) & (np.diff(b[order]) == 0) & (np.diff(c[order]) == 0)
    repeated = order[1:][same]
    duplicate = int(kept[repeated].sum())
    kept[repeated] = False
    return kept, degenerate, duplicate


def _untangled(
    points: Floats, surface: Surface, tolerance_m: float, doubted: bool
) -> tuple[Ints, int, int]:
    """Turn faces the same way, and part vertices and edges where the surface meets itself.

    Returns the component of each face that is left, how many faces were flat, and how many edges
    were opened. ``doubted``: whether any edge had more than two faces.
    """
    flat, cut = 0, 0
    for attempt in itertools.count():
        component, turned, opened = components_of(surface.faces, surface.mates)
        surface.turn(turned)
        cut += opened
        if attempt == 0:
            flat, doubtful = _flattened(points, surface, tolerance_m)
            doubted = doubted or doubtful or opened > 0
            if flat:
                continue
        faces, originals = split_fans(surface.faces, surface.mates)
        if not doubted:
            return component, flat, cut
        tangled = entangled_sides(faces, surface.mates, len(originals))
        if not len(tangled):
            return component, flat, cut
        if attempt <= _OPENINGS:
            cut += surface.open(tangled)
        else:
            left = np.ones(len(faces), dtype=np.bool_)
            left[tangled // 3] = False
            surface.keep(left)
    raise AssertionError("unreachable: every attempt takes faces away")


def _flattened(points: Floats, surface: Surface, tolerance_m: float) -> tuple[int, bool]:
    """Join flat faces with those beside them, and leave out what then still has no area.

    Returns how many there were, and whether edges were made that may be there already.
    """
    flips = flip_flat(points, surface.faces, surface.mates, tolerance_m)
    flat = is_flat(points, surface.faces)
    if flat.all():
        raise MeshError("all its faces lie in lines and none has an area; export the mesh again")
    surface.keep(~flat)
    return flips + int(flat.sum()), flips > 0


def _largest(points: Floats, surface: Surface, component: Ints, report: CleaningReport) -> Cleaned:
    areas = face_normals(points, surface.faces)[1]
    by_component = np.bincount(component, areas)
    largest = component == by_component.argmax()
    report = replace(
        report,
        components=len(by_component),
        faces_left_out=int((~largest).sum()),
        area_left_out_m2=float(areas[~largest].sum()),
        share_left_out=float(areas[~largest].sum() / areas.sum()),
    )
    surface.keep(largest)
    everything = np.ones(len(surface.faces), dtype=np.bool_)
    if areas[largest][surface.turned].sum() > 0.5 * areas[largest].sum():
        surface.turn(everything)  # as most of the input was
    faces, originals = split_fans(surface.faces, surface.mates)
    if looks_inwards(points[originals], faces, surface.mates):
        surface.turn(everything)
        faces, originals = split_fans(surface.faces, surface.mates)
    vertices = points[originals]
    normals, areas = face_normals(vertices, faces)
    mates = surface.mates.reshape(-1, 3)
    mesh = Mesh(vertices, faces, np.where(mates == OPEN, OPEN, mates // 3), normals, areas)
    report = replace(
        report,
        edges_open=int((mates == OPEN).sum()),
        holes=rims_of(faces, surface.mates)[3],
        flipped=int(surface.turned.sum()),
        watertight=mesh.watertight,
    )
    return Cleaned(mesh, report, surface.face_of)
