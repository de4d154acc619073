"""Owns what uvicorn's HTTP protocol lacks: a deadline for requests, and early frames.

A connection that sends no whole request in time is closed, and so is one that lingers between
requests. Frames that a client sends right behind its upgrade request are handed on.
"""

import asyncio
from typing import Any, cast

from armspan.server.gateway.upgraded_socket import UpgradedSocket
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle


class PatientHttp(H11Protocol):
    """uvicorn's h11 protocol with a deadline for each request head."""

    def __init__(self, head_timeout_s: float, **uvicorns: Any) -> None:
        super().__init__(**uvicorns)
        self._head_timeout_s = head_timeout_s
        self._deadline: asyncio.TimerHandle | None = None
        self._upgraded = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

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
            self._wait_for_head()

    def _wait_for_head(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(self._head_timeout_s, self._head_is_late)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _head_is_late(self) -> None:
        cycle = cast(RequestResponseCycle | None, self.cycle)
        answered = cycle is None or cycle.response_complete
        if answered and not self.transport.is_closing():
            self.transport.close()
