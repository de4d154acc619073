"""Owns what a peer asks of its socket; the adapter and the tests' fake both provide it."""

from typing import Protocol


class Outlet(Protocol):
    """The sending side of one WebSocket. No call waits, and none raises for a broken socket."""

    def buffered_bytes(self) -> int:
        """What was sent and the kernel has not taken yet."""
        ...

    def send(self, payload: bytes) -> None:
        """Send one binary message."""
        ...

    def send_frame(self, frame: bytearray) -> None:
        """Send what follows the headroom as one binary message, the header written in place."""
        ...

    def ping(self) -> None:
        """Ask for a sign of life."""
        ...

    def pong(self, payload: bytes) -> None:
        """Give one."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Send the close frame; the socket stays open for the other side's."""
        ...

    def stop_reading(self) -> None:
        """Leave what else comes to the kernel, and so to the sender."""
        ...

    def disconnect(self) -> None:
        """Close the socket once what was sent has left."""
        ...

    def abort(self) -> None:
        """Close the socket now."""
        ...
