"""Owns random reachable poses, blended into one endless motion at human speed.

Every moment of it is reachable: the blend is a straight line between joint angles within limits,
limits are a box, and the palms follow by forward kinematics.
"""

import numpy as np
from armspan.server.bots.motion import POSE_SIZE, Motion
from armspan.solvers.body.chest import neck_offset
from armspan.solvers.body.forward import body_frames
from armspan.solvers.body.skeleton import (
    DEFAULT_LENGTHS,
    EYE_HEIGHT,
    EYES_UP,
    JOINT_LOWER,
    JOINT_UPPER,
    NECK,
    STERNUM_DOWN,
)
from armspan.solvers.kernel import kernel
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RATE_HZ = 60.0
PALM_SPEED_MAX_M_S = 1.5
PALM_TURN_MAX_RAD_S = 6.0
SWAY_M = 0.02
SHORTEST_BLEND_S = 0.5
HOLD_S = 0.2  # at each pose
# The trunk's own sway moves the palms too; the blends keep clear of the cap by this share.
MARGIN = 0.9
STEPS = 48  # where the speed of a blend is looked at
ALL_TRACKED = 0b111


def random_motion(poses: int, seed: int) -> Motion:
    """The loop through ``poses`` random poses, the same for the same ``seed``.

    Both arms lie within their limits with one torso angle; the palms never move faster than
    1.5 m/s; the head looks about mildly and the trunk sways. Lengths are the defaults.
    """
    if poses < 2:
        raise ValueError(f"{poses} poses make no motion; at least 2 do")
    random = np.random.default_rng(seed)
    angles = random.uniform(JOINT_LOWER, JOINT_UPPER, size=(poses, len(JOINT_LOWER)))
    angles = _blended(angles, _blend_frames(angles))
    chest, head = _trunk_and_head(len(angles), random)
    frames = np.empty((len(angles), POSE_SIZE))
    _sensors(DEFAULT_LENGTHS, chest, head, angles, frames)
    return Motion(
        frames=frames.astype(np.float32),
        tracked=np.full(len(frames), ALL_TRACKED, dtype=np.uint8),
        rate_hz=RATE_HZ,
        lengths=DEFAULT_LENGTHS.copy(),
    )


def _eased(share: Floats) -> Floats:
    """From 0 to 1 as a hand moves (minimum jerk: Flash & Hogan 1985)."""
    return share**3 * (10 - 15 * share + 6 * share**2)


def _blend_frames(angles: Floats) -> NDArray[np.int64]:
    """How many frames each pose's blend to the next takes, for the palms to keep their speed."""
    poses = len(angles)
    share = _eased(np.linspace(0.0, 1.0, STEPS + 1))
    path = angles[:, None] + share[:, None] * (np.roll(angles, -1, axis=0) - angles)[:, None]
    rows = poses * (STEPS + 1)
    still = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], (rows, 1))
    sensors = np.empty((rows, POSE_SIZE))
    _sensors(DEFAULT_LENGTHS, still, still[:, 3:], path.reshape(rows, -1), sensors)
    palms = sensors.reshape(poses, STEPS + 1, 3, 7)[:, :, 1:]
    way = np.linalg.norm(np.diff(palms[..., :3], axis=1), axis=3).max(axis=(1, 2))
    cosine = np.abs(np.sum(palms[:, 1:, :, 3:] * palms[:, :-1, :, 3:], axis=3))
    turn = 2 * np.arccos(np.minimum(cosine, 1.0)).max(axis=(1, 2))
    step_s = np.maximum(way / PALM_SPEED_MAX_M_S, turn / PALM_TURN_MAX_RAD_S) / MARGIN
    blend_s = np.maximum(step_s * STEPS, SHORTEST_BLEND_S)
    return np.ceil(blend_s * RATE_HZ).astype(np.int64)


def _blended(angles: Floats, blend_frames: NDArray[np.int64]) -> Floats:
    """(T, 15): each pose held for a moment, then blended into the next, the last into the first."""
    hold = round(HOLD_S * RATE_HZ)
    following = np.roll(angles, -1, axis=0)
    parts: list[Floats] = []
    for here, there, frames in zip(angles, following, blend_frames, strict=True):
        share = _eased(np.linspace(0.0, 1.0, int(frames), endpoint=False))
        parts.append(here + share[:, None] * (there - here))
        parts.append(np.tile(there, (hold, 1)))
    return np.concatenate(parts)


def _trunk_and_head(frames: int, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Chest (T, 7) and head rotation (T, 4): slow waves with whole numbers of turns a loop."""
    phase = np.arange(frames) / frames * 2 * np.pi
    minutes = frames / RATE_HZ / 60

    def wave(turns_a_minute: float, amplitude: float) -> Floats:
        turns = max(1, round(turns_a_minute * minutes))
        return amplitude * np.sin(turns * phase + random.uniform(0, 2 * np.pi))

    chest_yaw = wave(4.0, 0.12) + wave(1.7, 0.10)
    chest = np.zeros((frames, 7))
    chest[:, 0], chest[:, 2] = wave(5.0, SWAY_M), wave(4.3, SWAY_M)
    upright_m = DEFAULT_LENGTHS[STERNUM_DOWN] + DEFAULT_LENGTHS[NECK] + DEFAULT_LENGTHS[EYES_UP]
    chest[:, 1] = DEFAULT_LENGTHS[EYE_HEIGHT] - upright_m
    chest[:, 3:] = _yaw_pitch(chest_yaw, wave(3.1, 0.04))
    look_yaw = wave(8.0, 0.25) + wave(5.3, 0.15)
    look_pitch = wave(7.1, 0.12) + wave(4.7, 0.06)
    return chest, _yaw_pitch(chest_yaw + look_yaw, look_pitch)


def _yaw_pitch(yaw: Floats, pitch: Floats) -> Floats:
    """Rotations (T, 4): about +Y, then about the turned +X."""
    sy, cy = np.sin(yaw / 2), np.cos(yaw / 2)
    sp, cp = np.sin(pitch / 2), np.cos(pitch / 2)
    return np.stack([cy * sp, sy * cp, -sy * sp, cy * cp], axis=1)


@kernel
def _sensors(lengths: Floats, chest: Floats, head: Floats, angles: Floats, sensors: Floats) -> None:
    """Write the eyes and palms (T, 21) of bodies: chest (T, 7), head (T, 4), angles (T, 15)."""
    position = np.empty((2, 4, 3))
    rotation = np.empty((2, 3, 4))
    torso = np.empty(4)
    for row in range(chest.shape[0]):
        body_frames(lengths, chest[row], angles[row], position, rotation, torso)
        c, h = chest[row], head[row]
        eyes = neck_offset(lengths, (c[3], c[4], c[5], c[6]), (h[0], h[1], h[2], h[3]))
        for i in range(3):
            sensors[row, i] = c[i] + eyes[i]
            for side in range(2):
                sensors[row, 7 + 7 * side + i] = position[side, 3, i]
        for i in range(4):
            sensors[row, 3 + i] = h[i]
            for side in range(2):
                sensors[row, 10 + 7 * side + i] = rotation[side, 2, i]
