"""Owns what the server counts; plain integers, so that counting costs next to nothing."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Counters:
    """Totals since the server started."""

    sockets_opened: int = 0
    upgrades_refused: int = 0
    messages_received: int = 0
    bytes_received: int = 0
    snapshots_sent: int = 0
    snapshots_skipped: int = 0
    snapshot_bytes_sent: int = 0
    control_messages_sent: int = 0
    signals_passed: int = 0
    signals_dropped: int = 0
    """Signals that came too fast, or for somebody who could not take them."""
    closes: Counter[int] = field(default_factory=Counter[int])
    """By close code: the server's own, and what peers closed with."""
