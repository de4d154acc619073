"""Owns a motion that a bot can repeat for ever: samples of head and palms around a loop."""

import math
from dataclasses import dataclass

import numpy as np
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import quat_mul
from numpy.typing import NDArray

POSE_SIZE = 21


@dataclass(frozen=True)
class Motion:
    """Sensors of one person around a loop, as samples at an even rate.

    ``frames`` (T, 21) float32: eyes, left palm, right palm, each position xyz (m) and rotation
    xyzw, where the person stands about the origin and faces -Z. The frame after the last one is
    the first one again. ``tracked`` (T,) uint8: bits head, left, right. ``lengths`` (11,) in
    metres are the person's.
    """

    frames: NDArray[np.float32]
    tracked: NDArray[np.uint8]
    rate_hz: float
    lengths: NDArray[np.float64]

    @property
    def period_s(self) -> float:
        """The time once around."""
        return len(self.frames) / self.rate_hz


@dataclass(frozen=True)
class Place:
    """Where a person is put: turned by ``yaw_rad`` about the origin, then moved."""

    x_m: float = 0.0
    z_m: float = 0.0
    yaw_rad: float = 0.0


def sample_motion(
    motion: Motion, time_s: float, place: Place, scale: float, pose: NDArray[np.float64]
) -> int:
    """Write the sensors at ``time_s`` into ``pose`` (21,); returns the tracked bits.

    Times go around the loop. ``scale`` is the person's size against the motion's: everything
    shrinks towards the point on the floor below the motion's origin, arms and reach alike.
    """
    row = _sample(
        motion.frames, motion.rate_hz, time_s, place.x_m, place.z_m, place.yaw_rad, scale, pose
    )
    return int(motion.tracked[row])


@kernel
def _sample(
    frames: NDArray[np.float32],
    rate_hz: float,
    time_s: float,
    x_m: float,
    z_m: float,
    yaw_rad: float,
    scale: float,
    pose: NDArray[np.float64],
) -> int:
    """As ``sample_motion``; returns the row before ``time_s``."""
    count = frames.shape[0]
    position = time_s * rate_hz % count
    row = int(position)
    share = position - row
    row = row % count  # a position may round up to the count itself
    after = (row + 1) % count
    sine, cosine = math.sin(yaw_rad), math.cos(yaw_rad)
    turn = (0.0, math.sin(0.5 * yaw_rad), 0.0, math.cos(0.5 * yaw_rad))
    for sensor in range(3):
        at = 7 * sensor
        x = frames[row, at] * (1 - share) + frames[after, at] * share
        y = frames[row, at + 1] * (1 - share) + frames[after, at + 1] * share
        z = frames[row, at + 2] * (1 - share) + frames[after, at + 2] * share
        pose[at] = (cosine * x + sine * z) * scale + x_m
        pose[at + 1] = y * scale
        pose[at + 2] = (cosine * z - sine * x) * scale + z_m
        dot = 0.0
        for i in range(3, 7):
            dot += frames[row, at + i] * frames[after, at + i]
        sign = -1.0 if dot < 0.0 else 1.0
        qx = frames[row, at + 3] * (1 - share) + sign * frames[after, at + 3] * share
        qy = frames[row, at + 4] * (1 - share) + sign * frames[after, at + 4] * share
        qz = frames[row, at + 5] * (1 - share) + sign * frames[after, at + 5] * share
        qw = frames[row, at + 6] * (1 - share) + sign * frames[after, at + 6] * share
        norm = math.sqrt(qx * qx + qy * qy + qz * qz + qw * qw)
        turned = quat_mul(turn, (qx / norm, qy / norm, qz / norm, qw / norm))
        for i in range(4):
            pose[at + 3 + i] = turned[i]
    return row
