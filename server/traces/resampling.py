"""Owns cuts and even time steps: a recording at another rate, or a part of one."""

from dataclasses import replace

import numpy as np
from armspan.server.traces.recording import Recording


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
    """The same motion at an even ``rate_hz``, from 0 s.

    Positions are interpolated linearly, rotations along the chord (normalised): at 60 Hz and
    above they differ from slerp by less than the sensors' noise. A sample counts as tracked
    when both of its neighbours are.
    """
    elapsed = recording.time_s - recording.time_s[0]
    samples = int(np.floor(elapsed[-1] * rate_hz + 1e-6)) + 1
    time_s = np.arange(samples) / rate_hz
    after = np.clip(np.searchsorted(elapsed, time_s, side="left"), 1, len(elapsed) - 1)
    before = after - 1
    share = (time_s - elapsed[before]) / (elapsed[after] - elapsed[before])
    share = np.clip(share, 0.0, 1.0)[:, None]
    poses = recording.poses[before] * (1 - share) + recording.poses[after] * share
    rotations = poses.reshape(samples, 3, 7)[:, :, 3:]
    rotations /= np.linalg.norm(rotations, axis=2, keepdims=True)
    tracked = recording.tracked[before] & recording.tracked[after]
    return replace(recording, time_s=time_s, poses=poses, tracked=tracked)
