"""Owns the shape graph: the bodies that tubes leave, and what hangs on what."""

from dataclasses import dataclass

import numpy as np
from armspan.solvers.meshes.topology import Mesh
from armspan.solvers.tubes.claims import centroids_of, label_rest, nearest_end
from armspan.solvers.tubes.ends import Ending
from armspan.solvers.tubes.shape import Body, EndKind, TubeEnd, TubeKind
from armspan.solvers.tubes.surface import Floats, Indices, Surface, surface_of


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


def build_graph(
    mesh: Mesh, owner: Indices, joints: list[Joint], parents: Indices, faces: int
) -> tuple[Graph, Indices]:
    """Find bodies and attachments.

    ``owner`` (F,) is the tube each face of ``mesh`` belongs to, -1 for none. ``parents`` (F,) are
    the faces of the caller's mesh, of which there are ``faces``; the bodies name these. Also
    returns the tube of each of the caller's faces, -1 for a body's.
    """
    surface = surface_of(mesh)
    labels = np.empty_like(owner)
    parts = label_rest(surface, owner, labels, np.empty_like(owner))
    areas = np.bincount(labels[labels >= 0], mesh.areas[labels >= 0], minlength=parts)
    order = np.argsort(-areas, kind="stable")
    rank = np.full(parts + 1, -1, np.int32)  # the last one is for faces in no part
    rank[order] = np.arange(parts, dtype=np.int32)
    labels = rank[labels]
    tubes, bodies = _in_callers_faces(mesh, owner, labels, len(joints), parts, parents, faces)
    ends = tuple(_ends(surface, owner, labels, number, j) for number, j in enumerate(joints))
    kinds = tuple(_kind(pair, j) for pair, j in zip(ends, joints, strict=True))
    made = tuple(_body(mesh, labels, bodies, number) for number in range(parts))
    return Graph(made, ends, kinds), tubes


def _in_callers_faces(
    mesh: Mesh, owner: Indices, labels: Indices, tubes: int, parts: int, parents: Indices,
    faces: int,
) -> tuple[Indices, Indices]:  # fmt: skip
    """Give every face of the caller's mesh to the tube or body that has most of it.

    A body that has most of none gets the face of which it has the largest share.
    """
    which = np.where(owner >= 0, owner, labels + tubes)
    count = tubes + parts
    if count == 1:
        chosen = np.zeros(faces, np.int32)
    else:
        pairs, at = np.unique(parents.astype(np.int64) * count + which, return_inverse=True)
        area = np.bincount(at, mesh.areas)
        face, one = pairs // count, pairs % count
        order = np.lexsort((one, -area, face))
        first = np.ones(len(order), np.bool_)
        first[1:] = face[order][1:] != face[order][:-1]
        chosen = np.empty(faces, np.int32)
        chosen[face[order][first]] = one[order][first]
        for body in range(tubes, count):
            if not (chosen == body).any():
                mine = one == body
                chosen[face[mine][np.argmax(area[mine])]] = body
    in_tubes = np.where(chosen < tubes, chosen, -1).astype(np.int32)
    return in_tubes, (chosen - tubes).astype(np.int32)


def _body(mesh: Mesh, labels: Indices, bodies: Indices, number: int) -> Body:
    """Describe a body: its faces are the caller's, its area and centre those of its own."""
    fine = np.flatnonzero(labels == number)
    areas = mesh.areas[fine]
    centres = mesh.vertices[mesh.faces[fine]].mean(axis=1)
    total = float(areas.sum())
    faces = np.flatnonzero(bodies == number).astype(np.int32)
    return Body(faces, total, (areas[:, None] * centres).sum(axis=0) / total)


def _ends(
    surface: Surface, owner: Indices, labels: Indices, number: int, joint: Joint
) -> tuple[TubeEnd, TubeEnd]:
    if joint.endings is None:
        itself = TubeEnd(EndKind.ITSELF, number)
        return itself, itself
    faces = np.flatnonzero(owner == number).astype(np.int32)
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
