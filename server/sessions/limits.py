"""Owns what sessions are bounded by, and the words for it."""

from dataclasses import dataclass

from armspan.protocol import CloseCode, ProtocolError, caps
from armspan.solvers import Method


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one server's sessions, and how they run."""

    rate_hz: float = 60.0
    method: Method = Method.ROBUST
    sessions: int = 64
    people: int = 64
    spectators: int = 64
    voice_people: int = caps.VOICE_PEOPLE
    """How many people of a session may have their voice on at once."""
    grace_us: int = 30_000_000
    """How long a lost participant's avatar waits for its token."""


def require_room(session: str, taken: int, most: int, who: str) -> None:
    """Refuse one more where there are as many as there may be. Raises ProtocolError."""
    if taken >= most:
        raise ProtocolError(
            CloseCode.SESSION_FULL,
            f"Session {session} is full: it has {taken} of at most {most} {who}; "
            "try again later or join another session.",
        )
