"""Owns whose lengths a recorded stream is solved with, and what is said about them."""

import numpy as np
from armspan.protocol import caps
from armspan.server.commands.stream_files import RecordedStream
from armspan.solvers.body.calibration import (
    MOVEMENT_S,
    Calibration,
    CalibrationError,
    CalibrationPose,
    Source,
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

_SLACK_S = 0.05  # two seconds at 60 Hz are 120 frames, which span a little less


def lengths_for(recorded: RecordedStream, calibrating: bool) -> tuple[Floats, str | None]:
    """Lengths (11,) for a stream without a skeleton file, and a line about where they are from.

    The file's own, or else calibrated if heads are given, and enough of a motion; or else the
    defaults.
    """
    if recorded.lengths is not None:
        return recorded.lengths, None
    usual = DEFAULT_LENGTHS.copy()
    if recorded.heads is None or not calibrating:
        return usual, None
    if recorded.time_s is None:
        return usual, "default lengths: there is no time_s, so the frames are no motion"
    if recorded.duration_s < MOVEMENT_S - _SLACK_S:
        return usual, f"default lengths: to calibrate takes {MOVEMENT_S:g} seconds of movement"
    found = calibrated(recorded, CalibrationPose.AUTO)
    return found.lengths, summary(found)


def calibrated(recorded: RecordedStream, pose: CalibrationPose) -> Calibration:
    """The lengths that a stream with heads tells, inside the protocol's bounds.

    Raises CalibrationError.
    """
    # The palms of wrists and the eyes of skulls need lengths; the defaults are near enough.
    stream = recorded.stream(DEFAULT_LENGTHS)
    if stream.heads is None:
        raise CalibrationError("a head is needed; the chest alone tells no height")
    found = calibrate(stream.heads, stream.hands, stream.tracked, pose)
    for index, cap in enumerate(caps.LENGTHS):
        found.lengths[index] = np.clip(found.lengths[index], cap.low_m, cap.high_m)
    return found


def summary(found: Calibration) -> str:
    """One line about a calibration."""
    lengths, sources = found.lengths, found.sources
    arm = lengths[UPPER_ARM] + lengths[FOREARM]
    guessed = "" if sources[UPPER_ARM] is Source.MEASURED else " (by proportion)"
    how = "a T-pose" if found.pose is CalibrationPose.T else "movement"
    return (
        f"calibrated by {how}: eyes {lengths[EYE_HEIGHT]:.2f} m high, arm {arm:.3f} m{guessed}, "
        f"shoulders {2.0 * lengths[SHOULDER_LATERAL]:.3f} m apart"
    )
