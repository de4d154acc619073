"""The binary frames between bytes and the server's arrays, compiled."""

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
from armspan.server.wire.warm import warm_up

__all__ = [
    "PARTS_BYTES",
    "SnapshotArrays",
    "hands_bytes",
    "pack_hands",
    "pack_snapshot",
    "read_hands",
    "read_tracker",
    "unpack_snapshot",
    "warm_up",
    "write_hands",
    "write_tracker",
]
