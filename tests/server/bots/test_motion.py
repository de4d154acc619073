"""Sampling a loop: between its frames, around its end, and at a place."""

import math

import numpy as np
import pytest
from armspan.server.bots.motion import Motion, Place, sample_motion
from armspan.server.traces.rotations import about_y, multiply, rotate
from hypothesis import given, settings
from hypothesis import strategies as st

COUNT, RATE_HZ = 40, 20.0


def a_motion(seed: int = 0) -> Motion:
    random = np.random.default_rng(seed)
    frames = random.normal(size=(COUNT, 3, 7))
    frames[..., 3:] /= np.linalg.norm(frames[..., 3:], axis=2, keepdims=True)
    tracked = random.integers(0, 8, COUNT).astype(np.uint8)
    return Motion(frames.reshape(COUNT, 21).astype(np.float32), tracked, RATE_HZ, np.ones(11))


MOTION = a_motion()


def sampled(time_s: float, place: Place | None = None, scale: float = 1.0) -> np.ndarray:
    pose = np.full(21, np.nan)
    sample_motion(MOTION, time_s, place or Place(), scale, pose)
    return pose


@pytest.mark.parametrize("row", [0, 1, 17, COUNT - 1])
def test_at_a_frames_time_it_is_that_frame(row: int):
    np.testing.assert_allclose(sampled(row / RATE_HZ), MOTION.frames[row], atol=1e-6)
    pose = np.empty(21)
    bits = sample_motion(MOTION, (row + 0.25) / RATE_HZ, Place(), 1.0, pose)
    assert bits == MOTION.tracked[row]


@settings(deadline=None)
@given(time_s=st.floats(0, 1e5), turns=st.integers(0, 50))
def test_the_loop_repeats_and_rotations_stay_unit(time_s: float, turns: int):
    pose = sampled(time_s)
    norms = np.linalg.norm(pose.reshape(3, 7)[:, 3:], axis=1)
    np.testing.assert_allclose(norms, 1, atol=1e-6)
    again = sampled(time_s + turns * MOTION.period_s)
    np.testing.assert_allclose(again, pose, atol=2e-3)  # time itself is rounded at 1e5 s


def test_there_is_no_jump_from_the_last_frame_to_the_first():
    times = np.linspace(-2, 2, 401) / RATE_HZ + MOTION.period_s
    poses = np.array([sampled(time_s) for time_s in times])
    positions = poses.reshape(-1, 3, 7)[:, :, :3]
    steps = np.linalg.norm(np.diff(positions, axis=0), axis=2)
    frames = MOTION.frames.reshape(COUNT, 3, 7)[:, :, :3]
    widest = np.linalg.norm(frames - np.roll(frames, -1, axis=0), axis=2).max()
    assert steps.max() <= widest / 100 * 1.01


def test_a_place_turns_and_then_moves_and_a_scale_shrinks_to_the_floor():
    place = Place(x_m=2.0, z_m=-3.0, yaw_rad=0.8)
    here, there = sampled(0.37).reshape(3, 7), sampled(0.37, place, 0.9).reshape(3, 7)
    turn, way = about_y(0.8), np.array([2.0, 0.0, -3.0])
    np.testing.assert_allclose(there[:, :3], rotate(turn, 0.9 * here[:, :3]) + way, atol=1e-6)
    turned = multiply(turn, here[:, 3:])
    np.testing.assert_allclose(np.abs(np.sum(turned * there[:, 3:], axis=1)), 1, atol=1e-6)


def test_yaw_turns_left():
    motion = Motion(
        np.tile([0, 1.6, -1, 0, 0, 0, 1], (2, 3)).astype(np.float32),
        np.full(2, 7, np.uint8),
        60.0,
        np.ones(11),
    )
    pose = np.empty(21)
    sample_motion(motion, 0.0, Place(yaw_rad=math.pi / 2), 1.0, pose)
    np.testing.assert_allclose(pose[:3], [-1, 1.6, 0], atol=1e-6)
