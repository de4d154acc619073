"""Arcs of torso yaw, against brute force over many yaws."""

import math

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.poses import PoseSet, make_poses, palms_of
from armspan.solvers.body.reach import plan_yaw, reach_arc, reaches_alone
from armspan.solvers.body.skeleton import (
    ARM_LOWER,
    ARM_UPPER,
    FOREARM,
    JOINT_LOWER,
    JOINT_UPPER,
    UPPER_ARM,
)
from armspan.solvers.body.swivel import shoulder_to_wrist, wrist_of
from armspan.solvers.body.targets import Task, make_task
from armspan.solvers.dual_quaternion import dq_from_pose
from hypothesis import given
from hypothesis import strategies as st

from tests.solvers.drawing import few, vectors

REACH = float(DEFAULT_LENGTHS[UPPER_ARM] + DEFAULT_LENGTHS[FOREARM])
FULL_BEND = math.radians(150.0)
SHORTEST = math.hypot(0.30 + 0.26 * math.cos(FULL_BEND), 0.26 * math.sin(FULL_BEND))
ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
LIMITS = np.linspace(ARM_LOWER[0], ARM_UPPER[0], few(721, 61))
AROUND = np.linspace(-math.pi, math.pi, few(721, 61))


def distances(wrist: tuple[float, ...], yaws: np.ndarray) -> np.ndarray:
    return np.array([math.hypot(*shoulder_to_wrist(wrist, yaw, DEFAULT_LENGTHS)) for yaw in yaws])


def wrapped(angle: np.ndarray) -> np.ndarray:
    return np.abs((angle + math.pi) % (2 * math.pi) - math.pi)


@given(wrist=vectors, reach=st.floats(0.1, 2.0))
def test_an_arc_holds_just_the_yaws_at_which_the_wrist_is_near_enough(wrist, reach):
    centre, half = reach_arc(wrist, DEFAULT_LENGTHS, reach)
    from_centre = wrapped(AROUND - centre)
    near = distances(wrist, AROUND) <= reach
    clear = np.abs(distances(wrist, AROUND) - reach) > 1e-9
    np.testing.assert_array_equal((from_centre <= half)[clear], near[clear])


@given(wrist=vectors)
def test_one_arm_reaches_if_some_yaw_does(wrist):
    d = distances(wrist, LIMITS)
    if d.min() < REACH - 1e-3 and d.max() > SHORTEST + 1e-3:
        assert reaches_alone(wrist, DEFAULT_LENGTHS)
    if d.min() > REACH + 1e-3 or d.max() < SHORTEST - 1e-3:
        assert not reaches_alone(wrist, DEFAULT_LENGTHS)


def task_at(left: tuple[float, ...], right: tuple[float, ...], tracked=(True, True)) -> Task:
    """Wrists are at these places of the mirrored left and the right arm: hands point down."""
    down = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))  # X by +90 degrees: -Z becomes +Y
    palms = tuple(dq_from_pose((x, y + DEFAULT_LENGTHS[4], z), down) for x, y, z in (left, right))
    return Task(palms, tracked, DEFAULT_LENGTHS)


@given(left=vectors, right=vectors)
def test_the_planned_yaws_bring_both_wrists_into_reach(left, right):
    task = task_at(left, right)
    np.testing.assert_allclose(wrist_of(task.palms[0], task.lengths), left, atol=1e-12)
    plan = plan_yaw(task)
    both = (distances(left, -LIMITS) <= REACH) & (distances(right, LIMITS) <= REACH)
    if both.any():
        assert plan.low <= LIMITS[both].min() + 1e-9
        assert plan.high >= LIMITS[both].max() - 1e-9
    if plan.low <= plan.high:
        assert ARM_LOWER[0] <= plan.low <= plan.preferred <= plan.high <= ARM_UPPER[0]
        ends = np.array([plan.low, plan.high])
        assert (distances(right, ends) <= REACH + 1e-4).all()
        assert (distances(left, -ends) <= REACH + 1e-4).all()


@given(left=vectors, right=vectors)
def test_out_of_reach_is_certain(left, right):
    """What the plan calls out of reach, no yaw reaches; brute force has no say but for rounding."""
    plan = plan_yaw(task_at(left, right))
    for side, d in enumerate((distances(left, -LIMITS), distances(right, LIMITS))):
        if plan.alone[side]:
            assert d.min() <= REACH + 0.01
        elif plan.low > plan.high:
            assert d.min() > REACH - 1e-3 or d.max() < SHORTEST + 1e-3
    if np.maximum(distances(left, -LIMITS), distances(right, LIMITS)).min() < REACH - 1e-3:
        assert plan.low <= plan.high


def test_of_two_hands_the_one_in_reach_is_told():
    right, left = (0.5, 0.2, -0.2), (3.0, 0.0, 0.5)
    plan = plan_yaw(task_at(left, right))
    assert plan.low > plan.high
    assert plan.alone == (False, True)


@pytest.mark.parametrize("yaw", [ARM_LOWER[0], ARM_UPPER[0]])
@pytest.mark.parametrize("bend", [0.0, 1.0, FULL_BEND])
def test_yaws_at_the_torsos_very_limits_are_among_the_planned(yaw: float, bend: float):
    """A wrist straight behind the shoulder's circle is as far round as can be."""
    random = np.random.default_rng(5)
    for trial in range(few(500, 20)):
        angles = random.uniform(JOINT_LOWER, JOINT_UPPER)
        angles[[0, 4, 11]] = yaw, bend, bend
        if trial % 2:  # hands in the plane of both shoulders
            angles[[1, 8]] = random.choice([0.0, math.pi], 2)
            angles[[3, 10]] = 0.0
        hands = palms_of(angles[None], np.zeros((1, 2)))[0]
        plan = plan_yaw(make_task(ORIGIN, hands, True, True, DEFAULT_LENGTHS))
        assert plan.low - 1e-9 <= yaw <= plan.high + 1e-9


def test_all_random_poses_are_in_reach_and_no_pushed_one_is():
    count = few(300, 20)
    for kind, expected in ((PoseSet.RANDOM, True), (PoseSet.UNREACHABLE, False)):
        for hands in make_poses(kind, count, 4).hands:
            plan = plan_yaw(make_task(ORIGIN, hands, True, True, DEFAULT_LENGTHS))
            assert (plan.low <= plan.high) == expected
            assert plan.alone == (expected, expected)


def test_the_torso_stays_where_people_hold_it_while_the_elbows_are_bent():
    assert plan_yaw(task_at((0.2, -0.1, -0.3), (0.2, -0.1, -0.3))).preferred == 0.0


def test_a_hand_without_a_target_asks_for_nothing():
    plan = plan_yaw(task_at((9.0, 9.0, 9.0), (0.2, -0.1, -0.3), (False, True)))
    assert plan.low <= plan.high
    assert plan.alone == (False, True)
    assert plan.preferred == 0.0
