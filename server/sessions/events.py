"""Owns the order of a session's events: numbered once, sent to everyone, never interleaved."""

from collections import deque
from collections.abc import Callable

from armspan.protocol import Event, encode

_SEQUENCES = 0x1_0000_0000


class EventLane:
    """Numbers events and hands their bytes on, one event at a time.

    Handing one on may bring about the next: a peer that overflows is closed, which the others
    must be told. That next one waits until everyone has the one before it.
    """

    def __init__(self, send_to_all: Callable[[bytes], None]) -> None:
        self.sequence = 0
        """The number of the last event."""
        self._send_to_all = send_to_all
        self._pending: deque[Event] = deque()
        self._sending = False

    def emit(self, event: Event) -> None:
        """Number this event and send it; its own ``sequence`` is replaced."""
        self._pending.append(event)
        if self._sending:
            return
        self._sending = True
        try:
            while self._pending:
                self.sequence = (self.sequence + 1) % _SEQUENCES
                update = {"sequence": self.sequence}
                self._send_to_all(encode(self._pending.popleft().model_copy(update=update)))
        finally:
            self._sending = False
