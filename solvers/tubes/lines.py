"""Owns lines in space: even steps along them, tangents, and normals carried without twist."""

import math

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.tubes.surface import Floats


def steps_of(line: Floats, closed: bool) -> Floats:
    """Return the lengths (m) from each point to the next; a closed line's last leads home."""
    ahead = np.roll(line, -1, axis=0) if closed else line[1:]
    behind = line if closed else line[:-1]
    return np.sqrt(((ahead - behind) ** 2).sum(axis=1))


def length_of(line: Floats, closed: bool) -> float:
    """Return the length of a polyline (K, 3) in m."""
    return float(steps_of(line, closed).sum())


def spread_evenly(line: Floats, closed: bool, step_m: float, least: int, most: int) -> Floats:
    """Return points about ``step_m`` apart along a polyline, between ``least`` and ``most``.

    Ends stay. A closed line (its first point not repeated) gives a closed one.
    """
    if closed:
        line = np.concatenate((line, line[:1]))
    at: Floats = np.concatenate((np.zeros(1), np.cumsum(steps_of(line, False))))
    parts = min(max(round(float(at[-1]) / step_m), least - (0 if closed else 1), 1), most)
    places: Floats = np.linspace(0.0, float(at[-1]), parts + 1)
    if closed:
        places = places[:-1]
    return np.stack([np.interp(places, at, line[:, axis]) for axis in range(3)], axis=1)


def tangents_of(line: Floats, closed: bool) -> Floats:
    """Return unit tangents (K, 3): those of parabolas through neighbouring points."""
    if closed:
        back, ahead = line - np.roll(line, 1, axis=0), np.roll(line, -1, axis=0) - line
    else:
        inner = np.diff(line, axis=0)
        if len(line) > 2:
            first, last = 2.0 * inner[0] - inner[1], 2.0 * inner[-1] - inner[-2]
        else:
            first = last = inner[0]
        back = np.concatenate((first[None], inner))
        ahead = np.concatenate((inner, last[None]))
    shorter = np.linalg.norm(back, axis=1, keepdims=True)
    longer = np.linalg.norm(ahead, axis=1, keepdims=True)
    along = back * (longer / np.maximum(shorter, 1e-300)) + ahead * (
        shorter / np.maximum(longer, 1e-300)
    )
    return along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)


def any_normal(tangent: Floats) -> Floats:
    """Return a unit vector normal to a unit tangent, the same for the same tangent."""
    axis = np.zeros(3)
    axis[int(np.argmin(np.abs(tangent)))] = 1.0
    normal = axis - tangent * float(tangent @ axis)
    return normal / math.sqrt(float(normal @ normal))


@kernel
def carry_normals(points: Floats, tangents: Floats, first: Floats, normals: Floats) -> None:
    """Carry ``first`` along the points without twist; write unit normals (K, 3).

    Wang, Jüttler, Zheng & Liu, "Computation of rotation minimizing frames" (2008), the double
    reflection method.
    """
    nx, ny, nz = first[0], first[1], first[2]
    for k in range(points.shape[0]):
        tx, ty, tz = tangents[k, 0], tangents[k, 1], tangents[k, 2]
        if k > 0:
            px, py, pz = tangents[k - 1, 0], tangents[k - 1, 1], tangents[k - 1, 2]
            ax = points[k, 0] - points[k - 1, 0]
            ay = points[k, 1] - points[k - 1, 1]
            az = points[k, 2] - points[k - 1, 2]
            square = ax * ax + ay * ay + az * az
            if square > 0.0:
                w = 2.0 * (ax * nx + ay * ny + az * nz) / square
                nx, ny, nz = nx - w * ax, ny - w * ay, nz - w * az
                w = 2.0 * (ax * px + ay * py + az * pz) / square
                px, py, pz = px - w * ax, py - w * ay, pz - w * az
            bx, by, bz = tx - px, ty - py, tz - pz
            square = bx * bx + by * by + bz * bz
            if square > 0.0:
                w = 2.0 * (bx * nx + by * ny + bz * nz) / square
                nx, ny, nz = nx - w * bx, ny - w * by, nz - w * bz
        w = nx * tx + ny * ty + nz * tz
        nx, ny, nz = nx - w * tx, ny - w * ty, nz - w * tz
        w = math.sqrt(nx * nx + ny * ny + nz * nz)
        nx, ny, nz = nx / w, ny / w, nz / w
        normals[k, 0], normals[k, 1], normals[k, 2] = nx, ny, nz
