"""Owns recordings as streams of sensors: the input format of ``armspan solve``, read and written.

It holds ``head_position, head_rotation`` and the same for ``left_hand_`` and ``right_hand_``,
``time_s``, ``hand_frame`` (palm, wrist or grip) and ``head_frame`` (eyes or skull_base); NaN in a
hand's rows says that the hand is not tracked. Written recordings add ``lengths``, ``group`` and
``credit``.
"""

from pathlib import Path
from typing import Any

import numpy as np
from armspan.server.traces.arrays import Arrays
from armspan.server.traces.npz import shown
from armspan.server.traces.recording import POSE_SIZE, Recording
from armspan.server.traces.rotations import Array, multiply, rotate, unrolled
from armspan.solvers.body.skeleton import DEFAULT_LENGTHS, EYES_FORWARD, EYES_UP, PALM
from numpy.typing import NDArray

DEFAULT_RATE_HZ = 60.0
SENSORS = ("head", "left_hand", "right_hand")
# WebXR's grip has its X, Y, Z along the hand's -Y, +Z, -X on the left, +Y, +Z, +X on the right.
GRIP_FROM_HAND = {
    "left_hand": np.array([-0.5, 0.5, 0.5, 0.5]),
    "right_hand": np.array([-0.5, -0.5, -0.5, 0.5]),
}


def is_stream(arrays: Arrays) -> bool:
    """Whether the file looks like one of these."""
    return "left_hand_position" in arrays


def read_stream(arrays: Arrays) -> Recording:
    """The recording of a stream file.

    Raises RecordingError if an array is missing or wrong, or a frame's name is unknown.
    """
    if "head_position" not in arrays:
        raise arrays.error("has no head_position; a person is replayed from head and hands")
    samples = len(arrays.floats("head_position", -1, 3))
    lengths = np.array(DEFAULT_LENGTHS, dtype=np.float64)
    if "lengths" in arrays:
        lengths = arrays.lengths()
    time_s = np.arange(samples) / DEFAULT_RATE_HZ
    if "time_s" in arrays:
        time_s = arrays.floats("time_s", samples)
    poses, tracked = _sensors(arrays, samples)
    parts = poses.reshape(samples, 3, 7)
    _head_to_eyes(arrays, parts[:, 0], lengths)
    for sensor in (1, 2):
        _hand_to_palm(arrays, SENSORS[sensor], parts[:, sensor], lengths)
    return Recording(
        name=arrays.text("name", arrays.path.stem),
        time_s=time_s,
        poses=poses,
        tracked=tracked,
        lengths=lengths,
        group=arrays.text("group", ""),
        credit=arrays.text("credit", ""),
    )


def write_stream(path: Path, recording: Recording) -> None:
    """Write ``recording`` to ``path``, compressed, in float32: below 10 um and 1e-7 at 100 m."""
    parts = recording.poses.reshape(-1, 3, 7).astype(np.float32)
    parts[~recording.tracked] = np.nan
    arrays: dict[str, NDArray[Any]] = {
        "time_s": recording.time_s,
        "hand_frame": np.array("palm"),
        "head_frame": np.array("eyes"),
        "lengths": recording.lengths,
        "name": np.array(recording.name),
        "group": np.array(recording.group),
        "credit": np.array(recording.credit),
    }
    for sensor, name in enumerate(SENSORS):
        arrays[f"{name}_position"] = parts[:, sensor, :3]
        arrays[f"{name}_rotation"] = parts[:, sensor, 3:]
    np.savez_compressed(path, **arrays)  # type: ignore[arg-type]


def _sensors(arrays: Arrays, samples: int) -> tuple[Array, NDArray[np.bool_]]:
    """The poses (T, 21) in the file's own frames, and what is tracked (T, 3)."""
    poses = np.empty((samples, POSE_SIZE))
    parts = poses.reshape(samples, 3, 7)
    tracked = np.ones((samples, 3), dtype=np.bool_)
    for sensor, name in enumerate(SENSORS):
        always = name == "head"
        parts[:, sensor, :3] = arrays.floats(f"{name}_position", samples, 3, finite=always)
        parts[:, sensor, 3:] = arrays.rotations(f"{name}_rotation", samples, 4, finite=always)
        tracked[:, sensor] = np.isfinite(parts[:, sensor]).all(axis=1)
        _fill_lost(parts[:, sensor], tracked[:, sensor])
        parts[:, sensor, 3:] = unrolled(parts[:, sensor, 3:])
    return poses, tracked


def _fill_lost(pose: Array, tracked: NDArray[np.bool_]) -> None:
    """Hold the nearest earlier tracked pose (the first one before it), in place."""
    good = np.flatnonzero(tracked)
    if not len(good):
        pose[:] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        return
    before = np.maximum(np.searchsorted(good, np.arange(len(pose)), side="right") - 1, 0)
    pose[:] = pose[good[before]]


def _head_to_eyes(arrays: Arrays, head: Array, lengths: Array) -> None:
    frame = arrays.text("head_frame", "eyes")
    if frame == "skull_base":
        up_m = lengths[EYES_UP]
        forward_m = lengths[EYES_FORWARD]
        head[:, :3] += rotate(head[:, 3:], np.array([0.0, up_m, -forward_m]))
    elif frame != "eyes":
        raise arrays.error(f"head_frame is {shown(frame)}, wanted eyes or skull_base")


def _hand_to_palm(arrays: Arrays, name: str, hand: Array, lengths: Array) -> None:
    frame = arrays.text("hand_frame", "palm")
    if frame == "grip":
        hand[:, 3:] = multiply(hand[:, 3:], GRIP_FROM_HAND[name])
    elif frame == "wrist":
        palm_m = lengths[PALM]
        hand[:, :3] += rotate(hand[:, 3:], np.array([0.0, 0.0, -palm_m]))
    elif frame != "palm":
        raise arrays.error(f"hand_frame is {shown(frame)}, wanted palm, wrist or grip")
