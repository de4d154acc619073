"""Random poses: seeded, reachable, and blended at human speed."""

import numpy as np
import pytest
from armspan.server.bots.random_motion import PALM_SPEED_MAX_M_S, random_motion
from armspan.solvers.body.forward import forward_kinematics
from armspan.solvers.body.skeleton import (
    DEFAULT_LENGTHS,
    EYE_HEIGHT,
    JOINT_LOWER,
    JOINT_UPPER,
)

MOTION = random_motion(200, seed=5)
PARTS = MOTION.frames.astype(np.float64).reshape(-1, 3, 7)
AROUND = np.concatenate([PARTS, PARTS[:1]])  # the seam of the loop is part of it


def test_the_same_seed_gives_the_same_motion_and_another_seed_another():
    assert np.array_equal(random_motion(20, seed=1).frames, random_motion(20, seed=1).frames)
    other = random_motion(20, seed=2).frames
    assert not np.array_equal(random_motion(20, seed=1).frames[:30], other[:30])


def test_palms_never_move_faster_than_a_hand_may():
    speed = np.linalg.norm(np.diff(AROUND[:, 1:, :3], axis=0), axis=2) * MOTION.rate_hz
    assert speed.max() < PALM_SPEED_MAX_M_S
    assert speed.max() > 0.8 * PALM_SPEED_MAX_M_S  # and do not crawl


def test_nothing_turns_faster_than_a_wrist_may():
    cosine = np.abs(np.sum(AROUND[1:, :, 3:] * AROUND[:-1, :, 3:], axis=2))
    speed = 2 * np.arccos(np.clip(cosine, 0, 1)) * MOTION.rate_hz
    assert speed[:, 1:].max() < 6.5  # rad/s
    assert speed[:, 0].max() < 1.0


def test_palms_start_and_stop_gently():
    acceleration = np.diff(AROUND[:, 1:, :3], 2, axis=0) * MOTION.rate_hz**2
    assert np.linalg.norm(acceleration, axis=2).max() < 25  # m/s^2


def test_the_head_looks_about_mildly_at_eye_height():
    eyes = PARTS[:, 0, :3]
    assert np.abs(eyes[:, 1] - DEFAULT_LENGTHS[EYE_HEIGHT]).max() < 0.05
    assert np.abs(eyes[:, [0, 2]]).max() < 0.25
    forward_z = 1 - 2 * (PARTS[:, 0, 3] ** 2 + PARTS[:, 0, 4] ** 2)  # of the head's +Z
    assert forward_z.min() > 0.6


def test_the_poses_between_the_blends_are_the_random_ones_within_limits():
    """Between head and hands there is a body within limits: the palms' distance is its own."""
    angles = np.random.default_rng(5).uniform(JOINT_LOWER, JOINT_UPPER, size=(200, 15))
    chest = np.array([0.0, 0, 0, 0, 0, 0, 1])
    between = []
    for row in angles:
        palms = forward_kinematics(DEFAULT_LENGTHS, chest, row).position[:, 3]
        between.append(np.linalg.norm(palms[1] - palms[0]))
    apart = np.linalg.norm(PARTS[:, 2, :3] - PARTS[:, 1, :3], axis=1)
    for distance in between:
        assert np.abs(apart - distance).min() < 1e-3


def test_one_pose_is_no_motion():
    with pytest.raises(ValueError, match="at least 2"):
        random_motion(1, seed=0)
