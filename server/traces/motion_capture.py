"""Owns the turning of optical motion capture (skull base, wrists) into Armspan's conventions.

The files are Y-up with quaternions wxyz; all identities are a T-pose that faces +Z, palms down,
the subject's left along +X. Ours faces -Z, so the world turns half a turn about Y; the head's
frame turns with it, and a hand's frame besides, so that -Z runs along the fingers.
"""

import json
import math

import numpy as np
from armspan.server.traces.arrays import Arrays
from armspan.server.traces.recording import POSE_SIZE, Recording
from armspan.server.traces.rotations import Array, about_y, multiply, rotate, unrolled
from armspan.solvers.body.skeleton import (
    DEFAULT_LENGTHS,
    EYE_HEIGHT,
    EYES_FORWARD,
    EYES_UP,
    FOREARM,
    PALM,
    SHOULDER_LATERAL,
    UPPER_ARM,
)
from numpy.typing import NDArray

MAX_BRIDGE_S = 0.25  # a longer gap of bad frames is a lost hand, not a glitch
# In a T-pose our left hand's -Z points to -X and the right one's to +X, backs up.
OURS_FROM_T_POSE = np.stack([about_y(math.pi / 2), about_y(-math.pi / 2)])


def is_motion_capture(arrays: Arrays) -> bool:
    """Whether the file looks like one of these."""
    return "shoulder_half_width" in arrays and "hand_quat" in arrays


def read_motion_capture(arrays: Arrays) -> Recording:
    """The recording of a motion-capture file.

    Raises RecordingError if an array is missing, of the wrong shape, or not finite.
    """
    rate_hz = float(arrays.floats("fps"))
    if not 1 <= rate_hz <= 1000:
        raise arrays.error(f"fps is {rate_hz}, wanted 1 to 1000")
    lengths = _lengths(arrays)
    poses = _poses(arrays, lengths)
    lengths[EYE_HEIGHT] = np.percentile(poses[:, 1], 95)
    samples = len(poses)
    bad = np.zeros((samples, 2), dtype=np.bool_)
    if "hand_bad" in arrays:
        bad = arrays.flags("hand_bad", samples, 2)
    time_s = np.arange(samples) / rate_hz
    return Recording(
        name=arrays.path.stem,
        time_s=time_s,
        poses=poses,
        tracked=_bridge(time_s, poses.reshape(samples, 3, 7), bad),
        lengths=lengths,
        group=_group(arrays),
        credit=_credit(arrays),
    )


def _poses(arrays: Arrays, lengths: Array) -> Array:
    """Eyes and palms (T, 21) from the skull's base and the wrists."""
    skull = _turned(arrays.floats("head_pos", -1, 3))
    samples = len(skull)
    head = _turned_rotation(arrays.rotations("head_quat", samples, 4))
    wrists = _turned(arrays.floats("hand_pos", samples, 2, 3))
    hands = multiply(
        _turned_rotation(arrays.rotations("hand_quat", samples, 2, 4)), OURS_FROM_T_POSE
    )
    eyes_from_skull = np.array([0.0, lengths[EYES_UP], -lengths[EYES_FORWARD]])
    palm_from_wrist = np.array([0.0, 0.0, -lengths[PALM]])
    poses = np.empty((samples, POSE_SIZE))
    parts = poses.reshape(samples, 3, 7)
    parts[:, 0, :3], parts[:, 0, 3:] = skull + rotate(head, eyes_from_skull), unrolled(head)
    parts[:, 1:, :3], parts[:, 1:, 3:] = wrists + rotate(hands, palm_from_wrist), unrolled(hands)
    return poses


def _turned(position: Array) -> Array:
    return position * np.array([-1.0, 1.0, -1.0])


def _turned_rotation(rotation_wxyz: Array) -> Array:
    """To xyzw, and into a world and a body that both face -Z."""
    return rotation_wxyz[..., [1, 2, 3, 0]] * np.array([-1.0, 1.0, -1.0, 1.0])


def _lengths(arrays: Arrays) -> Array:
    """The person's lengths: measured where the file has them, ours elsewhere.

    Left and right differ by up to 5 % in the files; the skeleton has one length for both.
    """
    lengths = np.array(DEFAULT_LENGTHS, dtype=np.float64)
    lengths[SHOULDER_LATERAL] = arrays.floats("shoulder_half_width")
    lengths[UPPER_ARM] = arrays.floats("upper_arm", 2).mean()
    lengths[FOREARM] = arrays.floats("forearm", 2).mean()
    return lengths


def _bridge(time_s: Array, parts: Array, bad: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Interpolate across short runs of bad hand frames, in place; return what is tracked."""
    tracked = np.ones((len(time_s), 3), dtype=np.bool_)
    for hand in range(2):
        good = np.flatnonzero(~bad[:, hand])
        if not len(good):
            tracked[:, 1 + hand] = False
            continue
        for column in range(7):
            values = parts[:, 1 + hand, column]
            values[:] = np.interp(time_s, time_s[good], values[good])
        rotation = parts[:, 1 + hand, 3:]
        rotation /= np.linalg.norm(rotation, axis=-1, keepdims=True)
        after = np.searchsorted(good, np.arange(len(time_s)))
        left = time_s[good[np.maximum(after - 1, 0)]]
        right = time_s[good[np.minimum(after, len(good) - 1)]]
        tracked[:, 1 + hand] = ~bad[:, hand] | (right - left <= MAX_BRIDGE_S)
    return tracked


def _group(arrays: Arrays) -> str:
    """People who acted together share a file name up to its last word: kth_handover_giver."""
    stem = arrays.path.stem
    return stem.rpartition("_")[0] if stem.startswith("kth_") else ""


def _credit(arrays: Arrays) -> str:
    try:
        meta = json.loads(arrays.text("meta", "{}"))
        return f"{meta['source']}; {meta['licence']}"
    except (ValueError, KeyError, TypeError):
        return ""
