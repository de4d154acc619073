"""Owns a session's arrays: one row an avatar, growing by doubling up to the session's cap."""

from dataclasses import dataclass, fields

import numpy as np
from armspan.server.sessions.hands import NEVER_US
from armspan.server.wire import PARTS_BYTES
from armspan.solvers import MEMORY_SIZE
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
FIRST_ROWS = 8
_POSES = 21
_INPUTS = 8


@dataclass(slots=True)
class AvatarArrays:
    """N rows; row r of every array belongs to one avatar. Metres, radians, world frame.

    The first group is what peers write (latest wins), the second is latched from it once a tick,
    the third is what the solver answers.
    """

    ids: NDArray[np.uint16]  # (N,)
    lengths: Floats  # (N, 11), in the order of LENGTH_NAMES
    poses: Floats  # (N, 21): head, left palm, right palm, each position and rotation
    inputs: Bytes  # (N, 8): buttons, pinch, grip, trigger of the left, then of the right hand
    tracked_bits: Bytes  # (N,): bit 0 head, 1 left, 2 right
    sample_time_us: NDArray[np.int64]  # (N,), session time
    discontinuity: Bytes  # (N,), 0..15
    hands_flags: Bytes  # (N,), members of HandsFlag
    hands_parts: Bytes  # (N, PARTS_BYTES), as they came
    hands_heard_us: NDArray[np.int64]  # (N,), session time

    world_from_head: Floats  # (N, 7), the last tracked one
    head_rotation: Floats  # (N, 4), the same rotation by itself
    world_from_hand: Floats  # (N, 2, 7), palm frames
    tracked: Bytes  # (N, 3): head, left, right
    sample_age_us: NDArray[np.int64]  # (N,), at the tick

    memory: Floats  # (N, MEMORY_SIZE), the solver's carry-over
    world_from_chest: Floats  # (N, 7)
    joint_angles: Floats  # (N, 15)
    provenance: Bytes  # (N, 3)
    status: Bytes  # (N, 2)

    @classmethod
    def of(cls, rows: int) -> "AvatarArrays":
        """Cleared arrays of this many rows."""
        arrays = cls(
            ids=np.zeros(rows, np.uint16),
            lengths=np.zeros((rows, 11)),
            poses=np.zeros((rows, _POSES)),
            inputs=np.zeros((rows, _INPUTS), np.uint8),
            tracked_bits=np.zeros(rows, np.uint8),
            sample_time_us=np.zeros(rows, np.int64),
            discontinuity=np.zeros(rows, np.uint8),
            hands_flags=np.zeros(rows, np.uint8),
            hands_parts=np.zeros((rows, PARTS_BYTES), np.uint8),
            hands_heard_us=np.zeros(rows, np.int64),
            world_from_head=np.zeros((rows, 7)),
            head_rotation=np.zeros((rows, 4)),
            world_from_hand=np.zeros((rows, 2, 7)),
            tracked=np.zeros((rows, 3), np.uint8),
            sample_age_us=np.zeros(rows, np.int64),
            memory=np.zeros((rows, MEMORY_SIZE)),
            world_from_chest=np.zeros((rows, 7)),
            joint_angles=np.zeros((rows, 15)),
            provenance=np.zeros((rows, 3), np.uint8),
            status=np.zeros((rows, 2), np.uint8),
        )
        for row in range(rows):
            arrays.clear(row)
        return arrays

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.ids)

    def clear(self, row: int) -> None:
        """Make a row as if nobody had ever used it: nothing may glide in from its past."""
        for field in fields(self):
            getattr(self, field.name)[row] = 0
        self.poses[row, (6, 13, 20)] = 1.0
        self.world_from_head[row, 6] = 1.0
        self.head_rotation[row, 3] = 1.0
        self.world_from_hand[row, :, 6] = 1.0
        self.world_from_chest[row, 6] = 1.0
        self.hands_heard_us[row] = NEVER_US

    def grown(self, rows: int) -> "AvatarArrays":
        """A copy with more rows; the old ones keep their numbers and contents."""
        larger = AvatarArrays.of(rows)
        for field in fields(self):
            getattr(larger, field.name)[: self.rows] = getattr(self, field.name)
        return larger
