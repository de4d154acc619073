"""Owns which faces are a tube's: those that hang together round its axis, between its ends."""

import math

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.tubes.surface import Floats, Indices, Surface

_ROUND = 1.25  # times the section's largest radius: how far from the axis a tube's faces are
_FACING = -0.35
"""Cosine between a face's normal and the way out of the tube, at least, in the stretch at an end:
there the surface may turn back into something hollow. Between the ends it may have grooves."""


@kernel
def claim_faces(
    surface: Surface, owner: Indices, number: int, outward: float, axis: Floats, reaches: Floats,
    closed: bool, first_cap: bool, last_cap: bool, seeds: Indices, hints: Indices,
    queue: Indices, nearest: Indices,
) -> int:  # fmt: skip
    """Give the tube ``number`` its faces in ``owner``; return how many.

    axis (K, 3) m, from end to end, with ``reaches`` (K,) m, the largest radius of the section
    there. Faces beyond an end belong to the tube only if that end is a cap. ``outward`` is 1 for
    material, -1 for a hole. ``seeds`` are faces of the tube, ``hints`` the axis points next to
    them; ``queue`` and ``nearest`` (F,) are room to work in.
    """
    count = 0
    for i in range(seeds.shape[0]):
        f = seeds[i]
        if (
            f >= 0
            and owner[f] == -1
            and _belongs(surface, f, hints[i], outward, axis, reaches, closed, first_cap, last_cap)[
                0
            ]
        ):
            owner[f] = number
            queue[count] = f
            nearest[count] = hints[i]
            count += 1
    head = 0
    while head < count:
        f, hint = queue[head], nearest[head]
        head += 1
        for k in range(3):
            g = surface.neighbours[f, k]
            if g < 0 or owner[g] != -1:
                continue
            ours, at = _belongs(
                surface, g, hint, outward, axis, reaches, closed, first_cap, last_cap
            )
            if ours:
                owner[g] = number
                queue[count] = g
                nearest[count] = at
                count += 1
    return count


@kernel
def _belongs(
    surface: Surface, f: int, hint: int, outward: float, axis: Floats, reaches: Floats,
    closed: bool, first_cap: bool, last_cap: bool,
) -> tuple[bool, int]:  # fmt: skip
    """Tell whether a face is the tube's, and which stretch of the axis is next to it."""
    points = axis.shape[0]
    parts = points if closed else points - 1
    a, b, c = surface.faces[f, 0], surface.faces[f, 1], surface.faces[f, 2]
    x = (surface.vertices[a, 0] + surface.vertices[b, 0] + surface.vertices[c, 0]) / 3.0
    y = (surface.vertices[a, 1] + surface.vertices[b, 1] + surface.vertices[c, 1]) / 3.0
    z = (surface.vertices[a, 2] + surface.vertices[b, 2] + surface.vertices[c, 2]) / 3.0
    at = min(hint, parts - 1)
    best, t = _to_part(axis, at, x, y, z)
    for way in (1, -1):
        k = at
        for _ in range(parts):
            k += way
            if closed:
                k %= parts
            elif k < 0 or k >= parts:
                break
            square, place = _to_part(axis, k, x, y, z)
            if square > best:
                break
            best, t, at = square, place, k
    if not closed:
        if at == 0 and t < 0.0 and not first_cap:
            return False, at
        if at == parts - 1 and t > 1.0 and not last_cap:
            return False, at
    t = min(max(t, 0.0), 1.0)
    after = (at + 1) % points
    reach = reaches[at] + t * (reaches[after] - reaches[at])
    if best > (_ROUND * reach) ** 2:
        return False, at
    if closed or 0 < at < parts - 1:
        return True, at
    dx = x - axis[at, 0] - t * (axis[after, 0] - axis[at, 0])
    dy = y - axis[at, 1] - t * (axis[after, 1] - axis[at, 1])
    dz = z - axis[at, 2] - t * (axis[after, 2] - axis[at, 2])
    facing = dx * surface.normals[f, 0] + dy * surface.normals[f, 1] + dz * surface.normals[f, 2]
    return outward * facing >= _FACING * math.sqrt(best), at


@kernel
def _to_part(axis: Floats, k: int, x: float, y: float, z: float) -> tuple[float, float]:
    """Give the squared distance from stretch k of the axis, and the place on its line."""
    after = (k + 1) % axis.shape[0]
    ex, ey, ez = (
        axis[after, 0] - axis[k, 0],
        axis[after, 1] - axis[k, 1],
        axis[after, 2] - axis[k, 2],
    )
    dx, dy, dz = x - axis[k, 0], y - axis[k, 1], z - axis[k, 2]
    square = ex * ex + ey * ey + ez * ez
    t = (dx * ex + dy * ey + dz * ez) / square if square > 0.0 else 0.0
    s = min(max(t, 0.0), 1.0)
    dx, dy, dz = dx - s * ex, dy - s * ey, dz - s * ez
    return dx * dx + dy * dy + dz * dz, t


@kernel
def label_rest(surface: Surface, owner: Indices, labels: Indices, queue: Indices) -> int:
    """Number the connected parts of the faces without an owner in ``labels`` (F,); else -1."""
    labels[:] = -1
    parts = 0
    for start in range(owner.shape[0]):
        if owner[start] >= 0 or labels[start] >= 0:
            continue
        labels[start] = parts
        queue[0] = start
        count, head = 1, 0
        while head < count:
            f = queue[head]
            head += 1
            for k in range(3):
                g = surface.neighbours[f, k]
                if g >= 0 and owner[g] < 0 and labels[g] < 0:
                    labels[g] = parts
                    queue[count] = g
                    count += 1
        parts += 1
    return parts


def centroids_of(surface: Surface, faces: Indices) -> Floats:
    """Return the centroids (N, 3) m of these faces."""
    return surface.vertices[surface.faces[faces]].mean(axis=1)


def nearest_end(points: Floats, axis: Floats) -> np.ndarray:
    """Return for each point (N, 3) which end of the axis is nearer, 0 or 1."""
    first = ((points - axis[0]) ** 2).sum(axis=1)
    last = ((points - axis[-1]) ** 2).sum(axis=1)
    return (last < first).astype(np.int64)
