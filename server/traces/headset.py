"""Owns the turning of headset recordings (eyes, two wands) into Armspan's conventions.

The files are A-Frame's: WebXR's axes, quaternions wxyz, time in ``t``. Its hand models sit on the
wand with a quarter turn about the wand's axis, +90 degrees left and -90 right, and the recorded
entities carry that turn.
"""

import math

import numpy as np
from armspan.server.traces.arrays import Arrays
from armspan.server.traces.recording import POSE_SIZE, Recording
from armspan.server.traces.rotations import Array, multiply, rotate, unrolled
from armspan.solvers.body.skeleton import DEFAULT_LENGTHS, EYE_HEIGHT

REFRESH_HZ = 90.0
# A wand is held about 0.1 m behind its tracked origin (SteamVR's grip of it says 0.097).
PALM_IN_WAND = np.array([0.0, 0.0, 0.097])
# The fingers do not point straight down from a wand: over both recordings, stretched arms run
# 18 to 71 degrees below it, 45 in the middle.
FINGERS_BELOW_WAND_RAD = math.radians(45)
HALF = math.sqrt(0.5)


def _about_z(angle_rad: float) -> Array:
    return np.array([0.0, 0.0, math.sin(angle_rad / 2), math.cos(angle_rad / 2)])


def _wand_from_hand(side: float) -> Array:
    """The rotation from the hand's frame (-Z to the fingers, +Y out of the back); side +1: right.

    With the wand along the fingers, a right hand's back looks along the wand's +X, its X along
    -Y (a left hand's: -X and +Y); then the hand tips down about the wand's X.
    """
    along = _about_z(-side * math.pi / 2)
    tip = np.array(
        [math.sin(-FINGERS_BELOW_WAND_RAD / 2), 0.0, 0.0, math.cos(FINGERS_BELOW_WAND_RAD / 2)]
    )
    return multiply(tip, along)


ENTITY_FROM_WAND = np.stack([_about_z(-math.pi / 2), _about_z(math.pi / 2)])
WAND_FROM_HAND = np.stack([_wand_from_hand(-1.0), _wand_from_hand(1.0)])


def is_headset(arrays: Arrays) -> bool:
    """Whether the file looks like one of these."""
    return "hand_quat" in arrays and "t" in arrays


def read_headset(arrays: Arrays) -> Recording:
    """The recording of a headset file.

    Raises RecordingError if an array is missing, of the wrong shape, or not finite.
    """
    eyes = arrays.floats("head_pos", -1, 3)
    samples = len(eyes)
    head = arrays.rotations("head_quat", samples, 4)[:, [1, 2, 3, 0]]
    entity = arrays.rotations("hand_quat", samples, 2, 4)[..., [1, 2, 3, 0]]
    wand = multiply(entity, ENTITY_FROM_WAND)
    origin = arrays.floats("hand_pos", samples, 2, 3)

    poses = np.empty((samples, POSE_SIZE))
    parts = poses.reshape(samples, 3, 7)
    parts[:, 0, :3], parts[:, 0, 3:] = eyes, unrolled(head)
    parts[:, 1:, :3] = origin + rotate(wand, PALM_IN_WAND)
    parts[:, 1:, 3:] = unrolled(multiply(wand, WAND_FROM_HAND))
    return Recording(
        name=arrays.path.stem,
        time_s=_even_time_s(arrays.floats("t", samples)),
        poses=poses,
        tracked=np.ones((samples, 3), dtype=np.bool_),
        lengths=_lengths(eyes),
    )


def _even_time_s(time_s: Array) -> Array:
    """Whole refreshes between samples: a page's timestamps jitter, the headset's poses do not."""
    refreshes = np.maximum(np.round(np.diff(time_s) * REFRESH_HZ), 1.0)
    return np.concatenate([[0.0], np.cumsum(refreshes)]) / REFRESH_HZ


def _lengths(eyes: Array) -> Array:
    """A headset knows one length, the height of the eyes; the others follow it."""
    lengths = np.array(DEFAULT_LENGTHS, dtype=np.float64)
    eye_height_m = float(np.percentile(eyes[:, 1], 95))
    usual_m = lengths[EYE_HEIGHT]
    return lengths * np.clip(eye_height_m / usual_m, 0.6, 1.3)
