"""Owns the tree of boxes over triangles: the nearest one, and how often a point is wound round.

Triangles are halved evenly, again and again, so the tree is complete: node i has the children 2i+1
and 2i+2, and a walk needs no stack.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.kernel import kernel
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

_IN_LEAF = 4  # triangles in a leaf, at most
_FAR = 2.0  # radii from which a cluster of triangles is one dipole (Barill et al. 2018, beta)
_FOUR_PI = 4.0 * math.pi


class BoxTree(NamedTuple):
    """Boxes over triangles, for kernels; read-only by agreement."""

    triangles: Floats  # (F, 9) corners a, b, c in the tree's order, m
    face_of: Ints  # (F,) the mesh's face of each
    boxes: Floats  # (N, 6) low xyz, high xyz, m
    dipoles: Floats  # (N, 8) centre xyz m, sum of area normals xyz m^2, radius m, area m^2


def build_tree(vertices: Floats, faces: Ints) -> BoxTree:
    """Build the tree of a mesh: vertices (V, 3) m, faces (F, 3) indices, F at least 1."""
    corners = vertices[faces]  # (F, 3, 3)
    leaves = 1
    while leaves * _IN_LEAF < len(faces):
        leaves *= 2
    order = np.arange(len(faces), dtype=np.int32)
    _halve(corners.mean(axis=1), order, leaves)
    triangles = np.ascontiguousarray(corners[order].reshape(-1, 9), np.float64)
    boxes = np.empty((2 * leaves - 1, 6))
    dipoles = np.empty((2 * leaves - 1, 8))
    _fill(triangles, boxes, dipoles)
    return BoxTree(triangles, order, boxes, dipoles)


@kernel
def _halve(middles: Floats, order: Ints, leaves: int) -> None:
    """Order triangles by halving them again and again across their middles' longest extent."""
    count = order.shape[0]
    parts = 1
    while parts < leaves:
        for part in range(parts):
            first, stop = part * count // parts, (part + 1) * count // parts
            half = (2 * part + 1) * count // (2 * parts)
            axis, longest = 0, -1.0
            for candidate in range(3):
                low, high = np.inf, -np.inf
                for at in range(first, stop):
                    place = middles[order[at], candidate]
                    low, high = min(low, place), max(high, place)
                if high - low > longest:
                    axis, longest = candidate, high - low
            _select(middles, axis, order, first, stop - 1, half)
        parts *= 2


@kernel
def _select(middles: Floats, axis: int, order: Ints, first: int, last: int, at: int) -> None:
    """Sort just so far that all before ``at`` are at most, all behind at least what is there."""
    while first < last:
        pivot = middles[order[(first + last) // 2], axis]
        low, high = first, last
        while low <= high:
            while middles[order[low], axis] < pivot:
                low += 1
            while middles[order[high], axis] > pivot:
                high -= 1
            if low <= high:
                order[low], order[high] = order[high], order[low]
                low += 1
                high -= 1
        if at <= high:
            last = high
        elif at >= low:
            first = low
        else:
            return


@kernel
def _fill(triangles: Floats, boxes: Floats, dipoles: Floats) -> None:
    """Fill boxes and dipoles from the leaves up."""
    count = triangles.shape[0]
    leaves = (boxes.shape[0] + 1) // 2
    for node in range(boxes.shape[0] - 1, -1, -1):
        box, dipole = boxes[node], dipoles[node]
        box[:3] = np.inf
        box[3:] = -np.inf
        dipole[:] = 0.0
        leaf = node - leaves + 1
        if leaf >= 0:
            for at in range(leaf * count // leaves, (leaf + 1) * count // leaves):
                _add_triangle(triangles[at], box, dipole)
        else:
            for child in range(2 * node + 1, 2 * node + 3):
                _add_child(boxes[child], dipoles[child], box, dipole)
        reach = 0.0
        for axis in range(3):
            if dipole[7] > 0.0:
                dipole[axis] /= dipole[7]
            else:
                dipole[axis] = 0.5 * (box[axis] + box[3 + axis])
            side = max(box[3 + axis] - dipole[axis], dipole[axis] - box[axis])
            reach += side * side
        dipole[6] = math.sqrt(reach)


@kernel
def _add_triangle(t: Floats, box: Floats, dipole: Floats) -> None:
    ux, uy, uz = t[3] - t[0], t[4] - t[1], t[5] - t[2]
    vx, vy, vz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
    nx, ny, nz = 0.5 * (uy * vz - uz * vy), 0.5 * (uz * vx - ux * vz), 0.5 * (ux * vy - uy * vx)
    area = math.sqrt(nx * nx + ny * ny + nz * nz)
    for axis in range(3):
        a, b, c = t[axis], t[3 + axis], t[6 + axis]
        box[axis] = min(box[axis], a, b, c)
        box[3 + axis] = max(box[3 + axis], a, b, c)
        dipole[axis] += area * (a + b + c) / 3.0
    dipole[3] += nx
    dipole[4] += ny
    dipole[5] += nz
    dipole[7] += area


@kernel
def _add_child(child_box: Floats, child_dipole: Floats, box: Floats, dipole: Floats) -> None:
    for axis in range(3):
        box[axis] = min(box[axis], child_box[axis])
        box[3 + axis] = max(box[3 + axis], child_box[3 + axis])
        dipole[axis] += child_dipole[7] * child_dipole[axis]
        dipole[3 + axis] += child_dipole[3 + axis]
    dipole[7] += child_dipole[7]


@kernel
def nearest_on_triangle(
    t: Floats, x: float, y: float, z: float
) -> tuple[float, float, float, float]:
    """Find the point of a triangle that is nearest to (x, y, z) (Ericson 2005, section 5.1.5).

    ``t``: (9,) corners a, b, c. Returns (squared distance, px, py, pz). A triangle without area is
    its edges.
    """
    ax, ay, az = t[0], t[1], t[2]
    bx, by, bz = t[3] - ax, t[4] - ay, t[5] - az
    cx, cy, cz = t[6] - ax, t[7] - ay, t[8] - az
    qx, qy, qz = x - ax, y - ay, z - az
    d1 = bx * qx + by * qy + bz * qz
    d2 = cx * qx + cy * qy + cz * qz
    bb = bx * bx + by * by + bz * bz
    bc = bx * cx + by * cy + bz * cz
    cc = cx * cx + cy * cy + cz * cz
    d3, d4 = d1 - bb, d2 - bc
    d5, d6 = d1 - bc, d2 - cc
    v, w = 0.0, 0.0  # the nearest point is a + v b + w c
    va = d3 * d6 - d5 * d4
    vb = d5 * d2 - d1 * d6
    vc = d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        pass
    elif d3 >= 0.0 and d4 <= d3:
        v = 1.0
    elif d6 >= 0.0 and d5 <= d6:
        w = 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v = d1 / (d1 - d3)
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        w = d2 / (d2 - d6)
    elif va <= 0.0 and d4 >= d3 and d5 >= d6:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        v = 1.0 - w
    else:
        inside = va + vb + vc
        v, w = vb / inside, vc / inside
    px, py, pz = ax + v * bx + w * cx, ay + v * by + w * cy, az + v * bz + w * cz
    ex, ey, ez = x - px, y - py, z - pz
    return ex * ex + ey * ey + ez * ez, px, py, pz


@kernel
def _box_distance2(boxes: Floats, node: int, x: float, y: float, z: float) -> float:
    dx = max(boxes[node, 0] - x, 0.0, x - boxes[node, 3])
    dy = max(boxes[node, 1] - y, 0.0, y - boxes[node, 4])
    dz = max(boxes[node, 2] - z, 0.0, z - boxes[node, 5])
    return dx * dx + dy * dy + dz * dz


@kernel
def nearest(tree: BoxTree, x: float, y: float, z: float, guess: int) -> tuple[float, int]:
    """Find the nearest of all triangles: (squared distance m^2, its place in ``tree.triangles``).

    ``guess``: a place that is probably near (that of a neighbouring point), or -1. It changes the
    time only.
    """
    triangles, boxes = tree.triangles, tree.boxes
    count, nodes = triangles.shape[0], boxes.shape[0]
    leaves = (nodes + 1) // 2
    if guess < 0:
        node = 0
        while node < leaves - 1:
            left = _box_distance2(boxes, 2 * node + 1, x, y, z)
            right = _box_distance2(boxes, 2 * node + 2, x, y, z)
            node = 2 * node + (1 if left <= right else 2)
        guess = (node - leaves + 1) * count // leaves
    best, found = nearest_on_triangle(triangles[guess], x, y, z)[0], guess
    node = 0
    while True:
        if _box_distance2(boxes, node, x, y, z) < best:
            if node < leaves - 1:
                node = 2 * node + 1
                continue
            leaf = node - leaves + 1
            for at in range(leaf * count // leaves, (leaf + 1) * count // leaves):
                squared = nearest_on_triangle(triangles[at], x, y, z)[0]
                if squared < best:
                    best, found = squared, at
        while node & 1 == 0 and node > 0:  # up, as long as this is a second child
            node = (node - 1) // 2
        if node == 0:
            return best, found
        node += 1


@kernel
def winding(tree: BoxTree, x: float, y: float, z: float) -> float:
    """Count how often the mesh is wound round a point: 1 inside, 0 outside, between for open ones.

    The generalized winding number (Jacobson et al. 2013), clusters of triangles farther than twice
    their radius taken as one dipole (Barill et al. 2018, eq. 13).
    """
    triangles, boxes, dipoles = tree.triangles, tree.boxes, tree.dipoles
    count, nodes = triangles.shape[0], boxes.shape[0]
    leaves = (nodes + 1) // 2
    total = 0.0
    node = 0
    while True:
        d = dipoles[node]
        dx, dy, dz = d[0] - x, d[1] - y, d[2] - z
        squared = dx * dx + dy * dy + dz * dz
        if squared > _FAR * _FAR * d[6] * d[6]:
            total += (dx * d[3] + dy * d[4] + dz * d[5]) / (squared * math.sqrt(squared))
        elif node < leaves - 1:
            node = 2 * node + 1
            continue
        else:
            leaf = node - leaves + 1
            for at in range(leaf * count // leaves, (leaf + 1) * count // leaves):
                total += _solid_angle(triangles[at], x, y, z)
        while node & 1 == 0 and node > 0:
            node = (node - 1) // 2
        if node == 0:
            return total / _FOUR_PI
        node += 1


@kernel
def _solid_angle(t: Floats, x: float, y: float, z: float) -> float:
    """Signed solid angle of a triangle seen from a point (Van Oosterom & Strackee 1983)."""
    ax, ay, az = t[0] - x, t[1] - y, t[2] - z
    bx, by, bz = t[3] - x, t[4] - y, t[5] - z
    cx, cy, cz = t[6] - x, t[7] - y, t[8] - z
    a = math.sqrt(ax * ax + ay * ay + az * az)
    b = math.sqrt(bx * bx + by * by + bz * bz)
    c = math.sqrt(cx * cx + cy * cy + cz * cz)
    volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    below = (
        a * b * c
        + (ax * bx + ay * by + az * bz) * c
        + (bx * cx + by * cy + bz * cz) * a
        + (cx * ax + cy * ay + cz * az) * b
    )
    return 2.0 * math.atan2(volume, below)
