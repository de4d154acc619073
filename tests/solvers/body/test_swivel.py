"""The arm in closed form: every swivel of both readings hits its target."""

import math

import numpy as np
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.forward import ArmAngles, arm_frames
from armspan.solvers.body.skeleton import (
    ARM_UPPER,
    FOREARM,
    SHOULDER_LATERAL,
    SHOULDER_UP,
    UPPER_ARM,
)
from armspan.solvers.body.swivel import (
    CIRCLE_ROWS,
    ArmGoal,
    Bend,
    across,
    angles_at,
    arm_goal,
    elbow_flexion,
    reach_of,
    shoulder_to_wrist,
    wrist_of,
    write_circle,
)
from armspan.solvers.body.targets import pose_error
from armspan.solvers.dual_quaternion import dq_position
from armspan.solvers.quaternion import Vec
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.solvers.drawing import arm_angles, frames, lengths, vectors

WANTED = (0.5, -0.4, 0.3)  # an elbow's place like any other
FULL_BEND = ARM_UPPER[4]


def circle_of(goal: ArmGoal, yaw: float, body: np.ndarray = DEFAULT_LENGTHS):
    circle = np.empty((CIRCLE_ROWS, 3))
    bend: Bend = write_circle(goal, (math.cos(yaw), math.sin(yaw)), body, circle)
    return circle, bend


def angles_of(goal: ArmGoal, yaw: float, at: tuple[float, float, int], body=DEFAULT_LENGTHS):
    circle, bend = circle_of(goal, yaw, body)
    return angles_at(circle, at, yaw, elbow_flexion(bend.reach, body))


@given(
    angles=arm_angles(),
    body=lengths(),
    swivel=st.floats(-math.pi, math.pi),
    branch=st.sampled_from([0, 1]),
)
def test_every_swivel_of_both_readings_puts_the_palm_on_its_target(
    angles: ArmAngles, body: np.ndarray, swivel: float, branch: int
):
    palm = arm_frames(angles, body)[3]
    goal = arm_goal(palm, WANTED, body)
    assert abs(circle_of(goal, angles[0], body)[1].missed) < 1e-12
    at = (math.cos(swivel), math.sin(swivel), branch)
    off, turned = pose_error(palm, arm_frames(angles_of(goal, angles[0], at, body), body)[3])
    assert off < 1e-6  # the elbow's angle loses half its digits where the arm is straight
    assert turned < 1e-6


@given(angles=arm_angles(), wanted=vectors)
def test_swivel_zero_brings_the_elbow_nearest_to_where_it_is_wanted(angles: ArmAngles, wanted: Vec):
    goal = arm_goal(arm_frames(angles, DEFAULT_LENGTHS)[3], wanted, DEFAULT_LENGTHS)

    def missed(swivel: float) -> float:
        at = (math.cos(swivel), math.sin(swivel), 0)
        forearm = arm_frames(angles_of(goal, angles[0], at), DEFAULT_LENGTHS)[2]
        return math.dist(dq_position(forearm), wanted)

    least = missed(0.0)
    assert all(missed(s) >= least - 1e-6 for s in np.linspace(-math.pi, math.pi, 24))


@given(palm=frames(), yaw=st.floats(-0.7, 0.7))
def test_a_wrist_out_of_reach_is_drawn_straight_to_the_nearest_place_in_reach(palm, yaw):
    goal = arm_goal(palm, WANTED, DEFAULT_LENGTHS)
    _, bend = circle_of(goal, yaw)
    away = shoulder_to_wrist(wrist_of(palm, DEFAULT_LENGTHS), yaw, DEFAULT_LENGTHS)
    wanted = math.hypot(*away)
    assume(wanted > 1e-3)
    reached = arm_frames(angles_of(goal, yaw, (1.0, 0.0, 0)), DEFAULT_LENGTHS)[3]
    off, turned = pose_error(palm, reached)
    assert turned < 1e-6
    assert abs(off - abs(bend.missed)) < 1e-6
    assert abs(bend.missed - (wanted - reach_of(wanted, DEFAULT_LENGTHS))) < 1e-12


@given(wanted=st.floats(0.0, 3.0), body=lengths())
def test_the_elbow_allows_a_reach_from_fully_bent_to_straight(wanted: float, body: np.ndarray):
    upper, fore = float(body[UPPER_ARM]), float(body[FOREARM])
    shortest = math.hypot(upper + fore * math.cos(FULL_BEND), fore * math.sin(FULL_BEND))
    reach = reach_of(wanted, body)
    assert abs(reach - min(max(wanted, shortest), upper + fore)) < 1e-12
    bend = elbow_flexion(reach, body)
    assert -1e-12 <= bend <= FULL_BEND + 1e-9
    fist = math.hypot(upper + fore * math.cos(bend), fore * math.sin(bend))
    assert abs(fist - reach) < 1e-9


@given(angles=arm_angles())
def test_the_way_from_shoulder_to_wrist_is_that_of_the_frames(angles: ArmAngles):
    _, upper, _, palm = arm_frames(angles, DEFAULT_LENGTHS)
    wrist = wrist_of(palm, DEFAULT_LENGTHS)
    away = shoulder_to_wrist(wrist, angles[0], DEFAULT_LENGTHS)
    assert abs(math.hypot(*away) - math.dist(wrist, dq_position(upper))) < 1e-12
    still = shoulder_to_wrist(wrist, 0.0, DEFAULT_LENGTHS)
    shoulder = (DEFAULT_LENGTHS[SHOULDER_LATERAL], DEFAULT_LENGTHS[SHOULDER_UP], 0.0)
    np.testing.assert_allclose(still, np.subtract(wrist, shoulder), atol=1e-12)


@given(u=vectors, wanted=vectors)
def test_across_is_a_unit_vector_across_and_the_nearest_to_the_wanted_one(u: Vec, wanted: Vec):
    length = math.hypot(*u)
    assume(length > 0.1)
    along = (u[0] / length, u[1] / length, u[2] / length)
    p = np.array(across(along, wanted))
    assert abs(np.linalg.norm(p) - 1.0) < 1e-9
    assert abs(p @ along) < 1e-6
    flat = np.array(wanted) - np.dot(wanted, along) * np.array(along)
    assert p @ flat >= np.linalg.norm(flat) - 1e-5


def test_a_wrist_in_the_shoulder_breaks_nothing():
    at_shoulder = (0.0, 0.0, 0.0, 1.0, 0.09, 0.025, -0.04, 0.0)
    goal = arm_goal(at_shoulder, WANTED, DEFAULT_LENGTHS)
    np.testing.assert_allclose(goal.wrist, (0.18, 0.05, 0.0), atol=1e-12)
    circle, bend = circle_of(goal, 0.0)
    assert np.isfinite(circle).all()
    assert math.isfinite(bend.reach)
    assert np.isfinite(angles_of(goal, 0.0, (1.0, 0.0, 0))).all()
