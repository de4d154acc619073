"""Owns Plumber: from a mesh to its shape graph, small spheres first.

Source: Mortara, Patanè, Spagnuolo, Falcidieno & Rossignac, "Plumber: a method for a multi-scale
decomposition of 3D shapes into tubular primitives and bodies" (2004); Abaci et al., "Bridging
Geometry and Semantics for Object Manipulation and Grasping" (2004), section 4.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from armspan.solvers.meshes.refining import split_long_edges
from armspan.solvers.meshes.topology import Mesh
from armspan.solvers.tubes.axis import Place
from armspan.solvers.tubes.candidates import Candidate, try_limb
from armspan.solvers.tubes.claims import claim_faces
from armspan.solvers.tubes.cuts import CutScratch, make_scratch
from armspan.solvers.tubes.ends import Ending
from armspan.solvers.tubes.graph import Graph, Joint, build_graph
from armspan.solvers.tubes.limbs import Limbs, find_limbs
from armspan.solvers.tubes.sections import make_section_scratch, section_round
from armspan.solvers.tubes.shape import Shape, Tube
from armspan.solvers.tubes.slices import Slices
from armspan.solvers.tubes.surface import Floats, Indices, surface_of
from armspan.solvers.tubes.tidying import Found, tidy

DEFAULT_SCALES_M = (0.006, 0.009, 0.013, 0.019, 0.028, 0.042, 0.060)
"""Radii of the spheres, m: what fingers, a hand and an arm close round."""

_LONGEST = 1.0 / 32.0  # of the diagonal: longer edges are split
_FINE = 32_768  # faces that splitting may make of a mesh that has fewer
_SPENT = 0.5  # sphere radii round a sample that led nowhere, within which no other is tried
_CLASSIFYING = 0.8  # share of the work of a scale


class PlumberError(ValueError):
    """A question that has no answer: the value, the rule it broke, and what to do."""


def find_tubes(
    mesh: Mesh,
    scales_m: Sequence[float] = DEFAULT_SCALES_M,
    *,
    threads: int = 2,
    on_progress: Callable[[float, str], None] | None = None,
) -> Shape:
    """Find the tubes of a mesh, and what they hang on.

    ``scales_m`` are the radii of the spheres; a tube of radius r is seen by those larger than 2 r.
    ``on_progress`` is told the share that is done and what is being done, by the calling thread;
    what it raises ends the work. Faces are indices into ``mesh.faces``. The result depends on
    nothing else: not on the number of threads, and on position and direction only to rounding.

    Raises PlumberError for radii that no sphere has.
    """
    scales = _checked(scales_m)
    tell = on_progress or _say_nothing
    diagonal = float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))
    fine, parents = split_long_edges(mesh, diagonal * _LONGEST, max(len(mesh.faces), _FINE))
    surface = surface_of(fine)
    place = Place(
        surface, np.full(len(fine.faces), -1, np.int32), make_section_scratch(surface), []
    )
    cuts = make_scratch(surface)
    found: list[Found] = []
    for number, scale in enumerate(scales):
        text = f"spheres of {1e3 * scale:.3g} mm"
        limbs = find_limbs(
            fine, scale, place.owner >= 0, threads=threads, surface=surface,
            on_progress=lambda share, n=number, t=text: tell(
                (n + _CLASSIFYING * share) / len(scales), t
            ),
        )  # fmt: skip
        _follow(place, cuts, limbs, scale, found)
        tell((number + 1) / len(scales), text)
    return _shape(mesh, fine, parents, place, found)


def _say_nothing(share: float, text: str) -> None:
    del share, text


def _checked(scales_m: Sequence[float]) -> list[float]:
    scales = sorted({float(scale) for scale in scales_m})
    if not scales:
        raise PlumberError("no sphere radius is given; give one or more, in metres")
    for scale in scales:
        if not (math.isfinite(scale) and scale > 0.0):
            raise PlumberError(
                f"a sphere cannot have a radius of {scale} m; give radii above zero, in metres"
            )
    return scales


def _follow(
    place: Place, cuts: CutScratch, limbs: Limbs, scale_m: float, found: list[Found]
) -> None:
    """Try the limb samples of one scale, the best first, and take the tubes they are on.

    Holes come before what is convex: what lies between a hole and a rim is no bow.
    """
    spent = np.zeros(len(limbs.points), np.bool_)
    order: list[int] = np.argsort(~limbs.concave, kind="stable").tolist()
    for which in order:
        if spent[which] or place.owner[limbs.faces[which]] >= 0:
            continue
        candidate = try_limb(place, cuts, limbs, which, scale_m, spent)
        if candidate is not None and _claim(place, candidate, len(found)):
            found.append(Found(candidate, scale_m))
            place.radii_m.append(-candidate.radius_m if candidate.concave else candidate.radius_m)
            if place.owner[limbs.faces[which]] >= 0:
                continue
        apart = ((limbs.points - limbs.points[which]) ** 2).sum(axis=1)
        spent |= (apart < (_SPENT * scale_m) ** 2) & (limbs.concave == limbs.concave[which])


def _claim(place: Place, candidate: Candidate, number: int) -> bool:
    """Give the tube its faces."""
    axis = candidate.axis
    slices = axis.slices
    line, reaches, caps = slices.centroids, np.nanmax(slices.profiles, axis=1), (False, False)
    shift = 0
    if axis.ends is not None:
        caps = (axis.ends[0].ending is Ending.CAP, axis.ends[1].ending is Ending.CAP)
        at = [
            end.at_m if cap else min(end.at_m, end.clear_m)  # where it goes on, no farther
            for end, cap in zip(axis.ends, caps, strict=True)
        ]
        line = np.concatenate(
            (
                line[:1] - max(at[0], 1e-9) * slices.tangents[:1],
                line,
                line[-1:] + max(at[1], 1e-9) * slices.tangents[-1:],
            )
        )
        reaches = np.concatenate((reaches[:1], reaches, reaches[-1:]))
        shift = 1
    seeds = slices.profile_faces.ravel()
    hints = np.repeat(np.arange(len(slices.points), dtype=np.int32), slices.profile_faces.shape[1])
    room = np.empty_like(place.owner)
    count = claim_faces(
        place.surface, place.owner, number, -1.0 if candidate.concave else 1.0,
        np.ascontiguousarray(line), np.ascontiguousarray(reaches), axis.closed, caps[0], caps[1],
        seeds, hints + np.int32(shift), room, np.empty_like(room),
    )  # fmt: skip
    return bool(count > 0)


def _shape(mesh: Mesh, fine: Mesh, parents: Indices, place: Place, found: list[Found]) -> Shape:
    found = tidy(fine, place.owner, found)
    joints = [_joint(one.candidate) for one in found]
    graph, owner = build_graph(fine, place.owner, joints, parents, len(mesh.faces))
    tubes = tuple(
        _tube(place, one, joints[number], number, owner, graph) for number, one in enumerate(found)
    )
    return Shape(tubes, graph.bodies)


def _joint(candidate: Candidate) -> Joint:
    axis = candidate.axis
    endings = None
    if axis.ends is not None:
        endings = (axis.ends[0].ending, axis.ends[1].ending)
    return Joint(_whole_axis(candidate), candidate.radius_m, candidate.concave, endings)


def _whole_axis(candidate: Candidate) -> Floats:
    """The axis from end to end, m."""
    slices, ends = candidate.axis.slices, candidate.axis.ends
    if ends is None:
        return slices.centroids
    first = slices.centroids[:1] - ends[0].at_m * slices.tangents[:1]
    last = slices.centroids[-1:] + ends[1].at_m * slices.tangents[-1:]
    return np.concatenate((first, slices.centroids, last))


def _tube(
    place: Place, one: Found, joint: Joint, number: int, owner: Indices, graph: Graph
) -> Tube:
    candidate, slices = one.candidate, one.candidate.axis.slices
    polygons = [_polygon(place, slices, k) for k in range(len(slices.points))]
    radii = slices.radii
    if joint.endings is not None:
        nothing = np.empty((0, 3))
        polygons = [nothing, *polygons, nothing]
        radii = np.concatenate((radii[:1], radii, radii[-1:]))
    return Tube(
        kind=graph.kinds[number],
        closed=candidate.axis.closed,
        axis=joint.axis,
        section_radii_m=radii,
        sections=tuple(polygons),
        radius_m=candidate.radius_m,
        length_m=candidate.length_m,
        faces=np.flatnonzero(owner == number).astype(np.int32),
        scale_m=one.scale_m,
        flatness=float(np.median(slices.flatness)),
        ends=graph.ends[number],
    )


def _polygon(place: Place, slices: Slices, k: int) -> Floats:
    faces = slices.profile_faces[k]
    start = faces[faces >= 0][:1]
    x, y, z = slices.points[k].tolist()
    nx, ny, nz = slices.tangents[k].tolist()
    section = section_round(place.surface, x, y, z, nx, ny, nz, start, place.scratch)
    return place.scratch.points[: section.corners].copy()
