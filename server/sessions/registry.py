"""Owns the sessions of a server: made when first joined, removed when empty."""

import logging
from collections.abc import Callable

from armspan.protocol import CloseCode, Hello, ProtocolError
from armspan.server.clock import Clock
from armspan.server.sessions.limits import Limits
from armspan.server.sessions.receiver import Receiver
from armspan.server.sessions.roster import NewToken, random_token
from armspan.server.sessions.schedule import Due
from armspan.server.sessions.seat import Seat
from armspan.server.sessions.session import Session
from armspan.server.sessions.statistics import Lateness
from armspan.server.sessions.voice_servers import VoiceHelp

_log = logging.getLogger(__name__)


class Registry:
    """All sessions by name."""

    def __init__(
        self,
        limits: Limits,
        clock: Clock,
        new_token: NewToken = random_token,
        voice_help: VoiceHelp | None = None,
    ) -> None:
        self.limits = limits
        self.lateness = Lateness()
        self._clock = clock
        self._new_token = new_token
        self._voice_help = voice_help or VoiceHelp()
        self._sessions: dict[str, Session] = {}
        self.on_end: Callable[[str], None] = _nobody_asks
        """Told the name of each session that is over."""

    def find(self, name: str) -> Session | None:
        """The session of this name, if there is one."""
        return self._sessions.get(name)

    def sessions(self) -> list[Session]:
        """The sessions there are, oldest first."""
        return list(self._sessions.values())

    def join(self, name: str, hello: Hello, receiver: Receiver, now_us: int) -> Seat:
        """A seat in the session of this name, which is made if there is none.

        Raises:
            ProtocolError: the session or the server is full; nothing has changed.
        """
        session = self._sessions.get(name)
        if session is not None:
            return session.join(hello, receiver, now_us)
        most = self.limits.sessions
        if len(self._sessions) >= most:
            self.sweep(now_us)  # one that is empty since the last sweep counts no more
        if len(self._sessions) >= most:
            raise ProtocolError(
                CloseCode.SERVER_FULL,
                f"There are {most} of at most {most} sessions; join one of them or try later.",
            )
        session = Session(name, self.limits, now_us, self._clock, self._new_token, self._voice_help)
        seat = session.join(hello, receiver, now_us)
        self._sessions[name] = session
        return seat

    def tick(self, due: Due, now_us: int) -> None:
        """One tick of every session."""
        self.lateness.add(due.lateness_us, due.missed)
        for session in list(self._sessions.values()):
            try:
                session.tick(due, now_us, self.lateness)
            except Exception:
                # A mistake of ours in one session must not end the others.
                _log.exception("Session %s failed in its tick and is closed", session.name)
                self._remove(session.name)
                session.dissolve(CloseCode.RESTARTING, "The session failed; connect again.")

    def sweep(self, now_us: int) -> None:
        """Remove people whose grace is over, then sessions that are empty. A few times a second."""
        for session in list(self._sessions.values()):
            session.expire(now_us)
            if session.empty:
                self._remove(session.name)

    def refresh_statistics(self) -> None:
        """Work out what the next second's statistics tell."""
        self.lateness.refresh()

    def close(self) -> None:
        """End every session: the server goes."""
        for session in self.sessions():
            session.dissolve(CloseCode.RESTARTING, CloseCode.RESTARTING.sentence)
            self._remove(session.name)

    def _remove(self, name: str) -> None:
        del self._sessions[name]
        self.on_end(name)


def _nobody_asks(_name: str) -> None:
    """What is done where nobody wants to know."""
