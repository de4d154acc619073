"""Owns the mesh that parts are made of: triangles over columns of values, and how to cut it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from client_web.avatars.bake.arrays import Flags, Floats, Indices


@dataclass
class Mesh:
    """Triangles (m, 3) over named columns (n, width); ``point`` is always one of them."""

    triangles: Indices
    columns: dict[str, Floats]

    @property
    def points(self) -> Floats:
        return self.columns["point"]

    def with_columns(self, **columns: Floats) -> Mesh:
        """The same triangles with some columns added or replaced."""
        return Mesh(self.triangles, self.columns | columns)

    def select(self, triangles: Flags | Indices) -> Mesh:
        """Only some triangles, and only the vertices that they use."""
        kept = self.triangles[triangles]
        used, renumbered = np.unique(kept, return_inverse=True)
        columns = {name: values[used] for name, values in self.columns.items()}
        return Mesh(renumbered.reshape(-1, 3), columns)

    def corners(self, values: Floats) -> Floats:
        """A column's values at the triangles' corners, (m, 3, ...)."""
        return values[self.triangles]

    def area_normals(self) -> Floats:
        """The triangles' normals (m, 3), as long as twice their areas."""
        a, b, c = (self.points[self.triangles[:, corner]] for corner in range(3))
        return np.cross(b - a, c - a)

    def normals(self) -> Floats:
        """Smooth unit normals at the vertices (n, 3); vertices at one place share theirs."""
        _, place = np.unique(np.round(self.points, 7), axis=0, return_inverse=True)
        place = place.reshape(-1)
        total = np.zeros((place.max() + 1, 3))
        flat = self.area_normals()
        for corner in range(3):
            np.add.at(total, place[self.triangles[:, corner]], flat)
        lengths = np.linalg.norm(total, axis=1, keepdims=True)
        # Where faces cancel each other out, any direction is as good.
        sure = np.where(lengths > 0, total, (0.0, 1.0, 0.0)) / np.where(lengths > 0, lengths, 1.0)
        return sure[place]

    def edges(self) -> Indices:
        """Directed edges (3m, 2), in the triangles' winding."""
        t = self.triangles
        return np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])

    def rim(self) -> Indices:
        """Directed edges (e, 2) that belong to one triangle only."""
        edges = self.edges()
        key = np.sort(edges, axis=1)
        _, inverse, counts = np.unique(key, axis=0, return_inverse=True, return_counts=True)
        return edges[counts[inverse.reshape(-1)] == 1]


def quads_to_mesh(quads: Indices, columns: dict[str, Floats]) -> Mesh:
    """Triangulate quads (f, 4), dropping what has no area, and keep the vertices used."""
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    sides = triangles != np.roll(triangles, 1, axis=1)
    return Mesh(triangles, columns).select(sides.all(1))


def join(meshes: list[Mesh]) -> Mesh:
    """All triangles of several meshes that have the same columns."""
    starts = np.cumsum([0] + [len(mesh.points) for mesh in meshes[:-1]])
    triangles = [mesh.triangles + start for mesh, start in zip(meshes, starts, strict=True)]
    columns = {
        name: np.concatenate([mesh.columns[name] for mesh in meshes]) for name in meshes[0].columns
    }
    return Mesh(np.concatenate(triangles), columns)


def split(mesh: Mesh, field: Floats) -> tuple[Mesh, Mesh]:
    """Cut along the line where ``field`` (n,) is 0: the part above it, and the part below.

    Triangles that the line crosses are divided, so both parts end exactly on the line.
    """
    return _above(mesh, field), _above(mesh, -field)


def _above(mesh: Mesh, field: Floats) -> Mesh:
    """The part of the mesh where ``field`` is positive."""
    # A vertex almost on the line would leave slivers: it counts as on it.
    field = np.where(np.abs(field) < 1e-9, 1e-9, field)
    signs = field[mesh.triangles] > 0
    count = signs.sum(1)
    pairs: dict[tuple[int, int], int] = {}
    ends: list[tuple[int, int]] = []

    def crossing(a: int, b: int) -> int:
        key = (a, b) if a < b else (b, a)
        if key not in pairs:
            pairs[key] = len(mesh.points) + len(ends)
            ends.append(key)
        return pairs[key]

    added: list[tuple[int, int, int]] = []
    for triangle in np.flatnonzero((count == 1) | (count == 2)):
        corners = mesh.triangles[triangle]
        odd = int(np.flatnonzero(signs[triangle] == (count[triangle] == 1))[0])
        a, b, c = (int(corners[(odd + step) % 3]) for step in range(3))
        ab, ca = crossing(a, b), crossing(c, a)
        if count[triangle] == 1:
            added.append((a, ab, ca))
        else:
            added += [(ab, b, c), (ab, c, ca)]
    triangles = np.concatenate(
        [mesh.triangles[count == 3], np.array(added, dtype=np.int64).reshape(-1, 3)]
    )
    columns = mesh.columns
    if ends:
        first, second = np.array(ends).T
        share = (field[first] / (field[first] - field[second]))[:, None]
        columns = {
            name: np.concatenate([values, values[first] * (1 - share) + values[second] * share])
            for name, values in columns.items()
        }
    return Mesh(triangles, columns).select(np.ones(len(triangles), dtype=bool))


def smooth(mesh: Mesh, values: Floats, rounds: int) -> Floats:
    """Average each vertex's values (n, k) with its neighbours', ``rounds`` times.

    The rim is averaged along itself only, so that it stays where it is cut.
    """
    edges, rim = mesh.edges(), mesh.rim()
    on_rim = np.zeros(len(values), dtype=bool)
    on_rim[rim.ravel()] = True
    both = np.concatenate([edges, edges[:, ::-1]])
    links = np.concatenate([both[~on_rim[both[:, 0]]], rim, rim[:, ::-1]])
    links = np.unique(links, axis=0)
    degree = np.bincount(links[:, 0], minlength=len(values))[:, None]
    for _ in range(rounds):
        total = np.zeros_like(values)
        np.add.at(total, links[:, 0], values[links[:, 1]])
        values = np.where(degree > 0, 0.5 * (values + total / np.maximum(degree, 1)), values)
    return values


def loops(mesh: Mesh) -> list[Indices]:
    """The rims as closed loops of vertices, in the triangles' winding, longest first."""
    following = {int(a): int(b) for a, b in mesh.rim()}
    found: list[Indices] = []
    while following:
        start, after = following.popitem()
        loop = [start]
        while after != start and after in following:
            loop.append(after)
            after = following.pop(after)
        found.append(np.array(loop))
    return sorted(found, key=len, reverse=True)


def unit(vectors: Floats) -> Floats:
    """Rows (n, 3) at length 1."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def flange(
    mesh: Mesh, loop: Indices, profile: list[tuple[float, float]], axis: Floats | None = None
) -> Mesh:
    """A strip along a rim. Each row of ``profile`` is (beyond the rim, out of the surface) in m.

    The first row lies at the rim if it is (0, 0). Other columns are the rim vertices' own. With
    an ``axis`` the strip is a tube along it, whatever way the surface faces at the rim.
    """
    points = mesh.points[loop]
    if axis is None:
        outward = mesh.normals()[loop]
        along = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
        beyond = unit(np.cross(along, outward))
        beyond = 0.25 * (2 * beyond + np.roll(beyond, 1, axis=0) + np.roll(beyond, -1, axis=0))
    else:
        beyond = np.tile(axis, (len(loop), 1))
        radial = points - points.mean(0)
        outward = unit(radial - (radial @ axis)[:, None] * axis)
    rows = [points + further * beyond + out * outward for further, out in profile]
    count = len(loop)
    this = np.arange(count)
    following = np.roll(this, -1)
    triangles: list[Indices] = []
    for row in range(len(profile) - 1):
        low, high = row * count, (row + 1) * count
        triangles.append(np.stack([low + following, low + this, high + this], axis=1))
        triangles.append(np.stack([low + following, high + this, high + following], axis=1))
    columns = {
        name: np.concatenate([values[loop]] * len(profile)) for name, values in mesh.columns.items()
    }
    return Mesh(np.concatenate(triangles), columns | {"point": np.concatenate(rows)})
