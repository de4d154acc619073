"""The search for a grasp: right by another's measure, complete, deterministic, and it ends."""

import dataclasses
import math

import numpy as np
import pytest
from armspan.solvers.body.skeleton import Side
from armspan.solvers.grasp import DigitState, GraspSite, Part, Span, Thumb, search_grasp
from armspan.solvers.hand import ANGLE_LOWER, ANGLE_UPPER, DIGITS, make_hand
from armspan.solvers.quaternion import quat_mul, quat_rotate
from numba import config

from tests.solvers.grasp.dense import DenseSearch, arc_places, arc_site, posture_gaps

SAMPLED_M = 1e-5  # what the oracle's points along a segment miss
BENDS = (math.inf, math.inf, 0.3, 0.12, 0.07, 0.05)
compiled = pytest.mark.skipif(config.DISABLE_JIT, reason="long without compiled code")


def cases(seed: int, count: int):
    """Sites and hands over what is promised: radii, bends, tolerances, hand lengths, sides."""
    source = np.random.default_rng(seed)
    for _ in range(count):
        radius = source.uniform(0.008, 0.035)
        bend = max(BENDS[source.integers(len(BENDS))], radius + 0.03)
        middle = 0.15 if np.isinf(bend) else 0.5 * bend * min(0.3 / bend, 5.0)
        around = source.uniform(-math.pi, math.pi)
        wide = source.integers(3) > 0
        site = arc_site(
            radius,
            bend,
            along=Span(middle, middle),
            around=Span(around - 0.2, around + 0.2),
            distance=Span(0.0, 0.015 * wide),
            forward=Span(-0.025, 0.04) if wide else Span(0.0, 0.02),
            tilt=Span(-0.3, 0.4) if wide else Span(0.0, 0.0),
            tolerance_m=float(source.choice([0.0005, 0.001, 0.002, 0.004])),
            thumb=Thumb(int(source.integers(3))),
            sign=int(source.choice([1, -1])),
        )
        hand = make_hand(float(source.uniform(0.16, 0.21)), Side(int(source.integers(2))))
        yield site, hand, bend


def check_rule(site, hand, grasp):
    """A grasp is what the rule says, measured by the oracle."""
    chord = min(2e-4, 0.1 * site.tolerance_m)  # what the search's chords of a bent axis miss
    gaps = posture_gaps(site, hand, grasp)
    assert gaps.min() > -site.tolerance_m
    for digit in range(DIGITS):
        angles = grasp.joint_angles[4 * digit : 4 * digit + 4]
        assert np.all(angles >= ANGLE_LOWER[4 * digit :][:4] - 1e-9)
        assert np.all(angles <= ANGLE_UPPER[4 * digit :][:4] + 1e-9)
        if digit > 0:
            assert angles[3] == pytest.approx(2.0 / 3.0 * angles[2])
        if grasp.digits[digit] == DigitState.TOUCHES:
            assert gaps[digit].min() < chord
    if site.thumb != Thumb.UNUSED:
        assert grasp.digits[0] == DigitState.TOUCHES
    assert DigitState.TOUCHES in grasp.digits[1:]
    assert set(grasp.digits[1:]) <= {DigitState.TOUCHES, DigitState.AT_LIMIT}
    for contact in grasp.contacts:
        expected = gaps[contact.finger].min() if contact.finger == Part.PALM else None
        if expected is None:
            expected = gaps[contact.finger, contact.segment]
        assert contact.gap_m == pytest.approx(expected, abs=chord + SAMPLED_M)
    assert grasp.deepest_m == pytest.approx(-gaps.min(), abs=chord + SAMPLED_M)


def rate(seed: int, count: int) -> tuple[int, int]:
    """How many of the cases are grasped, and how many are though a dense search finds a way."""
    grasped = missed = 0
    for site, hand, bend in cases(seed, count):
        grasp = search_grasp(site, hand)
        if grasp.grasped:
            check_rule(site, hand, grasp)
            grasped += 1
        elif DenseSearch(hand).is_graspable(site, arc_places(site, hand, bend, (1, 3, 2, 5, 3))):
            missed += 1
    return grasped, missed


@compiled
def test_what_can_be_grasped_is_grasped():
    grasped, missed = rate(seed=0, count=150)
    assert grasped >= 0.95 * (grasped + missed)
    assert grasped >= 100


@pytest.mark.slow
@compiled
def test_what_can_be_grasped_is_grasped_in_many_cases():
    grasped, missed = rate(seed=1, count=1500)
    assert grasped >= 0.95 * (grasped + missed)


def test_a_grasp_of_a_plain_tube_is_what_the_rule_says():
    site, hand = arc_site(0.016, math.inf), make_hand(0.19, Side.RIGHT)
    grasp = search_grasp(site, hand)
    assert grasp.grasped
    assert grasp.why == ""
    check_rule(site, hand, grasp)
    assert {contact.finger for contact in grasp.contacts} == set(Part)


def test_the_oracle_says_yes_and_no():
    hand = make_hand(0.19, Side.LEFT)
    fixed = {
        "along": Span(0.15, 0.15),
        "around": Span(0.0, 0.0),
        "distance": Span(0.0, 0.0),
        "tilt": Span(0.0, 0.0),
    }
    near = arc_site(0.02, math.inf, forward=Span(0.01, 0.01), **fixed)
    far = dataclasses.replace(near, distance=Span(0.2, 0.2))
    dense = DenseSearch(hand)
    assert dense.is_graspable(near, arc_places(near, hand, math.inf, (1, 1, 1, 1, 1)))
    assert not dense.is_graspable(far, arc_places(far, hand, math.inf, (1, 1, 1, 1, 1)))
    assert search_grasp(near, hand).grasped
    assert not search_grasp(far, hand).grasped


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("sign", [1, -1])
def test_the_thumb_is_on_the_side_that_is_asked_for(side, sign):
    site = arc_site(0.014, math.inf, sign=sign, around=Span(0.3, 0.3))
    grasp = search_grasp(site, make_hand(0.18, side))
    across = quat_rotate(tuple(grasp.object_from_palm[3:]), (1.0, 0.0, 0.0))
    thumb_side = -across[0] if side == Side.RIGHT else across[0]
    assert grasp.grasped
    assert thumb_side * sign > 0.8
    back = quat_rotate(tuple(grasp.object_from_palm[3:]), (0.0, 1.0, 0.0))
    np.testing.assert_allclose(back, (0.0, math.cos(0.3), math.sin(0.3)), atol=1e-12)


@pytest.mark.parametrize("bend", [math.inf, 0.07])
def test_the_hands_grasp_mirror_images_in_mirrored_ways(bend):
    right = arc_site(0.013, bend, around=Span(0.2, 0.9), sign=-1)
    flip = np.array([-1.0, 1.0, 1.0])
    left = dataclasses.replace(
        right, points=right.points * flip, normal=right.normal * flip, around=Span(-0.9, -0.2)
    )
    a = search_grasp(right, make_hand(0.175, Side.RIGHT))
    b = search_grasp(left, make_hand(0.175, Side.LEFT))
    assert a.grasped
    assert b.grasped
    assert a.postures_tested == b.postures_tested
    np.testing.assert_allclose(a.joint_angles, b.joint_angles, atol=1e-9)
    np.testing.assert_allclose(a.object_from_palm[:3] * flip, b.object_from_palm[:3], atol=1e-12)
    mirrored = a.object_from_palm[3:] * [1.0, -1.0, -1.0, 1.0]
    np.testing.assert_allclose(mirrored, b.object_from_palm[3:], atol=1e-12)


@pytest.mark.parametrize("bend", [math.inf, 0.06])
def test_a_moved_object_is_grasped_in_the_same_way(bend):
    site, hand = arc_site(0.02, bend), make_hand(0.2, Side.LEFT)
    turn = np.array([0.3, -0.5, 0.1, 0.8])
    turn /= np.linalg.norm(turn)
    place = np.array([1.0, -2.0, 0.5])

    def moved(point):
        return np.array(quat_rotate(tuple(turn), tuple(point)))

    points = np.array([moved(point) + place for point in site.points])
    there = search_grasp(dataclasses.replace(site, points=points, normal=moved(site.normal)), hand)
    here = search_grasp(site, hand)
    assert here.grasped
    assert here.postures_tested == there.postures_tested
    np.testing.assert_allclose(there.joint_angles, here.joint_angles, atol=1e-7)
    np.testing.assert_allclose(
        there.object_from_palm[:3], moved(here.object_from_palm[:3]) + place, atol=1e-9
    )
    expected = np.array(quat_mul(tuple(turn), tuple(here.object_from_palm[3:])))
    assert abs(expected @ there.object_from_palm[3:]) == pytest.approx(1.0)


def test_the_same_question_has_the_same_answer():
    for site, hand, _ in cases(seed=3, count=5):
        first, second = search_grasp(site, hand), search_grasp(site, hand)
        assert first.grasped == second.grasped
        assert first.postures_tested == second.postures_tested
        np.testing.assert_array_equal(first.joint_angles, second.joint_angles)
        np.testing.assert_array_equal(first.object_from_palm, second.object_from_palm)


def test_both_poses_are_each_others_inverse():
    grasp = search_grasp(arc_site(0.02, 0.1), make_hand(0.19, Side.RIGHT))
    there, back = grasp.object_from_palm, grasp.palm_from_object
    turned = quat_mul(tuple(there[3:]), tuple(back[3:]))
    np.testing.assert_allclose(turned, [0.0, 0.0, 0.0, 1.0], atol=1e-12)
    point = np.array(quat_rotate(tuple(back[3:]), tuple(there[:3]))) + back[:3]
    np.testing.assert_allclose(point, 0.0, atol=1e-12)


@compiled
def test_a_search_that_finds_nothing_ends_and_says_why():
    hand = make_hand(0.17, Side.RIGHT)
    thick = search_grasp(arc_site(0.3, math.inf), hand)
    assert not thick.grasped
    assert thick.postures_tested == 10_000
    assert "thumb touches only on the side of palm and fingers" in thick.why
    far = search_grasp(arc_site(0.02, math.inf, distance=Span(0.3, 0.4)), hand)
    assert not far.grasped
    assert "no finger reaches" in far.why


@pytest.mark.parametrize("most", [1, 2, 30, 100, 500])
def test_no_more_postures_are_tested_than_are_allowed(most):
    hand = make_hand(0.17, Side.RIGHT)
    hopeless = search_grasp(arc_site(0.3, math.inf, max_postures=most), hand)
    assert (hopeless.grasped, hopeless.postures_tested) == (False, most)
    easy = search_grasp(arc_site(0.016, math.inf), hand, max_postures=most)
    assert easy.postures_tested <= most
    assert easy.grasped == (most == 500)


def test_a_fixed_place_is_tried_once():
    fixed = Span(0.1, 0.1)
    site = arc_site(
        0.02,
        math.inf,
        along=fixed,
        around=fixed,
        distance=Span(0.3, 0.3),
        forward=Span(0.0, 0.0),
        tilt=Span(0.0, 0.0),
    )
    grasp = search_grasp(site, make_hand(0.19, Side.LEFT))
    assert not grasp.grasped
    assert grasp.postures_tested < 500
    assert "at 1 place " in grasp.why


def test_a_place_is_where_its_numbers_say():
    site = arc_site(
        0.018,
        math.inf,
        along=Span(0.12, 0.12),
        around=Span(0.0, 0.0),
        distance=Span(0.004, 0.004),
        forward=Span(0.006, 0.006),
        tilt=Span(0.0, 0.0),
    )
    hand = make_hand(0.19, Side.RIGHT)
    grasp = search_grasp(site, hand)
    assert grasp.place.forward == 0.006
    section = grasp.palm_from_object[:3] + quat_rotate(
        tuple(grasp.palm_from_object[3:]), (0.12, 0.0, 0.0)
    )
    np.testing.assert_allclose(section[[0, 2]], [0.0, -0.006], atol=1e-12)
    palm = posture_gaps(site, hand, grasp)[Part.PALM].min()
    assert palm == pytest.approx(0.004, abs=0.1 * site.tolerance_m + SAMPLED_M)


@pytest.mark.parametrize("chosen", [(0, 1, 1, 0, 0), (1, 1, 0, 0, 0), (1, 1, 1, 0, 1)])
def test_only_the_chosen_fingers_take_part(chosen):
    fingers = tuple(bool(one) for one in chosen)
    site, hand = arc_site(0.015, math.inf, fingers=fingers), make_hand(0.19, Side.RIGHT)
    grasp = search_grasp(site, hand)
    assert grasp.grasped
    for state, takes_part in zip(grasp.digits, fingers, strict=True):
        assert (state == DigitState.RELAXED) != takes_part
    assert posture_gaps(site, hand, grasp).min() > -site.tolerance_m


def test_a_thumb_on_the_side_lies_along_the_tube():
    hand = make_hand(0.19, Side.RIGHT)
    cosines = []
    for thumb in (Thumb.ON_THE_SIDE, Thumb.CLOSED):
        grasp = search_grasp(arc_site(0.02, math.inf, thumb=thumb), hand)
        assert grasp.grasped
        tip = hand.capsules(grasp.joint_angles)[2]
        tube = quat_rotate(tuple(grasp.palm_from_object[3:]), (1.0, 0.0, 0.0))
        along = tip[3:6] - tip[:3]
        cosines.append(abs(along @ tube) / np.linalg.norm(along))
    assert cosines[0] > 0.9
    assert cosines[0] > cosines[1]


def test_a_fixed_spread_turns_neighbours_by_it():
    site = arc_site(0.02, math.inf, spread=Span(0.1, 0.1))
    grasp = search_grasp(site, make_hand(0.19, Side.RIGHT))
    np.testing.assert_allclose(grasp.joint_angles[5::4], [0.15, 0.05, -0.05, -0.15], atol=1e-12)


def test_fingers_beyond_the_end_of_a_tube_close_as_far_as_they_can():
    site = GraspSite(
        np.array([[0.0, 0.0, 0.0], [0.05, 0.0, 0.0]]),
        np.array([0.012, 0.012]),
        along=Span(0.01, 0.01),
        tilt=Span(0.0, 0.0),
        thumb=Thumb.UNUSED,
        sign=1,
    )
    grasp = search_grasp(site, make_hand(0.19, Side.RIGHT))
    assert grasp.grasped
    assert grasp.digits[1] == DigitState.TOUCHES
    assert grasp.digits[4] == DigitState.AT_LIMIT
    assert grasp.joint_angles[16] == pytest.approx(ANGLE_UPPER[16])
