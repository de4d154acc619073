"""Owns the token bucket that tells a busy peer from a flooding one."""


class TokenBucket:
    """Lets ``per_s`` units a second through, and ``burst`` at once after a quiet time.

    Kept as the time at which the bucket would be full again: one comparison a message, nothing
    to refill, and nothing that grows.
    """

    __slots__ = ("_burst_us", "_full_at_us", "_unit_us")

    def __init__(self, per_s: float, burst: float) -> None:
        self._unit_us = 1e6 / per_s
        self._burst_us = burst * self._unit_us
        self._full_at_us = 0.0

    def take(self, units: float, now_us: int) -> bool:
        """Take units out; False, and nothing is taken, where the bucket holds fewer."""
        full_at_us = self._full_at_us
        if full_at_us < now_us:
            full_at_us = now_us
        full_at_us += units * self._unit_us
        if full_at_us - now_us > self._burst_us:
            return False
        self._full_at_us = full_at_us
        return True
