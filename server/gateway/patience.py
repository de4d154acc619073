"""Owns how much a peer may take: time, messages, and bytes that wait for it."""

from dataclasses import dataclass

from armspan.protocol import caps


@dataclass(frozen=True, slots=True)
class Patience:
    """The bounds of one peer."""

    handshake_us: int = round(caps.HANDSHAKE_S * 1e6)
    silence_us: int = round(caps.SILENCE_S * 1e6)
    linger_us: int = 1_000_000
    """How long a closed peer may take to close its side."""
    messages_per_s: float = caps.MESSAGES_PER_S
    messages_burst: float = caps.MESSAGES_BURST
    changes_per_s: float = caps.CHANGES_PER_S
    """Of name, lengths, look and voice: what one peer does to itself, all others are told."""
    changes_burst: float = caps.CHANGES_BURST
    signals_per_s: float = caps.SIGNALS_PER_S
    signals_burst: float = caps.SIGNALS_BURST
    backlog_bytes: int = 524_288
    """Events for a peer that reads nothing pile up to this much."""
