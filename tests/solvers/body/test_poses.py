"""The sets of poses are what they are called."""

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS, forward_kinematics
from armspan.solvers.body.poses import PoseSet, make_poses, path_between
from armspan.solvers.body.skeleton import JOINT_LOWER, JOINT_UPPER

from tests.solvers.drawing import few

ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
COUNT = few(400, 20)


@pytest.mark.parametrize("kind", list(PoseSet))
def test_a_seed_gives_the_same_poses_again(kind: PoseSet):
    first, again, other = (make_poses(kind, COUNT, seed).hands for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize("kind", list(PoseSet))
def test_angles_are_inside_the_limits_and_spread_over_them(kind: PoseSet):
    angles = make_poses(kind, COUNT, 0).joint_angles
    assert (angles >= JOINT_LOWER).all()
    assert (angles <= JOINT_UPPER).all()
    if kind is PoseSet.RANDOM:
        share = (angles - JOINT_LOWER) / (JOINT_UPPER - JOINT_LOWER)
        assert np.abs(share.mean(axis=0) - 0.5).max() < few(6, 30) / 100
    if kind is PoseSet.STRETCHED:
        assert angles[:, [4, 11]].max() <= np.radians(5.0)


def test_palms_are_those_of_the_angles():
    poses = make_poses(PoseSet.RANDOM, 5, 1)
    for angles, hands in zip(poses.joint_angles, poses.hands, strict=True):
        frames = forward_kinematics(DEFAULT_LENGTHS, ORIGIN, angles)
        np.testing.assert_allclose(hands[:, :3], frames.position[:, 3], atol=1e-12)
        np.testing.assert_allclose(hands[:, 3:], frames.rotation[:, 2], atol=1e-12)


def test_unreachable_wrists_are_pushed_straight_out_and_their_hands_keep_their_turn():
    poses = make_poses(PoseSet.UNREACHABLE, COUNT, 2)
    assert poses.pushed.min() >= 1.05
    assert poses.pushed.max() <= 1.5
    for angles, pushed, hands in zip(poses.joint_angles, poses.pushed, poses.hands, strict=True):
        frames = forward_kinematics(DEFAULT_LENGTHS, ORIGIN, angles)
        moved = hands[:, :3] - frames.position[:, 3]
        wrist = frames.position[:, 2] + moved
        away = wrist - frames.position[:, 0]
        np.testing.assert_allclose(np.linalg.norm(away, axis=1), 0.56 * pushed, atol=1e-9)
        line = frames.position[:, 2] - frames.position[:, 0]
        np.testing.assert_allclose(np.cross(away, line), 0.0, atol=1e-9)
        np.testing.assert_allclose(hands[:, 3:], frames.rotation[:, 2], atol=1e-12)


def test_a_path_goes_through_the_poses_in_small_steps():
    poses = make_poses(PoseSet.RANDOM, few(20, 4), 5)
    path = path_between(poses, 0.02)
    steps = np.linalg.norm(np.diff(path[..., :3], axis=0), axis=-1)
    assert steps.max() <= 0.02
    for hands in poses.hands[:-1]:
        nearest = np.linalg.norm(path[..., :3] - hands[..., :3], axis=-1).max(axis=1).min()
        assert nearest < 1e-9
