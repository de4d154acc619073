"""A Python client of a session, over the ``websockets`` library."""

from armspan.server.client.addresses import KEY_VARIABLE, read_key, shown_url, socket_address
from armspan.server.client.connection import Connection, Invitation, connect, monotonic_us
from armspan.server.client.conversation import Conversation, SnapshotFrame
from armspan.server.client.errors import (
    BadAddress,
    BadKeyFile,
    BrokenServer,
    ClientError,
    Disconnected,
    OldServer,
    Refused,
    Untrusted,
)
from armspan.server.client.session_clock import SessionClock
from armspan.server.client.staying import stay
from armspan.server.client.trust import BadTrust, Trust, find_trust

__all__ = [
    "KEY_VARIABLE",
    "BadAddress",
    "BadKeyFile",
    "BadTrust",
    "BrokenServer",
    "ClientError",
    "Connection",
    "Conversation",
    "Disconnected",
    "Invitation",
    "OldServer",
    "Refused",
    "SessionClock",
    "SnapshotFrame",
    "Trust",
    "Untrusted",
    "connect",
    "find_trust",
    "monotonic_us",
    "read_key",
    "shown_url",
    "socket_address",
    "stay",
]
