"""Owns meshes that are swept: a section carried along a line, without twist, capped or closed."""

from collections.abc import Callable
from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Faces = NDArray[np.int32]
MeshArrays = tuple[Points, Faces]


class Cap(Enum):
    """How a swept tube ends."""

    ROUND = auto()  # half a sphere
    FLAT = auto()  # rings of faces about as long as the wall's
    FAN = auto()  # one thin triangle a side, as modelling programs do
    NONE = auto()  # open


def fair_radius(radius_m: float, sides: int) -> float:
    """The corner radius of a polygon of ``sides`` whose area is that of the circle."""
    corner = 2.0 * np.pi / sides
    return radius_m * float(np.sqrt(corner / np.sin(corner)))


def sweep(
    line: Points, radii: Points | float, sides: int, caps: tuple[Cap, Cap], closed: bool = False
) -> MeshArrays:
    """Sections of equal area to circles of ``radii`` across ``line`` (K, 3), each of ``sides``."""
    count = len(line)
    radii = np.broadcast_to(np.asarray(radii, dtype=float), (count,)).copy()
    tangents = _tangents(line, closed)
    normals = _carried(tangents, closed)
    across = np.cross(tangents, normals)
    rings: list[Points] = []
    angles = np.arange(sides) * (2.0 * np.pi / sides)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def ring(k: int, radius: float, along: float) -> Points:
        corner = fair_radius(radius, sides)
        flat = circle[:, :1] * normals[k] + circle[:, 1:] * across[k]
        return line[k] + along * tangents[k] + corner * flat

    rings = [ring(k, radii[k], 0.0) for k in range(count)]
    tips: list[Points] = []
    if not closed:
        rings, tips = _capped(rings, ring, line, tangents, radii, sides, caps)
    vertices = np.concatenate([*rings, *[tip[None] for tip in tips]])
    return vertices, _faces(len(rings), sides, closed, caps)


def _capped(rings, ring, line, tangents, radii, sides, caps):
    """Rings of the caps before and behind those of the wall, and the points in the middle."""
    tips: list[Points] = []
    for end, cap in enumerate(caps):
        if cap is Cap.NONE:
            continue
        k, sign = (0, -1.0) if end == 0 else (len(line) - 1, 1.0)
        extra: list[Points] = []
        steps = max(2, round(sides / 4))
        if cap is Cap.ROUND:
            for i in range(1, steps):
                angle = 0.5 * np.pi * i / steps
                extra.append(ring(k, radii[k] * np.cos(angle), sign * radii[k] * np.sin(angle)))
            tips.append(line[k] + sign * radii[k] * tangents[k])
        else:
            if cap is Cap.FLAT:
                extra = [ring(k, radii[k] * (1.0 - i / steps), 0.0) for i in range(1, steps)]
            tips.append(line[k].copy())
        rings = extra[::-1] + rings if end == 0 else rings + extra
    return rings, tips


def _faces(count: int, sides: int, closed: bool, caps: tuple[Cap, Cap]) -> Faces:
    i = np.arange(sides)
    j = (i + 1) % sides
    faces: list[NDArray[np.int64]] = []
    for k in range(count if closed else count - 1):
        a, b = k * sides, ((k + 1) % count) * sides
        one = np.stack([a + i, a + j, b + i], axis=1)
        two = np.stack([a + j, b + j, b + i], axis=1)
        faces += [one, two]
    if not closed:
        tip = count * sides
        if caps[0] is not Cap.NONE:
            faces.append(np.stack([j, i, np.full(sides, tip)], axis=1))
            tip += 1
        if caps[1] is not Cap.NONE:
            last = (count - 1) * sides
            faces.append(np.stack([last + i, last + j, np.full(sides, tip)], axis=1))
    return np.concatenate(faces).astype(np.int32)


def _tangents(line: Points, closed: bool) -> Points:
    if closed:
        ahead = np.roll(line, -1, axis=0) - np.roll(line, 1, axis=0)
    else:
        ahead = np.gradient(line, axis=0, edge_order=2 if len(line) > 2 else 1)
    return ahead / np.linalg.norm(ahead, axis=1, keepdims=True)


def _carried(tangents: Points, closed: bool) -> Points:
    """Normals carried along without twist; round a closed line the twist left is spread evenly."""
    first = np.eye(3)[int(np.argmin(np.abs(tangents[0])))]
    normals = np.empty_like(tangents)
    normal = first - tangents[0] * (first @ tangents[0])
    for k, tangent in enumerate(tangents):
        normal = normal - tangent * (normal @ tangent)
        normal /= np.linalg.norm(normal)
        normals[k] = normal
    if closed:
        home = normal - tangents[0] * (normal @ tangents[0])
        home /= np.linalg.norm(home)
        twist = np.arctan2(np.cross(normals[0], home) @ tangents[0], normals[0] @ home)
        angles = -twist * np.arange(len(tangents))[:, None] / len(tangents)
        across = np.cross(tangents, normals)
        normals = np.cos(angles) * normals + np.sin(angles) * across
    return normals


def arc_line(
    centre: Points, start: Points, toward: Points, angle_rad: float, steps: int, ends: bool = True
) -> Points:
    """Points on an arc about ``centre`` from ``start`` on, turning to ``toward`` (unit)."""
    turns = np.linspace(0.0, angle_rad, steps, endpoint=ends)[:, None]
    spoke = np.asarray(start, dtype=float) - centre
    side = np.asarray(toward, dtype=float) * np.linalg.norm(spoke)
    return centre + np.cos(turns) * spoke + np.sin(turns) * side


def even(line: Points, step_m: float) -> Points:
    """The polyline again with points about ``step_m`` apart, both ends kept."""
    gaps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    s = np.concatenate([[0.0], np.cumsum(gaps)])
    at = np.linspace(0.0, s[-1], max(2, round(s[-1] / step_m) + 1))
    return np.stack([np.interp(at, s, line[:, k]) for k in range(3)], axis=1)


def curve(of: Callable[[Points], Points], steps: int) -> Points:
    """Points of a parametric curve on [0, 1]."""
    return of(np.linspace(0.0, 1.0, steps)[:, None])


def length_of(line: Points) -> float:
    """The polyline's length in metres."""
    return float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
