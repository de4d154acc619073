"""Owns what uvicorn's HTTP protocol lacks: deadlines, a bound on connections, and early frames.

A connection that sends no whole request in time is closed, and so is one that lingers between
requests, or takes nothing of its response. Frames that a client sends right behind its upgrade
request are handed on.
"""

import asyncio
from typing import Any, cast

import h11
from armspan.server.gateway.bounded_http import BoundedConnection
from armspan.server.gateway.socket_options import bound_buffers
from armspan.server.gateway.upgraded_socket import UpgradedSocket
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

_CONNECTIONS_MOST = 2048
"""Open at once and not upgraded; what comes beyond is cut off."""
_UNSENT_BYTES = 16_384
_SEND_BUFFER_BYTES = 65_536


class PatientHttp(H11Protocol):
    """uvicorn's h11 protocol with deadlines, for each request head and each step of reading."""

    def __init__(self, head_timeout_s: float, **uvicorns: Any) -> None:
        super().__init__(**uvicorns)
        self.conn = BoundedConnection()
        self._head_timeout_s = head_timeout_s
        self._deadline: asyncio.TimerHandle | None = None
        self._stuck_bytes = 0
        """What waited to be read at the last look, if nothing was added since."""
        self._upgraded = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request."""
        super().connection_made(transport)
        if len(self.connections) > _CONNECTIONS_MOST:
            transport.abort()
            return
        bound_buffers(transport.get_extra_info("socket"), _UNSENT_BYTES, _SEND_BUFFER_BYTES)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        """Go on with a response: the client reads."""
        self._stuck_bytes = 0
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP; of an answer that is under way, or due, nothing more is sent."""
        cycle = cast(RequestResponseCycle | None, self.cycle)
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True  # as after a lost connection, it ends without a word
            cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Hand the connection over, with what had come behind the request."""
        self._upgraded = True
        self._stop_waiting()
        super().handle_websocket_upgrade(event)
        early, _closed = self.conn.trailing_data
        upgraded = self.transport.get_protocol()
        if early and isinstance(upgraded, UpgradedSocket):
            upgraded.data_received(early)

    def on_response_complete(self) -> None:
        """Start waiting for the next request."""
        super().on_response_complete()
        # A request that had come along was begun by that; it may have been an upgrade.
        if not self._upgraded and not self.transport.is_closing():
            self._wait()

    def _wait(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(self._head_timeout_s, self._look)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _look(self) -> None:
        """The time is over: of a request, or of another step in the reading of a response."""
        waiting_bytes = self.transport.get_write_buffer_size()
        if waiting_bytes and waiting_bytes == self._stuck_bytes:
            self.transport.abort()
            return
        self._stuck_bytes = waiting_bytes
        cycle = cast(RequestResponseCycle | None, self.cycle)
        answered = cycle is None or cycle.response_complete
        if answered and not self.transport.is_closing():
            self.transport.close()
        self._wait()  # a close, too, waits for what is not read yet
