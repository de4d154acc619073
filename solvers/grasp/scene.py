"""Owns what surrounds a palm: the tube, the mesh's distance field and the hand's own palm.

Everything is in the palm's frame of a *right* hand; for a left one the scene is mirrored at x = 0
(``frame.py``). Of the tube's capsules, a finger meets only those that its plane comes near: the
plane perpendicular to the axis of its distal joints, turned by the spread (Abaci et al., section
6.1). A gap is the distance between surfaces, negative where they sink into each other.
"""

import math
from typing import Final, NamedTuple

import numpy as np
from armspan.solvers.grasp.capsule_distance import segment_distance
from armspan.solvers.grasp.frame import Axis, Columns
from armspan.solvers.grasp.site import Floats
from armspan.solvers.hand.anthropometry import (
    BASE,
    DIGIT_SIZE,
    DIGITS,
    LENGTH,
    PALM_CAPSULES,
    RADIUS,
    SEGMENTS,
    Digit,
)
from armspan.solvers.hand.capsules import finger_capsules, palm_capsules, thumb_capsules
from armspan.solvers.hand.forward import RIGHT
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.field import DistanceField, field_distance, segment_depth
from armspan.solvers.quaternion import Quat, Vec, dot
from numpy.typing import NDArray

FAR_M: Final = 1.0  # a gap of which nothing more needs to be known
_HAND = RIGHT
_THUMB = int(Digit.THUMB)
_LAST_FLEXED = SEGMENTS - 1
_CHORD_SHARE = 0.05  # of the tolerance: what a chord of the axis may miss
_CHORD_M = 1e-4

Gaps = tuple[float, float, float]


class Scene(NamedTuple):
    """For kernels. ``tube`` holds capsules in the object's frame, the rest is of one palm's place.

    A capsule of a tube is 8 numbers: both ends, and the radius at each of them.
    """

    sizes: Floats  # (SIZES,)
    palm: Floats  # (PALM_CAPSULES, 7)
    tube: Floats  # (T, 8) m, object
    local: Floats  # (T, 8) m, palm
    near: NDArray[np.int64]  # (T,) rows of ``local`` that a digit can meet
    rows: Floats  # (3, 7) capsules of the digit looked at
    digits: Floats  # (15, 7) capsules of all digits, as far as they are settled
    object_from_palm: Floats  # (12,) origin, then the x, y and z axes
    field: DistanceField
    solid: bool  # the field counts
    tolerance: float
    tested: NDArray[np.int64]  # (1,) postures so far


def make_scene(
    sizes: Floats, axis: Axis, field: DistanceField, solid: bool, tolerance: float
) -> Scene:
    """Allocate what a search works on."""
    palm = np.empty((PALM_CAPSULES, 7))
    palm_capsules(sizes, _HAND, palm)
    tube = tube_capsules(axis, min(_CHORD_M, _CHORD_SHARE * tolerance))
    return Scene(
        sizes.copy(),  # writeable, as all arrays here: kernels tell the difference
        palm,
        tube,
        np.empty_like(tube),
        np.empty(len(tube), np.int64),
        np.empty((SEGMENTS, 7)),
        np.empty((SEGMENTS * DIGITS, 7)),
        np.empty(12),
        field,
        solid,
        tolerance,
        np.zeros(1, np.int64),
    )


def tube_capsules(axis: Axis, chord_m: float) -> Floats:
    """Capsules (T, 8) of a tube: as few as miss its axis and radii by ``chord_m`` at most."""
    out = np.empty((len(axis.arc) - 1, 8))
    return out[: _write_tube(axis.points, axis.radii, axis.arc, chord_m, out)].copy()


@kernel
def _write_tube(points: Floats, radii: Floats, arc: Floats, chord: float, out: Floats) -> int:
    last = points.shape[0] - 1
    start = count = 0
    while start < last:
        end = start + 1
        while end < last and _is_chord(points, radii, arc, start, end + 1, chord):
            end += 1
        for k in range(3):
            out[count, k], out[count, 3 + k] = points[start, k], points[end, k]
        out[count, 6], out[count, 7] = radii[start], radii[end]
        count += 1
        start = end
    return count


@kernel
def _is_chord(
    points: Floats, radii: Floats, arc: Floats, start: int, end: int, chord: float
) -> bool:
    for i in range(start + 1, end):
        u = (arc[i] - arc[start]) / (arc[end] - arc[start])
        off = 0.0
        for k in range(3):
            miss = points[start, k] + u * (points[end, k] - points[start, k]) - points[i, k]
            off += miss * miss
        wide = radii[start] + u * (radii[end] - radii[start]) - radii[i]
        if off > chord * chord or abs(wide) > chord:
            return False
    return True


@kernel
def set_palm(scene: Scene, origin: Vec, axes: Columns) -> None:
    """Put the palm there, and bring the tube into its frame."""
    place = scene.object_from_palm
    for k in range(3):
        place[k] = origin[k]
        for axis in range(3):
            place[3 + 3 * axis + k] = axes[axis][k]
    for row in range(scene.tube.shape[0]):
        for end in (0, 3):
            x = scene.tube[row, end] - origin[0]
            y = scene.tube[row, end + 1] - origin[1]
            z = scene.tube[row, end + 2] - origin[2]
            for axis in range(3):
                turned = axes[axis]
                scene.local[row, end + axis] = x * turned[0] + y * turned[1] + z * turned[2]
        scene.local[row, 6] = scene.tube[row, 6]
        scene.local[row, 7] = scene.tube[row, 7]


@kernel
def lower_palm(scene: Scene, down: float) -> None:
    """Move the palm, once it is set, toward its own -Y."""
    for k in range(3):
        scene.object_from_palm[k] -= down * scene.object_from_palm[6 + k]
    for row in range(scene.local.shape[0]):
        scene.local[row, 1] += down
        scene.local[row, 4] += down


@kernel
def to_object(scene: Scene, x: float, y: float, z: float) -> Vec:
    """Bring a point of the palm's frame into the object's."""
    o = scene.object_from_palm
    return (
        o[0] + x * o[3] + y * o[6] + z * o[9],
        o[1] + x * o[4] + y * o[7] + z * o[10],
        o[2] + x * o[5] + y * o[8] + z * o[11],
    )


@kernel
def gather(scene: Scene, digit: int, spread: float) -> int:
    """List the capsules of the tube that a digit can meet into ``near``; return how many."""
    first = DIGIT_SIZE * digit
    sizes = scene.sizes
    base = (sizes[first + BASE], sizes[first + BASE + 1], sizes[first + BASE + 2])
    thick = max(sizes[first + RADIUS], sizes[first + RADIUS + 1], sizes[first + RADIUS + 2])
    reach = sizes[first + LENGTH] + sizes[first + LENGTH + 1] + sizes[first + LENGTH + 2] + thick
    normal = (math.cos(spread), 0.0, -math.sin(spread))
    count = 0
    for row in range(scene.local.shape[0]):
        a = (
            scene.local[row, 0] - base[0],
            scene.local[row, 1] - base[1],
            scene.local[row, 2] - base[2],
        )
        b = (
            scene.local[row, 3] - base[0],
            scene.local[row, 4] - base[1],
            scene.local[row, 5] - base[2],
        )
        wide = max(scene.local[row, 6], scene.local[row, 7])
        if digit != _THUMB:
            height_a, height_b = dot(a, normal), dot(b, normal)
            least = min(abs(height_a), abs(height_b))
            if height_a * height_b > 0.0 and least > wide + thick:
                continue
        ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        square = ux * ux + uy * uy + uz * uz
        t = -(a[0] * ux + a[1] * uy + a[2] * uz) / square if square > 0.0 else 0.0
        t = min(max(t, 0.0), 1.0)
        x, y, z = a[0] + t * ux, a[1] + t * uy, a[2] + t * uz
        far = reach + wide
        if x * x + y * y + z * z > far * far:
            continue
        scene.near[count] = row
        count += 1
    return count


@kernel
def tube_gap(scene: Scene, count: int, a: Vec, b: Vec, radius: float) -> float:
    """Gap between a capsule and the listed capsules of the tube."""
    least = FAR_M
    tube = scene.local
    for i in range(count):
        row = scene.near[i]
        distance, _, t = segment_distance(
            a,
            b,
            (tube[row, 0], tube[row, 1], tube[row, 2]),
            (tube[row, 3], tube[row, 4], tube[row, 5]),
        )
        wide = tube[row, 6] + t * (tube[row, 7] - tube[row, 6])
        least = min(least, distance - radius - wide)
    return least


@kernel
def solid_gap(scene: Scene, a: Vec, b: Vec, radius: float, least: float) -> float:
    """Gap between a capsule and the mesh, or ``least`` where it is more than that."""
    p = to_object(scene, a[0], a[1], a[2])
    q = to_object(scene, b[0], b[1], b[2])
    x, y, z = 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2])
    ux, uy, uz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    half = 0.5 * math.sqrt(ux * ux + uy * uy + uz * uz)
    if field_distance(scene.field, x, y, z) - half - radius >= least:
        return least
    depth, _ = segment_depth(scene.field, p, q, radius, -least)
    return -depth


@kernel
def pose_digit(scene: Scene, digit: int, angles: Quat) -> None:
    """Write the capsules of a digit's posture into ``rows``.

    Four angles in the hand's order: of a finger its flexion, spread, PIP and DIP; of the thumb
    CMC flexion and abduction, MCP, IP.
    """
    a, b, c, d = angles
    if digit == _THUMB:
        thumb_capsules(scene.sizes, _HAND, a, b, c, d, scene.rows)
    else:
        finger_capsules(scene.sizes, _HAND, digit, a, b, c, d, scene.rows)


@kernel
def digit_gaps(scene: Scene, count: int, first: int) -> Gaps:
    """Gaps of the digit in ``rows`` to tube and mesh, segment by segment from ``first`` on."""
    scene.tested[0] += 1
    g0 = _gap(scene, count, 0) if first <= 0 else FAR_M
    g1 = _gap(scene, count, 1) if first <= 1 else FAR_M
    return g0, g1, _gap(scene, count, 2)


@kernel
def keep_digit(scene: Scene, digit: int) -> None:
    """Settle the digit in ``rows``."""
    for segment in range(SEGMENTS):
        for k in range(7):
            scene.digits[SEGMENTS * digit + segment, k] = scene.rows[segment, k]


@kernel
def tube_normal(scene: Scene, count: int, segment: int) -> tuple[Vec, float]:
    """Direction from the tube's axis to a segment of the digit in ``rows``, and the gap to it."""
    row = scene.rows[segment]
    a, b = (row[0], row[1], row[2]), (row[3], row[4], row[5])
    least = FAR_M
    normal = (0.0, 0.0, 0.0)
    for i in range(count):
        tube = scene.local[scene.near[i]]
        p, q = (tube[0], tube[1], tube[2]), (tube[3], tube[4], tube[5])
        distance, s, t = segment_distance(a, b, p, q)
        gap = distance - row[6] - tube[6] - t * (tube[7] - tube[6])
        if gap < least:
            least = gap
            x = a[0] + s * (b[0] - a[0]) - p[0] - t * (q[0] - p[0])
            y = a[1] + s * (b[1] - a[1]) - p[1] - t * (q[1] - p[1])
            z = a[2] + s * (b[2] - a[2]) - p[2] - t * (q[2] - p[2])
            normal = (x / distance, y / distance, z / distance)
    return normal, least


@kernel
def _gap(scene: Scene, count: int, segment: int) -> float:
    row = scene.rows[segment]
    a, b = (row[0], row[1], row[2]), (row[3], row[4], row[5])
    least = tube_gap(scene, count, a, b, row[6])
    if scene.solid:
        return solid_gap(scene, a, b, row[6], least)
    return least


@kernel
def own_palm_gap(scene: Scene) -> float:
    """Gap between the finger in ``rows``, but for its first segment, and the palm it belongs to."""
    least = FAR_M
    for segment in range(1, SEGMENTS):
        row = scene.rows[segment]
        a, b = (row[0], row[1], row[2]), (row[3], row[4], row[5])
        for other in range(PALM_CAPSULES):
            palm = scene.palm[other]
            distance, _, _ = segment_distance(
                a, b, (palm[0], palm[1], palm[2]), (palm[3], palm[4], palm[5])
            )
            least = min(least, distance - row[6] - palm[6])
    return least


@kernel
def palm_gap(scene: Scene) -> float:
    """Gap between the palm and tube and mesh."""
    for row in range(scene.local.shape[0]):
        scene.near[row] = row
    scene.tested[0] += 1
    least = FAR_M
    for row in range(PALM_CAPSULES):
        palm = scene.palm[row]
        a, b = (palm[0], palm[1], palm[2]), (palm[3], palm[4], palm[5])
        gap = tube_gap(scene, scene.local.shape[0], a, b, palm[6])
        if scene.solid:
            gap = solid_gap(scene, a, b, palm[6], gap)
        least = min(least, gap)
    return least
