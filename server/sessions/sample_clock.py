"""Owns the mapping of a sender's sample times to session time: a minimum-offset filter.

The sample that travelled fastest tells the offset of the two clocks best, so the offset is the
smallest (receive time - sample time) of the last seconds. A window forgets, so a clock that
drifts is followed; a sample that looks older than any real delay means that the sender's clock
was set anew (or that it lied), and the filter starts again from it.
"""

WINDOW_US = 5_000_000
"""The minimum is taken over one to two windows; 100 ppm of drift makes 1 ms at most."""
RESTART_US = 1_000_000
"""A sample this much older than the offset says comes from a clock that was set anew."""


class SampleClock:
    """One sender's clock, as one connection knows it.

    Mapped times never decrease and never exceed the time of receipt, whatever is sent.
    """

    __slots__ = ("_current_us", "_mapped_us", "_previous_us", "_window_ends_us")

    def __init__(self) -> None:
        self._current_us: int | None = None  # smallest offset of this window
        self._previous_us: int | None = None  # and of the one before it
        self._window_ends_us = 0
        self._mapped_us: int | None = None

    def map(self, sample_us: int, received_us: int) -> int:
        """The session time of a sample; both arguments and the answer in microseconds."""
        offset_us = received_us - sample_us
        current_us = self._current_us
        if current_us is None:
            self._restart(offset_us, received_us)
        elif received_us >= self._window_ends_us:
            self._previous_us = current_us
            self._current_us = offset_us
            self._window_ends_us = received_us + WINDOW_US
        elif offset_us < current_us:
            self._current_us = offset_us
        mapped_us = sample_us + self._smallest_us(offset_us)
        if received_us - mapped_us > RESTART_US:
            self._restart(offset_us, received_us)
            mapped_us = received_us
        if self._mapped_us is not None and mapped_us < self._mapped_us:
            mapped_us = self._mapped_us
        self._mapped_us = mapped_us
        return mapped_us

    def _smallest_us(self, offset_us: int) -> int:
        current_us, previous_us = self._current_us, self._previous_us
        smallest_us = offset_us if current_us is None else current_us
        if previous_us is not None and previous_us < smallest_us:
            return previous_us
        return smallest_us

    def _restart(self, offset_us: int, received_us: int) -> None:
        self._current_us = offset_us
        self._previous_us = None
        self._window_ends_us = received_us + WINDOW_US
