"""The arcs of limits: what they call inside is, and nothing inside is missed."""

import math

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.arcs import EXACT, LINES, broken, nearest_swivel, write_lines
from armspan.solvers.body.forward import arm_frames
from armspan.solvers.body.swivel import (
    CIRCLE_ROWS,
    ArmGoal,
    angles_at,
    arm_goal,
    elbow_flexion,
    write_circle,
)
from armspan.solvers.body.targets import pose_error
from armspan.solvers.dual_quaternion import dq_position

from tests.solvers.body.brute import LOWER, UPPER, inside_by, swivels
from tests.solvers.drawing import few

ALL_AROUND = swivels(few(720, 90))
CLEAR_RAD = 1e-4  # beyond what rounding of targets is forgiven


def reachable_arm(random: np.random.Generator, beyond: float = 0.0) -> tuple[float, ...]:
    """Angles of an arm inside its limits, its wrist up to ``beyond`` (rad) outside."""
    angles = random.uniform(LOWER, UPPER)
    angles[5:] += random.uniform(-beyond, beyond, 3)
    return tuple(angles.tolist())


def goal_of(arm: tuple[float, ...], random: np.random.Generator) -> ArmGoal:
    """The goal of that arm's palm, the elbow wanted anywhere."""
    elbow = tuple(random.normal(scale=0.4, size=3).tolist())
    return arm_goal(arm_frames(arm, DEFAULT_LENGTHS)[3], elbow, DEFAULT_LENGTHS)


def circle_of(goal: ArmGoal, yaw: float) -> tuple[np.ndarray, np.ndarray, float]:
    """The elbow's circle, its limits' lines, and the elbow's flexion."""
    circle, lines = np.empty((CIRCLE_ROWS, 3)), np.empty((LINES, 3))
    bend = write_circle(goal, (math.cos(yaw), math.sin(yaw)), DEFAULT_LENGTHS, circle)
    write_lines(circle, lines)
    return circle, lines, elbow_flexion(bend.reach, DEFAULT_LENGTHS)


@pytest.mark.parametrize("beyond_deg", [0.0, 60.0])
def test_no_swivel_inside_all_limits_is_nearer_than_the_one_found(beyond_deg: float):
    random = np.random.default_rng(1)
    found, none = 0, 0
    for _ in range(few(1500, 20)):
        arm = reachable_arm(random, math.radians(beyond_deg))
        circle, lines, _ = circle_of(goal_of(arm, random), arm[0])
        best = nearest_swivel(lines, EXACT)
        inside = inside_by(circle, ALL_AROUND).max(axis=1) > 0.0
        if inside.any():
            assert best[2] >= 0
            assert best[0] >= ALL_AROUND[inside, 0].max() - 1e-9
        found, none = found + (best[2] >= 0), none + (best[2] < 0)
    assert found > few(500, 5)
    assert beyond_deg == 0.0 or none > few(100, 1)


@pytest.mark.parametrize("beyond_deg", [0.0, 60.0])
def test_the_swivel_found_puts_the_palm_in_its_place_with_every_joint_inside(beyond_deg: float):
    """Held at the very limits, which undoes what is forgiven for rounding."""
    random = np.random.default_rng(2)
    for _ in range(few(1500, 20)):
        arm = reachable_arm(random, math.radians(beyond_deg))
        circle, lines, bend = circle_of(goal_of(arm, random), arm[0])
        at = nearest_swivel(lines, EXACT)
        if at[2] < 0:
            assert beyond_deg > 0.0  # else the arm's own posture is one
            continue
        assert math.hypot(at[0], at[1]) == pytest.approx(1.0, abs=1e-9)
        held = np.clip(np.array(angles_at(circle, at, arm[0], bend)), LOWER, UPPER)
        asked = arm_frames(arm, DEFAULT_LENGTHS)[3]
        off, turned = pose_error(asked, arm_frames(tuple(held.tolist()), DEFAULT_LENGTHS)[3])
        assert off < 2e-5
        assert turned < 5e-5


@pytest.mark.parametrize("off_rad", [0.0, 1e-9, 1e-6, 1e-4])
def test_the_same_holds_where_straight_arms_meet_the_shoulders_gimbal_lock(off_rad: float):
    """Where two of the shoulder's angles hardly have a say, they still have limits."""
    random = np.random.default_rng(7)
    for _ in range(few(300, 10)):
        arm = np.array(reachable_arm(random))
        arm[2], arm[4] = math.pi / 2 + off_rad * random.normal(), off_rad * abs(random.normal())
        asked = arm_frames(tuple(arm.tolist()), DEFAULT_LENGTHS)[3]
        elbow = (0.6, -0.3, 0.2)
        circle, lines, bend = circle_of(arm_goal(asked, elbow, DEFAULT_LENGTHS), float(arm[0]))
        at = nearest_swivel(lines, EXACT)
        assert at[2] >= 0
        held = np.clip(np.array(angles_at(circle, at, float(arm[0]), bend)), LOWER, UPPER)
        off, turned = pose_error(asked, arm_frames(tuple(held.tolist()), DEFAULT_LENGTHS)[3])
        assert off < 2e-5
        assert turned < 5e-5


def test_limits_are_broken_just_where_angles_are_outside_and_by_more_further_out():
    random = np.random.default_rng(3)
    counted = {True: 0, False: 0}
    for _ in range(few(3000, 100)):
        arm = reachable_arm(random)
        circle, lines, _ = circle_of(goal_of(arm, random), arm[0])
        at = swivels(360)[random.integers(360)]
        margin = float(inside_by(circle, at[None]).max())
        wrist, shoulder = broken(lines, float(at[0]), float(at[1]))
        if abs(margin) > CLEAR_RAD:
            assert (wrist + shoulder == 0.0) == (margin > 0.0)
            counted[margin > 0.0] += 1
        assert wrist >= 0.0
        assert shoulder >= 0.0
    assert min(counted.values()) > few(300, 5)


def test_the_wanted_swivel_itself_is_taken_where_it_is_inside():
    random = np.random.default_rng(4)
    for _ in range(few(300, 20)):
        arm = reachable_arm(random)
        _, _, forearm, palm = arm_frames(arm, DEFAULT_LENGTHS)
        elbow = dq_position(forearm)
        goal = arm_goal(palm, elbow, DEFAULT_LENGTHS)
        circle, lines, bend = circle_of(goal, arm[0])
        at = nearest_swivel(lines, EXACT)
        # an almost straight arm has hardly a circle, and rounding moves its elbow round it
        if arm[4] > 0.1 and float(inside_by(circle, np.array([[1.0, 0.0]])).max()) > CLEAR_RAD:
            assert at[:2] == (1.0, 0.0)
            angles = angles_at(circle, at, arm[0], bend)
            there = dq_position(arm_frames(angles, DEFAULT_LENGTHS)[2])
            np.testing.assert_allclose(there, elbow, atol=1e-6)


@pytest.mark.parametrize("slack", [1e-3, 0.02, 0.2])
def test_what_is_none_with_slack_is_none_for_all_lines_that_are_no_further_away(slack: float):
    """A proof must hold for every arm that is turned by no more than the slack."""
    random = np.random.default_rng(5)
    proved = 0
    for _ in range(few(1500, 30)):
        arm = reachable_arm(random, math.radians(60.0))
        _, lines, _ = circle_of(goal_of(arm, random), arm[0])
        if nearest_swivel(lines, (slack, slack))[2] >= 0:
            continue
        proved += 1
        assert nearest_swivel(lines, EXACT)[2] < 0
        for _ in range(4):
            moved = random.normal(size=lines.shape)
            size = np.abs(moved[:, :1]) + np.hypot(moved[:, 1:2], moved[:, 2:3])
            moved *= 0.999 * slack * random.choice([0.3, 1.0]) / size
            moved[10:] = 0.0  # the shoulder's rise also says how near its axes are to one another
            assert nearest_swivel(lines + moved, EXACT)[2] < 0
    assert proved > few(100, 1)


def test_slack_never_hides_what_is_there():
    random = np.random.default_rng(6)
    for _ in range(few(300, 20)):
        arm = reachable_arm(random)
        _, lines, _ = circle_of(goal_of(arm, random), arm[0])
        for slack in (1e-6, 1e-2, 1.0, 4.0):
            wider = nearest_swivel(lines, (slack, slack))
            assert wider[2] >= 0
            assert wider[0] >= nearest_swivel(lines, EXACT)[0] - 1e-9
