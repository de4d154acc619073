"""Owns what a session asks of whoever receives from it."""

from typing import Protocol

from armspan.protocol import CloseCode

FRAME_HEADROOM_BYTES = 14
"""Free bytes in front of a snapshot: the largest WebSocket header is written there in place."""


class Receiver(Protocol):
    """One peer as its session sees it. No call waits, and none raises for what the peer does."""

    snapshots_skipped: int

    def offer_snapshot(self, frame: bytearray) -> bool:
        """Send the bytes after the headroom, or skip them (False) if the peer is behind.

        The frame is shared by all peers and written anew for the next tick: nothing may keep it.
        """
        ...

    def send(self, payload: bytes) -> None:
        """Send a control message or an event; never dropped, so it closes a peer that overflows.

        Closing calls back into the session.
        """
        ...

    def pass_on(self, payload: bytes) -> bool:
        """Send what another peer wrote, or drop it (False) if this peer is far behind.

        Never closes: nobody is to lose the connection for what others send.
        """
        ...

    def offer(self, payload: bytes) -> None:
        """Send a status message, or drop it if the peer is behind."""
        ...

    def close(self, code: CloseCode, text: str) -> None:
        """Say why, and close. The session has let go of this receiver before."""
        ...
