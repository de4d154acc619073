"""Owns when ticks are due: an absolute schedule that skips what it missed and never replays."""

from typing import NamedTuple


class Due(NamedTuple):
    """One tick that is to run now."""

    tick: int
    """Its number; skipped ticks leave gaps."""
    lateness_us: int
    """Since the earliest tick that had not run yet was due."""
    missed: int
    """How many ticks were skipped before this one."""


class TickSchedule:
    """Tick n is due at ``start_us + n / rate_hz``, whatever happened before it."""

    def __init__(self, rate_hz: float, start_us: int) -> None:
        self._period_us = 1e6 / rate_hz
        self._start_us = start_us
        self._next = 1

    @property
    def next_due_us(self) -> int:
        """When the next tick is due, on the clock ``start_us`` was read from."""
        return self._due_us(self._next)

    def take(self, now_us: int) -> Due | None:
        """The newest tick that is due, or None; every tick up to it is over for good."""
        first_due_us = self._due_us(self._next)
        if now_us < first_due_us:
            return None
        newest = max(self._next, int((now_us - self._start_us) / self._period_us))
        if self._due_us(newest) > now_us:  # rounding put it a microsecond into the future
            newest -= 1
        missed = newest - self._next
        self._next = newest + 1
        return Due(newest, now_us - first_due_us, missed)

    def _due_us(self, tick: int) -> int:
        return self._start_us + round(tick * self._period_us)
