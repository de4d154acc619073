"""A clip of motion capture as the laboratories write them, of a body whose truth is known."""

from pathlib import Path
from typing import Any

import numpy as np
from armspan.server.traces.motion_capture import OURS_FROM_T_POSE
from armspan.server.traces.rotations import about_y, multiply
from armspan.solvers import DEFAULT_LENGTHS, forward_kinematics

FACING = np.array([-1.0, 1.0, -1.0])  # the clips face +Z, we face -Z
UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])
CHEST = np.array([0.0, 1.365, 0.0, *UPRIGHT])
SKULL = np.array([0.0, 1.55, 0.0])


def theirs(rotation: np.ndarray, side: int | None = None) -> np.ndarray:
    """Our rotation (xyzw) as the clips have it: wxyz, the identity a T-pose that faces +Z."""
    if side is not None:
        rotation = multiply(rotation, OURS_FROM_T_POSE[side] * [-1, -1, -1, 1])
    x, y, z, w = rotation
    return np.array([w, -x, y, -z])


def write_clip(path: Path, frames: int = 60, turn_rad: float = 0.0) -> None:
    """A clip of motion capture of our own skeleton, so that the truth is known.

    In its course the trunk turns by ``turn_rad`` to the left while the head keeps looking ahead.
    """
    rows: list[dict[str, Any]] = []
    for share in np.linspace(0.0, 1.0, frames):
        angles = np.zeros(15)
        angles[[1, 8]] = 0.3 + 0.3 * share
        angles[[4, 11]] = 1.2 - 0.4 * share
        chest = np.concatenate([CHEST[:3], about_y(share * turn_rad)])
        body = forward_kinematics(DEFAULT_LENGTHS, chest, angles)
        rows.append(
            {
                "head_pos": FACING * SKULL,
                "head_quat": theirs(UPRIGHT),
                "hand_pos": FACING * body.position[:, 2],
                "hand_quat": [theirs(body.rotation[side, 2], side) for side in range(2)],
                "elbow_pos": FACING * body.position[:, 1],
                "shoulder_pos": FACING * body.position[:, 0],
                "chest_pos": FACING * CHEST[:3],
                "chest_quat": theirs(chest[3:]),
                "hand_bad": [False, False],
            }
        )
    np.savez(
        path,
        fps=120.0,
        upper_arm=[0.30, 0.30],
        forearm=[0.26, 0.26],
        shoulder_half_width=0.18,
        meta="{}",
        **{name: np.array([row[name] for row in rows]) for name in rows[0]},
    )
