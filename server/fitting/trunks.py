"""Owns recorded trunks: what head and hands were, and where chest and shoulders were found."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from armspan.server.fitting.arms import person_of
from armspan.server.traces.arrays import Arrays
from armspan.server.traces.motion_capture import is_motion_capture, read_motion_capture
from armspan.server.traces.recorded_body import read_body
from armspan.server.traces.rotations import Array, rotate
from armspan.solvers.body.chest import chest_by_habits
from armspan.solvers.body.skeleton import SHOULDER_LATERAL, SHOULDER_UP
from armspan.solvers.body.trunk import Habits, heading
from armspan.solvers.kernel import kernel
from numpy.typing import NDArray

UP = np.array([0.0, 1.0, 0.0])
_FRAMES = 400  # evenly taken from a clip; more change nothing


@dataclass(frozen=True)
class Trunks:
    """Frames of one clip, in the world."""

    clip: str
    person: str
    lengths: Array
    """(11,) of the person."""
    heads: Array
    """(T, 7) between the eyes."""
    hands: Array
    """(T, 2, 7) palms."""
    tracked: NDArray[np.bool_]
    """(T, 2)"""
    chests: Array
    """(T, 7) recorded: the origin below the middle of both shoulders."""
    shoulders: Array
    """(T, 2, 3) recorded."""

    def found(self, habits: Habits) -> Array:
        """Chests (T, 7) that the solver finds with these habits."""
        chests = np.empty_like(self.chests)
        _write_found(habits, self.lengths, self.heads, self.hands, self.tracked, chests)
        return chests

    def shoulders_of(self, chests: Array) -> Array:
        """The skeleton's shoulders (T, 2, 3) on these chests."""
        up, out = self.lengths[SHOULDER_UP], self.lengths[SHOULDER_LATERAL]
        at = np.array([[-out, up, 0.0], [out, up, 0.0]])
        return chests[:, None, :3] + rotate(chests[:, None, 3:], at)


def read_trunks(path: Path) -> Trunks:
    """Frames of a motion-capture file, evenly taken. Raises RecordingError if it is none."""
    arrays = Arrays(path)
    if not is_motion_capture(arrays):
        raise arrays.error("is no motion capture; chest_pos, elbow_pos and hand_quat are needed")
    recording = read_motion_capture(arrays)
    body = read_body(arrays, recording.lengths)
    step = slice(None, None, -(-len(recording.time_s) // _FRAMES))
    poses = recording.poses.reshape(-1, 3, 7)[step]
    return Trunks(
        clip=recording.name,
        person=person_of(recording),
        lengths=recording.lengths,
        heads=np.ascontiguousarray(poses[:, 0]),
        hands=np.ascontiguousarray(poses[:, 1:]),
        tracked=np.ascontiguousarray(recording.tracked[step, 1:]),
        chests=body.chest[step],
        shoulders=body.shoulders[step],
    )


def headings(rotations: Array) -> Array:
    """Where trunks (T, 4) face: unit (T, 2) of x and z."""
    return np.array([heading(tuple(rotation.tolist())) for rotation in rotations])


@kernel
def _write_found(habits: Habits, lengths: Array, heads: Array, hands: Array,
                 tracked: NDArray[np.bool_], chests: Array) -> None:  # fmt: skip
    for i in range(len(heads)):
        left, right = tracked[i, 0], tracked[i, 1]
        chest_by_habits(habits, lengths, heads[i], hands[i], left, right, chests[i])
