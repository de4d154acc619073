"""Owns the turning of a recording into a loop without a jump: there, and back again."""

import numpy as np
from armspan.server.bots.motion import Motion
from armspan.server.traces import Recording, at_times
from numpy.typing import NDArray

RATE_HZ = 60.0
TURN_S = 0.6  # a motion slows down and reverses over this long; nobody stops dead
TRACKED_BITS = np.array([1, 2, 4])


def motion_of(recording: Recording, centre_xz_m: NDArray[np.float64]) -> Motion:
    """The recording forward, then backward, about ``centre_xz_m`` (2,).

    Played to its end and begun again, a person would teleport; the way back is the same motion,
    so it is as human as the way there, and people who acted together stay together.
    """
    there_s = recording.duration_s
    period_s = 2 * (there_s + TURN_S)
    count = max(2, round(period_s * RATE_HZ))
    played_s = _to_and_fro(np.arange(count) * period_s / count, there_s)
    poses, tracked = at_times(recording, played_s)
    parts = poses.reshape(count, 3, 7)
    parts[:, :, 0] -= centre_xz_m[0]
    parts[:, :, 2] -= centre_xz_m[1]
    return Motion(
        frames=poses.astype(np.float32),
        tracked=(tracked @ TRACKED_BITS).astype(np.uint8),
        rate_hz=count / period_s,
        lengths=recording.lengths,
    )


def _to_and_fro(time_s: NDArray[np.float64], there_s: float) -> NDArray[np.float64]:
    """Where a recording of ``there_s`` stands at ``time_s``: to its end, and back to its start.

    Full speed between the ends; over TURN_S at either end the speed changes steadily to its
    opposite, so the way covered while turning is a parabola.
    """
    half = there_s + TURN_S
    phase = time_s % (2 * half)
    mirrored = np.minimum(phase, 2 * half - phase)  # 0 at the start, `half` at the end
    turn = min(TURN_S, half / 2)
    from_end = half - mirrored
    played = mirrored - turn / 2
    played = np.where(mirrored < turn, mirrored**2 / (2 * turn), played)
    played = np.where(from_end < turn, half - turn - from_end**2 / (2 * turn), played)
    return played * there_s / (half - turn)
