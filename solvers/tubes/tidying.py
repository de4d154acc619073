"""Owns what lies between tubes and bodies: tips, pinches and crumbs are no bodies.

Between the tubes that were taken lie rests of the surface. Most are bodies. But a small one that
only one tube's end touches is that tube's cap; one between the facing ends of two tubes that run
on in each other is a pinch, and the tubes are one; and a crumb beside a tube is the tube's.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from armspan.solvers.meshes.topology import Mesh
from armspan.solvers.tubes.axis import Axis, joined, turned
from armspan.solvers.tubes.candidates import Candidate
from armspan.solvers.tubes.claims import centroids_of, label_rest
from armspan.solvers.tubes.ends import End, Ending
from armspan.solvers.tubes.surface import Flags, Floats, Indices, surface_of

_MOUTH = 2.0  # reaches round a tube's end, within which its faces are those of its end
_BORDER = 3  # edges that a cap shares at least with what it is no cap before
_COLLAR = 0.5  # radii before a tube's end, where it meets others
_SMALL = 4.0 * math.pi  # square radii: no larger than a ball on the tube's end
_STRAIGHT = -0.7  # cosine between the ways out of two tubes that run on in each other, at most
_NEAR = 3.0  # radii between the ends of two such tubes
_ALIKE = 1.7  # the ratio of their radii
_FACING = 0.5  # share of an end's border that is another tube's, where they abut
_ROUNDS = 200


@dataclass(slots=True)
class Found:
    """A tube that has its faces: its number is its place in the list and in ``owner``."""

    candidate: Candidate
    scale_m: float

    @property
    def ends(self) -> tuple[End, End] | None:
        """What is at the ends; None for a closed tube."""
        return self.candidate.axis.ends

    def end_at(self, side: int) -> tuple[Floats, Floats, float]:
        """Return where an end is, the way out there, and the largest radius of the section."""
        slices, ends = self.candidate.axis.slices, self.ends
        row, sign = (0, -1.0) if side == 0 else (-1, 1.0)
        out = sign * slices.tangents[row]
        at = ends[side].at_m if ends is not None else 0.0
        return slices.centroids[row] + at * out, out, float(np.nanmax(slices.profiles[row]))

    def radius_at(self, side: int) -> float:
        """Return the radius of the last section at an end, m."""
        return float(self.candidate.axis.slices.radii[0 if side == 0 else -1])

    def is_at_body(self, side: int) -> bool:
        """Tell whether an end goes over into something."""
        return self.ends is not None and self.ends[side].ending not in (Ending.CAP, Ending.OPEN)


@dataclass(frozen=True, slots=True)
class _Rest:
    faces: Indices
    area_m2: float
    touches: dict[tuple[int, int], int]  # (tube, side or -1): shared edges


def tidy(mesh: Mesh, owner: Indices, found: list[Found]) -> list[Found]:
    """Settle the rests; changes ``owner`` (F,), and returns the tubes by their new numbers."""
    found = list(found)
    _part(mesh, owner, found)
    for _ in range(_ROUNDS):
        if not _settle(mesh, owner, found):
            break
    kept = [number for number in range(len(found)) if (owner == number).any()]
    places = np.full(len(found) + 1, -1, np.int32)
    places[kept] = np.arange(len(kept), dtype=np.int32)
    owner[:] = places[owner]
    return [found[number] for number in kept]


def _part(mesh: Mesh, owner: Indices, found: list[Found]) -> None:
    """Take a collar of faces from tubes' ends that touch each other: it is the body they end at.

    So the middle of a junction is one body, though its tubes meet in points of it. Ends that run
    on in each other keep theirs.
    """
    across = np.where(mesh.neighbours >= 0, owner[mesh.neighbours], -1)
    f, k = _where((owner[:, None] >= 0) & (across >= 0) & (across != owner[:, None]))
    g = mesh.neighbours[f, k]
    one, other = _sides(mesh, owner, found, f), _sides(mesh, owner, found, g)
    both = (one >= 0) & (other >= 0)
    for at in np.flatnonzero(both):
        a, b = found[owner[f[at]]], found[owner[g[at]]]
        both[at] = (
            a.is_at_body(int(one[at]))
            and b.is_at_body(int(other[at]))
            and not _runs_on(a, int(one[at]), b, int(other[at]))
        )
    points = mesh.vertices[mesh.faces].mean(axis=1)
    meeting = {(int(owner[f[at]]), int(one[at])) for at in np.flatnonzero(both)}
    free = np.zeros(len(owner), np.bool_)
    for number, side in meeting:
        end, out, reach = found[number].end_at(side)
        away = points - end
        near = (away**2).sum(axis=1) < (_MOUTH * reach) ** 2
        free |= (owner == number) & near & (away @ out > -_COLLAR * found[number].radius_at(side))
    owner[free] = -1


def _where(half_edges: Flags) -> tuple[Indices, Indices]:
    """Return the faces and edges (N,) at which half-edges (F, 3) are marked."""
    faces, edges = np.nonzero(half_edges)
    return faces.astype(np.int32), edges.astype(np.int32)


def _sides(mesh: Mesh, owner: Indices, found: list[Found], faces: Indices) -> Indices:
    """Return for faces that have an owner which end of it they are at, -1 for neither."""
    sides = np.full(len(faces), -1, np.int32)
    points = centroids_of(surface_of(mesh), faces)
    numbers: list[int] = np.unique(owner[faces]).tolist()
    for number in numbers:
        if found[number].ends is None:
            continue
        mine = np.flatnonzero(owner[faces] == number)
        nearest = np.full(len(mine), np.inf)
        for side in (0, 1):
            end, _, reach = found[number].end_at(side)
            apart = np.sqrt(((points[mine] - end) ** 2).sum(axis=1))
            better = (apart < _MOUTH * reach) & (apart < nearest)
            sides[mine[better]] = side
            nearest[better] = apart[better]
    return sides


def _runs_on(a: Found, side: int, b: Found, other: int) -> bool:
    """Tell whether two ends face each other so that the tubes are one."""
    if a is b or a.candidate.concave != b.candidate.concave:
        return False
    here, out, _ = a.end_at(side)
    there, back, _ = b.end_at(other)
    small, large = sorted((a.radius_at(side), b.radius_at(other)))
    apart = there - here
    return (
        float(out @ back) < _STRAIGHT
        and math.sqrt(float(apart @ apart)) < _NEAR * large
        and large < _ALIKE * small
    )


def _settle(mesh: Mesh, owner: Indices, found: list[Found]) -> bool:
    """Settle one rest, or join two tubes that abut; False when there is nothing left to do."""
    rests = _rests(mesh, owner, found)
    for rest in rests:
        if _uncap(found, rest):
            return True
    for rest in rests:
        if _settle_rest(mesh, owner, found, rest, rests):
            return True
    return _join_abutting(mesh, owner, found)


def _rests(mesh: Mesh, owner: Indices, found: list[Found]) -> list[_Rest]:
    """Find the rests, the smallest first, and what touches them."""
    labels, queue = np.empty_like(owner), np.empty_like(owner)
    parts = label_rest(surface_of(mesh), owner, labels, queue)
    areas = np.bincount(labels[labels >= 0], mesh.areas[labels >= 0], minlength=parts)
    across = np.where(mesh.neighbours >= 0, owner[mesh.neighbours], -1)
    f, k = _where((labels[:, None] >= 0) & (across >= 0))
    g = mesh.neighbours[f, k]
    sides = _sides(mesh, owner, found, g)
    touches: list[dict[tuple[int, int], int]] = [{} for _ in range(parts)]
    pairs: list[tuple[int, int, int]] = np.stack((labels[f], owner[g], sides), axis=1).tolist()
    for part, tube, side in pairs:
        touches[part][tube, side] = touches[part].get((tube, side), 0) + 1
    order: list[int] = np.argsort(areas, kind="stable").tolist()
    return [
        _Rest(np.flatnonzero(labels == part).astype(np.int32), float(areas[part]), touches[part])
        for part in order
        if touches[part]
    ]


def _settle_rest(
    mesh: Mesh, owner: Indices, found: list[Found], rest: _Rest, rests: list[_Rest]
) -> bool:
    thin = min(found[tube].candidate.radius_m for tube, _ in rest.touches)
    if rest.area_m2 > _SMALL * thin**2:
        return False
    most = max(rest.touches, key=lambda touch: (rest.touches[touch], touch))
    ends = [
        (tube, side) for tube, side in rest.touches if side >= 0 and found[tube].is_at_body(side)
    ]
    larger = [other for other in rests if other.area_m2 > rest.area_m2]
    if all(any(end in other.touches for other in larger) for end in ends):
        owner[rest.faces] = most[0]  # nothing ends here, or it ends at something larger, too
        return True
    if len(ends) == 1 and len({tube for tube, _ in rest.touches}) == 1:
        _cap(mesh, owner, found, rest, ends[0])
        return True
    if len(ends) == 2 and _runs_on(found[ends[0][0]], ends[0][1], found[ends[1][0]], ends[1][1]):
        owner[rest.faces] = ends[0][0]
        _join(owner, found, ends[0], ends[1])
        return True
    return False


def _uncap(found: list[Found], rest: _Rest) -> bool:
    """Take caps for what they are, where the surface goes on beyond them to a large rest."""
    for (tube, side), edges in sorted(rest.touches.items()):
        one = found[tube]
        axis = one.candidate.axis
        if axis.ends is None or side < 0 or one.is_at_body(side) or edges < _BORDER:
            continue
        ends = list(axis.ends)
        if ends[side].ending is Ending.CAP and rest.area_m2 > _SMALL * one.radius_at(side) ** 2:
            ends[side] = replace(ends[side], ending=Ending.BODY)
            _change(found, tube, replace(axis, ends=(ends[0], ends[1])))
            return True
    return False


def _cap(mesh: Mesh, owner: Indices, found: list[Found], rest: _Rest, end: tuple[int, int]) -> None:
    """Make a rest the cap of the only end that touches it."""
    tube, side = end
    owner[rest.faces] = tube
    axis = found[tube].candidate.axis
    if axis.ends is None:
        return
    row, sign = (0, -1.0) if side == 0 else (-1, 1.0)
    corners = mesh.vertices[mesh.faces[rest.faces].ravel()]
    out = sign * axis.slices.tangents[row]
    tip = float(((corners - axis.slices.centroids[row]) @ out).max())
    ends = list(axis.ends)
    ends[side] = End(Ending.CAP, max(tip, 0.0), ends[side].clear_m, -1)
    _change(found, tube, replace(axis, ends=(ends[0], ends[1])))


def _change(found: list[Found], tube: int, axis: Axis) -> None:
    found[tube] = Found(Candidate.of(axis), found[tube].scale_m)


def _join(
    owner: Indices, found: list[Found], first: tuple[int, int], second: tuple[int, int]
) -> None:
    """Make one tube of two; the second is left without faces."""
    (a, side), (b, other) = first, second
    one, two = found[a].candidate.axis, found[b].candidate.axis
    if one.ends is None or two.ends is None:
        return
    before = turned(one.slices) if side == 0 else one.slices
    after = turned(two.slices) if other == 1 else two.slices
    axis = Axis(joined(before, after), False, (one.ends[1 - side], two.ends[1 - other]))
    owner[owner == b] = a
    _change(found, a, axis)


def _join_abutting(mesh: Mesh, owner: Indices, found: list[Found]) -> bool:
    """Join two tubes that touch each other at ends that run on in each other."""
    across = np.where(mesh.neighbours >= 0, owner[mesh.neighbours], -1)
    f, k = _where((owner[:, None] >= 0) & (across != owner[:, None]))
    sides = _sides(mesh, owner, found, f)
    g = mesh.neighbours[f, k]
    over = np.where(g >= 0, owner[g], -1)
    far = np.full(len(f), -1, np.int32)
    owned = over >= 0
    far[owned] = _sides(mesh, owner, found, g[owned])
    border: dict[tuple[int, int], int] = {}
    shared: dict[tuple[int, int, int, int], int] = {}
    for a, side, b, other in zip(
        owner[f].tolist(), sides.tolist(), over.tolist(), far.tolist(), strict=True
    ):
        if side >= 0:
            border[a, side] = border.get((a, side), 0) + 1
            if b >= 0 and other >= 0 and a < b:
                shared[a, side, b, other] = shared.get((a, side, b, other), 0) + 1
    for (a, side, b, other), edges in sorted(shared.items()):
        faces = edges > _FACING * max(border[a, side], border[b, other])
        if faces and _runs_on(found[a], side, found[b], other):
            _join(owner, found, (a, side), (b, other))
            return True
    return False
