"""What a solve aims at: the frames of a hand, and errors between frames."""

import math

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS, HandFrame, forward_kinematics
from armspan.solvers.body.skeleton import PALM
from armspan.solvers.body.targets import (
    make_task,
    palms_from_hands,
    pose_dual,
    pose_error,
    shifted,
    twist_between,
    write_pose,
)
from armspan.solvers.dual_quaternion import dq_from_pose, dq_mul
from armspan.solvers.quaternion import quat_axes, quat_from_rotation_vector
from hypothesis import given

from tests.solvers.drawing import (
    body_angles,
    frames,
    mirrored_hands,
    mirrored_poses,
    poses,
    turn_between,
    vectors,
)

ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def test_a_palm_is_its_own_frame():
    hands = np.random.default_rng(0).normal(size=(3, 2, 7))
    palms = palms_from_hands(hands, HandFrame.PALM, DEFAULT_LENGTHS)
    np.testing.assert_allclose(palms[..., :3], hands[..., :3], atol=1e-12)
    assert turn_between(palms[..., 3:], hands[..., 3:]).max() < 1e-7


@given(angles=body_angles())
def test_a_wrist_is_the_palm_length_behind_the_palm(angles):
    body = forward_kinematics(DEFAULT_LENGTHS, ORIGIN, angles)
    wrists = np.concatenate([body.position[:, 2], body.rotation[:, 2]], axis=1)[None]
    palms = palms_from_hands(wrists, HandFrame.WRIST, DEFAULT_LENGTHS)[0]
    np.testing.assert_allclose(palms[:, :3], body.position[:, 3], atol=1e-12)
    assert np.linalg.norm(palms[0, :3] - wrists[0, 0, :3]) == pytest.approx(DEFAULT_LENGTHS[PALM])


@pytest.mark.parametrize(
    ("side", "signs"), [(1, ((1, 1), (2, 1), (0, 1))), (0, ((1, -1), (2, 1), (0, -1)))]
)
def test_grips_axes_are_the_hands_as_the_conventions_list_them(side: int, signs):
    """A right grip's X, Y, Z are the hand's +Y, +Z, +X; a left one's -Y, +Z, -X."""
    grip = np.tile(ORIGIN, (1, 2, 1))
    palm = palms_from_hands(grip, HandFrame.GRIP, DEFAULT_LENGTHS)[0, side]
    np.testing.assert_allclose(palm[:3], 0.0, atol=1e-12)
    hand_axes = quat_axes(tuple(palm[3:]))  # in the grip's frame
    for grip_axis, (hand_axis, sign) in enumerate(signs):
        np.testing.assert_allclose(sign * np.array(hand_axes[hand_axis]), np.eye(3)[grip_axis])


def test_missing_hands_stay_missing():
    hands = np.full((1, 2, 7), np.nan)
    for frame in HandFrame:
        assert np.isnan(palms_from_hands(hands, frame, DEFAULT_LENGTHS)[..., :3]).all()


@given(pose=poses())
def test_poses_and_dual_quaternions_are_the_same_thing(pose):
    back = np.empty(7)
    write_pose(pose_dual(pose), back)
    np.testing.assert_allclose(back, pose, atol=1e-12)


@given(chest=poses(), left=poses(), right=poses())
def test_the_mirrored_person_has_the_same_task_with_the_sides_exchanged(chest, left, right):
    hands = np.array([left, right])
    here = make_task(chest, hands, True, True, DEFAULT_LENGTHS)
    there = make_task(mirrored_poses(chest), mirrored_hands(hands), True, True, DEFAULT_LENGTHS)
    for a, b in zip(here.palms, there.palms[::-1], strict=True):
        assert max(pose_error(a, b)) < 1e-7


@given(frame=frames(), move=vectors, turn=vectors)
def test_a_twist_is_the_move_and_the_turn_that_lead_over(frame, move, turn):
    turn = tuple(math.remainder(x, 1.0) for x in turn)  # less than half a turn in all
    x, y, z, w = frame[:4]
    position = np.array([1.0, 2.0, 3.0])
    start = dq_from_pose(tuple(position), (x, y, z, w))
    turned = dq_mul(dq_from_pose((0, 0, 0), quat_from_rotation_vector(turn)), start)
    target = dq_from_pose(tuple(position + move), turned[:4])
    np.testing.assert_allclose(twist_between(target, start), [*move, *turn], atol=1e-7)


def test_shifting_moves_along_the_frames_own_axes():
    turned = np.array([[1.0, 0.0, 0.0, 0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5)]])  # to the left
    np.testing.assert_allclose(shifted(turned, (0.0, 0.0, -2.0))[0, :3], [-1.0, 0.0, 0.0])
