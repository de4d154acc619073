"""Owns the step between peers and solver: one consistent copy of the newest samples, a tick."""

import numpy as np
from armspan.solvers.kernel import kernel
from numpy.typing import NDArray


@kernel
def latch(
    session_time_us: int,
    rows: NDArray[np.int32],
    poses: NDArray[np.float64],
    tracked_bits: NDArray[np.uint8],
    sample_time_us: NDArray[np.int64],
    world_from_head: NDArray[np.float64],
    head_rotation: NDArray[np.float64],
    world_from_hand: NDArray[np.float64],
    tracked: NDArray[np.uint8],
    sample_age_us: NDArray[np.int64],
) -> None:
    """Copy the newest poses of ``rows`` into the solver's arrays, and how old they are.

    rows (M,); poses (N, 21): head, left palm, right palm; tracked_bits (N,): bit 0 head, 1 left,
    2 right; sample_time_us (N,). Out: world_from_head (N, 7), head_rotation (N, 4),
    world_from_hand (N, 2, 7), tracked (N, 3), sample_age_us (N,). A sensor that is not tracked
    keeps the pose it had last.
    """
    for i in range(rows.shape[0]):
        row = rows[i]
        for sensor in range(3):
            tracked[row, sensor] = (tracked_bits[row] >> sensor) & 1
        if tracked[row, 0] == 1:
            for j in range(7):
                world_from_head[row, j] = poses[row, j]
            for j in range(4):
                head_rotation[row, j] = poses[row, 3 + j]
        for side in range(2):
            if tracked[row, 1 + side] == 1:
                for j in range(7):
                    world_from_hand[row, side, j] = poses[row, 7 + 7 * side + j]
        age_us = session_time_us - sample_time_us[row]
        sample_age_us[row] = age_us if age_us > 0 else 0
