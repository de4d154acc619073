"""Owns tracker frames in arrays: the server's fast, checking reader and the clients' writer."""

import math

import numpy as np
from armspan.protocol.frames import decode_tracker
from armspan.server.wire import tables as t
from armspan.solvers.kernel import kernel
from numpy.typing import NDArray

Buffer = bytes | bytearray | memoryview
_HEAD = np.dtype(
    {
        "names": ["id", "tracked", "discontinuity", "sample_time_us", "poses", "inputs"],
        "formats": ["u1", "u1", "u1", "<u8", ("<f4", (21,)), ("u1", (8,))],
        "offsets": [
            0,
            t.TRACKED_AT,
            t.DISCONTINUITY_AT,
            t.SAMPLE_TIME_AT,
            t.POSES_AT,
            t.INPUTS_AT,
        ],
        "itemsize": t.TRACKER_BYTES,
    }
)


def read_tracker(
    payload: Buffer, poses: NDArray[np.float64], inputs: NDArray[np.uint8]
) -> tuple[int, int, int]:
    """Check a tracker frame and take it over: (tracked bits, discontinuity, sample_time_us).

    Writes the tracked sensors' poses (21,): head, left palm, right palm, each position xyz and
    rotation xyzw, normalised; an untracked sensor's seven numbers keep what they held. Writes
    inputs (8,): left and right buttons, pinch, grip, trigger. Raises ProtocolError, and then
    neither array has changed.
    """
    tracked, discontinuity, sample_time_us = _read(np.frombuffer(payload, np.uint8), poses, inputs)
    if tracked < 0:
        # Broken: the reference codec finds the words. It is slow, but its peer is on the way out.
        decode_tracker(payload)
        raise AssertionError("the kernel refuses a tracker frame that the reference codec takes")
    return tracked, discontinuity, sample_time_us


def write_tracker(
    poses: NDArray[np.float64],
    inputs: NDArray[np.uint8],
    tracked: int,
    discontinuity: int,
    sample_time_us: int,
) -> bytes:
    """The 104 bytes of a tracker frame; arrays as in `read_tracker`. Checks nothing."""
    frame = np.zeros((), _HEAD)
    frame["id"] = t.TRACKER_ID
    frame["tracked"] = tracked
    frame["discontinuity"] = discontinuity
    frame["sample_time_us"] = sample_time_us
    frame["poses"] = poses
    frame["inputs"] = inputs
    return frame.tobytes()


@kernel
def float32(frame: NDArray[np.uint8], at: int) -> float:
    """The float 32 at byte `at`, whatever its alignment."""
    bits = np.uint32(frame[at]) | np.uint32(frame[at + 1]) << np.uint32(8)
    bits |= np.uint32(frame[at + 2]) << np.uint32(16) | np.uint32(frame[at + 3]) << np.uint32(24)
    return np.float64(np.uint32(bits).view(np.float32))


@kernel
def _is_pose(frame: NDArray[np.uint8], at: int) -> bool:
    """Whether the seven floats at byte `at` lie within the caps and hold a rotation."""
    for axis in range(3):
        if abs(float32(frame, at + 4 * axis)) > t.COORDINATE_M:
            return False
    return abs(_norm(frame, at) - 1.0) <= t.NORM_TOLERANCE


@kernel
def _norm(frame: NDArray[np.uint8], at: int) -> float:
    x, y = float32(frame, at + 12), float32(frame, at + 16)
    z, w = float32(frame, at + 20), float32(frame, at + 24)
    return math.sqrt(x * x + y * y + z * z + w * w)


@kernel
def _read(
    frame: NDArray[np.uint8], poses: NDArray[np.float64], inputs: NDArray[np.uint8]
) -> tuple[int, int, int]:
    """As `read_tracker`; (-1, 0, 0), with nothing written, for a frame that breaks a rule."""
    refused = (-1, 0, 0)
    if frame.shape[0] != t.TRACKER_BYTES or frame[0] != t.TRACKER_ID:
        return refused
    tracked, discontinuity = int(frame[t.TRACKED_AT]), int(frame[t.DISCONTINUITY_AT])
    if tracked > 7 or discontinuity > t.DISCONTINUITY_MAX or frame[t.RESERVED_AT] != 0:
        return refused
    sample_time_us = np.uint64(0)
    for byte in range(8):
        sample_time_us |= np.uint64(frame[t.SAMPLE_TIME_AT + byte]) << np.uint64(8 * byte)
    if sample_time_us > np.uint64(t.TIME_US_MAX):
        return refused
    for number in range(21):
        if not math.isfinite(float32(frame, t.POSES_AT + 4 * number)):
            return refused
    for sensor in range(t.SENSOR_COUNT):
        if tracked >> sensor & 1 and not _is_pose(frame, t.POSES_AT + 28 * sensor):
            return refused
    for sensor in range(t.SENSOR_COUNT):
        if tracked >> sensor & 1:
            at = t.POSES_AT + 28 * sensor
            norm = _norm(frame, at)
            for axis in range(3):
                poses[7 * sensor + axis] = float32(frame, at + 4 * axis)
            for axis in range(3, 7):
                poses[7 * sensor + axis] = float32(frame, at + 4 * axis) / norm
    for index in range(8):
        inputs[index] = frame[t.INPUTS_AT + index]
    return tracked, discontinuity, int(np.int64(sample_time_us))
