"""Owns the shape graph: the bodies that tubes leave, and what hangs on what."""

from dataclasses import dataclass

import numpy as np
from armspan.solvers.meshes.topology import Mesh
from armspan.solvers.tubes.claims import centroids_of, label_rest, nearest_end
from armspan.solvers.tubes.ends import Ending
from armspan.solvers.tubes.shape import Body, EndKind, TubeEnd, TubeKind
from armspan.solvers.tubes.surface import Flags, Floats, Indices, Surface, surface_of

_MOUTH = 2.0  # radii round a tube's end, within which its faces are those of its end
_SCRAP = 2.0  # square radii: a rest smaller than this is a part of the tube beside it


@dataclass(frozen=True, slots=True)
class Joint:
    """What the graph needs to know of a tube."""

    axis: Floats  # (K, 3) m, end to end
    radius_m: float
    concave: bool
    endings: tuple[Ending, Ending] | None  # None for a closed tube


@dataclass(frozen=True, slots=True)
class Graph:
    """The bodies, largest first, and both ends and the kind of every tube."""

    bodies: tuple[Body, ...]
    ends: tuple[tuple[TubeEnd, TubeEnd], ...]
    kinds: tuple[TubeKind, ...]


def build_graph(mesh: Mesh, owner: Indices, joints: list[Joint]) -> Graph:
    """Find bodies and attachments. ``owner`` (F,) is completed: scraps go to the tube beside."""
    surface = surface_of(mesh)
    labels = np.empty_like(owner)
    queue = np.empty_like(owner)
    _part(mesh, owner, joints)
    parts = label_rest(surface, owner, labels, queue)
    if joints:
        _absorb(surface, mesh.areas, owner, labels, parts, joints)
        parts = label_rest(surface, owner, labels, queue)
    areas = np.bincount(labels[labels >= 0], mesh.areas[labels >= 0], minlength=parts)
    order = np.argsort(-areas, kind="stable")
    rank = np.full(parts + 1, -1, np.int32)  # the last one is for faces in no part
    rank[order] = np.arange(parts, dtype=np.int32)
    labels = rank[labels]
    bodies = tuple(_body(mesh, labels, number) for number in range(parts))
    ends = tuple(_ends(surface, owner, labels, number, j) for number, j in enumerate(joints))
    kinds = tuple(_kind(pair, j) for pair, j in zip(ends, joints, strict=True))
    return Graph(bodies, ends, kinds)


def _body(mesh: Mesh, labels: Indices, number: int) -> Body:
    faces = np.flatnonzero(labels == number).astype(np.int32)
    areas = mesh.areas[faces]
    centres = mesh.vertices[mesh.faces[faces]].mean(axis=1)
    total = float(areas.sum())
    return Body(faces, total, (areas[:, None] * centres).sum(axis=0) / total)


def _part(mesh: Mesh, owner: Indices, joints: list[Joint]) -> None:
    """Take the faces where two tubes' ends touch from both: they are the body that both end at.

    So the middle of a junction is one body, though its tubes meet in points of it.
    """
    surface = surface_of(mesh)
    across = np.where(surface.neighbours >= 0, owner[surface.neighbours], -1)
    f, k = np.nonzero((owner[:, None] >= 0) & (across >= 0) & (across != owner[:, None]))
    g = surface.neighbours[f, k]
    both = _is_at_body(surface, owner, joints, f) & _is_at_body(surface, owner, joints, g)
    f, k = f[both], k[both]
    if not len(f):
        return
    touched = np.zeros(len(mesh.vertices), np.bool_)
    touched[mesh.faces[f, k]] = True
    touched[mesh.faces[f, (k + 1) % 3]] = True
    owner[touched[mesh.faces].any(axis=1)] = -1


def _is_at_body(surface: Surface, owner: Indices, joints: list[Joint], faces: Indices) -> Flags:
    """Tell for faces that have an owner whether they are near an end of it that is at a body."""
    near = np.zeros(len(faces), np.bool_)
    points = centroids_of(surface, faces)
    for number in np.unique(owner[faces]):
        joint = joints[number]
        if joint.endings is None:
            continue
        mine = owner[faces] == number
        for end, ending in zip((joint.axis[0], joint.axis[-1]), joint.endings, strict=True):
            if ending is Ending.BODY:
                apart = ((points[mine] - end) ** 2).sum(axis=1)
                near[mine] |= apart < (_MOUTH * joint.radius_m) ** 2
    return near


def _absorb(
    surface: Surface, areas: Floats, owner: Indices, labels: Indices, parts: int,
    joints: list[Joint],
) -> None:  # fmt: skip
    """Give small rests to the tube that they share the most edges with."""
    sizes = np.bincount(labels[labels >= 0], areas[labels >= 0], minlength=parts)
    beside = owner[surface.neighbours]
    beside = np.where(surface.neighbours >= 0, beside, -1)
    at, k = np.nonzero((labels[:, None] >= 0) & (beside >= 0))
    shared = np.zeros((parts, len(joints)), np.int64)
    np.add.at(shared, (labels[at], beside[at, k]), 1)
    for part in range(parts):
        if not shared[part].any():
            continue
        tube = int(np.argmax(shared[part]))
        if sizes[part] < _SCRAP * joints[tube].radius_m ** 2:
            owner[labels == part] = tube


def _ends(
    surface: Surface, owner: Indices, labels: Indices, number: int, joint: Joint
) -> tuple[TubeEnd, TubeEnd]:
    if joint.endings is None:
        itself = TubeEnd(EndKind.ITSELF, number)
        return itself, itself
    faces = np.flatnonzero(owner == number)
    beside = surface.neighbours[faces]
    at, k = np.nonzero((beside >= 0) & (owner[beside] != number))
    over = beside[at, k]
    side = nearest_end(centroids_of(surface, faces[at]), joint.axis)
    first = _end(joint.endings[0], owner[over[side == 0]], labels[over[side == 0]])
    last = _end(joint.endings[1], owner[over[side == 1]], labels[over[side == 1]])
    return first, last


def _end(ending: Ending, tubes: Indices, parts: Indices) -> TubeEnd:
    """Say what an end is, from the faces that lie across its border."""
    if ending is Ending.CAP:
        return TubeEnd(EndKind.CAP)
    if ending is Ending.OPEN:
        return TubeEnd(EndKind.OPEN)
    if not len(parts):
        return TubeEnd(EndKind.CAP)
    to_bodies = np.bincount(parts[parts >= 0], minlength=1)
    to_tubes = np.bincount(tubes[tubes >= 0], minlength=1)
    if to_tubes.max() > to_bodies.max():
        return TubeEnd(EndKind.TUBE, int(np.argmax(to_tubes)))
    return TubeEnd(EndKind.BODY, int(np.argmax(to_bodies)))


def _kind(ends: tuple[TubeEnd, TubeEnd], joint: Joint) -> TubeKind:
    caps = sum(end.kind is EndKind.CAP for end in ends)
    if joint.concave:
        return TubeKind.WELL if caps else TubeKind.TUNNEL
    attached = sum(end.kind not in (EndKind.CAP, EndKind.OPEN) for end in ends)
    return (TubeKind.FREE, TubeKind.PROTRUSION, TubeKind.HANDLE)[attached]
