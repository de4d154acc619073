"""How far an arm's posture is from its limits for a palm in a room."""

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS, Side, eyes_from_chest, forward_kinematics
from armspan.solvers.body.skeleton import JOINT_LOWER, JOINT_NAMES, JOINT_UPPER
from armspan.solvers.grasp.reach import (
    EASY_SLACK,
    ArmReach,
    Room,
    arm_reaches,
    palms_in_room,
    standing_head,
)
from armspan.solvers.grasp.site import GraspError
from scipy.spatial.transform import Rotation

AHEAD = np.array([0.2, 1.2, -0.4])
LEVEL = np.array([0.0, 0.0, 0.0, 1.0])  # fingers ahead, the palm faces down
MIRROR = np.array([-1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 1.0])


def palm(place=AHEAD, rotation=LEVEL) -> np.ndarray:
    return np.concatenate((place, rotation))


def reach(pose: np.ndarray, side: Side = Side.RIGHT, lengths=DEFAULT_LENGTHS) -> ArmReach:
    return arm_reaches(lengths, side, pose[None])[0]


def test_a_hand_before_the_chest_is_well_inside_its_limits():
    found = reach(palm())
    assert found.reached
    assert 0.05 < found.slack <= 1.0
    assert found.off_m < 1e-3
    assert (found.joint_angles >= JOINT_LOWER - 1e-9).all()
    assert (found.joint_angles <= JOINT_UPPER + 1e-9).all()


def test_the_slack_is_that_of_the_tightest_joint_of_this_arm():
    found = reach(palm())
    half = 0.5 * (JOINT_UPPER - JOINT_LOWER)
    shares = np.minimum(found.joint_angles - JOINT_LOWER, JOINT_UPPER - found.joint_angles) / half
    arm = {
        name: share for name, share in zip(JOINT_NAMES, shares, strict=True) if "left" not in name
    }
    assert found.slack == pytest.approx(min(arm.values()))
    assert arm[found.tightest] == min(arm.values())


def test_slack_runs_out_where_the_arm_is_straight_and_beyond_nothing_is_reached():
    found = [reach(palm([0.18, 1.3, -ahead])) for ahead in np.linspace(0.45, 1.5, 22)]
    reached = [one.reached for one in found]
    assert reached[0]
    assert not reached[-1]
    assert reached == sorted(reached, reverse=True)
    last = max(at for at, one in enumerate(found) if one.reached)
    assert found[last].slack < found[0].slack
    beyond = [one.slack for one in found[last + 1 :]]
    assert (np.diff(beyond) < 0.0).all()  # the farther, the worse
    assert beyond[-1] < -0.3
    assert found[-1].ease == 0.0


def test_a_hand_that_would_have_to_turn_too_far_is_not_reached():
    outward = Rotation.from_euler("y", -170.0, degrees=True).as_quat()  # fingers at one's own chest
    found = reach(palm(rotation=outward))
    assert not found.reached
    assert found.slack < 0.0


def test_left_and_right_are_mirror_images():
    turned = Rotation.from_rotvec([0.2, 0.4, -0.3]).as_quat()
    right = reach(palm(rotation=turned))
    left = reach(MIRROR * palm(rotation=turned), Side.LEFT)
    assert left.slack == pytest.approx(right.slack, abs=1e-6)
    assert left.tightest == right.tightest.replace("right", "left")


def test_a_taller_person_reaches_what_a_shorter_one_does_not():
    high = palm([0.2, 2.05, -0.3], Rotation.from_euler("x", 60.0, degrees=True).as_quat())
    tall = DEFAULT_LENGTHS * 1.15
    assert not reach(high).reached
    assert reach(high, lengths=tall).reached


def test_an_object_takes_its_palms_along():
    room = Room(DEFAULT_LENGTHS, np.concatenate((AHEAD, Rotation.from_euler("y", 0.5).as_quat())))
    here = np.array([[0.1, 0.2, 0.3, *Rotation.from_euler("x", 0.4).as_quat()]])
    there = palms_in_room(room, here)[0]
    turn = Rotation.from_quat(room.world_from_object[3:])
    np.testing.assert_allclose(there[:3], AHEAD + turn.apply(here[0, :3]))
    whole = turn * Rotation.from_quat(here[0, 3:])
    assert (whole.inv() * Rotation.from_quat(there[3:])).magnitude() < 1e-12


def test_who_stands_has_the_eyes_at_their_height():
    head = standing_head(DEFAULT_LENGTHS)
    assert head[1] == pytest.approx(DEFAULT_LENGTHS[-1])
    np.testing.assert_array_equal(head[3:], LEVEL)
    found = reach(palm())
    palms = forward_kinematics(DEFAULT_LENGTHS, _chest(), found.joint_angles).position[1, 3]
    assert np.linalg.norm(palms - AHEAD) < 0.25  # but for the trunk, which follows the hand
    np.testing.assert_allclose(eyes_from_chest(DEFAULT_LENGTHS, _chest(), LEVEL), head[:3])


def _chest() -> np.ndarray:
    head = standing_head(DEFAULT_LENGTHS)
    above = eyes_from_chest(DEFAULT_LENGTHS, np.array([0, 0, 0, 0, 0, 0, 1.0]), LEVEL)
    return np.concatenate((head[:3] - above, LEVEL))


def test_ease_ends_growing_well_inside():
    made = [
        ArmReach(True, slack, "torso_yaw", np.zeros(15), 0.0, 0.0).ease
        for slack in (0.0, 0.5 * EASY_SLACK, EASY_SLACK, 0.9)
    ]
    assert made == [0.0, 0.5, 1.0, 1.0]


@pytest.mark.parametrize(
    ("pose", "words"),
    [([0.0] * 6, "7 finite"), ([np.nan] + [0.0] * 5 + [1.0], "7 finite"), ([0.0] * 7, "unit")],
)
def test_what_is_no_pose_is_refused(pose, words):
    with pytest.raises(GraspError, match=words):
        Room(DEFAULT_LENGTHS, np.array(pose))
