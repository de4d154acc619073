"""Owns how the thumb closes: round the tube against the fingers, or along it on its side.

Its saddle joint is tried on a grid, and from each place a dichotomy closes the rest of it. Of what
touches, the best is taken: opposite to the fingers (or parallel to the tube), with its last
segment, and without straining its joints. What goes through the fingers or the palm is none, but
for the metacarpal, which belongs to the palm. A thumb that closes must touch from another side than
palm and fingers do: a hand laid on a barrel is no grasp.
"""

from typing import Final

from armspan.solvers.grasp.capsule_distance import segment_distance
from armspan.solvers.grasp.closing import (
    FLESH_M,
    INSIDE_AT_ONCE,
    LAST_SHARE,
    first_contact,
    judge,
    on_line,
)
from armspan.solvers.grasp.gaps import digits_gap, own_palm_gap
from armspan.solvers.grasp.scene import Scene, gather, tube_normal
from armspan.solvers.grasp.site import DigitState, Thumb
from armspan.solvers.hand.angles import (
    ANGLE_LOWER,
    ANGLE_UPPER,
    CMC_ABDUCTION,
    CMC_FLEXION,
    THUMB_IP,
    THUMB_MCP,
)
from armspan.solvers.hand.anthropometry import DIGITS, SEGMENTS, Digit
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Quat, Vec, dot

_TOUCHES = int(DigitState.TOUCHES)
_MISSES = int(DigitState.MISSES)
_INSIDE = int(DigitState.INSIDE)
_THUMB = int(Digit.THUMB)
_CLOSED = int(Thumb.CLOSED)
# Of the ranges of the saddle joint's angles; where thumbs oppose, the places are dense.
_FLEXIONS: Final = (0.0, 0.1, 0.2, 0.35, 0.6)
_ABDUCTIONS: Final = (1.0, 0.88, 0.72, 0.5, 0.2)
_STRAIN_COST = 0.1
_PAD_WORTH = 0.5
_OPPOSITE_WORTH = 2.5
_ALONG_COST = 0.7
_SAME_SIDE = 0.7  # cosine: a closed thumb nearer to where the rest touches closes round nothing
_NOTHING = -1e9


@kernel
def close_thumb(scene: Scene, manner: int, against: Vec) -> tuple[int, float, Quat]:
    """Close the thumb: its state, how far it is off (m) where it misses, and its angles.

    ``manner``: a ``Thumb``, not UNUSED. ``against``: the mean direction from the tube's axis to
    where the fingers touch.
    """
    count = gather(scene, _THUMB, 0.0)
    best, worth, off = (0.0, 0.0, 0.0, 0.0), _NOTHING, 1.0
    outside, inside = best, best
    has_outside, has_inside = False, False
    for flexion in _FLEXIONS:
        for abduction in _ABDUCTIONS:
            start, end = _line(manner, flexion, abduction)
            at = first_contact(scene, _THUMB, count, start, end, LAST_SHARE, 0)
            angles = on_line(_THUMB, start, end, min(max(at, 0.0), 1.0))
            if at == INSIDE_AT_ONCE:
                inside, has_inside = angles, True
                continue
            outside, has_outside = start, True
            state, touching, _ = judge(scene, _THUMB, count, angles)
            if state != _TOUCHES:
                off = min(off, _least_gap(scene, count))
                continue
            off = 0.0
            gained = _worth(scene, manner, count, touching, angles, against)
            if gained > worth:
                best, worth = angles, gained
    if worth == _NOTHING and has_outside and has_inside:
        at = first_contact(scene, _THUMB, count, outside, inside, LAST_SHARE, 0)
        best = on_line(_THUMB, outside, inside, min(max(at, 0.0), 1.0))
        state, touching, _ = judge(scene, _THUMB, count, best)
        if state == _TOUCHES:
            worth = _worth(scene, manner, count, touching, best, against)
    if worth != _NOTHING:
        return _TOUCHES, 0.0, best
    return _MISSES if has_outside else _INSIDE, off, outside


@kernel
def _line(manner: int, u: float, v: float) -> tuple[Quat, Quat]:
    """Where a thumb starts and ends that closes from a place of its saddle joint."""
    flexion = _between(CMC_FLEXION, u)
    if manner == _CLOSED:
        abduction = _between(CMC_ABDUCTION, v)
        start = (flexion, abduction, ANGLE_LOWER[THUMB_MCP], ANGLE_LOWER[THUMB_IP])
        return start, (flexion, abduction, ANGLE_UPPER[THUMB_MCP], ANGLE_UPPER[THUMB_IP])
    bend = 0.45 - 0.6 * v  # the thumb lies on the tube nearly stretched
    start = (flexion, ANGLE_LOWER[CMC_ABDUCTION], bend, bend)
    return start, (flexion, ANGLE_UPPER[CMC_ABDUCTION], bend, bend)


@kernel
def _between(joint: int, u: float) -> float:
    return ANGLE_LOWER[joint] + u * (ANGLE_UPPER[joint] - ANGLE_LOWER[joint])


@kernel
def _least_gap(scene: Scene, count: int) -> float:
    least = 1.0
    for segment in range(SEGMENTS):
        _, gap = tube_normal(scene, count, segment)
        least = min(least, gap)
    return max(least, 0.0)


@kernel
def _worth(
    scene: Scene, manner: int, count: int, touching: int, angles: Quat, against: Vec
) -> float:
    """How good a posture is that touches; the thumb's capsules are in ``rows``."""
    if _own_gap(scene) < -FLESH_M:
        return _NOTHING
    segment = 2 if touching & 4 != 0 else (1 if touching & 2 != 0 else 0)
    worth = _PAD_WORTH * segment
    if manner == _CLOSED:
        normal, _ = tube_normal(scene, count, segment)
        if dot(normal, against) > _SAME_SIDE:
            return _NOTHING
        worth -= _OPPOSITE_WORTH * dot(normal, against) + _ALONG_COST * _alongness(scene, count)
    else:
        worth += 2.0 * _alongness(scene, count)
    strain = 0.0
    for joint in range(4):
        share = angles[joint] / (ANGLE_UPPER[joint] if angles[joint] > 0.0 else ANGLE_LOWER[joint])
        strain += share * share
    return worth - _STRAIN_COST * strain


@kernel
def _alongness(scene: Scene, count: int) -> float:
    """Cosine between the thumb's last segment and the tube where it is nearest."""
    row = scene.rows[2]
    least, cosine = 1.0, 0.0
    ux, uy, uz = row[3] - row[0], row[4] - row[1], row[5] - row[2]
    for i in range(count):
        tube = scene.local[scene.near[i]]
        vx, vy, vz = tube[3] - tube[0], tube[4] - tube[1], tube[5] - tube[2]
        distance, _, _ = segment_distance(
            (row[0], row[1], row[2]),
            (row[3], row[4], row[5]),
            (tube[0], tube[1], tube[2]),
            (tube[3], tube[4], tube[5]),
        )
        if distance < least:
            least = distance
            along = ux * vx + uy * vy + uz * vz
            size = (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz)
            cosine = abs(along) / size**0.5
    return cosine


@kernel
def _own_gap(scene: Scene) -> float:
    """Gap between the thumb and the rest of its hand."""
    least = own_palm_gap(scene.rows, scene.palm)
    for digit in range(1, DIGITS):
        least = min(least, digits_gap(scene.rows, scene.digits[SEGMENTS * digit :][:SEGMENTS]))
    return least
