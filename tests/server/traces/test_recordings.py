"""The recordings that come with Armspan, and what any recording must be."""

from pathlib import Path

import numpy as np
import pytest
from armspan.server.traces import (
    Recording,
    RecordingError,
    cut,
    read_recording,
    resample,
    shipped_recordings,
    write_stream,
)
from armspan.server.traces.rotations import rotate
from armspan.solvers.body.skeleton import DEFAULT_LENGTHS, LENGTH_NAMES

FORWARD = np.array([0.0, 0.0, -1.0])
UP = np.array([0.0, 1.0, 0.0])
SHIPPED = shipped_recordings()


def parts_of(recording: Recording) -> np.ndarray:
    return recording.poses.reshape(-1, 3, 7)


def length_of(recording: Recording, name: str) -> float:
    return float(recording.lengths[LENGTH_NAMES.index(name)])


def a_recording(samples: int = 50, rate_hz: float = 90.0, seed: int = 0) -> Recording:
    """Smooth, seeded, one hand lost for a while."""
    time_s = np.arange(samples) / rate_hz
    phase = np.random.default_rng(seed).uniform(0, 6, 21)
    poses = np.sin(time_s[:, None] * np.linspace(0.5, 2, 21) + phase)
    rotations = poses.reshape(samples, 3, 7)[:, :, 3:]
    rotations /= np.linalg.norm(rotations, axis=2, keepdims=True)
    tracked = np.ones((samples, 3), dtype=np.bool_)
    tracked[10:20, 2] = False
    return Recording(
        "made", time_s, poses, tracked, DEFAULT_LENGTHS + 0.01, group="pair", credit="us"
    )


def test_some_recordings_are_shipped_small_and_credited():
    assert 4 <= len(SHIPPED) <= 8
    credits_text = (SHIPPED[0].parent / "CREDITS.md").read_text()
    for path in SHIPPED:
        assert path.stat().st_size < 150_000
        assert f"`{path.name}`" in credits_text
        assert read_recording(path).credit


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_person_moves_like_one(path: Path):
    recording = read_recording(path)
    assert np.allclose(np.diff(recording.time_s), 1 / 60)
    parts = parts_of(recording)
    palm_speed = np.linalg.norm(np.diff(parts[:, 1:, :3], axis=0), axis=2) * 60
    assert palm_speed.max() < 6.5  # m/s; a fast wipe of a window reaches 6.3
    eye_speed = np.linalg.norm(np.diff(parts[:, 0, :3], axis=0), axis=1) * 60
    assert eye_speed.max() < 2.5
    steps = np.abs(np.sum(parts[1:, :, 3:] * parts[:-1, :, 3:], axis=2))
    assert np.degrees(2 * np.arccos(np.clip(steps, 0, 1))).max() < 35  # a frame


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_person_is_upright_and_has_the_hands_within_reach(path: Path):
    recording = read_recording(path)
    parts = parts_of(recording)
    assert 0.55 < np.median(parts[:, 0, 1]) / length_of(recording, "eye_height_m") < 1.05
    assert np.median(rotate(parts[:, 0, 3:], UP)[:, 1]) > 0.8
    reach = sum(length_of(recording, n) for n in ("upper_arm_m", "forearm_m", "palm_m"))
    from_eyes = np.linalg.norm(parts[:, 1:, :3] - parts[:, :1, :3], axis=2)
    assert from_eyes.max() < reach + 0.40  # eyes to shoulder, at the most


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_right_hand_is_on_the_right_and_hands_are_mostly_in_front(path: Path):
    parts = parts_of(read_recording(path))
    right = rotate(parts[:, 0, 3:], np.array([1.0, 0.0, 0.0]))
    apart = np.sum((parts[:, 2, :3] - parts[:, 1, :3]) * right, axis=1)
    assert np.median(apart) > 0.1
    ahead = rotate(parts[:, 0, 3:], FORWARD)
    middle = parts[:, 1:, :3].mean(axis=1) - parts[:, 0, :3]
    assert np.median(np.sum((middle * ahead)[:, [0, 2]], axis=1)) > -0.05


def test_two_people_who_hand_over_meet_with_their_palms():
    giver, taker = (read_recording(path) for path in SHIPPED if path.stem.startswith("handover_"))
    assert giver.group == taker.group != ""
    assert np.array_equal(giver.time_s, taker.time_s)
    between = (
        parts_of(giver)[:, 1:, None, :3] - parts_of(taker)[:, None, 1:, :3]
    )  # every hand of one to every hand of the other
    assert np.linalg.norm(between, axis=3).min() < 0.35  # both hold one baton
    facing = rotate(parts_of(giver)[:, 0, 3:], FORWARD)
    other = rotate(parts_of(taker)[:, 0, 3:], FORWARD)
    assert np.median(np.sum(facing * other, axis=1)) < -0.7


def test_writing_and_reading_gives_the_recording_back(tmp_path: Path):
    recording = a_recording()
    write_stream(tmp_path / "a.npz", recording)
    again = read_recording(tmp_path / "a.npz")
    kept = np.repeat(recording.tracked, 7, axis=1)
    same = np.abs(np.sum((again.poses * recording.poses).reshape(-1, 3, 7)[:, :, 3:], axis=2))
    assert np.allclose(same[recording.tracked], 1, atol=1e-6)
    positions = np.tile(np.array([True] * 3 + [False] * 4), 3)
    assert np.allclose(again.poses[kept & positions], recording.poses[kept & positions], atol=1e-6)
    assert np.array_equal(again.tracked, recording.tracked)
    assert np.array_equal(again.lengths, recording.lengths)
    assert (again.name, again.group, again.credit) == ("made", "pair", "us")


def test_resampling_keeps_the_path_and_its_ends():
    recording = a_recording()
    fine = resample(recording, 240.0)
    again = resample(fine, 90.0)
    assert np.allclose(np.diff(fine.time_s), 1 / 240)
    kept = np.repeat(again.tracked, 7, axis=1)
    error = np.abs(again.poses - recording.poses[: len(again.poses)])
    assert error[kept].max() < 2e-4  # chords of a 90 Hz path: its curvature, a few rad/s^2
    assert abs(fine.duration_s - recording.duration_s) <= 1 / 240


def test_a_cut_keeps_the_samples_between_its_times():
    recording = a_recording()
    part = cut(recording, 0.1, 0.3)
    assert part.time_s[0] == 0.0
    assert part.duration_s == pytest.approx(0.2, abs=1 / 90)
    start = int(np.searchsorted(recording.time_s, 0.1))
    assert np.array_equal(part.poses[0], recording.poses[start])
    with pytest.raises(RecordingError, match="at least 2"):
        cut(recording, 5, 6)
