"""Owns the oracle of ball cuts: every face and edge asked alone, loops put together by geometry.

Slow and simple. A face is met if its nearest point is in the ball; pieces are faces joined across
edges that are met; arcs are found by sorting crossings by angle and asking whether the middle
between two lies in the triangle; the Euler characteristic is that of the inner simplices.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from armspan.solvers.meshes.topology import Mesh

Node = tuple[int, int, int]  # an edge's vertices and the number of the crossing, or (vertex, -1, 0)


@dataclass
class OracleLoop:
    """A boundary loop, with points along it and the lengths they stand for."""

    arcs: int
    length_m: float
    centre: np.ndarray
    reach_m: float


@dataclass
class Piece:
    """A connected piece of surface in the ball."""

    faces: set[int] = field(default_factory=set)
    euler: int = 0
    loops: list[OracleLoop] = field(default_factory=list)
    rims: int = 0


class _Sets:
    def __init__(self) -> None:
        self.parent: dict[object, object] = {}

    def find(self, a: object) -> object:
        while self.parent.setdefault(a, a) != a:
            a = self.parent[a]
        return a

    def join(self, a: object, b: object) -> None:
        self.parent[self.find(a)] = self.find(b)


def pieces_in_ball(mesh: Mesh, centre: np.ndarray, radius: float) -> list[Piece]:
    """Find all pieces of a mesh in a ball."""
    points = mesh.vertices - centre
    middles = points[mesh.faces].mean(axis=1)
    spread = np.linalg.norm(points[mesh.faces] - middles[:, None], axis=2).max(axis=1)
    near = np.flatnonzero(np.linalg.norm(middles, axis=1) < radius + spread)
    met = [int(f) for f in near if _nearest(points[mesh.faces[f]]) < radius]
    joined = _Sets()
    for f in met:
        for k, g in enumerate(mesh.neighbours[f]):
            a, b = points[mesh.faces[f, k]], points[mesh.faces[f, (k + 1) % 3]]
            if g >= 0 and _nearest_on_segment(a, b) < radius:
                joined.join(f, int(g))
    pieces: dict[object, Piece] = {}
    for f in met:
        pieces.setdefault(joined.find(f), Piece()).faces.add(f)
    for piece in pieces.values():
        piece.euler = _euler(mesh, points, piece.faces, radius)
        _find_loops(mesh, points, piece, radius)
    return list(pieces.values())


def _nearest_on_segment(a: np.ndarray, b: np.ndarray) -> float:
    along = np.clip(-(a @ (b - a)) / ((b - a) @ (b - a)), 0.0, 1.0)
    return float(np.linalg.norm(a + along * (b - a)))


def _nearest(corners: np.ndarray) -> float:
    a, b, c = corners
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal)
    foot = (a @ normal) * normal
    if all(normal @ np.cross(q - p, foot - p) >= 0.0 for p, q in ((a, b), (b, c), (c, a))):
        return abs(float(a @ normal))
    return min(_nearest_on_segment(p, q) for p, q in ((a, b), (b, c), (c, a)))


def _euler(mesh: Mesh, points: np.ndarray, faces: Iterable[int], radius: float) -> int:
    """Inner vertices less inner edges plus faces: what meets the ball is an open set of simplices,
    and the characteristic of a surface is that of its interior."""
    vertices: set[int] = set()
    edges: set[tuple[int, int]] = set()
    border: set[int] = set()
    rim: set[int] = set(mesh.faces[mesh.neighbours < 0].tolist())
    rim |= set(np.roll(mesh.faces, -1, axis=1)[mesh.neighbours < 0].tolist())
    count = 0
    for f in faces:
        count += 1
        for k in range(3):
            i, j = int(mesh.faces[f, k]), int(mesh.faces[f, (k + 1) % 3])
            if np.linalg.norm(points[i]) < radius and i not in rim:
                vertices.add(i)
            if _nearest_on_segment(points[i], points[j]) < radius and mesh.neighbours[f, k] >= 0:
                edges.add((min(i, j), max(i, j)))
    return len(vertices - border) - len(edges) + count


def _crossings(points: np.ndarray, i: int, j: int, radius: float) -> list[tuple[Node, np.ndarray]]:
    """Where the edge i-j crosses the sphere, from i to j, named the same from both sides."""
    low, high = min(i, j), max(i, j)
    a, e = points[low], points[high] - points[low]
    half, square = float(a @ e), float(e @ e)
    under = half * half - square * (float(a @ a) - radius * radius)
    if under <= 0.0:
        return []
    roots = [(sign * np.sqrt(under) - half) / square for sign in (-1.0, 1.0)]
    return [((low, high, n), a + t * e) for n, t in enumerate(roots) if 0.0 < t < 1.0]


def _find_loops(mesh: Mesh, points: np.ndarray, piece: Piece, radius: float) -> None:
    joined = _Sets()
    parts: list[tuple[Node, bool, np.ndarray, float]] = []  # a node, whether an arc, points, length
    for f in piece.faces:
        corners = mesh.faces[f]
        for a, b, curve, length in _arcs(points, corners, mesh.normals[f], radius):
            if a is not None:
                joined.join(a, b)
            parts.append((a, True, curve, length))
        for k in range(3):
            if mesh.neighbours[f, k] < 0:
                for a, b, curve, length in _inside(
                    points, corners[k], corners[(k + 1) % 3], radius
                ):
                    joined.join(a, b)
                    parts.append((a, False, curve, length))
    groups: dict[object, list[tuple[Node, bool, np.ndarray, float]]] = {}
    for part in parts:
        groups.setdefault(None if part[0] is None else joined.find(part[0]), []).append(part)
    for group in groups.values():
        arcs = sum(part[1] for part in group)
        if not arcs:
            piece.rims += 1
            continue
        lengths = np.array([part[3] for part in group])
        middles = np.array([part[2].mean(axis=0) for part in group])
        centre = (lengths[:, None] * middles).sum(axis=0) / lengths.sum()
        reach = max(float(np.linalg.norm(part[2] - centre, axis=1).max()) for part in group)
        piece.loops.append(OracleLoop(arcs, float(lengths.sum()), centre, reach))


def _arcs(points: np.ndarray, corners: np.ndarray, normal: np.ndarray, radius: float):
    """The arcs of the sphere in a triangle: both ends (None: a whole circle), points, length."""
    a, b, c = points[corners]
    height = float(a @ normal)
    if abs(height) >= radius:
        return
    middle, rho = height * normal, float(np.sqrt(radius**2 - height**2))
    u = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    u /= np.linalg.norm(u)
    v = np.cross(normal, u)
    found = []
    for k in range(3):
        for node, p in _crossings(points, corners[k], corners[(k + 1) % 3], radius):
            found.append((float(np.arctan2((p - middle) @ v, (p - middle) @ u)), node))
    found.sort(key=lambda one: one[0])
    spans = [
        (here, there, angle, (to - angle) % (2 * np.pi))
        for (angle, here), (to, there) in zip(found, [*found[1:], *found[:1]], strict=True)
    ] or [(None, None, 0.0, 2 * np.pi)]
    for here, there, angle, turn in spans:
        at = angle + turn * (np.arange(400)[:, None] + 0.5) / 400
        curve = middle + rho * (np.cos(at) * u + np.sin(at) * v)
        half = curve[len(curve) // 2]
        if all(normal @ np.cross(q - p, half - p) > 0.0 for p, q in ((a, b), (b, c), (c, a))):
            yield here, there, curve, rho * turn


def _inside(points: np.ndarray, i: int, j: int, radius: float):
    """The part of an open edge that lies in the ball: both ends, points, length."""
    ends: list[tuple[Node, np.ndarray]] = [
        ((int(v), -1, 0), points[v]) for v in (i, j) if np.linalg.norm(points[v]) < radius
    ]
    ends += _crossings(points, i, j, radius)
    if len(ends) == 2:
        (a, p), (b, q) = ends
        at = (np.arange(200)[:, None] + 0.5) / 200
        yield a, b, p + at * (q - p), float(np.linalg.norm(q - p))
