"""Owns where a tube ends: found along meridians, lines on the surface that run along the tube.

From the last whole section a meridian is walked in every direction, exactly on the triangles, in
the half-plane of the axis (continued straight) and that direction. Its coordinates are the
distance s along the axis and rho from it. It *leaves* the tube where rho differs from the tube's
own radius in that direction by more than ``LEAVING`` of the radius. Where it leaves outwards, the
tube's wall ends where it would meet the body's surface if that went on straight, from farther out
to here: exact at edges, and about what a tape measures where the edge is rounded or chamfered.

- Most leave outwards (or inwards, and do not come to the axis): the tube goes over into a body,
  and its end is the mean of the places where they begin to leave.
- Most leave inwards and come to the axis: a cap, and its end is the apex, where they meet.
- Most come to the mesh's boundary: an open rim.
- Most come to another tube's faces: it runs into that.
- Else the tube goes on.
"""

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.tubes.slices import DIRECTIONS, Slices, meridian_plane
from armspan.solvers.tubes.surface import PEG, Floats, Indices, Surface
from armspan.solvers.tubes.walks import Plane, crossing_at, edge_through, goes_down_towards
from numpy.typing import NDArray

LEAVING = 0.12
"""Share of the radius by which a meridian differs where it leaves."""

_WALL = 2.0
"""Times LEAVING and twice that: where the body's surface is taken from, past fillets, chamfers."""

_AHEAD = 6.0  # radii that a meridian is followed at most
_BACK = 1.0  # radii that it may come back before it is given up
_ENDING = 0.3  # share of meridians that makes an end
_ABUTTING = 0.17  # of the way ahead: farther off another tube is not what this one runs into
_INTO_TUBE = 0.6  # share that makes another tube what the end is at
_CAPPED = 0.7  # share of those that end that must come to the axis where there is a cap
_CLEAR = 0.15  # share of meridians that may have left where the tube still counts as clear
_FAR = 0.33  # of the way ahead: meridians that leave farther off go on past a branch
_GOING_ON = 0.35  # share of these that shows a branch
_WIDE = 0.167  # of the way ahead: from the first that leaves at a branch to the last
_PARTING = 0.1  # share of meridians that shows where it branches off
_STRAY = 1  # meridians that leave for no reason
_TOGETHER = 0.14  # of the way ahead: from the first that leaves to others at the same branch
_GAP = 0.1  # of the way ahead: between places where meridians leave for different reasons
_STRANDED = 0.1  # of the way ahead: where a tube ends that cannot be followed though it goes on
_WALK = 4096


class Fate(IntEnum):
    """What became of a meridian."""

    LOST = 0  # could not be walked
    GOES_ON = 1
    OUT = 2
    IN = 3  # left inwards and neither met the axis nor turned back
    APEX = 4  # left inwards and met the axis
    RIM = 5  # left inwards and turned back: the edge of something hollow
    OPEN = 6
    TUBE = 7


_LOST, _GOES_ON, _OUT, _IN, _APEX, _RIM, _OPEN, _TUBE = 0, 1, 2, 3, 4, 5, 6, 7


class Ending(IntEnum):
    """What the meridians say together."""

    GOES_ON = 0
    BODY = 1
    CAP = 2
    OPEN = 3
    TUBE = 4


@dataclass(frozen=True, slots=True)
class End:
    """How a tube goes on from its last whole section.

    ``at_m`` is the end's distance along the axis from that section (for a tube that goes on, how
    far it does so at least; -inf where nothing is known), ``clear_m`` how far nearly all meridians
    stay with the tube, and ``face`` lies just beyond (-1: nothing does).
    """

    ending: Ending
    at_m: float
    clear_m: float
    face: int


@kernel
def walk_meridian(
    surface: Surface, owner: Indices, start: int, along: Plane, tx: float, ty: float,
    tz: float, dx: float, dy: float, dz: float, rho: float, slope: float, leaving: float,
    ahead: float, back: float,
) -> tuple[int, float, float, float, int]:  # fmt: skip
    """Walk one meridian from face ``start`` towards t.

    ``along`` is its plane, through the section's centroid; d the direction in it, in which the
    section's radius is ``rho`` and changes by ``slope`` a metre of axis. Returns its fate, where
    the tube's wall ends, where the meridian has left it (m from the section), where it ended (apex
    or farthest), and the face where it left.
    """
    down = goes_down_towards(surface, start, along, tx, ty, tz)
    if down < 0:
        return _LOST, 0.0, 0.0, 0.0, -1
    s0, r0, dev0 = 0.0, rho, 0.0
    left, farthest, near, wall = -1.0, 0.0, 0.0, 0
    inward, outward = False, False
    face, beyond = start, -1
    for _ in range(_WALK):
        k = edge_through(surface, face, down == 1, along)
        if k < 0:
            return _LOST, 0.0, 0.0, 0.0, -1
        x, y, z = crossing_at(surface, face, k, along)
        x, y, z = x - along[0], y - along[1], z - along[2]
        s1, r1 = x * tx + y * ty + z * tz, x * dx + y * dy + z * dz
        dev1 = r1 - rho - slope * s1
        if not (inward or outward) and abs(dev1) > leaving:
            left = _between(s0, s1, abs(dev0), abs(dev1), leaving)
            beyond = face
            inward, outward = dev1 < 0.0, dev1 > 0.0
        if outward:
            if wall == 0 and dev1 > _WALL * leaving:
                near = _between(s0, s1, dev0, dev1, _WALL * leaving)
                wall = 1
            if wall == 1 and dev1 > 2.0 * _WALL * leaving:
                far = _between(s0, s1, dev0, dev1, 2.0 * _WALL * leaving)
                begins = 2.0 * near - far
                if abs(begins - left) < back:
                    return _OUT, begins, left, left, beyond
                return _OUT, left, left, left, beyond
        dev0 = dev1
        farthest = max(farthest, s1)
        if inward:
            if r1 <= 0.0:
                s = s0 + (s1 - s0) * r0 / (r0 - r1) if r0 > r1 else s1
                return _APEX, left, left, s, beyond
            if s1 < farthest - back or dev1 > leaving:
                return _RIM, left, left, farthest, beyond
        if outward and abs(s1 - left) > back:
            return _OUT, left, left, left, beyond
        if s1 > ahead:
            if inward:
                return _IN, left, left, s1, beyond
            return _GOES_ON, ahead, ahead, ahead, -1
        if s1 < -back:
            return _LOST, 0.0, 0.0, 0.0, -1
        face = surface.neighbours[face, k]
        if face < 0:
            if inward:
                return _RIM, left, left, farthest, beyond
            if outward:
                return _OUT, left, left, left, beyond
            return _OPEN, s1, s1, s1, -1
        if owner[face] == PEG:
            return _LOST, 0.0, 0.0, 0.0, -1
        if owner[face] >= 0 and not (inward or outward):
            return _TUBE, s1, s1, s1, face
        s0, r0 = s1, r1
    return _LOST, 0.0, 0.0, 0.0, -1


@kernel
def _between(s0: float, s1: float, low: float, high: float, level: float) -> float:
    """Give where between s0 and s1 something that goes from low to high comes to a level."""
    t = (level - low) / max(high - low, 1e-300)
    return s0 + min(max(t, 0.0), 1.0) * (s1 - s0)


@kernel
def walk_meridians(
    surface: Surface, owner: Indices, k: int, sign: float, slope: float, leaving: float,
    ahead: float, back: float, centroids: Floats, tangents: Floats, normals: Floats,
    profiles: Floats, profile_faces: Indices, fates: Indices, places: Floats, beyond: Indices,
) -> None:  # fmt: skip
    """Walk the meridians of section k: along its tangent (sign 1) or against it (-1).

    ``slope``: change of the mean radius by its own share a metre towards the end. Writes each
    direction's fate, three places (D, 3), and the face beyond.
    """
    directions = profiles.shape[1]
    tx, ty, tz = sign * tangents[k, 0], sign * tangents[k, 1], sign * tangents[k, 2]
    ux, uy, uz = normals[k, 0], normals[k, 1], normals[k, 2]
    for d in range(directions):
        fates[d] = _LOST
        start = profile_faces[k, d]
        if start < 0 or owner[start] != -1:
            continue
        plane = meridian_plane(k, d, centroids, tangents, normals, directions)
        angle = 2.0 * math.pi * d / directions
        c, s = math.cos(angle), math.sin(angle)
        nx, ny, nz = tangents[k, 0], tangents[k, 1], tangents[k, 2]
        vx, vy, vz = ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux
        fate, begins, left, last, face = walk_meridian(
            surface, owner, start, plane, tx, ty, tz,
            c * ux + s * vx, c * uy + s * vy, c * uz + s * vz,
            profiles[k, d], slope * profiles[k, d], leaving, ahead, back,
        )  # fmt: skip
        fates[d] = fate
        places[d, 0], places[d, 1], places[d, 2] = begins, left, last
        beyond[d] = face


def find_end(
    surface: Surface, owner: Indices, slices: Slices, k: int, sign: float, slope: float
) -> End:
    """Tell how the tube goes on from its whole section k, along its tangent or against it.

    ``slope``: by what share of itself the radius grows a metre in that direction.
    """
    radius = float(slices.radii[k])
    fates = np.empty(DIRECTIONS, np.int32)
    places = np.zeros((DIRECTIONS, 3))
    beyond = np.empty(DIRECTIONS, np.int32)
    walk_meridians(
        surface, owner, k, sign, slope, LEAVING * radius, _AHEAD * radius, _BACK * radius,
        slices.centroids, slices.tangents, slices.normals, slices.profiles, slices.profile_faces,
        fates, places, beyond,
    )  # fmt: skip
    return _together(fates, places, beyond, _AHEAD * radius)


def _together(
    fates: NDArray[np.int32], places: Floats, beyond: NDArray[np.int32], ahead_m: float
) -> End:
    known = fates != Fate.LOST
    count = int(known.sum())
    if not count:
        return End(Ending.BODY, -math.inf, 0.0, -1)
    stays = (fates == Fate.GOES_ON) | (fates == Fate.TUBE)
    into = (fates == Fate.TUBE) & (places[:, 1] < _ABUTTING * ahead_m)
    left = np.sort(np.where(fates[known] == Fate.GOES_ON, ahead_m, places[known, 1]))
    clear = float(left[int(_CLEAR * count)])
    votes = {
        Ending.TUBE: known & into,
        Ending.BODY: known & ((fates == Fate.OUT) | (fates == Fate.IN)),
        Ending.CAP: known & ((fates == Fate.APEX) | (fates == Fate.RIM)),
        Ending.OPEN: known & (fates == Fate.OPEN),
    }
    if votes[Ending.TUBE].sum() < _INTO_TUBE * count or _parts_before(fates, places, into):
        del votes[Ending.TUBE]
        if (known & ~stays).sum() < _ENDING * count:
            leave = np.flatnonzero((fates == Fate.OUT) | (fates == Fate.TUBE))
            leave = leave[
                places[leave, 0] < places[leave, 0].min(initial=ahead_m) + _TOGETHER * ahead_m
            ]
            if len(leave) > 2 * _STRAY:
                at = float(places[leave, 0].mean())
                return End(Ending.BODY, at, min(clear, at), _common(beyond[leave]))
            return End(Ending.GOES_ON, min(clear, _STRANDED * ahead_m), clear, -1)
    ending = max(votes, key=lambda kind: int(votes[kind].sum()))
    ended = count - int((fates == Fate.GOES_ON).sum())
    if ending is Ending.CAP and votes[Ending.CAP].sum() < _CAPPED * ended:
        ending = Ending.BODY  # the others go round the top of it
    chosen = votes[ending]
    if not chosen.any():
        chosen = known & ~stays
    if ending is Ending.CAP:
        at = float(np.median(places[chosen, 2]))
    else:
        if ending is Ending.BODY:
            chosen |= into  # where other tubes part from this one that are known already
        branches = (left > left[0] + _FAR * ahead_m).sum() > _GOING_ON * count
        if branches:
            chosen &= places[:, 0] < places[chosen, 0].min() + _WIDE * ahead_m
        least = int((_PARTING if branches else _ENDING) * count)
        at = _first_group(places[chosen, 0], least, _GAP * ahead_m)
    return End(ending, at, clear, _common(beyond[chosen]))


def _parts_before(fates: NDArray[np.int32], places: Floats, into: NDArray[np.bool_]) -> bool:
    """Tell whether something branches off before another tube is come to."""
    out = (fates == Fate.OUT) & (places[:, 1] < np.median(places[into, 1]))
    return int(out.sum()) > _STRAY


def _first_group(places: Floats, least: int, gap_m: float) -> float:
    """Return the mean of the places, without those that come after a gap.

    Beyond a T's stem some meridians of the bar go on along the bar's other arm, and leave there.
    At least ``least`` places count.
    """
    ordered = np.sort(places)
    wide = np.flatnonzero(np.diff(ordered) > gap_m) + 1
    wide = wide[wide >= least]
    return float(ordered[: wide[0] if len(wide) else len(ordered)].mean())


def _common(faces: NDArray[np.int32]) -> int:
    faces = faces[faces >= 0]
    return int(np.sort(faces)[len(faces) // 2]) if len(faces) else -1
