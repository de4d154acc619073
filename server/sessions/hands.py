"""Owns when hands are told: of whom, how often, and for how long after they were heard."""

import numpy as np
from armspan.protocol import caps
from armspan.server.wire import hands_bytes, pack_hands
from armspan.solvers.kernel import kernel
from numpy.typing import NDArray

FRESH_US = round(caps.HANDS_FRESH_S * 1e6)
NEVER_US = -FRESH_US - 1
"""When a row's hands were heard that nobody ever told of; session time begins at 0."""


class HandsTurn:
    """Which rows a snapshot tells the hands of: those heard lately, at every so many ticks.

    Costs one comparison a tick while nobody has hands. ``rows`` and the views of it are valid
    until the next turn.
    """

    def __init__(self, rate_hz: float) -> None:
        self._every = max(1, round(rate_hz / caps.HANDS_PER_S))
        self._ticks = 0
        self._last_heard_us = NEVER_US
        self._room = np.empty(0, np.int32)
        self.rows: NDArray[np.int32] = self._room
        """(M,): whose hands to tell at this tick."""
        self.size_bytes = 0
        """Of the sections that tell them."""

    def heard(self, session_time_us: int) -> None:
        """Somebody's hands were told to the server."""
        self._last_heard_us = session_time_us

    def take(
        self, session_time_us: int, heard_us: NDArray[np.int64], flags: NDArray[np.uint8]
    ) -> int:
        """Choose the rows of this tick; returns the size of their sections. (N,) each."""
        self._ticks += 1
        since_us = session_time_us - FRESH_US
        self.size_bytes = 0
        if self._ticks < self._every or self._last_heard_us < since_us:
            return 0
        self._ticks = 0
        if len(self._room) < len(heard_us):
            self._room = np.empty(len(heard_us), np.int32)
        self.rows = self._room[: heard_since(since_us, heard_us, self._room)]
        self.size_bytes = hands_bytes(self.rows, flags)
        return self.size_bytes

    def pack(
        self,
        ids: NDArray[np.uint16],
        flags: NDArray[np.uint8],
        parts: NDArray[np.uint8],
        out: NDArray[np.uint8],
        start: int,
    ) -> None:
        """Write the sections of this tick from byte `start` of `out`; as `pack_hands`."""
        pack_hands(self.rows, ids, flags, parts, out, start)


@kernel
def heard_since(since_us: int, heard_us: NDArray[np.int64], out: NDArray[np.int32]) -> int:
    """Write the rows of ``heard_us`` (N,) that are at least ``since_us`` into out; how many."""
    count = 0
    for row in range(heard_us.shape[0]):
        if heard_us[row] >= since_us:
            out[count] = row
            count += 1
    return count
