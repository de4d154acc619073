"""Owns the compilation of this package's kernels before the server says that it is ready."""

import numpy as np
from armspan.server.wire.hands import (
    PARTS_BYTES,
    hands_bytes,
    pack_hands,
    read_hands,
    write_hands,
)
from armspan.server.wire.pack import pack_snapshot
from armspan.server.wire.tracker import read_tracker, write_tracker
from armspan.server.wire.unpack import SnapshotArrays, unpack_snapshot


def warm_up() -> None:
    """Compile, or load from the cache, every kernel for every kind of buffer it is called with."""
    poses, inputs = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], 3), np.zeros(8, np.uint8)
    frame = write_tracker(poses, inputs, tracked=7, discontinuity=0, sample_time_us=0)
    state = SnapshotArrays(capacity=1)
    state.ids[0] = 1
    rows, room = np.zeros(1, np.int32), np.zeros(256, np.uint8)
    used = pack_snapshot(
        0,
        0,
        rows,
        state.ids,
        state.world_from_chest,
        state.head_rotation,
        state.joint_angles,
        state.sample_age_us,
        state.provenance,
        state.discontinuity,
        room,
    )
    hands, parts = (
        write_hands(15, state.fingers[0], state.points[0]),
        np.zeros(PARTS_BYTES, np.uint8),
    )
    hands_bytes(rows, state.hands_flags)
    used = pack_hands(rows, state.ids, state.hands_flags, parts[np.newaxis], room, used)
    snapshot = room[:used].tobytes()
    for buffer in (bytes, bytearray):  # read-only and writable arrays compile separately
        read_tracker(buffer(frame), poses, inputs)
        read_hands(buffer(hands), parts)
        unpack_snapshot(buffer(snapshot), state)
