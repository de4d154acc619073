"""Owns what surrounds a palm: the tube, the mesh's distance field and the hand's own palm.

Everything is in the palm's frame of a *right* hand; for a left one the scene is mirrored at x = 0
(``frame.py``). Of the tube's capsules, a finger meets only those that its plane comes near: the
plane perpendicular to the axis of its distal joints, turned by the spread (Abaci et al., section
6.1). A gap is the distance between surfaces, negative where they sink into each other.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.grasp.frame import Axis, Columns
from armspan.solvers.grasp.gaps import (
    FAR_M,
    solid_gap,
    tube_capsules,
    tube_direction,
    tube_gap,
)
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
from armspan.solvers.meshes.field import DistanceField
from armspan.solvers.quaternion import Quat, Vec, dot
from numpy.typing import NDArray

_HAND = RIGHT
_THUMB = int(Digit.THUMB)
_CHORD_SHARE = 0.1  # of the tolerance: what a chord of the axis may miss
_CHORD_M = 2e-4
_LOOK_M = 0.012  # looks so far apart miss a tenth of the tolerance where a finger bends round 15 mm

Gaps = tuple[float, float, float]


class Scene(NamedTuple):
    """For kernels. ``tube`` holds capsules in the object's frame, the rest is of one palm's place.

    What a row of the tube holds is told in ``gaps.py``.
    """

    sizes: Floats  # (SIZES,)
    palm: Floats  # (PALM_CAPSULES, 7)
    tube: Floats  # (T, TUBE_ROW) m, object
    local: Floats  # (T, TUBE_ROW) m, palm
    near: NDArray[np.int64]  # (T,) rows of ``local`` that a digit can meet
    rows: Floats  # (3, 7) capsules of the digit looked at
    digits: Floats  # (15, 7) capsules of all digits, as far as they are settled
    object_from_palm: Floats  # (12,) origin, then the x, y and z axes
    field: DistanceField
    solid: bool  # the field counts
    step: float  # m, along an axis from one look at the field to the next
    tolerance: float
    tested: NDArray[np.int64]  # (2,) postures so far, and how many there may be


def make_scene(
    sizes: Floats, axis: Axis, field: DistanceField, solid: bool, tolerance: float, most: int
) -> Scene:
    """Allocate what a search works on that looks at ``most`` postures."""
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
        math.sqrt(_LOOK_M * tolerance),
        tolerance,
        np.array([0, most]),
    )


@kernel
def is_spent(scene: Scene) -> bool:
    """Whether no further posture may be looked at."""
    return scene.tested[0] >= scene.tested[1]


@kernel
def set_palm(scene: Scene, origin: Vec, axes: Columns) -> None:
    """Put the palm there, and bring the tube into its frame."""
    place = scene.object_from_palm
    for k in range(3):
        place[k] = origin[k]
        for axis in range(3):
            place[3 + 3 * axis + k] = axes[axis][k]
    for row in range(scene.tube.shape[0]):
        for end in (0, 3, 8):
            x = scene.tube[row, end] - origin[0]
            y = scene.tube[row, end + 1] - origin[1]
            z = scene.tube[row, end + 2] - origin[2]
            for axis in range(3):
                turned = axes[axis]
                scene.local[row, end + axis] = x * turned[0] + y * turned[1] + z * turned[2]
        scene.local[row, 6] = scene.tube[row, 6]
        scene.local[row, 7] = scene.tube[row, 7]
        scene.local[row, 11] = scene.tube[row, 11]


@kernel
def lower_palm(scene: Scene, down: float) -> None:
    """Move the palm, once it is set, toward its own -Y."""
    for k in range(3):
        scene.object_from_palm[k] -= down * scene.object_from_palm[6 + k]
    for row in range(scene.local.shape[0]):
        scene.local[row, 1] += down
        scene.local[row, 4] += down
        scene.local[row, 9] += down


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
def pose_digit(scene: Scene, digit: int, angles: Quat) -> None:
    """Write the capsules of a digit's posture into ``rows``.

    Four angles in the hand's order: of a finger its flexion, spread, PIP and DIP; of the thumb
    CMC flexion and abduction, MCP, IP.
    """
    write_digit(scene.sizes, digit, angles[0], angles[1], angles[2], angles[3], scene.rows)


@kernel
def write_digit(
    sizes: Floats, digit: int, a: float, b: float, c: float, d: float, rows: Floats
) -> None:
    """Write the capsules of a right hand's digit, whichever it is, into ``rows`` (3, 7)."""
    if digit == _THUMB:
        thumb_capsules(sizes, _HAND, a, b, c, d, rows)
    else:
        finger_capsules(sizes, _HAND, digit, a, b, c, d, rows)


@kernel
def digit_gaps(scene: Scene, count: int) -> Gaps:
    """Gaps of the digit in ``rows`` to tube and mesh, segment by segment."""
    scene.tested[0] += 1
    gaps = (
        tube_gap(scene.rows, 0, scene.local, scene.near, count, FAR_M),
        tube_gap(scene.rows, 1, scene.local, scene.near, count, FAR_M),
        tube_gap(scene.rows, 2, scene.local, scene.near, count, FAR_M),
    )
    if not scene.solid:
        return gaps
    place = scene.object_from_palm
    return (
        solid_gap(scene.rows, 0, scene.field, place, gaps[0], scene.step),
        solid_gap(scene.rows, 1, scene.field, place, gaps[1], scene.step),
        solid_gap(scene.rows, 2, scene.field, place, gaps[2], scene.step),
    )


@kernel
def keep_digit(scene: Scene, digit: int) -> None:
    """Settle the digit in ``rows``."""
    for segment in range(SEGMENTS):
        for k in range(7):
            scene.digits[SEGMENTS * digit + segment, k] = scene.rows[segment, k]


@kernel
def tube_normal(scene: Scene, count: int, segment: int) -> tuple[Vec, float]:
    """Direction from the tube's axis to a segment of the digit in ``rows``, and the gap to it."""
    return tube_direction(scene.rows, segment, scene.local, scene.near, count)


@kernel
def palm_gap(scene: Scene) -> float:
    """Gap between the palm and tube and mesh; as if deep inside where postures are spent."""
    if is_spent(scene):
        return -FAR_M
    count = scene.local.shape[0]
    for row in range(count):
        scene.near[row] = row
    scene.tested[0] += 1
    least = FAR_M
    for row in range(PALM_CAPSULES):
        least = tube_gap(scene.palm, row, scene.local, scene.near, count, least)
    if scene.solid:
        for row in range(PALM_CAPSULES):
            least = solid_gap(
                scene.palm, row, scene.field, scene.object_from_palm, least, scene.step
            )
    return least
