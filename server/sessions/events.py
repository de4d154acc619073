"""Owns the order of a session's events: numbered once, sent to everyone, never interleaved."""

from collections import deque
from collections.abc import Callable

from armspan.protocol import Event, encode

_SEQUENCES = 0x1_0000_0000

SendToAll = Callable[[bytes, int, bytes], None]
"""Takes an event, the revision that knows it, and what peers of an older one get in its place."""


class EventLane:
    """Numbers events and hands their bytes on, one event at a time.

    Handing one on may bring about the next: a peer that overflows is closed, which the others
    must be told. That next one waits until everyone has the one before it.
    """

    def __init__(self, send_to_all: SendToAll) -> None:
        self.sequence = 0
        """The number of the last event."""
        self._send_to_all = send_to_all
        self._pending: deque[tuple[Event, Event]] = deque()
        self._sending = False

    def emit(self, event: Event, older: Event | None = None) -> None:
        """Number this event and send it; its own ``sequence`` is replaced.

        ``older`` takes its place and its number for peers that do not know the event; an event of
        revision 0 needs none.
        """
        self._pending.append((event, event if older is None else older))
        if self._sending:
            return
        self._sending = True
        try:
            while self._pending:
                self.sequence = (self.sequence + 1) % _SEQUENCES
                event, older = self._pending.popleft()
                payload = self._numbered(event)
                substitute = payload if older is event else self._numbered(older)
                self._send_to_all(payload, event.since_revision, substitute)
        finally:
            self._sending = False

    def _numbered(self, event: Event) -> bytes:
        return encode(event.model_copy(update={"sequence": self.sequence}))
