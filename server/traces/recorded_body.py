"""Owns what optical motion capture saw besides head and hands: the trunk, shoulders, elbows."""

from dataclasses import dataclass

import numpy as np
from armspan.server.traces.arrays import Arrays
from armspan.server.traces.rotations import Array, rotate
from armspan.solvers.body.skeleton import SHOULDER_UP

_FACING = np.array([-1.0, 1.0, -1.0])  # the clips face +Z, we face -Z


@dataclass(frozen=True)
class RecordedBody:
    """In Armspan's conventions, in the world; axes of length 2 are [left, right]."""

    chest: Array
    """(T, 7): the trunk as our skeleton has it, its origin below the middle of both shoulders."""
    shoulders: Array
    """(T, 2, 3) metres."""
    elbows: Array
    """(T, 2, 3) metres."""


def read_body(arrays: Arrays, lengths: Array) -> RecordedBody:
    """The body of a motion-capture file. Raises RecordingError if it has no chest or elbows."""
    shoulders = _FACING * arrays.floats("shoulder_pos", -1, 2, 3)
    frames = len(shoulders)
    turned_wxyz = arrays.rotations("chest_quat", frames, 4)
    rotation = turned_wxyz[:, [1, 2, 3, 0]] * np.array([-1.0, 1.0, -1.0, 1.0])
    down = rotate(rotation, np.array([0.0, -lengths[SHOULDER_UP], 0.0]))
    return RecordedBody(
        chest=np.concatenate([shoulders.mean(axis=1) + down, rotation], axis=1),
        shoulders=shoulders,
        elbows=_FACING * arrays.floats("elbow_pos", frames, 2, 3),
    )
