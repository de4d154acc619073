"""The binary frames between bytes and the server's arrays, compiled."""

from armspan.server.wire.pack import pack_snapshot
from armspan.server.wire.tracker import read_tracker, write_tracker
from armspan.server.wire.unpack import SnapshotArrays, unpack_snapshot
from armspan.server.wire.warm import warm_up

__all__ = [
    "SnapshotArrays",
    "pack_snapshot",
    "read_tracker",
    "unpack_snapshot",
    "warm_up",
    "write_tracker",
]
