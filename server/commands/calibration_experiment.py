"""Owns the judgement of calibration: lengths found from recorded people against their own."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from armspan.server.traces.arrays import Arrays
from armspan.server.traces.motion_capture import is_motion_capture, read_motion_capture
from armspan.server.traces.recording import Recording
from armspan.solvers.body.calibration import (
    MOVEMENT_S,
    CalibrationError,
    CalibrationPose,
    calibrate,
)
from armspan.solvers.body.skeleton import (
    DEFAULT_LENGTHS,
    EYE_HEIGHT,
    FOREARM,
    SHOULDER_LATERAL,
    UPPER_ARM,
)
from numpy.typing import NDArray

Floats = NDArray[np.float64]

JUDGED = ("eyes", "shoulder", "upper_arm", "forearm", "arm")
"""What a recording knows of its person; the eyes' height as its own highest frames have it."""


@dataclass(frozen=True)
class CalibrationErrors:
    """One clip; millimetres found too long, in the order of ``JUDGED``."""

    clip: str
    whole: list[float]
    """Calibrated by the whole clip."""
    windows: int
    """How many windows of ``MOVEMENT_S`` there were, each beginning amid the one before."""
    window_median: list[float]
    """Median over windows."""
    window_p90: list[float]
    """90th percentile over windows of the size of the error."""
    window_mean: list[float]
    """Mean over windows of the size of the error."""
    t_pose: list[float] | None
    """By the frames of stretched arms alone; None where there are none."""
    default: list[float]
    """Of the default lengths."""
    height: list[float]
    """Of the default lengths in proportion to the height of the eyes alone."""


def calibration_errors(path: Path) -> CalibrationErrors:
    """Calibrate by a clip of motion capture. Raises RecordingError if the file is none."""
    arrays = Arrays(path)
    if not is_motion_capture(arrays):
        raise arrays.error("is no motion capture; shoulder_half_width and hand_quat are needed")
    recording = read_motion_capture(arrays)
    truth = _judged(recording.lengths)
    every = slice(0, len(recording.time_s))

    def off(part: slice) -> Floats:
        return _judged(_calibrated(recording, part)) - truth

    rate_hz = (every.stop - 1) / recording.duration_s
    size = min(round(MOVEMENT_S * rate_hz), every.stop)
    starts = range(0, every.stop - size + 1, max(size // 2, 1))
    windows = np.array([off(slice(start, start + size)) for start in starts])
    scaled = DEFAULT_LENGTHS * (recording.lengths[EYE_HEIGHT] / DEFAULT_LENGTHS[EYE_HEIGHT])
    return CalibrationErrors(
        clip=recording.name,
        whole=_mm(off(every)),
        windows=len(windows),
        window_median=_mm(np.median(windows, axis=0)),
        window_p90=_mm(np.percentile(np.abs(windows), 90, axis=0)),
        window_mean=_mm(np.abs(windows).mean(axis=0)),
        t_pose=_t_pose(recording, truth),
        default=_mm(_judged(DEFAULT_LENGTHS) - truth),
        height=_mm(_judged(scaled) - truth),
    )


def _calibrated(recording: Recording, part: slice) -> Floats:
    poses = recording.poses.reshape(-1, 3, 7)[part]
    return calibrate(poses[:, 0], poses[:, 1:], recording.tracked[part, 1:]).lengths


def _t_pose(recording: Recording, truth: Floats) -> list[float] | None:
    poses = recording.poses.reshape(-1, 3, 7)
    tracked = recording.tracked[:, 1:]
    try:
        found = calibrate(poses[:, 0], poses[:, 1:], tracked, CalibrationPose.T)
    except CalibrationError:
        return None
    return _mm(_judged(found.lengths) - truth)


def _judged(lengths: Floats) -> Floats:
    names = (EYE_HEIGHT, SHOULDER_LATERAL, UPPER_ARM, FOREARM)
    return np.array([*(lengths[i] for i in names), lengths[UPPER_ARM] + lengths[FOREARM]])


def _mm(errors_m: Floats) -> list[float]:
    return [round(1e3 * float(error), 1) for error in errors_m]
