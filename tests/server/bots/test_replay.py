"""A recording as a loop: it never jumps, and never hurries."""

from pathlib import Path

import numpy as np
import pytest
from armspan.server.bots.motion import Motion
from armspan.server.bots.replay import TURN_S, motion_of
from armspan.server.traces import Recording, read_recording, shipped_recordings

MIDDLE = np.zeros(2)


def speeds(poses: np.ndarray, rate_hz: float) -> np.ndarray:
    positions = poses.reshape(-1, 3, 7)[:, :, :3]
    return np.linalg.norm(np.diff(positions, axis=0), axis=2) * rate_hz


def around(motion: Motion) -> np.ndarray:
    return np.concatenate([motion.frames, motion.frames[:1]]).astype(np.float64)


@pytest.mark.parametrize("path", shipped_recordings(), ids=lambda path: path.stem)
def test_a_loop_never_moves_faster_than_its_recording(path: Path):
    recording = read_recording(path)
    motion = motion_of(recording, MIDDLE)
    assert motion.period_s == pytest.approx(2 * (recording.duration_s + TURN_S))
    fastest = speeds(recording.poses, 60.0).max(axis=0)
    assert (speeds(around(motion), motion.rate_hz).max(axis=0) <= fastest * 1.02 + 1e-3).all()
    rotations = around(motion).reshape(-1, 3, 7)[:, :, 3:]
    turn = np.abs(np.sum(rotations[1:] * rotations[:-1], axis=2))
    assert np.degrees(2 * np.arccos(np.clip(turn, 0, 1))).max() < 35


def test_a_loop_reaches_both_ends_and_comes_back_the_same_way():
    recording = read_recording(shipped_recordings()[0])
    frames = motion_of(recording, MIDDLE).frames
    half = len(frames) // 2
    np.testing.assert_allclose(frames[0], recording.poses[0], atol=1e-5)
    np.testing.assert_allclose(frames[half], recording.poses[-1], atol=1e-2)
    np.testing.assert_allclose(frames[1:half], frames[: half + (len(frames) % 2) : -1], atol=1e-2)


def test_a_steady_motion_turns_round_steadily():
    time_s = np.arange(121) / 60
    poses = np.tile([0.0, 1, 0, 0, 0, 0, 1], (121, 3))
    poses[:, 0] = time_s  # the head moves at 1 m/s
    recording = Recording("steady", time_s, poses, np.ones((121, 3), bool), np.ones(11))
    motion = motion_of(recording, MIDDLE)
    velocity = np.diff(around(motion)[:, 0]) * motion.rate_hz
    assert np.abs(velocity).max() < 1.001
    acceleration = np.abs(np.diff(velocity)) * motion.rate_hz
    assert acceleration.max() < 1.1 / TURN_S


def test_what_was_not_tracked_is_not_tracked_in_the_loop():
    time_s = np.arange(61) / 60
    poses = np.tile([0.0, 1, 0, 0, 0, 0, 1], (61, 3))
    tracked = np.ones((61, 3), bool)
    tracked[20:40, 1] = False
    motion = motion_of(Recording("lost", time_s, poses, tracked, np.ones(11)), MIDDLE)
    assert set(motion.tracked) == {0b101, 0b111}
    lost_s = (motion.tracked == 0b101).sum() / motion.rate_hz
    assert lost_s == pytest.approx(2 * 20 / 60, abs=0.1)  # there and back


def test_a_loop_is_moved_to_its_middle():
    recording = read_recording(shipped_recordings()[0])
    here = motion_of(recording, MIDDLE).frames.reshape(-1, 3, 7)
    there = motion_of(recording, np.array([1.0, -2.0])).frames.reshape(-1, 3, 7)
    np.testing.assert_allclose(there[:, :, :3] + [1, 0, -2], here[:, :, :3], atol=1e-5)
