"""Owns the search for a grasp: over the places of the palm, and in each over all digits.

Abaci et al., section 6.2. A place is left as soon as something of the hand cannot stay out of the
object there; the first place where the thumb (if the site uses it) and a finger touch, and every
other selected finger touches or is closed as far as it can, is the grasp. A posture is one look at
one digit's, or the palm's, gaps; when ``max_postures`` of them were not enough, the hand cannot
grasp the tube, and the nearest miss is told.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.body.skeleton import Side
from armspan.solvers.grasp.closing import close_finger, judge, relax, spread_of
from armspan.solvers.grasp.contacts import find_contacts
from armspan.solvers.grasp.frame import (
    Axis,
    inverse_pose,
    make_axis,
    palm_axes,
    pose_of,
    section_at,
    turned,
)
from armspan.solvers.grasp.places import (
    ALONG,
    AROUND,
    DISTANCE,
    FORWARD,
    NUMBERS,
    PITCH,
    ROLL,
    TILT,
    free_numbers,
    place_ranges,
    write_place,
)
from armspan.solvers.grasp.scene import (
    Scene,
    gather,
    keep_digit,
    lower_palm,
    make_scene,
    palm_gap,
    pose_digit,
    set_palm,
    tube_normal,
)
from armspan.solvers.grasp.site import DigitState, Floats, Grasp, GraspSite, Place, Thumb
from armspan.solvers.grasp.thumb import close_thumb
from armspan.solvers.hand.angles import ANGLES, RELAXED
from armspan.solvers.hand.anthropometry import DIGITS, PALM_DEPTH, SEGMENTS, Digit
from armspan.solvers.hand.model import Hand
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.field import DistanceField, free_field
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
_ANY_SPREAD = (0.0, 0.15, -0.15)

# How far a place of the palm got, and so which miss is the nearest.
_UNFINISHED, _PALM, _FINGER, _NO_TOUCH, _NO_THUMB, _GRASPED = range(6)
_STAGES = 6


class _Wishes(NamedTuple):
    """What a site asks of the hand, for kernels."""

    thumb_along: float
    mirror: float  # -1 for a left hand
    thumb: int
    fingers: NDArray[np.bool_]  # (5,)
    between: Floats  # angles between neighbouring fingers to try, in this order


class _Found(NamedTuple):
    """One place of the palm, and how far the hand got there, for kernels."""

    place: Floats  # (7,)
    palm: Floats  # (12,) object_from_palm of the right hand
    angles: Floats  # (20,)
    digits: Ints  # (5,) DigitState
    blocked: Ints  # (5,) how often each digit had no room, in all places
    ended: Ints  # (6,) how many places ended in which way


def search_grasp(
    site: GraspSite,
    hand: Hand,
    obstacle: DistanceField | None = None,
    max_postures: int | None = None,
) -> Grasp:
    """Search the posture with which ``hand`` grasps ``site``; no is an answer, too.

    ``obstacle``: the distance field of the whole object, in its frame; without it only the tube is
    there. ``max_postures`` replaces the site's. The same question has the same answer always, and
    that of the left hand is the mirror image of the right one's. Raises GraspError where the site's
    numbers make no tube.
    """
    axis = make_axis(site)
    field = free_field() if obstacle is None else obstacle
    scene = make_scene(hand.sizes, axis, field, obstacle is not None, site.tolerance_m)
    left = hand.side == Side.LEFT
    ranges = place_ranges(site, axis, hand)
    if left:
        ranges[AROUND] = -ranges[AROUND, ::-1]
    found, best = _nothing_found(), _nothing_found()
    most = site.max_postures if max_postures is None else max_postures
    stage, miss = _search(scene, axis, ranges, _wishes(site, left), most, found, best)
    return _told(scene, site, left, stage, miss, best)


def _nothing_found() -> _Found:
    digits, blocked = np.zeros((2, DIGITS), np.int64)
    ended = np.zeros(_STAGES, np.int64)
    return _Found(np.zeros(NUMBERS), np.zeros(12), RELAXED.copy(), digits, blocked, ended)


def _wishes(site: GraspSite, left: bool) -> _Wishes:
    spread = site.spread
    between = _ANY_SPREAD if spread is None else (spread.middle, spread.low, spread.high)
    return _Wishes(
        float(site.sign),
        -1.0 if left else 1.0,
        int(site.thumb) if site.fingers[0] else _UNUSED,
        np.array(site.fingers),
        np.array(between if spread is None or spread.width > 0.0 else between[:1]),
    )


@kernel
def _search(
    scene: Scene,
    axis: Axis,
    ranges: Floats,
    wishes: _Wishes,
    most: int,
    found: _Found,
    best: _Found,
) -> tuple[int, float]:
    """Try places till one is a grasp, or there are no more, or no postures are left."""
    reached, nearest = -1, 0.0
    attempt = 0
    while True:
        write_place(ranges, attempt, found.place)
        stage, miss = _try_place(scene, axis, wishes, most, found)
        found.ended[stage] += 1
        if stage > reached or (stage == reached and miss < nearest):
            reached, nearest = stage, miss
            best.place[:] = found.place
            best.palm[:] = scene.object_from_palm
            best.angles[:] = found.angles
            best.digits[:] = found.digits
        attempt += 1
        if stage == _GRASPED or free_numbers(ranges) == 0 or scene.tested[0] >= most:
            best.blocked[:] = found.blocked
            best.ended[:] = found.ended
            return reached, nearest


@kernel
def _try_place(
    scene: Scene, axis: Axis, wishes: _Wishes, most: int, found: _Found
) -> tuple[int, float]:
    """Try one place of the palm: how far the hand got, and what it lacked, metres."""
    for joint in range(ANGLES):
        found.angles[joint] = RELAXED[joint]
    for digit in range(DIGITS):
        found.digits[digit] = _RELAXED
    gap = _settle(scene, axis, wishes, found.place)
    if gap <= -scene.tolerance:
        return _PALM, -gap
    against, touched = (0.0, _PALM_WEIGHT if gap <= 0.0 else 0.0, 0.0), False
    for digit in _ORDER:
        normal = _place_finger(scene, wishes, digit, found)
        if found.digits[digit] == _INSIDE:
            found.blocked[digit] += 1
            return _FINGER, 0.0
        touched = touched or found.digits[digit] == _TOUCHES
        against = (against[0] + normal[0], against[1] + normal[1], against[2] + normal[2])
        if scene.tested[0] >= most:
            return _UNFINISHED, 0.0
    return _place_thumb(scene, wishes, against, touched, found)


@kernel
def _settle(scene: Scene, axis: Axis, wishes: _Wishes, place: Floats) -> float:
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
def _place_finger(scene: Scene, wishes: _Wishes, digit: int, found: _Found) -> Vec:
    """Close or relax a finger; return the sum of the directions it touches from."""
    state = _INSIDE
    angles = (RELAXED[4 * digit], RELAXED[4 * digit + 1], RELAXED[4 * digit + 2], 0.0)
    if wishes.fingers[digit]:
        for between in wishes.between:
            state, _, angles = close_finger(scene, digit, spread_of(digit, between))
            if state != _INSIDE:
                break
    else:
        state, angles = relax(scene, digit, angles)
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
def _place_thumb(
    scene: Scene, wishes: _Wishes, against: Vec, touched: bool, found: _Found
) -> tuple[int, float]:
    """Close or relax the thumb, last of all, and say what became of the place."""
    if wishes.thumb == _UNUSED:
        state, angles = relax(scene, _THUMB, (RELAXED[0], RELAXED[1], RELAXED[2], RELAXED[3]))
        _keep(scene, _THUMB, state, angles, found)
        if state == _INSIDE:
            found.blocked[_THUMB] += 1
            return _FINGER, 0.0
        return (_GRASPED if touched else _NO_TOUCH), 0.0
    if not touched:
        return _NO_TOUCH, 0.0
    size = math.sqrt(dot(against, against))
    against = (against[0] / size, against[1] / size, against[2] / size)
    state, off, angles = close_thumb(scene, wishes.thumb, against)
    _keep(scene, _THUMB, state, angles, found)
    if state == _INSIDE:
        found.blocked[_THUMB] += 1
        return _FINGER, 0.0
    return (_GRASPED, 0.0) if state == _TOUCHES else (_NO_THUMB, off)


@kernel
def _keep(scene: Scene, digit: int, state: int, angles: Quat, found: _Found) -> None:
    pose_digit(scene, digit, angles)
    keep_digit(scene, digit)
    found.digits[digit] = state
    for joint in range(4):
        found.angles[4 * digit + joint] = angles[joint]


def _told(
    scene: Scene, site: GraspSite, left: bool, stage: int, miss: float, best: _Found
) -> Grasp:
    place = best.place.copy()
    mirror = 1.0
    if left:
        place[AROUND], mirror = -place[AROUND], -1.0
    contacts, deepest = find_contacts(scene, best.palm, best.angles)
    columns = best.palm.reshape(4, 3)
    pose = pose_of(columns[0], columns[1] * mirror, columns[2], columns[3])
    grasped = stage == _GRASPED
    return Grasp(
        grasped=grasped,
        why="" if grasped else _why(stage, miss, best, int(scene.tested[0])),
        postures_tested=int(scene.tested[0]),
        joint_angles=best.angles.copy(),
        palm_from_object=inverse_pose(pose),
        object_from_palm=pose,
        place=Place(*(float(number) for number in place)),
        digits=tuple(DigitState(int(state)) for state in best.digits),
        contacts=contacts,
        deepest_m=deepest,
    )


def _why(stage: int, miss: float, best: _Found, tested: int) -> str:
    """Say what stood in the way at the place that came nearest to a grasp."""
    places = int(best.ended.sum())
    noun = "place" if places == 1 else "places"
    lacking = {
        _UNFINISHED: "the postures ran out before the hand was closed once",
        _PALM: f"the palm sinks {1e3 * miss:.1f} mm into the object at the least",
        _FINGER: f"the {_most_blocked(best)} has no room",
        _NO_TOUCH: "no finger reaches the tube",
        _NO_THUMB: f"the thumb ends {1e3 * miss:.1f} mm off the tube at the least"
        if miss > 0.0
        else "the thumb touches only on the side of palm and fingers",
    }[stage]
    return (
        f"{lacking}, in {tested} postures at {places} {noun} of the palm: "
        "give the site wider spans, or a thumb or fingers that take no part"
    )


def _most_blocked(best: _Found) -> str:
    digit = Digit(int(best.blocked.argmax()))
    return "thumb" if digit == Digit.THUMB else f"{digit.name.lower()} finger"
