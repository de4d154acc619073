"""Owns what a recorded person is: head and two palms over time, in Armspan's conventions."""

from dataclasses import dataclass

import numpy as np
from armspan.protocol import caps
from numpy.typing import NDArray

POSE_SIZE = 21  # head, left palm, right palm: position xyz and rotation xyzw each
UNIT_TOLERANCE = 0.01  # as wide as the protocol's, for quaternions kept in float32
LONGEST_S = 6 * 3600.0  # of one recording; what claims more has its times in another unit


class RecordingError(Exception):
    """A file does not hold a recording; the message is one line that says what is wrong."""


@dataclass(frozen=True)
class Recording:
    """One person's sensors over time.

    ``poses`` (T, 21) float64: eyes, left palm, right palm, each position xyz (m) and rotation
    xyzw in the world frame. ``time_s`` (T,) rises strictly. ``tracked`` (T, 3) bool: head, left,
    right; what is not tracked is still finite. ``lengths`` (11,) are the person's, in the order
    of ``LENGTH_NAMES``. Recordings of one ``group`` share a world and a clock: people who
    acted together.
    """

    name: str
    time_s: NDArray[np.float64]
    poses: NDArray[np.float64]
    tracked: NDArray[np.bool_]
    lengths: NDArray[np.float64]
    group: str = ""
    credit: str = ""

    def __post_init__(self) -> None:
        check_recording(self)

    @property
    def duration_s(self) -> float:
        """From the first sample to the last."""
        return float(self.time_s[-1] - self.time_s[0])


def check_recording(recording: Recording) -> None:
    """Raise RecordingError at the first rule that ``recording`` breaks."""
    name, samples = recording.name, len(recording.time_s)
    if samples < 2:
        raise RecordingError(f"{name}: holds {samples} samples; a recording needs at least 2")
    for label, array, shape in (
        ("time_s", recording.time_s, (samples,)),
        ("poses", recording.poses, (samples, POSE_SIZE)),
        ("tracked", recording.tracked, (samples, 3)),
        ("lengths", recording.lengths, (11,)),
    ):
        if array.shape != shape:
            raise RecordingError(f"{name}: {label} has shape {array.shape}, wanted {shape}")
        if not np.isfinite(array).all():
            raise RecordingError(f"{name}: {label} holds a number that is not finite")
    if not (recording.time_s[1:] > recording.time_s[:-1]).all():
        raise RecordingError(f"{name}: time_s does not rise from sample to sample")
    check_duration(name, recording.time_s)
    parts = recording.poses.reshape(samples, 3, 7)
    furthest_m = float(np.abs(parts[:, :, :3]).max())
    if furthest_m > caps.COORDINATE_M:
        raise RecordingError(
            f"{name}: a position is {furthest_m:g} m from the origin; "
            f"at most {caps.COORDINATE_M:g} m are possible"
        )
    rotations = parts[:, :, 3:]
    worst = float(np.abs(np.linalg.norm(rotations, axis=2) - 1.0).max())
    if worst > UNIT_TOLERANCE:
        raise RecordingError(
            f"{name}: a rotation's length is {worst:.3f} away from 1; quaternions must be unit"
        )
    if (recording.lengths <= 0).any():
        raise RecordingError(f"{name}: a length of the person is not above zero")


def check_duration(name: str, time_s: NDArray[np.float64]) -> None:
    """Raise RecordingError if ``time_s`` (T,), finite and rising, spans more than ``LONGEST_S``."""
    if len(time_s) and time_s[-1] > time_s[0] + LONGEST_S:
        raise RecordingError(
            f"{name}: time_s spans more than {LONGEST_S / 3600:g} hours; it is in seconds"
        )
