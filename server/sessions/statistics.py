"""Owns the figures a running server tells: how late its ticks are, how many bytes leave."""

from collections import deque

import numpy as np

_TICKS = 600
"""Lateness is told over this many ticks: ten seconds at 60 Hz."""
_PERIOD_US = 1_000_000


class Lateness:
    """How late the latest ticks were, against the schedule."""

    def __init__(self) -> None:
        self._ring_us = np.zeros(_TICKS)
        self._count = 0
        self.p50_ms = 0.0
        self.p99_ms = 0.0
        self.ticks = 0
        self.missed = 0

    def add(self, lateness_us: int, missed: int) -> None:
        """Note one tick, and the ticks that were skipped before it."""
        self._ring_us[self._count % _TICKS] = lateness_us
        self._count += 1
        self.ticks += 1
        self.missed += missed

    def refresh(self) -> None:
        """Work out the percentiles; not for every tick."""
        known = self._ring_us[: min(self._count, _TICKS)]
        if len(known):
            p50_us, p99_us = np.percentile(known, (50, 99))
            self.p50_ms, self.p99_ms = float(p50_us) / 1e3, float(p99_us) / 1e3


class Rate:
    """A sum that is told per second, over the last one to two seconds."""

    def __init__(self, now_us: int) -> None:
        self._marks: deque[tuple[int, int]] = deque([(now_us, 0)])
        self.total = 0

    def add(self, amount: int, now_us: int) -> None:
        """Note an amount."""
        self.total += amount
        if now_us - self._marks[-1][0] >= _PERIOD_US:
            self._marks.append((now_us, self.total))
            while len(self._marks) > 2:
                self._marks.popleft()

    def per_s(self, now_us: int) -> float:
        """The amount a second."""
        since_us, total = self._marks[0]
        return (self.total - total) * 1e6 / max(now_us - since_us, 1)
