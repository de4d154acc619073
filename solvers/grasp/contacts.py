"""Owns where a posture touches, how deep it is inside, and how that is told."""

from typing import Final

import numpy as np
from armspan.solvers.grasp.capsule_distance import point_distance, segment_distance
from armspan.solvers.grasp.gaps import FAR_M, to_object
from armspan.solvers.grasp.scene import Scene
from armspan.solvers.grasp.site import Contact, Floats, Part, Segment
from armspan.solvers.hand.anthropometry import SEGMENTS
from armspan.solvers.hand.capsules import CAPSULES, FIRST_PALM, hand_capsules
from armspan.solvers.hand.forward import RIGHT
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.field import field_distance, field_normal, segment_depth

_WIDTH: Final = 7  # gap, point, normal
_NEAR_TUBE = 0.5  # of its radius: so far beside a tube that is told as round, its surface may lie
_HAND: Final = RIGHT


def find_contacts(
    scene: Scene, object_from_palm: Floats, angles: Floats
) -> tuple[tuple[Contact, ...], float]:
    """Every segment and palm capsule that touches, and how deep the hand is inside at most, m.

    ``object_from_palm`` (12,) as the scene has it, ``angles`` (20,). Of the palm, the piece with
    the least gap speaks for all.
    """
    scene.object_from_palm[:] = object_from_palm
    table = np.empty((CAPSULES, _WIDTH))
    _write_nearest(scene, angles, table)
    told = [
        _contact(scene, Part(row // SEGMENTS), Segment(row % SEGMENTS), table[row])
        for row in range(FIRST_PALM)
        if table[row, 0] <= 0.0
    ]
    palm = FIRST_PALM + int(table[FIRST_PALM:, 0].argmin())
    if table[palm, 0] <= 0.0:
        told.append(_contact(scene, Part.PALM, Segment.FIRST, table[palm]))
    return tuple(told), max(0.0, -float(table[:, 0].min()))


def _contact(scene: Scene, part: Part, segment: Segment, row: Floats) -> Contact:
    on_tube = not scene.solid or _is_on_tube(scene, row[1], row[2], row[3])
    return Contact(part, segment, float(row[0]), row[1:4].copy(), row[4:7].copy(), bool(on_tube))


@kernel
def _is_on_tube(scene: Scene, x: float, y: float, z: float) -> bool:
    """Whether a point of the object's surface is the tube's."""
    for i in range(scene.tube.shape[0]):
        tube = scene.tube[i]
        p, q = (tube[0], tube[1], tube[2]), (tube[3], tube[4], tube[5])
        distance, t = point_distance((x, y, z), p, q)
        wide = tube[6] + t * (tube[7] - tube[6])
        if distance <= (1.0 + _NEAR_TUBE) * wide + scene.tolerance:
            return True
    return False


@kernel
def _write_nearest(scene: Scene, angles: Floats, out: Floats) -> None:
    """Write gap, point on the object's surface and its outward normal there for every capsule."""
    capsules = np.empty((CAPSULES, 7))
    hand_capsules(angles, scene.sizes, _HAND, capsules)
    for row in range(CAPSULES):
        one = capsules[row]
        a = to_object(scene.object_from_palm, one[0], one[1], one[2])
        b = to_object(scene.object_from_palm, one[3], one[4], one[5])
        out[row, 0] = FAR_M
        for i in range(scene.tube.shape[0]):
            tube = scene.tube[i]
            p, q = (tube[0], tube[1], tube[2]), (tube[3], tube[4], tube[5])
            distance, s, t = segment_distance(a, b, p, q)
            wide = tube[6] + t * (tube[7] - tube[6])
            if distance - wide - one[6] < out[row, 0]:
                out[row, 0] = distance - wide - one[6]
                for k in range(3):
                    axis = p[k] + t * (q[k] - p[k])
                    away = a[k] + s * (b[k] - a[k]) - axis
                    out[row, 4 + k] = away / distance
                    out[row, 1 + k] = axis + wide * out[row, 4 + k]
        if not scene.solid:
            continue
        depth, s = segment_depth(scene.field, a, b, one[6], -out[row, 0])
        if -depth < out[row, 0]:
            x, y, z = a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])
            off = field_distance(scene.field, x, y, z)
            nx, ny, nz = field_normal(scene.field, x, y, z)
            out[row, 0] = -depth
            out[row, 1], out[row, 2], out[row, 3] = x - off * nx, y - off * ny, z - off * nz
            out[row, 4], out[row, 5], out[row, 6] = nx, ny, nz
