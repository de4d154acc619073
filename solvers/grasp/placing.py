"""Owns one place of the palm: how the palm comes down there, and how all digits close.

A place is left as soon as something of the hand cannot stay out of the object there.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.grasp.closing import FLESH_M, close_finger, judge, relax, spread_of
from armspan.solvers.grasp.frame import (
    Axis,
    palm_axes,
    section_at,
    turned,
)
from armspan.solvers.grasp.gaps import digits_gap
from armspan.solvers.grasp.places import (
    ALONG,
    AROUND,
    DISTANCE,
    FORWARD,
    PITCH,
    ROLL,
    TILT,
)
from armspan.solvers.grasp.scene import (
    Scene,
    gather,
    is_spent,
    keep_digit,
    lower_palm,
    palm_gap,
    pose_digit,
    set_palm,
    tube_normal,
)
from armspan.solvers.grasp.site import DigitState, Floats, Thumb
from armspan.solvers.grasp.thumb import close_thumb
from armspan.solvers.hand.angles import ANGLES, RELAXED
from armspan.solvers.hand.anthropometry import DIGITS, PALM_DEPTH, SEGMENTS, Digit
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Quat, Vec, dot
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_TOUCHES = int(DigitState.TOUCHES)
_RELAXED = int(DigitState.RELAXED)
_INSIDE = int(DigitState.INSIDE)
_THUMB = int(Digit.THUMB)
_UNUSED = int(Thumb.UNUSED)
_ORDER = (2, 1, 3, 4)  # the middle finger first: where it cannot close, the others need not
_SETTLED_M = 1e-5
_SETTLING = 16
_PRESS_SHARE = 0.1  # of the tolerance: how far a palm sinks in that touches
_ABOVE_M = 0.03
_PALM_WEIGHT = 4.0  # of its push against that of a finger's segment

# How far a place of the palm got, and so which miss is the nearest.
UNFINISHED, PALM, FINGER, NO_TOUCH, NO_THUMB, GRASPED = range(6)
STAGES = 6


class Wishes(NamedTuple):
    """What a site asks of the hand, for kernels."""

    thumb_along: float
    mirror: float  # -1 for a left hand
    thumb: int
    fingers: NDArray[np.bool_]  # (5,)
    between: Floats  # angles between neighbouring fingers to try, in this order


class Found(NamedTuple):
    """One place of the palm, and how far the hand got there, for kernels."""

    place: Floats  # (7,)
    palm: Floats  # (12,) object_from_palm of the right hand
    angles: Floats  # (20,)
    digits: Ints  # (5,) DigitState
    blocked: Ints  # (5,) how often each digit had no room, in all places
    ended: Ints  # (6,) how many places ended in which way


@kernel
def try_place(scene: Scene, axis: Axis, wishes: Wishes, found: Found) -> tuple[int, float]:
    """Try one place of the palm: how far the hand got, and what it lacked, metres."""
    stage, miss = _try(scene, axis, wishes, found)
    if stage != GRASPED and is_spent(scene):
        return UNFINISHED, 0.0  # what was not looked at counted as inside
    return stage, miss


@kernel
def _try(scene: Scene, axis: Axis, wishes: Wishes, found: Found) -> tuple[int, float]:
    for joint in range(ANGLES):
        found.angles[joint] = RELAXED[joint]
    for digit in range(DIGITS):
        found.digits[digit] = _RELAXED
    gap = _settle(scene, axis, wishes, found.place)
    if gap <= -scene.tolerance:
        return PALM, -gap
    against, touched = (0.0, _PALM_WEIGHT if gap <= 0.0 else 0.0, 0.0), False
    blocked = _relax_others(scene, wishes, found)
    if blocked >= 0:
        found.blocked[blocked] += 1
        return FINGER, 0.0
    for digit in _ORDER:
        if not wishes.fingers[digit]:
            continue
        normal = _place_finger(scene, wishes, digit, found)
        if found.digits[digit] == _INSIDE:
            found.blocked[digit] += 1
            return FINGER, 0.0
        touched = touched or found.digits[digit] == _TOUCHES
        against = (against[0] + normal[0], against[1] + normal[1], against[2] + normal[2])
    return _place_thumb(scene, wishes, against, touched, found)


@kernel
def _settle(scene: Scene, axis: Axis, wishes: Wishes, place: Floats) -> float:
    """Bring the palm down on the tube till it is the wished distance from it; return the gap.

    From above, by as much as it is too far at a time, so that it stops at the first thing it
    meets. It goes no lower than to where the tube would touch a flat palm, for a tube ahead of the
    palm never does.
    """
    point, t, n, radius = section_at(axis, place[ALONG])
    n = turned(n, t, wishes.mirror * place[AROUND])
    turns = (place[TILT], place[PITCH], place[ROLL])
    axes = palm_axes(t, n, wishes.thumb_along, wishes.mirror, turns)
    lowest = scene.sizes[PALM_DEPTH] + radius + place[DISTANCE]
    height = lowest + _ABOVE_M
    back, up = axes[2], axes[1]
    ahead = place[FORWARD]
    origin = (
        point[0] + height * up[0] + ahead * back[0],
        point[1] + height * up[1] + ahead * back[1],
        point[2] + height * up[2] + ahead * back[2],
    )
    set_palm(scene, origin, axes)
    wished = place[DISTANCE] - _PRESS_SHARE * scene.tolerance
    gap = 0.0
    for _ in range(_SETTLING):
        gap = palm_gap(scene)
        down = min(gap - wished, height - lowest)
        if abs(down) < _SETTLED_M:
            break
        height -= down
        lower_palm(scene, down)
    return gap


@kernel
def _relax_others(scene: Scene, wishes: Wishes, found: Found) -> int:
    """Get the digits that take no part out of the way, first of all; the one that cannot, or -1."""
    for digit in range(DIGITS):
        takes_part = wishes.thumb != _UNUSED if digit == _THUMB else wishes.fingers[digit]
        if takes_part:
            continue
        a = 4 * digit
        relaxed = (RELAXED[a], RELAXED[a + 1], RELAXED[a + 2], RELAXED[a + 3])
        state, angles = relax(scene, digit, relaxed)
        _keep(scene, digit, state, angles, found)
        if state == _INSIDE:
            return digit
    return -1


@kernel
def _place_finger(scene: Scene, wishes: Wishes, digit: int, found: Found) -> Vec:
    """Close a finger; return the sum of the directions it touches from."""
    state = _INSIDE
    angles = (0.0, 0.0, 0.0, 0.0)
    for between in wishes.between:
        state, _, angles = close_finger(scene, digit, spread_of(digit, between))
        if state != _INSIDE and _is_beside(scene, digit, angles):
            break
        state = _INSIDE
    _keep(scene, digit, state, angles, found)
    x = y = z = 0.0
    if state == _TOUCHES:
        count = gather(scene, digit, angles[1])
        _, touching, _ = judge(scene, digit, count, angles)
        for segment in range(SEGMENTS):
            if touching & (1 << segment) != 0:
                normal, _ = tube_normal(scene, count, segment)
                x, y, z = x + normal[0], y + normal[1], z + normal[2]
    return (x, y, z)


@kernel
def _is_beside(scene: Scene, digit: int, angles: Quat) -> bool:
    """Whether a finger does not go through its neighbour, that which is settled before it."""
    if digit == _ORDER[0]:
        return True
    beside = SEGMENTS * (digit + 1 if digit == 1 else digit - 1)
    pose_digit(scene, digit, angles)
    gap = digits_gap(scene.rows, scene.digits[beside:][:SEGMENTS])
    return gap >= -2.0 * FLESH_M  # the flesh of both gives way


@kernel
def _place_thumb(
    scene: Scene, wishes: Wishes, against: Vec, touched: bool, found: Found
) -> tuple[int, float]:
    """Close the thumb, last of all, and say what became of the place."""
    if not touched:
        return NO_TOUCH, 0.0
    if wishes.thumb == _UNUSED:
        return GRASPED, 0.0
    size = max(math.sqrt(dot(against, against)), 1e-9)
    against = (against[0] / size, against[1] / size, against[2] / size)
    state, off, angles = close_thumb(scene, wishes.thumb, against)
    _keep(scene, _THUMB, state, angles, found)
    if state == _INSIDE:
        found.blocked[_THUMB] += 1
        return FINGER, 0.0
    return (GRASPED, 0.0) if state == _TOUCHES else (NO_THUMB, off)


@kernel
def _keep(scene: Scene, digit: int, state: int, angles: Quat, found: Found) -> None:
    pose_digit(scene, digit, angles)
    keep_digit(scene, digit)
    found.digits[digit] = state
    for joint in range(4):
        found.angles[4 * digit + joint] = angles[joint]
