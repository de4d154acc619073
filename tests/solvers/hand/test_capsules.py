"""Tests of a hand's capsules: on the joints, apart from each other, mirrored, and their parts."""

import numpy as np
import pytest
from armspan.solvers.body.skeleton import Side
from armspan.solvers.grasp.capsule_distance import segment_distance
from armspan.solvers.hand import (
    ANGLE_LOWER,
    ANGLE_UPPER,
    CAPSULES,
    FIRST_PALM,
    FLAT,
    HAND_JOINTS,
    RELAXED,
    SEGMENTS,
    dip_from_pip,
    finger_capsules,
    hand_sizes,
    make_hand,
    thumb_capsules,
)
from scipy.spatial.transform import Rotation

from tests.solvers.hand.hands import (
    LEFT_HAND,
    RIGHT_HAND,
    Floats,
    degrees,
    mirrored_capsules,
    some_angles,
)

FIST = degrees(
    thumb_cmc_flexion=44, thumb_cmc_abduction=38, thumb_mcp_flexion=50, thumb_ip_flexion=62,
    **{f"{name}_mcp_flexion": 90 for name in ("index", "middle", "ring", "little")},
    **{f"{name}_pip_flexion": 105 for name in ("index", "middle", "ring", "little")},
    **{f"{name}_dip_flexion": 70 for name in ("index", "middle", "ring", "little")},
)  # fmt: skip


def gap(a: Floats, b: Floats) -> float:
    """How far two capsules are apart, m; negative when they overlap."""
    ends = [tuple(float(value) for value in end) for end in (a[:3], a[3:6], b[:3], b[3:6])]
    return segment_distance(*ends)[0] - a[6] - b[6]


def segment(capsules: Floats, digit: int, number: int) -> Floats:
    return capsules[SEGMENTS * digit + number]


@pytest.mark.parametrize("hand", [LEFT_HAND, RIGHT_HAND], ids=["left", "right"])
def test_capsules_join_the_joints_and_end_at_the_tips(hand):
    for angles in (FLAT, *some_angles()):
        joints, capsules = hand.joints(angles)[:, :3], hand.capsules(angles)
        for digit in range(5):
            first = 1 if digit == 0 else 5 * digit + 1
            for number in range(SEGMENTS):
                capsule = segment(capsules, digit, number)
                np.testing.assert_allclose(capsule[:3], joints[first + number], atol=1e-15)
                end = joints[first + number + 1]
                short = capsule[6] if number == SEGMENTS - 1 else 0.0
                assert np.linalg.norm(end - capsule[3:6]) == pytest.approx(short, abs=1e-15)
                along = (end - capsule[:3]) @ (capsule[3:6] - capsule[:3])
                assert along > 0.0


def test_left_capsules_are_mirrored_right_ones():
    for angles in some_angles():
        mirrored = mirrored_capsules(RIGHT_HAND.capsules(angles))
        np.testing.assert_allclose(LEFT_HAND.capsules(angles), mirrored, atol=1e-15)


def test_capsules_grow_with_the_hand():
    for angles in some_angles():
        small = make_hand(0.16, Side.RIGHT).capsules(angles)
        np.testing.assert_allclose(
            make_hand(0.20, Side.RIGHT).capsules(angles), 1.25 * small, atol=1e-15
        )


@pytest.mark.parametrize("side", [Side.LEFT, Side.RIGHT])
def test_a_finger_alone_is_as_in_the_hand(side: Side):
    sizes, out = hand_sizes(0.19), np.empty((SEGMENTS, 7))
    for angles in some_angles(8):
        capsules = make_hand(0.19, side).capsules(angles)
        thumb_capsules(sizes, int(side), *(float(value) for value in angles[:4]), out)
        np.testing.assert_array_equal(out, capsules[:SEGMENTS])
        for digit in range(1, 5):
            four = (float(value) for value in angles[4 * digit :][:4])
            finger_capsules(sizes, int(side), digit, *four, out)
            np.testing.assert_array_equal(out, capsules[SEGMENTS * digit :][:SEGMENTS])


def test_the_palm_stays_and_holds_wrist_and_knuckles():
    palm = RIGHT_HAND.capsules(FLAT)[FIRST_PALM:]
    assert len(palm) == CAPSULES - FIRST_PALM
    joints = RIGHT_HAND.joints(FLAT)[:, :3]
    for angles in some_angles(5):
        np.testing.assert_array_equal(RIGHT_HAND.capsules(angles)[FIRST_PALM:], palm)
    for joint, name in enumerate(HAND_JOINTS):
        if name == "thumb-metacarpal" or "finger-metacarpal" in name or "proximal" in name[6:]:
            if name == "thumb-phalanx-proximal":
                continue
            point = np.concatenate([joints[joint], joints[joint], [0.0]])
            assert min(gap(point, capsule) for capsule in palm) < 0.0, name


@pytest.mark.parametrize("posture", [FLAT, RELAXED, FIST], ids=["flat", "relaxed", "fist"])
def test_neighbouring_fingers_do_not_overlap(posture: Floats):
    capsules = RIGHT_HAND.capsules(posture)
    for digit in range(1, 4):
        for a in range(SEGMENTS):
            for b in range(SEGMENTS):
                assert gap(segment(capsules, digit, a), segment(capsules, digit + 1, b)) > 0.0


def test_flat_fingers_lie_side_by_side():
    """Held together they nearly touch: no more than 3 mm at the thickest place."""
    capsules = RIGHT_HAND.capsules(FLAT)
    for digit in range(1, 4):
        nearest = min(
            gap(segment(capsules, digit, a), segment(capsules, digit + 1, b))
            for a in range(SEGMENTS)
            for b in range(SEGMENTS)
        )
        assert nearest < 0.003


def test_a_thumb_at_rest_stands_off_the_palm():
    capsules = RIGHT_HAND.capsules(FLAT)
    for number in (1, 2):
        for other in [*range(3, 15), *range(FIRST_PALM, CAPSULES)]:
            assert gap(segment(capsules, 0, number), capsules[other]) > 0.003


def test_tips_of_the_fist_reach_the_palm():
    capsules = RIGHT_HAND.capsules(FIST)
    for digit in range(1, 5):
        tip = segment(capsules, digit, 2)
        assert min(gap(tip, palm) for palm in capsules[FIRST_PALM:]) < 0.0


# Degrees, found by least squares within the limits: the thumb's four; knuckle, spread, middle
# joint of the finger, whose last joint follows.
PINCHES = {
    "index": (36.0, 27.9, 6.3, -12.0, 39.9, -7.3, 47.3),
    "middle": (55.0, 34.2, 0.3, -15.0, 48.3, -15.0, 47.7),
    "ring": (48.3, 26.2, 15.6, 4.4, 29.2, 10.0, 53.6),
    "little": (55.0, 24.8, 19.1, 5.6, 34.4, 10.0, 30.0),
}


def pinched(finger: str) -> Floats:
    thumb, (mcp, spread, pip) = PINCHES[finger][:4], PINCHES[finger][4:]
    names = ("thumb_cmc_flexion", "thumb_cmc_abduction", "thumb_mcp_flexion", "thumb_ip_flexion")
    last = np.degrees(dip_from_pip(np.radians(pip)))
    bent = dict(zip(("mcp_flexion", "mcp_spread", "pip_flexion", "dip_flexion"),
                    (mcp, spread, pip, last), strict=True))  # fmt: skip
    fingers = {f"{finger}_{joint}": angle for joint, angle in bent.items()}
    return degrees(**dict(zip(names, thumb, strict=True)), **fingers)


@pytest.mark.parametrize("finger", list(PINCHES))
def test_the_thumb_meets_every_finger_tip_to_tip(finger: str):
    """Within the limits, touching to a tenth of a millimetre, clear of the palm."""
    angles, digit = pinched(finger), 1 + list(PINCHES).index(finger)
    assert np.all((angles >= ANGLE_LOWER - 1e-9) & (angles <= ANGLE_UPPER + 1e-9))
    capsules = RIGHT_HAND.capsules(angles)
    thumb, other = capsules[2], segment(capsules, digit, 2)
    between = other[3:6] - thumb[3:6]
    assert np.linalg.norm(between) - thumb[6] - other[6] == pytest.approx(0.0, abs=1e-4)
    for number in (1, 2):
        for row in range(FIRST_PALM, CAPSULES):
            assert gap(segment(capsules, 0, number), capsules[row]) > -1e-4


@pytest.mark.parametrize("finger", ["index", "middle"])
def test_pads_face_each_other_in_a_pinch(finger: str):
    angles, digit = pinched(finger), 1 + list(PINCHES).index(finger)
    capsules, joints = RIGHT_HAND.capsules(angles), RIGHT_HAND.joints(angles)
    between = segment(capsules, digit, 2)[3:6] - capsules[2, 3:6]
    between /= np.linalg.norm(between)
    for joint, way in ((4, between), (5 * digit + 4, -between)):
        pad = Rotation.from_quat(joints[joint, 3:]).apply([0.0, -1.0, 0.0])
        assert pad @ way > np.cos(np.radians(40.0))


def test_the_thumb_reaches_the_base_of_the_little_finger():
    """The last place of Kapandji's opposition, with no more than flesh gives (2 mm) on the way."""
    angles = degrees(
        thumb_cmc_flexion=54.6, thumb_cmc_abduction=23.6, thumb_mcp_flexion=60, thumb_ip_flexion=80
    )
    assert np.all(angles <= ANGLE_UPPER + 1e-9)
    capsules = RIGHT_HAND.capsules(angles)
    base = capsules[FIRST_PALM + 3].copy()
    base[:3] = base[3:6]  # the palm's skin below the little finger's knuckle
    tip = capsules[2].copy()
    tip[:3] = tip[3:6]
    assert gap(tip, base) < 0.002
    for number in (1, 2):
        for row in range(FIRST_PALM, CAPSULES):
            assert gap(segment(capsules, 0, number), capsules[row]) > -0.002
