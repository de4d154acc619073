"""Owns the search for a grasp: over the places of the palm, and in each over all digits.

Abaci et al., section 6.2. A place is left as soon as something of the hand cannot stay out of the
object there; the first place where the thumb (if the site uses it) and a finger touch, and every
other selected finger touches or is closed as far as it can, is the grasp. A posture is one look at
one digit's, or the palm's, gaps; when ``max_postures`` of them were not enough, the hand cannot
grasp the tube, and the nearest miss is told. More are never looked at.
"""

import numpy as np
from armspan.solvers.body.skeleton import Side
from armspan.solvers.grasp.contacts import find_contacts
from armspan.solvers.grasp.frame import (
    Axis,
    inverse_pose,
    make_axis,
    pose_of,
)
from armspan.solvers.grasp.places import (
    AROUND,
    NUMBERS,
    free_numbers,
    place_ranges,
    write_place,
)
from armspan.solvers.grasp.placing import (
    FINGER,
    GRASPED,
    NO_THUMB,
    NO_TOUCH,
    PALM,
    STAGES,
    UNFINISHED,
    Found,
    Wishes,
    try_place,
)
from armspan.solvers.grasp.scene import (
    Scene,
    is_spent,
    make_scene,
)
from armspan.solvers.grasp.site import DigitState, Floats, Grasp, GraspSite, Place, Thumb
from armspan.solvers.hand.angles import RELAXED
from armspan.solvers.hand.anthropometry import DIGITS, Digit
from armspan.solvers.hand.model import Hand
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.field import DistanceField, free_field

_ANY_SPREAD = (0.0, 0.15, -0.15)


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
    most = site.max_postures if max_postures is None else max_postures
    scene = make_scene(hand.sizes, axis, field, obstacle is not None, site.tolerance_m, most)
    left = hand.side == Side.LEFT
    ranges = place_ranges(site, axis, hand)
    if left:
        ranges[AROUND] = -ranges[AROUND, ::-1]
    found, best = _nothing_found(), _nothing_found()
    stage, miss = _search(scene, axis, ranges, _wishes(site, left), found, best)
    return _told(scene, site, left, stage, miss, best)


def _nothing_found() -> Found:
    digits, blocked = np.zeros((2, DIGITS), np.int64)
    ended = np.zeros(STAGES, np.int64)
    return Found(np.zeros(NUMBERS), np.zeros(12), RELAXED.copy(), digits, blocked, ended)


def _wishes(site: GraspSite, left: bool) -> Wishes:
    spread = site.spread
    between = _ANY_SPREAD if spread is None else (spread.middle, spread.low, spread.high)
    return Wishes(
        float(site.sign),
        -1.0 if left else 1.0,
        int(site.thumb if site.fingers[0] else Thumb.UNUSED),
        np.array(site.fingers),
        np.array(between if spread is None or spread.width > 0.0 else between[:1]),
    )


@kernel
def _search(
    scene: Scene,
    axis: Axis,
    ranges: Floats,
    wishes: Wishes,
    found: Found,
    best: Found,
) -> tuple[int, float]:
    """Try places till one is a grasp, or there are no more, or no postures are left."""
    reached, nearest = -1, 0.0
    attempt = 0
    while True:
        write_place(ranges, attempt, found.place)
        stage, miss = try_place(scene, axis, wishes, found)
        found.ended[stage] += 1
        if stage > reached or (stage == reached and miss < nearest):
            reached, nearest = stage, miss
            best.place[:] = found.place
            best.palm[:] = scene.object_from_palm
            best.angles[:] = found.angles
            best.digits[:] = found.digits
        attempt += 1
        if stage == GRASPED or free_numbers(ranges) == 0 or is_spent(scene):
            best.blocked[:] = found.blocked
            best.ended[:] = found.ended
            return reached, nearest


def _told(scene: Scene, site: GraspSite, left: bool, stage: int, miss: float, best: Found) -> Grasp:
    place = best.place.copy()
    mirror = 1.0
    if left:
        place[AROUND], mirror = -place[AROUND], -1.0
    contacts, deepest = find_contacts(scene, best.palm, best.angles)
    columns = best.palm.reshape(4, 3)
    pose = pose_of(columns[0], columns[1] * mirror, columns[2], columns[3])
    grasped = stage == GRASPED
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


def _why(stage: int, miss: float, best: Found, tested: int) -> str:
    """Say what stood in the way at the place that came nearest to a grasp."""
    places = int(best.ended.sum())
    noun = "place" if places == 1 else "places"
    lacking = {
        UNFINISHED: "the postures ran out before the hand was closed once",
        PALM: f"the palm sinks {1e3 * miss:.1f} mm into the object at the least",
        FINGER: f"the {_most_blocked(best)} has no room",
        NO_TOUCH: "no finger reaches the tube",
        NO_THUMB: f"the thumb ends {1e3 * miss:.1f} mm off the tube at the least"
        if miss > 0.0
        else "the thumb touches only on the side of palm and fingers, or through them",
    }[stage]
    return (
        f"{lacking}, in {tested} postures at {places} {noun} of the palm: "
        "give the site wider spans, or a thumb or fingers that take no part"
    )


def _most_blocked(best: Found) -> str:
    digit = Digit(int(best.blocked.argmax()))
    return "thumb" if digit == Digit.THUMB else f"{digit.name.lower()} finger"
