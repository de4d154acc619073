"""Owns the client's idea of session time, from exchanges of clock pings and pongs."""

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

KEPT = 16  # exchanges; at one every two seconds, half a minute of drift stays small


class _Exchange(NamedTuple):
    round_trip_us: int
    offset_us: float


@dataclass
class SessionClock:
    """Session time from this machine's monotonic time, both in microseconds.

    Each exchange bounds the offset within half of its round trip; the quickest of the last
    sixteen is believed, because queues only ever add.
    """

    _exchanges: deque[_Exchange] = field(default_factory=lambda: deque[_Exchange](maxlen=KEPT))

    def add(self, sent_us: int, server_received_us: int, server_sent_us: int, now_us: int) -> None:
        """Take in one pong: our times are local, the server's are session time."""
        round_trip_us = (now_us - sent_us) - (server_sent_us - server_received_us)
        offset_us = (server_received_us + server_sent_us - sent_us - now_us) / 2
        self._exchanges.append(_Exchange(round_trip_us, offset_us))

    @property
    def synchronised(self) -> bool:
        """Whether there was an exchange at all."""
        return bool(self._exchanges)

    @property
    def offset_us(self) -> float:
        """Session time less local time; 0 before the first exchange."""
        return min(self._exchanges).offset_us if self._exchanges else 0.0

    @property
    def round_trip_us(self) -> int:
        """Of the exchange that is believed; 0 before the first one."""
        return min(self._exchanges).round_trip_us if self._exchanges else 0

    def session_us(self, local_us: float) -> float:
        """The session time at a local time."""
        return local_us + self.offset_us
