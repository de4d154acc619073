"""Owns the frames about a tube: of its sections, and of a palm in a section.

A section's frame is its tangent and a reference normal that is carried along the axis without twist
(rotation-minimising, by double reflection: Wang, Jüttler, Zheng & Liu 2008, section 4.2). Round a
closed tube the carried normal comes back turned; that turn is spread evenly over the length.

A palm's place is computed for a *right* hand. For a left one the scene is seen in the mirror that
keeps tangent and normal of the section: the same numbers, a rotation with determinant -1.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.grasp.site import Floats, GraspError, GraspSite
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec, cross, dot, quat_rotate
from numpy.typing import NDArray

Columns = tuple[Vec, Vec, Vec]

_SAME_M = 1e-7  # points nearer to each other are one
_STRAIGHT = 1e-3  # of the length: an axis that bends less has no outside of its bend
_STEEP = 0.7  # cosine between a straight axis and +Y from which on the normal is +Z


class Axis(NamedTuple):
    """A tube's axis with its frames, for kernels; a closed one ends with its first point again.

    ``points``, ``tangents``, ``normals`` (K, 3), ``radii`` (K,) and ``arc`` (K,), the arc length.
    """

    points: Floats
    radii: Floats
    arc: Floats
    tangents: Floats
    normals: Floats
    closed: bool

    @property
    def length_m(self) -> float:
        """Of the whole axis."""
        return float(self.arc[-1])


def make_axis(site: GraspSite) -> Axis:
    """Carry a site's reference normal along its axis.

    With no normal given: away from the middle of the bend, at the middle of the axis; for a
    straight axis +Y, or +Z where the axis itself is steep.
    """
    points, radii = site.points, site.radii
    if site.closed:
        points, radii = np.vstack([points, points[:1]]), np.append(radii, radii[0])
    kept = np.empty(len(points), np.bool_)
    _mark_different(points, kept)
    points, radii = np.ascontiguousarray(points[kept]), np.ascontiguousarray(radii[kept])
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    arc = np.append(0.0, np.cumsum(steps))
    if site.closed and len(points) < 4:
        raise GraspError("a closed axis needs at least three different points")
    tangents = np.empty_like(points)
    _write_tangents(points, site.closed, tangents)
    normals = np.empty_like(points)
    if site.normal is None:
        at, normal = _own_normal(points, arc, tangents, site.closed)
    else:
        at, normal = 0, site.normal / float(np.abs(site.normal).max())  # its square may be nothing
    across = normal - tangents[at] * float(tangents[at] @ normal)
    if float(np.linalg.norm(across)) < 1e-6 * float(np.linalg.norm(normal)):
        raise GraspError(
            f"the reference normal {site.normal} runs along the axis: give it another direction"
        )
    normals[at] = across / np.linalg.norm(across)
    _carry(points, tangents, at, normals)
    if site.closed:
        _spread_twist(arc, tangents, normals)
    return Axis(points, radii, arc, tangents, normals, site.closed)


@kernel
def _mark_different(points: Floats, kept: NDArray[np.bool_]) -> None:
    """Mark the points that lie apart from the one kept before; the first and last always are."""
    last = points.shape[0] - 1
    kept[:] = False
    kept[0] = True
    before = 0
    for i in range(1, last + 1):
        if np.abs(points[i] - points[before]).max() > _SAME_M:
            kept[i] = True
            before = i
    if before > 0:
        kept[before] = False
        kept[last] = True


def _own_normal(points: Floats, arc: Floats, tangents: Floats, closed: bool) -> tuple[int, Floats]:
    """Find a point of the axis and a direction there that a rule gives, whatever the frame."""
    steps = arc[1:] - arc[:-1]
    centre = steps @ (0.5 * (points[1:] + points[:-1])) / arc[-1]
    at = 0 if closed else int(np.searchsorted(arc, 0.5 * float(arc[-1])))
    out = points[at] - centre
    out = out - tangents[at] * float(out @ tangents[at])
    if float(np.linalg.norm(out)) > _STRAIGHT * float(arc[-1]):
        return at, out
    steep = abs(float(tangents[0][1])) > _STEEP
    return 0, np.array([0.0, 0.0, 1.0]) if steep else np.array([0.0, 1.0, 0.0])


@kernel
def _write_tangents(points: Floats, closed: bool, tangents: Floats) -> None:
    """Tangent of the parabola through each point and its neighbours; ends are mirrored chords."""
    last = points.shape[0] - 1
    for i in range(last + 1):
        if (i == 0 or i == last) and not closed:
            continue
        before = last - 1 if i == 0 else i - 1
        after = 1 if i == last else i + 1
        hx, hy, hz, h = _step(points, before, i)
        kx, ky, kz, k = _step(points, i, after)
        _put_unit(tangents, i, k * hx + h * kx, k * hy + h * ky, k * hz + h * kz, kx, ky, kz)
    if closed:
        return
    if last == 1:
        x, y, z, _ = _step(points, 0, 1)
        _put_unit(tangents, 0, x, y, z, x, y, z)
        _put_unit(tangents, 1, x, y, z, x, y, z)
        return
    for end, inner in ((0, 1), (last, last - 1)):
        x, y, z, _ = _step(points, min(end, inner), max(end, inner))
        tx, ty, tz = tangents[inner, 0], tangents[inner, 1], tangents[inner, 2]
        share = 2.0 * (x * tx + y * ty + z * tz)
        _put_unit(tangents, end, share * x - tx, share * y - ty, share * z - tz, x, y, z)


@kernel
def _step(points: Floats, i: int, j: int) -> tuple[float, float, float, float]:
    """Unit direction from point i to point j, and the distance."""
    x, y, z = points[j, 0] - points[i, 0], points[j, 1] - points[i, 1], points[j, 2] - points[i, 2]
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length, length


@kernel
def _put_unit(
    out: Floats, i: int, x: float, y: float, z: float, ox: float, oy: float, oz: float
) -> None:
    """Write the direction (x, y, z), or the other one where it vanishes (the axis turns back)."""
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-12:
        x, y, z, length = ox, oy, oz, 1.0
    out[i, 0], out[i, 1], out[i, 2] = x / length, y / length, z / length


@kernel
def _carry(points: Floats, tangents: Floats, at: int, normals: Floats) -> None:
    """Carry the normal of point ``at`` to all others."""
    for i in range(at, points.shape[0] - 1):
        _reflect_twice(points, tangents, i, i + 1, normals)
    for i in range(at, 0, -1):
        _reflect_twice(points, tangents, i, i - 1, normals)


@kernel
def _reflect_twice(points: Floats, tangents: Floats, i: int, j: int, normals: Floats) -> None:
    x, y, z, _ = _step(points, i, j)
    chord = (x, y, z)
    r = _mirrored((normals[i, 0], normals[i, 1], normals[i, 2]), chord)
    t = _mirrored((tangents[i, 0], tangents[i, 1], tangents[i, 2]), chord)
    turn = (tangents[j, 0] - t[0], tangents[j, 1] - t[1], tangents[j, 2] - t[2])
    size = math.sqrt(dot(turn, turn))
    if size > 1e-12:
        r = _mirrored(r, (turn[0] / size, turn[1] / size, turn[2] / size))
    t = (tangents[j, 0], tangents[j, 1], tangents[j, 2])
    share = dot(r, t)  # rounding, lest it pile up
    x, y, z = r[0] - share * t[0], r[1] - share * t[1], r[2] - share * t[2]
    _put_unit(normals, j, x, y, z, r[0], r[1], r[2])


@kernel
def _mirrored(v: Vec, unit: Vec) -> Vec:
    share = 2.0 * dot(v, unit)
    return (v[0] - share * unit[0], v[1] - share * unit[1], v[2] - share * unit[2])


@kernel
def _spread_twist(arc: Floats, tangents: Floats, normals: Floats) -> None:
    last = arc.shape[0] - 1
    t = (tangents[0, 0], tangents[0, 1], tangents[0, 2])
    first = (normals[0, 0], normals[0, 1], normals[0, 2])
    back = (normals[last, 0], normals[last, 1], normals[last, 2])
    twist = math.atan2(dot(cross(back, first), t), dot(back, first))
    for i in range(1, last + 1):
        t = (tangents[i, 0], tangents[i, 1], tangents[i, 2])
        n = (normals[i, 0], normals[i, 1], normals[i, 2])
        n = turned(n, t, twist * arc[i] / arc[last])
        normals[i, 0], normals[i, 1], normals[i, 2] = n


@kernel
def turned(normal: Vec, tangent: Vec, angle: float) -> Vec:
    """Turn a normal about the unit tangent it is perpendicular to."""
    sine, cosine = math.sin(angle), math.cos(angle)
    b = cross(tangent, normal)
    return (
        cosine * normal[0] + sine * b[0],
        cosine * normal[1] + sine * b[1],
        cosine * normal[2] + sine * b[2],
    )


@kernel
def section_at(axis: Axis, s: float) -> tuple[Vec, Vec, Vec, float]:
    """Point, unit tangent, unit reference normal and radius of the tube at the arc length s.

    A closed axis goes on round and round; an open one ends at its ends.
    """
    last = axis.arc.shape[0] - 1
    length = float(axis.arc[last])
    s = s - length * math.floor(s / length) if axis.closed else min(max(s, 0.0), length)
    i = min(max(int(np.searchsorted(axis.arc, s)) - 1, 0), last - 1)
    u = (s - axis.arc[i]) / (axis.arc[i + 1] - axis.arc[i])
    point = _between(axis.points, i, u)
    t = _unit(_between(axis.tangents, i, u))
    n = _between(axis.normals, i, u)
    share = dot(n, t)
    n = _unit((n[0] - share * t[0], n[1] - share * t[1], n[2] - share * t[2]))
    return point, t, n, axis.radii[i] + u * (axis.radii[i + 1] - axis.radii[i])


@kernel
def _between(rows: Floats, i: int, u: float) -> Vec:
    return (
        rows[i, 0] + u * (rows[i + 1, 0] - rows[i, 0]),
        rows[i, 1] + u * (rows[i + 1, 1] - rows[i, 1]),
        rows[i, 2] + u * (rows[i + 1, 2] - rows[i, 2]),
    )


@kernel
def _unit(v: Vec) -> Vec:
    length = math.sqrt(dot(v, v))
    return (v[0] / length, v[1] / length, v[2] / length)


@kernel
def palm_axes(tangent: Vec, normal: Vec, thumb_along: float, mirror: float, turns: Vec) -> Columns:
    """Axes of a right palm, in the object, whose back is on the ``normal``'s side.

    ``thumb_along``: 1 or -1, the thumb is on that side along the tangent. ``turns``: tilt, pitch
    and roll, rad. ``mirror``: 1, or -1 for the mirror image, which is a left hand's palm with its
    X axis turned round.
    """
    x = (-thumb_along * tangent[0], -thumb_along * tangent[1], -thumb_along * tangent[2])
    z = cross(x, normal)
    z = (mirror * z[0], mirror * z[1], mirror * z[2])
    y = normal
    z, x = _rotated(z, x, turns[0])
    y, z = _rotated(y, z, turns[1])
    y, x = _rotated(y, x, turns[2])  # about -Z
    return x, y, z


@kernel
def _rotated(a: Vec, b: Vec, angle: float) -> tuple[Vec, Vec]:
    """Turn two perpendicular axes in their plane, a toward b."""
    s, c = math.sin(angle), math.cos(angle)
    return (
        (c * a[0] + s * b[0], c * a[1] + s * b[1], c * a[2] + s * b[2]),
        (c * b[0] - s * a[0], c * b[1] - s * a[1], c * b[2] - s * a[2]),
    )


def pose_of(origin: Floats, x: Floats, y: Floats, z: Floats) -> Floats:
    """Pose (7,) of the frame with these unit axes: position xyz, rotation xyzw with w >= 0."""
    squares = np.array([x[0], y[1], z[2]])
    total = float(squares.sum())
    sums = np.array([y[2] + z[1], z[0] + x[2], x[1] + y[0]])
    spins = np.array([y[2] - z[1], z[0] - x[2], x[1] - y[0]])
    largest = int(squares.argmax())
    if total >= float(squares[largest]):
        quaternion = np.append(spins, 1.0 + total)
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        quaternion = np.empty(4)
        quaternion[i] = 1.0 + 2.0 * squares[i] - total
        quaternion[j], quaternion[k], quaternion[3] = sums[k], sums[j], spins[i]
    quaternion /= np.linalg.norm(quaternion) * (1.0 if quaternion[3] >= 0.0 else -1.0)
    return np.concatenate([origin, quaternion])


def inverse_pose(pose: Floats) -> Floats:
    """The pose (7,) of the frame that ``pose`` is told in, told in the frame that it places."""
    turn = np.append(-pose[3:6], pose[6])
    x, y, z, w = turn.tolist()
    px, py, pz = pose[:3].tolist()
    place = quat_rotate((x, y, z, w), (-px, -py, -pz))
    return np.concatenate([place, turn])
