"""The arm in closed form: it hits its targets, and its arcs of limits hide nothing."""

import math

import numpy as np
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.arcs import branch_within_limits, nearest_swivel
from armspan.solvers.forward import arm_frames
from armspan.solvers.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.swivel import (
    CIRCLE_ROWS,
    angles_at,
    drawn_into_reach,
    natural_elbow,
    shoulder_to_wrist,
    wrist_of,
    write_circle,
)
from armspan.solvers.targets import pose_error
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.solvers.drawing import arm_angles, few, frames, vectors

SWIVELS = np.linspace(-math.pi, math.pi, few(360, 24), endpoint=False)
REACH = 0.56


def circle_of(palm: tuple[float, ...], yaw: float) -> tuple[np.ndarray, float, float]:
    circle = np.empty((CIRCLE_ROWS, 3))
    bend, missed = write_circle(palm, yaw, DEFAULT_LENGTHS, circle)
    return circle, bend, missed


def assert_inside(angles: tuple[float, ...]) -> None:
    assert (np.array(angles) >= np.array(ARM_LOWER) - 1e-6).all()
    assert (np.array(angles) <= np.array(ARM_UPPER) + 1e-6).all()


@given(angles=arm_angles(), swivel=st.floats(-math.pi, math.pi), branch=st.sampled_from([0, 1]))
def test_every_swivel_of_both_branches_puts_the_palm_on_its_target(angles, swivel, branch):
    palm = arm_frames(angles, DEFAULT_LENGTHS)[3]
    circle, bend, missed = circle_of(palm, angles[0])
    assert abs(missed) < 1e-12
    at = (math.cos(swivel), math.sin(swivel), branch)
    reached = arm_frames(angles_at(circle, at, angles[0], bend), DEFAULT_LENGTHS)[3]
    off, turned = pose_error(palm, reached)
    assert off < 1e-6  # the elbow's angle loses half its digits where the arm is straight
    assert turned < 1e-6


@given(angles=arm_angles())
def test_what_angles_inside_the_limits_reach_has_a_swivel_inside_the_limits(angles):
    palm = arm_frames(angles, DEFAULT_LENGTHS)[3]
    circle, bend, _ = circle_of(palm, angles[0])
    found = nearest_swivel(circle)
    assert found[2] >= 0
    answer = angles_at(circle, found, angles[0], bend)
    assert_inside(answer)
    off, turned = pose_error(palm, arm_frames(answer, DEFAULT_LENGTHS)[3])
    assert max(off, turned) < 1e-6


@given(palm=frames(), yaw=st.floats(-0.7, 0.7))
def test_no_swivel_inside_the_limits_is_nearer_to_the_natural_one(palm, yaw):
    circle, _, missed = circle_of(palm, yaw)
    best = nearest_swivel(circle)
    allowed = [
        (math.cos(s), branch)
        for s in SWIVELS
        if (branch := branch_within_limits(circle, math.cos(s), math.sin(s))) >= 0
    ]
    if allowed:
        assert best[2] >= 0
        assert best[0] >= max(cosine for cosine, _ in allowed) - 1e-9
    if best[2] >= 0:
        assert math.hypot(best[0], best[1]) == 1.0 or abs(math.hypot(best[0], best[1]) - 1) < 1e-9
        assert math.isfinite(missed)


def test_a_swivel_counts_as_inside_just_when_its_angles_are():
    random = np.random.default_rng(6)
    counted = {True: 0, False: 0}
    for _ in range(few(2000, 100)):
        arm = tuple(random.uniform(ARM_LOWER, ARM_UPPER))
        circle, bend, _ = circle_of(arm_frames(arm, DEFAULT_LENGTHS)[3], arm[0])
        turn = random.uniform(-0.6, 0.6) + math.pi * random.integers(2)
        c, s = math.cos(turn), math.sin(turn)
        margins = []
        for branch in range(2):
            angles = np.array(angles_at(circle, (c, s, branch), arm[0], bend))[1:]
            margins.append(np.minimum(angles - ARM_LOWER[1:], np.array(ARM_UPPER[1:]) - angles))
        if np.abs(margins).min() > 1e-6:  # on the very limit rounding decides
            inside = any(bool((margin > 0).all()) for margin in margins)
            assert (branch_within_limits(circle, c, s) >= 0) == inside
            counted[inside] += 1
    assert min(counted.values()) > few(50, 1)


@given(u=vectors)
def test_the_natural_elbow_is_across_the_arm(u):
    length = math.hypot(*u)
    assume(length > 0.1)
    u = tuple(x / length for x in u)
    elbow = natural_elbow(u)
    assert abs(math.hypot(*elbow) - 1.0) < 1e-9
    assert abs(np.dot(elbow, u)) < 1e-6


def test_the_natural_elbow_hangs_down_and_a_little_outward_in_front_of_the_body():
    for u in ((0.0, 0.0, -1.0), (-0.5, 0.0, -0.8), (0.3, -0.5, -0.8), (0.0, 0.4, -0.9)):
        norm = math.hypot(*u)
        x, y, _ = natural_elbow(tuple(c / norm for c in u))
        assert y < -0.5
        assert x > 0.0
    # beside the body the elbow of a bent arm points backward, not forward
    assert natural_elbow((0.0, -1.0, 0.0))[2] > 0.5


@given(palm=frames(), yaw=st.floats(-0.7, 0.7))
def test_drawing_into_reach_keeps_the_hand_turned_and_moves_it_no_further_than_needed(palm, yaw):
    drawn = drawn_into_reach(palm, yaw, DEFAULT_LENGTHS)
    wanted = math.hypot(*shoulder_to_wrist(wrist_of(palm, DEFAULT_LENGTHS), yaw, DEFAULT_LENGTHS))
    got = math.hypot(*shoulder_to_wrist(wrist_of(drawn, DEFAULT_LENGTHS), yaw, DEFAULT_LENGTHS))
    off, turned = pose_error(palm, drawn)
    assert turned < 1e-7
    assert got <= REACH + 1e-9
    assert abs(off - abs(wanted - got)) < 1e-9
    if 0.16 < wanted < REACH:
        assert off < 1e-12


def test_a_wrist_in_the_shoulder_breaks_nothing():
    wrist_at_shoulder = arm_frames((0.0,) * 8, DEFAULT_LENGTHS)[3]
    circle, bend, _ = circle_of(wrist_at_shoulder, 0.0)
    assert np.isfinite(circle).all()
    assert math.isfinite(bend)
