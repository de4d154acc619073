"""Owns chains of plane sections across a tube: each is reached along the surface from the last.

A section is *whole* when its loop closes and looks like the one before it: about the same area,
and the same radius in nearly all directions. Radii are measured from the section's own centroid,
in directions carried along the axis without twist, so sections of any outline compare.
"""

import math
from dataclasses import dataclass

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.tubes.outlines import flatness_of, mean_radius, measure_profile
from armspan.solvers.tubes.sections import SectionScratch, section_round
from armspan.solvers.tubes.surface import PEG, Floats, Indices, Surface
from armspan.solvers.tubes.walks import Plane, reach_plane
from numpy.typing import NDArray

DIRECTIONS = 32
"""Directions round a section, evenly from its first normal on."""

WHOLE, MISSED, BROKEN, UNLIKE, TAKEN, BRANCH = 0, 1, 2, 3, 4, 5
"""What became of a section: whole; its plane was not reached; its loop does not close; it is
unlike the last whole one; it runs on another tube; something branches off. The last two end a
chain; the others may be passed by."""

_TRIES = 8  # directions along which the next plane is looked for
_GAP = 0.35  # of the perimeter: a loop torn by a hole in the mesh counts if the gap is shorter
_SWERVE = 0.25  # of the radius: a direction whose radius changes by more from section to section
_SWERVING = 0.20  # share of swerving directions that makes a section unlike
_BRANCHING = 0.8  # of the radius: what sticks out by more, in two directions, is a branch
_GROWTH = 1.7  # of the area from section to section, either way
_SHIFT = 0.8  # of the radius: how far a section's centroid may be from where it was expected
_FAR = 2.2  # radii without a whole section that end a chain
_WALK = 4096  # faces walked at most from plane to plane
_NEAR = 256  # the same, where the other plane is next to it


@dataclass(frozen=True, slots=True)
class Slices:
    """K sections across a line; rows of sections that are not whole hold nothing of use."""

    points: Floats  # (K, 3) m: a point of each plane
    tangents: Floats  # (K, 3) unit normals of the planes
    normals: Floats  # (K, 3) unit: direction 0 in the plane; direction k turns about the tangent
    states: NDArray[np.uint8]  # (K,) WHOLE ...
    centroids: Floats  # (K, 3) m
    areas: Floats  # (K,) m^2, positive round material, negative round a hole in it
    flatness: Floats  # (K,) >= 1
    profiles: Floats  # (K, DIRECTIONS) m, from the centroid; nan where the outline is torn
    profile_faces: Indices  # (K, DIRECTIONS) faces that were hit, -1 for none

    @property
    def whole(self) -> NDArray[np.bool_]:
        """(K,) which sections are whole."""
        return self.states == WHOLE

    @property
    def radii(self) -> Floats:
        """(K,) m, of circles with the sections' areas."""
        return np.sqrt(np.abs(self.areas) / math.pi)


def make_slices(points: Floats, tangents: Floats, normals: Floats) -> Slices:
    """Make room for sections in these planes, none of them cut."""
    count = len(points)
    return Slices(
        points, tangents, normals,
        states=np.full(count, MISSED, np.uint8), centroids=points.copy(),
        areas=np.zeros(count), flatness=np.ones(count),
        profiles=np.full((count, DIRECTIONS), np.nan),
        profile_faces=np.full((count, DIRECTIONS), -1, np.int32),
    )  # fmt: skip


def cut_chain(
    surface: Surface, scratch: SectionScratch, owner: Indices, slices: Slices, start: int,
    first: int, step: int, lenient: bool = False,
) -> int:  # fmt: skip
    """Fill ``slices`` from ``first`` on by ``step``; see ``slice_chain``."""
    return slice_chain(
        surface, owner, start, first, step, slices.points, slices.tangents, slices.normals,
        scratch, slices.states, slices.centroids, slices.areas, slices.flatness, slices.profiles,
        slices.profile_faces, lenient,
    )  # fmt: skip


@kernel
def _slice(
    surface: Surface, start: int, k: int, points: Floats, tangents: Floats, normals: Floats,
    scratch: SectionScratch, states: NDArray[np.uint8], centroids: Floats,
    areas: Floats, flatness: Floats, profiles: Floats, profile_faces: Indices,
) -> int:  # fmt: skip
    """Cut the loop through face ``start`` in plane k and measure it; return its points."""
    nx, ny, nz = tangents[k, 0], tangents[k, 1], tangents[k, 2]
    where = np.empty(1, np.int32)
    where[0] = start
    section = section_round(
        surface, points[k, 0], points[k, 1], points[k, 2], nx, ny, nz, where, scratch
    )
    states[k] = BROKEN
    if section.corners < 3 or section.gap > _GAP * section.perimeter or not section.area > 0.0:
        return 0
    cx, cy, cz = section.x, section.y, section.z
    ux, uy, uz = normals[k, 0], normals[k, 1], normals[k, 2]
    vx, vy, vz = ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux
    centroids[k, 0], centroids[k, 1], centroids[k, 2] = cx, cy, cz
    areas[k] = section.area if section.convex else -section.area
    flatness[k] = flatness_of(scratch.points, section.corners, cx, cy, cz, ux, uy, uz, vx, vy, vz)
    measure_profile(
        scratch.points, scratch.faces, section.corners, cx, cy, cz, ux, uy, uz, vx, vy, vz,
        profiles[k], profile_faces[k],
    )  # fmt: skip
    seen = 0
    for d in range(profiles.shape[1]):
        seen += profile_faces[k, d] >= 0
    if 2 * seen >= profiles.shape[1]:  # the centre of a loop that crosses itself may lie outside
        states[k] = WHOLE
    return section.corners


@kernel
def _judge(
    k: int, last: int, owner: Indices, points: Floats, states: NDArray[np.uint8],
    centroids: Floats, areas: Floats, profiles: Floats, profile_faces: Indices,
) -> None:  # fmt: skip
    """Tell whether section k, just cut, goes on from the whole section ``last``."""
    directions = profiles.shape[1]
    taken, seen, swerving, branching = 0, 0, 0, 0
    radius = mean_radius(profiles[last])
    for d in range(directions):
        face, before = profile_faces[k, d], profile_faces[last, d]
        if face < 0 or before < 0 or owner[face] == PEG:
            continue
        if owner[face] >= 0:
            taken += 1
        seen += 1
        if not abs(profiles[k, d] - profiles[last, d]) <= _SWERVE * radius:
            swerving += 1
            if profiles[k, d] > profiles[last, d] + _BRANCHING * radius:
                branching += 1
    if 2 * taken > directions:
        states[k] = TAKEN
        return
    if branching >= 2:
        states[k] = BRANCH
        return
    ratio = areas[k] / areas[last]
    shift = math.sqrt(
        (centroids[k, 0] - points[k, 0]) ** 2
        + (centroids[k, 1] - points[k, 1]) ** 2
        + (centroids[k, 2] - points[k, 2]) ** 2
    )
    unlike = swerving > _SWERVING * seen or shift > _SHIFT * radius
    if unlike or not 1.0 / _GROWTH < ratio < _GROWTH or taken > _SWERVING * directions:
        states[k] = UNLIKE


@kernel
def slice_chain(
    surface: Surface, owner: Indices, start: int, first: int, step: int, points: Floats,
    tangents: Floats, normals: Floats, scratch: SectionScratch, states: NDArray[np.uint8],
    centroids: Floats, areas: Floats, flatness: Floats, profiles: Floats,
    profile_faces: Indices, lenient: bool,
) -> int:  # fmt: skip
    """Cut sections from ``first`` on, by ``step`` (1 or -1), to the end of ``points`` (K, 3).

    With ``start`` >= 0 the first is cut through that face; else it is there already. ``owner``
    (F,) is the number of the tube a face belongs to, -1 or PEG. Returns how many are whole; those
    that were not come to are left as they are. A ``lenient`` chain passes branches by, too: planes
    across a first guess of an axis may be so oblique that a bend looks like one.
    """
    if start >= 0:
        _slice(
            surface, start, first, points, tangents, normals, scratch, states, centroids,
            areas, flatness, profiles, profile_faces,
        )  # fmt: skip
    if states[first] != WHOLE:
        return 0
    whole = 1
    last = first
    k = first + step
    while 0 <= k < points.shape[0]:
        gap = math.sqrt(
            (points[k, 0] - points[last, 0]) ** 2
            + (points[k, 1] - points[last, 1]) ** 2
            + (points[k, 2] - points[last, 2]) ** 2
        )
        radius = mean_radius(profiles[last])
        if gap > _FAR * radius and abs(k - last) > 1:
            break
        states[k] = MISSED
        goal = (
            points[k, 0], points[k, 1], points[k, 2],
            tangents[k, 0], tangents[k, 1], tangents[k, 2],
        )  # fmt: skip
        tx, ty, tz = step * tangents[last, 0], step * tangents[last, 1], step * tangents[last, 2]
        for attempt in range(_TRIES):
            d = (attempt * 3 % _TRIES) * (profiles.shape[1] // _TRIES)
            face = profile_faces[last, d]
            if face < 0:
                continue
            along = meridian_plane(last, d, centroids, tangents, normals, profiles.shape[1])
            face = reach_plane(surface, face, along, tx, ty, tz, goal, _WALK)
            if face < 0:
                continue
            _slice(
                surface, face, k, points, tangents, normals, scratch, states, centroids,
                areas, flatness, profiles, profile_faces,
            )  # fmt: skip
            if states[k] != WHOLE:
                continue
            _judge(k, last, owner, points, states, centroids, areas, profiles, profile_faces)
            if states[k] != UNLIKE:
                break
        if states[k] == TAKEN or (states[k] == BRANCH and not lenient):
            break
        if states[k] == WHOLE:
            last = k
            whole += 1
        k += step
    return whole


@kernel
def face_across(
    surface: Surface, k: int, centroids: Floats, tangents: Floats, normals: Floats,
    profiles: Floats, profile_faces: Indices, goal: Plane,
) -> int:  # fmt: skip
    """Walk from section k along the tube to a face that another plane crosses, -1 if none is near.

    In every direction the walk goes to the side on which the plane lies.
    """
    directions = profile_faces.shape[1]
    tx, ty, tz = tangents[k, 0], tangents[k, 1], tangents[k, 2]
    ux, uy, uz = normals[k, 0], normals[k, 1], normals[k, 2]
    vx, vy, vz = ty * uz - tz * uy, tz * ux - tx * uz, tx * uy - ty * ux
    facing = tx * goal[3] + ty * goal[4] + tz * goal[5]
    for d in range(0, directions, directions // _TRIES):
        start = profile_faces[k, d]
        if start < 0:
            continue
        angle = 2.0 * math.pi * d / directions
        c, s = math.cos(angle) * profiles[k, d], math.sin(angle) * profiles[k, d]
        over = (
            (centroids[k, 0] + c * ux + s * vx - goal[0]) * goal[3]
            + (centroids[k, 1] + c * uy + s * vy - goal[1]) * goal[4]
            + (centroids[k, 2] + c * uz + s * vz - goal[2]) * goal[5]
        )
        sign = -1.0 if over * facing > 0.0 else 1.0
        along = meridian_plane(k, d, centroids, tangents, normals, directions)
        face = reach_plane(surface, start, along, sign * tx, sign * ty, sign * tz, goal, _NEAR)
        if face >= 0:
            return face
    return -1


@kernel
def meridian_plane(
    k: int, d: int, centroids: Floats, tangents: Floats, normals: Floats, directions: int
) -> Plane:
    """Give the plane through section k's centroid that holds its tangent and direction d."""
    angle = 2.0 * math.pi * d / directions
    c, s = math.cos(angle), math.sin(angle)
    nx, ny, nz = tangents[k, 0], tangents[k, 1], tangents[k, 2]
    ux, uy, uz = normals[k, 0], normals[k, 1], normals[k, 2]
    vx, vy, vz = ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux
    # tangent x direction = c (n x u) + s (n x v) = c v - s u
    return (
        centroids[k, 0], centroids[k, 1], centroids[k, 2],
        c * vx - s * ux, c * vy - s * uy, c * vz - s * uz,
    )  # fmt: skip
