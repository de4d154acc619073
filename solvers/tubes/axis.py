"""Owns a tube's axis: the line through the centroids of its sections, refined and carried on.

The spheres' line is a first guess. Planes normal to it cut the original mesh; the sections'
centroids are the next line, and so on. At either end the axis is then carried on, section by
section, as far as the meridians stay with the tube.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from armspan.solvers.tubes.ends import End, find_end
from armspan.solvers.tubes.lines import (
    any_normal,
    carry_normals,
    length_of,
    spread_evenly,
    tangents_of,
)
from armspan.solvers.tubes.rolling import Rolled
from armspan.solvers.tubes.sections import SectionScratch
from armspan.solvers.tubes.slices import (
    Slices,
    cut_chain,
    face_across,
    make_slices,
)
from armspan.solvers.tubes.surface import PEG, Floats, Indices, Surface

PEG_SHARE = 0.45
"""A stem with less than this share of a bar's radius does not stop the bar by itself: its sections
are looked for beyond. Where none follow, and at all thicker stems, there is a junction: every tube
ends at it, and what is between them is a body."""

MOUTH_SHARE = 0.25
"""The same for the mouth of a hole in the side of a tube: with a larger one it is a body."""

_COARSE, _FINE = 0.6, 0.3  # radii from section to section, at first and in the end
_MOST = 1500  # sections of a tube
_STRIDE = 0.7  # radii that the axis is carried on at most at a time
_LEAPS = (1.4, 2.1)  # radii, over pegs
_NEAR = 0.3  # radii: meridians that stay with the tube for less show its end
_MARGIN = 0.1  # radii left before meridians leave
_THINNER, _THICKER = 0.5, 2.0  # shares of the tube's radius beyond which it is not carried on
_LEAST_STRIDE = 0.05
_SLOPE = 2.0  # radii back from an end from which the change of the radius is taken
_UNLIKE = 2.0  # the ratio of the areas of two sections in about the same place
_WHOLE_RING = 0.8  # share of a closed line's sections that must be whole


@dataclass(frozen=True, slots=True)
class Axis:
    """Sections along a tube, those that are whole, in order, and how it goes on at its ends."""

    slices: Slices
    closed: bool
    ends: tuple[End, End] | None  # None for a closed tube


@dataclass(frozen=True, slots=True)
class Place:
    """What tracing needs everywhere: the mesh, what is taken, and room to work in."""

    surface: Surface
    owner: Indices  # (F,) the tube that has taken a face, -1 or PEG
    scratch: SectionScratch
    radii_m: list[float]  # of the tubes that have taken faces, negative where they are holes

    def beside(self, depth_m: float, concave: bool) -> "Place":
        """Give the place as it is to a tube as deep as this (half, m), which passes pegs by.

        What is thinner than PEG_SHARE of it is a peg; of a hole's mouth in the side of a convex
        tube, MOUTH_SHARE.
        """
        fates = [
            PEG if abs(r) < depth_m * (MOUTH_SHARE if r < 0.0 and not concave else PEG_SHARE)
            else number
            for number, r in enumerate(self.radii_m)
        ]  # fmt: skip
        if PEG not in fates:
            return self
        return replace(self, owner=np.array([*fates, -1], np.int32)[self.owner])


def trace_axis(place: Place, rolled: Rolled, seed: Slices) -> Axis | None:
    """Refine and carry on the axis of what was rolled along.

    ``seed`` is the medial section, cut (one row). None where no chain of sections holds.
    """
    closed = rolled.closed
    line, middle = rolled.line, rolled.seed
    radius = float(seed.radii[0])
    slices = seed
    near = 0
    for lenient in (True, False):
        line, middle = _respaced(line, middle, closed, _COARSE * radius)
        cut = _cut_line(place, line, closed, middle, slices, near, lenient)
        if cut is None:
            return None
        slices, near = cut
        line, middle = slices.centroids, near
        radius = float(np.median(slices.radii))
        if closed and len(slices.points) < 4:
            return None
    if not closed:
        slices, closed = _carried_on(place, slices)
    return _finished(place, slices, closed)


def _respaced(line: Floats, middle: int, closed: bool, step_m: float) -> tuple[Floats, int]:
    """Space a line's points evenly; also return which is nearest to the one that was ``middle``."""
    if len(line) < 2:
        return line, 0
    spaced = spread_evenly(line, closed, step_m, 8 if closed else 2, _MOST)
    return spaced, int(np.argmin(((spaced - line[middle]) ** 2).sum(axis=1)))


def _cut_line(
    place: Place,
    line: Floats,
    closed: bool,
    middle: int,
    known: Slices,
    near: int,
    lenient: bool = False,
) -> tuple[Slices, int] | None:
    """Cut sections along a line, from ``middle`` on both ways, and keep the whole ones.

    ``known`` holds a whole section, number ``near``, from which the middle plane can be reached.
    Returns the sections and which of them was the middle.
    """
    if len(line) < 2:
        return known, near
    tangents = tangents_of(line, closed)
    if closed:
        line, tangents = np.roll(line, -middle, axis=0), np.roll(tangents, -middle, axis=0)
        middle = 0
    normals = np.empty_like(line)
    carry_normals(line, tangents, any_normal(tangents[0]), normals)
    slices = make_slices(line, tangents, normals)
    goal = (*line[middle].tolist(), *tangents[middle].tolist())
    start = face_across(
        place.surface, near, known.centroids, known.tangents, known.normals, known.profiles,
        known.profile_faces, goal,
    )  # fmt: skip
    if start < 0:
        return None
    ahead = cut_chain(place.surface, place.scratch, place.owner, slices, start, middle, 1, lenient)
    if not ahead or not 1.0 / _UNLIKE < slices.areas[middle] / known.areas[near] < _UNLIKE:
        return None
    if closed:
        if ahead < _WHOLE_RING * len(line):
            return None
    else:
        cut_chain(place.surface, place.scratch, place.owner, slices, -1, middle, -1, lenient)
    kept = np.flatnonzero(slices.whole)
    return _rows(slices, kept), int(np.searchsorted(kept, middle))


def _rows(slices: Slices, kept: np.ndarray) -> Slices:
    return Slices(
        *(getattr(slices, name)[kept] for name in Slices.__slots__)  # every field is an array
    )


def joined(*parts: Slices) -> Slices:
    """Put chains of sections one after the other."""
    return Slices(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in Slices.__slots__)
    )


def turned(slices: Slices) -> Slices:
    """The other way round: tangents against what they were; the profiles' directions run on."""
    back = _rows(slices, np.arange(len(slices.points))[::-1])
    directions = back.profiles.shape[1]
    order = np.array([-k % directions for k in range(directions)])
    return replace(
        back,
        tangents=-back.tangents,
        profiles=np.ascontiguousarray(back.profiles[:, order]),
        profile_faces=np.ascontiguousarray(back.profile_faces[:, order]),
    )


def _carried_on(place: Place, slices: Slices) -> tuple[Slices, bool]:
    """Carry the axis on at both ends; also tell whether that made it a ring."""
    for _ in range(2):
        slices, closed = _carried_ahead(place, slices)
        if closed:
            return slices, True
        slices = turned(slices)
    return slices, False


def _carried_ahead(place: Place, slices: Slices) -> tuple[Slices, bool]:
    """Add sections beyond the last as long as meridians stay with the tube."""
    parts = [slices]
    last = _rows(slices, np.array([len(slices.points) - 1]))
    before = _rows(slices, np.array([max(0, len(slices.points) - 2)]))
    usual = float(np.median(slices.radii))
    travelled = length_of(slices.centroids, False)
    for _ in range(_MOST):
        radius = float(last.radii[0])
        end = find_end(place.surface, place.owner, last, 0, 1.0, 0.0)
        if end.clear_m < _NEAR * radius:
            break
        stride = min(_STRIDE * radius, end.clear_m - _MARGIN * radius)
        added = None
        while added is None and stride > _LEAST_STRIDE * radius:
            added = _next(place, before, last, stride)
            stride *= 0.5
        for leap in _LEAPS:
            if added is None and leap * radius < end.clear_m - _MARGIN * radius:
                added = _next(place, before, last, leap * radius)
        if added is None or not _THINNER < float(added.radii[0]) / usual < _THICKER:
            break
        travelled += math.dist(added.centroids[0], last.centroids[0])
        home = slices.centroids[0] - added.centroids[0]
        if (
            travelled > 4.0 * radius
            and math.sqrt(float(home @ home)) < radius
            and float(home @ added.tangents[0]) < _STRIDE * radius
            and float(added.tangents[0] @ slices.tangents[0]) > 0.5
        ):
            if float(home @ slices.tangents[0]) > 0.3 * radius:
                parts.append(added)
            return joined(*parts), True
        parts.append(added)
        before, last = last, added
    return joined(*parts), False


def _next(place: Place, before: Slices, last: Slices, stride_m: float) -> Slices | None:
    """Cut one section beyond the last; bends go on as they did. None if it is not whole."""
    tangent = last.tangents[0]
    gone = last.centroids[0] - before.centroids[0]
    far = math.sqrt(float(gone @ gone))
    ahead = tangent
    if far > 0.0:
        bend = (tangent - before.tangents[0]) * min(stride_m / far, 1.5)
        ahead = tangent + bend
        ahead = ahead / math.sqrt(float(ahead @ ahead))
    middle = tangent + ahead
    point = last.centroids[0] + stride_m * middle / math.sqrt(float(middle @ middle))
    slices = last
    for _ in range(2):
        points = np.stack((last.centroids[0], point))
        tangents = np.stack((tangent, ahead))
        normals = np.empty((2, 3))
        carry_normals(points, tangents, last.normals[0], normals)
        slices = make_slices(points, tangents, normals)
        for name in ("states", "centroids", "areas", "flatness", "profiles", "profile_faces"):
            getattr(slices, name)[0] = getattr(last, name)[0]
        if cut_chain(place.surface, place.scratch, place.owner, slices, -1, 0, 1) < 2:
            return None
        point = slices.centroids[1]
        step = point - last.centroids[0]
        step = step / math.sqrt(float(step @ step))
        ahead = 2.0 * step * float(step @ tangent) - tangent  # the arc's tangent at its other end
    return _rows(slices, np.array([1]))


def _finished(place: Place, slices: Slices, closed: bool) -> Axis | None:
    """Cut the final sections, and find what is at the ends."""
    for _ in range(2):
        radius = float(np.median(slices.radii))
        middle = len(slices.points) // 2
        line, at = _respaced(slices.centroids, middle, closed, _FINE * radius)
        cut = _cut_line(place, line, closed, at, slices, middle)
        if cut is None:
            return None
        slices = cut[0]
    if closed:
        return Axis(slices, True, None)
    ends = (_end(place, turned(slices)), _end(place, slices))
    return Axis(slices, False, ends)


def _end(place: Place, slices: Slices) -> End:
    """Find the end ahead of the last section."""
    last = len(slices.points) - 1
    return find_end(place.surface, place.owner, slices, last, 1.0, slope_at(slices))


def slope_at(slices: Slices) -> float:
    """By what share of itself the radius grows a metre at the last section."""
    radii = slices.radii
    away = slices.centroids[-1] - slices.centroids
    near = np.sqrt((away**2).sum(axis=1)) < _SLOPE * radii[-1]
    if int(near.sum()) < 4:
        return 0.0
    s: Floats = -np.sqrt((away[near] ** 2).sum(axis=1))
    slope = float(np.polyfit(s, radii[near], 1)[0])
    return slope / float(radii[-1])
