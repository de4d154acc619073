"""Owns what is measured on the boundary loops of a cut: length, barycentre, reach, vector area.

All integrals are exact: a loop is made of circle arcs, one in each face it passes, and of straight
pieces where it follows the border of an open mesh.
"""

import math

from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec
from armspan.solvers.tubes.boundary import leaves_ball, step_round
from armspan.solvers.tubes.cut_scratch import LOOPS_KEPT, CutScratch
from armspan.solvers.tubes.surface import Surface, is_over_face, next_open_edge

_TURN = 2.0 * math.pi


@kernel
def measure_loops(
    surface: Surface,
    x: float,
    y: float,
    z: float,
    radius: float,
    loops: int,
    scratch: CutScratch,
) -> None:
    """Fill ``loop_length``, ``loop_centre``, ``loop_reach`` and ``loop_area`` of ``scratch``.

    To be called right after ``cut_sphere`` with the same surface, centre, radius and scratch;
    ``loops`` is what it returned. The vector area of a loop points back to its piece where the
    piece is a limb of material (convex), and away from it where it is a hole in the material:
    the sign of ``dot(loop_area, loop_centre - centre)`` is negative, respectively positive.
    """
    for loop in range(min(loops, LOOPS_KEPT)):
        length, cx, cy, cz = 0.0, 0.0, 0.0, 0.0
        ax, ay, az = 0.0, 0.0, 0.0
        first, stop = scratch.loop_starts[loop], scratch.loop_starts[loop + 1]
        if first == stop:
            _measure_circle(surface, x, y, z, radius, loop, scratch)
            continue
        for at in range(first, stop):
            f, k = scratch.loop_edges[at] // 3, scratch.loop_edges[at] % 3
            p = crossing(surface, f, k, True, x, y, z, radius)
            f, k_in = step_round(surface, scratch.codes, f, k)
            q = crossing(surface, f, k_in, False, x, y, z, radius)
            part, mx, my, mz, sx, sy, sz = _arc(surface, f, k, k_in, p, q, x, y, z, radius)
            length += part
            cx, cy, cz = cx + part * mx, cy + part * my, cz + part * mz
            ax, ay, az = ax + sx, ay + sy, az + sz
            while surface.neighbours[f, k_in] < 0:
                leaves = leaves_ball(scratch.codes, f, k_in)
                r = _open_end(surface, f, k_in, leaves, x, y, z, radius)
                part, mx, my, mz, sx, sy, sz = _straight(q, r)
                length += part
                cx, cy, cz = cx + part * mx, cy + part * my, cz + part * mz
                ax, ay, az = ax + sx, ay + sy, az + sz
                if leaves:
                    break
                q = r
                f, k_in = next_open_edge(surface, f, k_in)
        scratch.loop_length[loop] = length
        over = 1.0 / length if length > 0.0 else 0.0
        scratch.loop_centre[loop, 0] = x + cx * over
        scratch.loop_centre[loop, 1] = y + cy * over
        scratch.loop_centre[loop, 2] = z + cz * over
        scratch.loop_area[loop, 0] = ax
        scratch.loop_area[loop, 1] = ay
        scratch.loop_area[loop, 2] = az
        scratch.loop_reach[loop] = _reach(surface, x, y, z, radius, loop, scratch)


@kernel
def crossing(
    surface: Surface, f: int, k: int, outward: bool, x: float, y: float, z: float, radius: float
) -> Vec:
    """Give the point (m, relative to the centre) where half-edge (f, k) leaves or enters the ball.

    Both faces of the edge get the same bits. The half-edge must have that crossing.
    """
    i, j = surface.faces[f, k], surface.faces[f, (k + 1) % 3]
    if i > j:
        i, j = j, i
        outward = not outward
    px, py, pz = (
        surface.vertices[i, 0] - x,
        surface.vertices[i, 1] - y,
        surface.vertices[i, 2] - z,
    )
    ex = surface.vertices[j, 0] - surface.vertices[i, 0]
    ey = surface.vertices[j, 1] - surface.vertices[i, 1]
    ez = surface.vertices[j, 2] - surface.vertices[i, 2]
    a = ex * ex + ey * ey + ez * ez
    b = px * ex + py * ey + pz * ez
    c = px * px + py * py + pz * pz - radius * radius
    root = math.sqrt(max(b * b - a * c, 0.0))
    # Of the two forms of a root, the one in which nothing cancels.
    if outward:
        t = -c / (b + root) if b > 0.0 else (root - b) / a
    else:
        t = -(b + root) / a if b > 0.0 else c / (root - b)
    if not t > 0.0:  # also where 0 / 0
        t = 0.0
    elif t > 1.0:
        t = 1.0
    return px + t * ex, py + t * ey, pz + t * ez


@kernel
def _open_end(
    surface: Surface, f: int, k: int, leaves: bool, x: float, y: float, z: float, radius: float
) -> Vec:
    """Give where the open half-edge (f, k) ends in the ball, relative to the centre."""
    if leaves:
        return crossing(surface, f, k, True, x, y, z, radius)
    v = surface.faces[f, (k + 1) % 3]
    return (
        surface.vertices[v, 0] - x,
        surface.vertices[v, 1] - y,
        surface.vertices[v, 2] - z,
    )


@kernel
def _straight(p: Vec, q: Vec) -> tuple[float, float, float, float, float, float, float]:
    """Measure a straight piece: length, middle, and its share of the vector area."""
    dx, dy, dz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    return (
        math.sqrt(dx * dx + dy * dy + dz * dz),
        0.5 * (p[0] + q[0]),
        0.5 * (p[1] + q[1]),
        0.5 * (p[2] + q[2]),
        0.5 * (p[1] * q[2] - p[2] * q[1]),
        0.5 * (p[2] * q[0] - p[0] * q[2]),
        0.5 * (p[0] * q[1] - p[1] * q[0]),
    )


@kernel
def arc_circle(
    surface: Surface, f: int, x: float, y: float, z: float, radius: float
) -> tuple[float, float, float, float]:
    """Give the circle in which the sphere cuts the plane of face f: its centre relative to the
    sphere's, and its radius (m)."""
    v = surface.faces[f, 0]
    nx, ny, nz = surface.normals[f, 0], surface.normals[f, 1], surface.normals[f, 2]
    height = (
        (surface.vertices[v, 0] - x) * nx
        + (surface.vertices[v, 1] - y) * ny
        + (surface.vertices[v, 2] - z) * nz
    )
    rho = math.sqrt(max(radius * radius - height * height, 0.0))
    return height * nx, height * ny, height * nz, rho


@kernel
def _angle(surface: Surface, f: int, c: Vec, p: Vec, q: Vec) -> float:
    """Give the angle (rad, -pi to pi) from p to q about c, about face f's normal."""
    ux, uy, uz = p[0] - c[0], p[1] - c[1], p[2] - c[2]
    vx, vy, vz = q[0] - c[0], q[1] - c[1], q[2] - c[2]
    sine = (
        surface.normals[f, 0] * (uy * vz - uz * vy)
        + surface.normals[f, 1] * (uz * vx - ux * vz)
        + surface.normals[f, 2] * (ux * vy - uy * vx)
    )
    return math.atan2(sine, ux * vx + uy * vy + uz * vz)


@kernel
def _arc_angle(
    surface: Surface,
    f: int,
    k: int,
    k_in: int,
    c: Vec,
    p: Vec,
    q: Vec,
    x: float,
    y: float,
    z: float,
) -> float:
    """Give the angle (rad, 0 to 2 pi) of the arc in face f from p on edge k to q on edge k_in.

    Near nothing and near a whole turn look alike to rounding. More than half a turn needs a face
    that holds the circle's centre, and edges that do not follow each other (before the vertex
    between two that do, the arc only cuts a corner).
    """
    angle = _angle(surface, f, c, p, q)
    if angle < 0.0:
        nearly_whole = angle > -1.0
        if nearly_whole and (k_in == (k + 1) % 3 or not is_over_face(surface, f, x, y, z)):
            return 0.0
        angle += _TURN
    return angle


@kernel
def _arc(
    surface: Surface, f: int, k: int, k_in: int, p: Vec, q: Vec, x: float, y: float, z: float,
    radius: float,
) -> tuple[float, float, float, float, float, float, float]:  # fmt: skip
    """Measure an arc: length, barycentre, and its share of the vector area."""
    cx, cy, cz, rho = arc_circle(surface, f, x, y, z, radius)
    angle = _arc_angle(surface, f, k, k_in, (cx, cy, cz), p, q, x, y, z)
    if angle < 1e-6:  # straight to the last bit
        return _straight(p, q)
    nx, ny, nz = surface.normals[f, 0], surface.normals[f, 1], surface.normals[f, 2]
    half = 0.5 * angle
    cosine, sine = math.cos(half), math.sin(half)
    ux, uy, uz = p[0] - cx, p[1] - cy, p[2] - cz
    sinc = sine / half
    mx = cx + sinc * (cosine * ux + sine * (ny * uz - nz * uy))
    my = cy + sinc * (cosine * uy + sine * (nz * ux - nx * uz))
    mz = cz + sinc * (cosine * uz + sine * (nx * uy - ny * ux))
    _, _, _, _, sx, sy, sz = _straight(p, q)
    segment = 0.5 * rho * rho * (angle - math.sin(angle))
    return rho * angle, mx, my, mz, sx + segment * nx, sy + segment * ny, sz + segment * nz


@kernel
def _measure_circle(
    surface: Surface, x: float, y: float, z: float, radius: float, loop: int, scratch: CutScratch
) -> None:
    """Measure the circle wholly inside the face ``piece[0]``."""
    f = scratch.piece[0]
    cx, cy, cz, rho = arc_circle(surface, f, x, y, z, radius)
    scratch.loop_length[loop] = _TURN * rho
    scratch.loop_reach[loop] = rho
    scratch.loop_centre[loop, 0] = x + cx
    scratch.loop_centre[loop, 1] = y + cy
    scratch.loop_centre[loop, 2] = z + cz
    for axis in range(3):
        scratch.loop_area[loop, axis] = math.pi * rho * rho * surface.normals[f, axis]


@kernel
def _reach(
    surface: Surface, x: float, y: float, z: float, radius: float, loop: int, scratch: CutScratch
) -> float:
    """Give the distance from a loop's barycentre to its farthest point."""
    bx = scratch.loop_centre[loop, 0] - x
    by = scratch.loop_centre[loop, 1] - y
    bz = scratch.loop_centre[loop, 2] - z
    farthest = 0.0
    for at in range(scratch.loop_starts[loop], scratch.loop_starts[loop + 1]):
        f, k = scratch.loop_edges[at] // 3, scratch.loop_edges[at] % 3
        p = crossing(surface, f, k, True, x, y, z, radius)
        farthest = max(farthest, _square(p, bx, by, bz))
        f, k_in = step_round(surface, scratch.codes, f, k)
        q = crossing(surface, f, k_in, False, x, y, z, radius)
        farthest = max(farthest, _square(q, bx, by, bz))
        cx, cy, cz, rho = arc_circle(surface, f, x, y, z, radius)
        nx, ny, nz = surface.normals[f, 0], surface.normals[f, 1], surface.normals[f, 2]
        # The circle's farthest point is opposite to the barycentre's foot in its plane.
        wx, wy, wz = cx - bx, cy - by, cz - bz
        height = wx * nx + wy * ny + wz * nz
        wx, wy, wz = wx - height * nx, wy - height * ny, wz - height * nz
        away = math.sqrt(wx * wx + wy * wy + wz * wz)
        if away > 0.0:
            over = rho / away
            m = (cx + wx * over, cy + wy * over, cz + wz * over)
            turned = _angle(surface, f, (cx, cy, cz), p, m) % _TURN
            if turned < _arc_angle(surface, f, k, k_in, (cx, cy, cz), p, q, x, y, z):
                farthest = max(farthest, _square(m, bx, by, bz))
        while surface.neighbours[f, k_in] < 0:
            leaves = leaves_ball(scratch.codes, f, k_in)
            farthest = max(
                farthest,
                _square(_open_end(surface, f, k_in, leaves, x, y, z, radius), bx, by, bz),
            )
            if leaves:
                break
            f, k_in = next_open_edge(surface, f, k_in)
    return math.sqrt(farthest)


@kernel
def _square(p: Vec, x: float, y: float, z: float) -> float:
    """Give the squared distance of p from a point."""
    dx, dy, dz = p[0] - x, p[1] - y, p[2] - z
    return dx * dx + dy * dy + dz * dz
