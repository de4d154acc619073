"""Owns the first bytes of every connection to a port that speaks TLS.

A TLS handshake leads to the HTTP protocol behind it; plain HTTP is led to https and gets nothing
else. TLS is started on a transport that is held here, so that its buffers can be bounded: whatever
the kernel does not take has to be counted where a peer's backlog is judged, in the TLS transport.
"""

import asyncio
import logging
import ssl
from collections.abc import Callable, Coroutine
from typing import Any, cast

from armspan.server.tls import redirect

_HANDSHAKE = 0x16
"""The first byte of every TLS connection (RFC 8446, 5.1); no HTTP request begins so."""
_WAITING_MOST = 1024
"""Connections that have not finished their handshake; beyond it the oldest is cut off."""
_SHUTDOWN_S = 2.0
_DROPPED = (OSError, ssl.SSLError, EOFError, TimeoutError)

MakeProtocol = Callable[[], asyncio.Protocol]

_log = logging.getLogger(__name__)


class Door:
    """Every connection on its way to TLS."""

    def __init__(
        self,
        context: ssl.SSLContext,
        tasks: asyncio.TaskGroup,
        *,
        patience_s: float,
        host_allowed: Callable[[str], bool],
    ) -> None:
        self.context = context
        self.patience_s = patience_s
        self.host_allowed = host_allowed
        self._tasks = tasks
        self._waiting: dict[Doorman, None] = {}  # oldest first

    def receive(self, behind: MakeProtocol) -> "Doorman":
        """The protocol of a connection that was just accepted."""
        return Doorman(self, behind)

    def enter(self, doorman: "Doorman") -> None:
        """Count a connection. An honest one is through soon, so the oldest gives way to it."""
        if len(self._waiting) >= _WAITING_MOST:
            oldest = next(iter(self._waiting))
            self.let_go(oldest)
            oldest.abort()
        self._waiting[doorman] = None

    def secure(self, doorman: "Doorman", begun: bytes) -> None:
        """Start TLS in a task of the server's."""
        self._tasks.create_task(doorman.secure(begun), name="tls-handshake")

    def let_go(self, doorman: "Doorman") -> None:
        """A connection is through, or gone."""
        self._waiting.pop(doorman, None)

    def close(self) -> None:
        """Cut off whoever is still on the way."""
        for doorman in list(self._waiting):
            doorman.abort()


class Doorman(asyncio.Protocol):
    """One connection until it is known what it speaks."""

    def __init__(self, door: Door, behind: MakeProtocol) -> None:
        self._door = door
        self._behind = behind
        self._begun = bytearray()
        self._raw: asyncio.Transport | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._handed_over = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first byte, and not for long."""
        self._raw = cast(asyncio.Transport, transport)
        self._door.enter(self)
        # With any mark above zero, bytes would wait here that nobody behind TLS can see.
        self._raw.set_write_buffer_limits(high=0)
        loop = asyncio.get_running_loop()
        self._deadline = loop.call_later(self._door.patience_s, self.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """It left before it was known what it speaks."""
        self._leave()

    def data_received(self, data: bytes) -> None:
        """The first bytes, or more of a plain request."""
        self._begun += data
        if self._handed_over or self._raw is None or self._raw.is_closing():
            return
        if self._begun[0] == _HANDSHAKE:
            self._handed_over = True
            self._raw.pause_reading()
            self._door.secure(self, bytes(self._begun))
        else:
            self._answer_plainly(bytes(self._begun))

    def abort(self) -> None:
        """Cut the connection off."""
        if self._raw is not None:
            self._raw.abort()

    async def secure(self, begun: bytes) -> None:
        """Shake hands, then put the protocol behind in place of this one."""
        raw = cast(asyncio.Transport, self._raw)
        anteroom = _Anteroom()
        tls: asyncio.Transport | None = None
        try:
            async with asyncio.timeout(self._door.patience_s), asyncio.TaskGroup() as tasks:
                shaking = tasks.create_task(self._shake_hands(raw, anteroom))
                # One step: TLS is in place and asked to be connected; what was read comes behind.
                await asyncio.sleep(0)
                asyncio.get_running_loop().call_soon(_feed, raw, begun)
            tls = shaking.result()
            if tls is not None:
                anteroom.lead_to(self._behind(), tls)
        except* _DROPPED as broken:
            _log.debug("A TLS handshake failed: %s", broken.exceptions[0])
        except* Exception:
            # A mistake of ours in one connection must not end the others.
            _log.exception("A connection could not be led behind the door")
        finally:
            self._leave()
        if tls is None:
            raw.abort()

    def _shake_hands(
        self, raw: asyncio.Transport, anteroom: "_Anteroom"
    ) -> Coroutine[Any, Any, asyncio.Transport | None]:
        return asyncio.get_running_loop().start_tls(
            raw,
            anteroom,
            self._door.context,
            server_side=True,
            ssl_handshake_timeout=self._door.patience_s,
            ssl_shutdown_timeout=_SHUTDOWN_S,
        )

    def _answer_plainly(self, begun: bytes) -> None:
        raw = cast(asyncio.Transport, self._raw)
        if redirect.is_whole(begun):
            raw.write(redirect.answer(begun, self._door.host_allowed))
            raw.close()
        elif len(begun) > redirect.HEAD_BYTES or not redirect.looks_like_http(begun):
            raw.abort()

    def _leave(self) -> None:
        self._door.let_go(self)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def _feed(raw: asyncio.Transport, begun: bytes) -> None:
    """Give what was read already to the protocol that reads now."""
    reading = cast(asyncio.BufferedProtocol, raw.get_protocol())
    rest = memoryview(begun)
    while rest and not raw.is_closing():
        room = memoryview(cast(memoryview, reading.get_buffer(len(rest))))
        taken = min(len(room), len(rest))
        room[:taken] = rest[:taken]
        reading.buffer_updated(taken)
        rest = rest[taken:]


class _Anteroom(asyncio.Protocol):
    """Keeps what comes between the end of the handshake and the protocol behind."""

    def __init__(self) -> None:
        self._early: list[bytes] = []
        self._ended = False

    def data_received(self, data: bytes) -> None:
        """A client's first request may come with the end of its handshake."""
        self._early.append(data)

    def eof_received(self) -> None:
        """Nothing more will come."""
        self._ended = True

    def lead_to(self, behind: asyncio.Protocol, tls: asyncio.Transport) -> None:
        """Put the protocol behind in place, with what has come already."""
        if tls.is_closing():
            return
        tls.set_protocol(behind)
        behind.connection_made(tls)
        for data in self._early:
            if tls.is_closing():
                return
            # Not always the one behind: its first request may have been an upgrade.
            cast(asyncio.Protocol, tls.get_protocol()).data_received(data)
        if self._ended and not tls.is_closing():
            cast(asyncio.Protocol, tls.get_protocol()).eof_received()
