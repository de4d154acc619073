"""Owns cuts and even time steps: a recording at another rate, or a part of one."""

from dataclasses import replace

import numpy as np
from armspan.server.traces.recording import Recording
from numpy.typing import NDArray


def cut(recording: Recording, start_s: float, end_s: float) -> Recording:
    """The part of ``recording`` between two times from its start; the cut starts at 0."""
    elapsed = recording.time_s - recording.time_s[0]
    kept = (elapsed >= start_s) & (elapsed <= end_s)
    return replace(
        recording,
        time_s=elapsed[kept] - elapsed[kept][0] if kept.any() else elapsed[kept],
        poses=recording.poses[kept],
        tracked=recording.tracked[kept],
    )


def resample(recording: Recording, rate_hz: float) -> Recording:
    """The same motion at an even ``rate_hz``, from 0 s."""
    samples = int(np.floor(recording.duration_s * rate_hz + 1e-6)) + 1
    time_s = np.arange(samples) / rate_hz
    poses, tracked = at_times(recording, time_s)
    return replace(recording, time_s=time_s, poses=poses, tracked=tracked)


def at_times(
    recording: Recording, elapsed_s: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Poses (M, 21) and tracked flags (M, 3) at times (M,) counted from the recording's start.

    Positions are interpolated linearly, rotations along the chord (normalised): at 60 Hz and
    above they differ from slerp by less than the sensors' noise. A sensor counts as tracked
    when it is at both neighbours. Times beyond the ends give the ends.
    """
    known_s = recording.time_s - recording.time_s[0]
    after = np.clip(np.searchsorted(known_s, elapsed_s, side="left"), 1, len(known_s) - 1)
    before = after - 1
    share = (elapsed_s - known_s[before]) / (known_s[after] - known_s[before])
    share = np.clip(share, 0.0, 1.0)[:, None]
    poses = recording.poses[before] * (1 - share) + recording.poses[after] * share
    rotations = poses.reshape(-1, 3, 7)[:, :, 3:]
    rotations /= np.linalg.norm(rotations, axis=2, keepdims=True)
    return poses, recording.tracked[before] & recording.tracked[after]
