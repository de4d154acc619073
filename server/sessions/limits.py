"""Owns what sessions are bounded by."""

from dataclasses import dataclass

from armspan.solvers import Method


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one server's sessions, and how they run."""

    rate_hz: float = 60.0
    method: Method = Method.ROBUST
    sessions: int = 64
    people: int = 64
    spectators: int = 64
    grace_us: int = 30_000_000
    """How long a lost participant's avatar waits for its token."""
