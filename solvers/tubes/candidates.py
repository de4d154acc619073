"""Owns the way from a limb sample to a tube that has shown itself: seed, rolling, axis, verdict."""

import math
from dataclasses import dataclass

import numpy as np
from armspan.solvers.tubes.axis import Axis, Place, trace_axis
from armspan.solvers.tubes.cuts import CutScratch
from armspan.solvers.tubes.ends import Ending
from armspan.solvers.tubes.limbs import Limbs, medial_section
from armspan.solvers.tubes.lines import any_normal, length_of, steps_of
from armspan.solvers.tubes.rolling import Ground, Loop, roll
from armspan.solvers.tubes.slices import Slices, cut_chain, face_across, make_slices
from armspan.solvers.tubes.surface import Flags, Floats

FLATTEST = 4.0
"""A section that is wider than this many times its depth is a blade or a strap, not a tube."""

_LEAST = (2.0, 1.5, 1.2)
"""Diameters, times the flatness, that a tube is long at least: with two caps, one, none."""
_LEAST_HOLE = 1.0  # the same for holes: a hole less deep than wide is an opening
_TIP = 2.5  # reaches from where a tube is no more clear to its apex, at most
_SHOWN = 0.5  # of the sphere's radius: wider tubes are for larger spheres
_SURE = 0.5  # share of the length on which the surface must stay with the tube
_TRUSTED = 0.5  # radii beyond the last whole section in which meridians are believed
_HOURGLASS = 0.06  # of the radius: how far the wall of a short tube may curve along it
_SHORT = 3.0  # diameters: longer tubes may be as curved along as they like
_SPREAD = 3.0  # the largest section radius over the smallest
_TURNED = 1.2  # a section that grows by more when it is turned square was better as it was
_KEPT_AXIS = 0.1  # how much the first axis' direction counts against the normals round it


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tube's axis, before it is given faces."""

    axis: Axis
    length_m: float
    radius_m: float

    @classmethod
    def of(cls, axis: Axis) -> "Candidate":
        """Measure a traced axis."""
        length = length_of(axis.slices.centroids, axis.closed)
        if axis.ends is not None:
            length += axis.ends[0].at_m + axis.ends[1].at_m
        return cls(axis, length, _mean_radius(axis))

    @property
    def concave(self) -> bool:
        """Whether it is a hole in the material."""
        return bool(self.axis.slices.areas[0] < 0.0)


def _mean_radius(axis: Axis) -> float:
    """Return the mean of the sections' radii, each for half the way to its neighbours, in m."""
    radii, steps = axis.slices.radii, steps_of(axis.slices.centroids, axis.closed)
    if len(radii) < 3:
        return float(radii.mean())
    after = np.roll(radii, -1) if axis.closed else radii[1:]
    between = 0.5 * (after + (radii if axis.closed else radii[:-1]))
    return float((between * steps).sum() / steps.sum())


def try_limb(
    place: Place, cuts: CutScratch, limbs: Limbs, which: int, scale_m: float, spent: Flags
) -> Candidate | None:
    """Follow the tube at a limb sample; None where there is none to speak of.

    ``spent`` (L,) is marked where samples lie on what was followed: they lead to the same.
    """
    spent[which] = True
    found = _seed(place, cuts, limbs, which, scale_m)
    if found is None:
        return None
    seed, perimeter = found
    reach = float(np.nanmax(seed.profiles))
    if reach > scale_m or float(seed.radii[0]) > _SHOWN * scale_m:
        return None
    medial = Loop(seed.centroids[0], reach, perimeter, int(_hit(seed)[0]), 0.0, False)
    depth = float(seed.radii[0] / math.sqrt(seed.flatness[0]))
    place = place.beside(depth, bool(seed.areas[0] < 0.0))
    ground = Ground(place.surface, cuts, place.owner, scale_m)
    rolled = roll(ground, medial, seed.tangents[0])
    if rolled is None:
        return None
    axis = trace_axis(place, rolled, seed)
    if axis is None:
        return None
    _spend(limbs, axis.slices, spent)
    return judge(axis, scale_m)


def _spend(limbs: Limbs, slices: Slices, spent: Flags) -> None:
    """Mark the samples that lie beside a section, on the same side of the surface."""
    reach = np.nanmax(slices.profiles, axis=1)
    left = np.flatnonzero(~spent & (limbs.concave == (slices.areas[0] < 0.0)))
    away = limbs.points[left, None, :] - slices.centroids[None, :, :]
    near = np.einsum("lka,lka->lk", away, away)
    along = np.abs(np.einsum("lka,ka->lk", away, slices.tangents))
    step = 0.5 * float(slices.radii.max())
    spent[left[((near < (1.2 * reach) ** 2 + step**2) & (along < step)).any(axis=1)]] = True


def _seed(
    place: Place, cuts: CutScratch, limbs: Limbs, which: int, scale_m: float
) -> tuple[Slices, float] | None:
    """Cut the medial section of a limb, and turn its plane square to the surface round it.

    Returns the section and its perimeter in m.
    """
    x, y, z = limbs.points[which].tolist()
    face = int(limbs.faces[which])
    section = medial_section(place.surface, x, y, z, scale_m, face, cuts, place.scratch)
    if section.corners < 3:
        return None
    centre = np.array((section.x, section.y, section.z))
    normal = limbs.centres[which, 1] - limbs.centres[which, 0]
    normal = normal / math.sqrt(float(normal @ normal))
    start = int(place.scratch.faces[0])
    seed = make_slices(centre[None], normal[None], any_normal(normal)[None])
    if not cut_chain(place.surface, place.scratch, place.owner, seed, start, 0, 1):
        return None
    better = _square_to(place.surface.normals[_hit(seed)], normal)
    squared = make_slices(seed.centroids.copy(), better[None], any_normal(better)[None])
    again = _start(place, seed, squared)
    if again < 0:
        return seed, section.perimeter
    if not cut_chain(place.surface, place.scratch, place.owner, squared, again, 0, 1):
        return seed, section.perimeter
    growth = float(squared.areas[0] / seed.areas[0])
    if not 0.0 < growth < _TURNED:
        return seed, section.perimeter
    return squared, section.perimeter * math.sqrt(growth)


def _start(place: Place, known: Slices, planned: Slices) -> int:
    goal = (*planned.points[0].tolist(), *planned.tangents[0].tolist())
    return int(
        face_across(
            place.surface, 0, known.centroids, known.tangents, known.normals,
            known.profiles, known.profile_faces, goal,
        )
    )  # fmt: skip


def _hit(seed: Slices) -> np.ndarray:
    faces = seed.profile_faces[0]
    return faces[faces >= 0]


def _square_to(normals: Floats, direction: Floats) -> Floats:
    """Return the unit vector that is most nearly normal to all ``normals``, near ``direction``."""
    spread = normals.T @ normals
    spread -= _KEPT_AXIS * np.trace(spread) * np.outer(direction, direction)
    _, vectors = np.linalg.eigh(spread)
    best = vectors[:, 0]
    return best if float(best @ direction) > 0.0 else -best


def judge(axis: Axis, scale_m: float) -> Candidate | None:
    """Say whether what was traced is a tube that spheres of ``scale_m`` show; None if it is not.

    A tube is long enough for its width, not flatter than FLATTEST, and its wall runs straight
    along it, or at an even slope, rather than swelling. Its radius is at most half the sphere's:
    larger ones are for larger spheres.
    """
    made = Candidate.of(axis)
    slices, length, radius = axis.slices, made.length_m, made.radius_m
    radii = slices.radii
    attached = 2
    if axis.ends is not None:
        if min(end.at_m for end in axis.ends) < -radius:
            return None
        reach = float(np.nanmean(slices.profiles))
        tips = [end for end in axis.ends if end.ending is Ending.CAP]
        if any(end.at_m - end.clear_m > _TIP * reach for end in tips):
            return None
        attached = sum(end.ending is not Ending.CAP for end in axis.ends)
        sure = sum(min(end.clear_m, end.at_m, _TRUSTED * radius) for end in axis.ends)
        sure += length_of(slices.centroids, False)
        if sure < _SURE * length:
            return None
    flatness = float(np.median(slices.flatness))
    least = _LEAST_HOLE if made.concave else _LEAST[attached] * flatness
    if radius > _SHOWN * scale_m or length < 2.0 * radius * least:
        return None
    if flatness > FLATTEST:
        return None
    if float(radii.max()) > _SPREAD * float(radii.min()):
        return None
    if length < 2.0 * radius * _SHORT and _hourglass(slices, length) > _HOURGLASS * radius:
        return None
    return made


def _hourglass(slices: Slices, length: float) -> float:
    """Return how much narrower (m) than at its ends a short tube is in its middle.

    From the parabola that fits the radii best, over the whole length.
    """
    if len(slices.points) < 3:
        return 0.0
    s = np.concatenate(
        ([0.0], np.cumsum(np.sqrt((np.diff(slices.centroids, axis=0) ** 2).sum(axis=1))))
    )
    square = float(np.polyfit(s, slices.radii, 2)[0])
    return square * (0.5 * length) ** 2
