"""Owns the adapter between uvicorn's upgrade hook and picows' WebSocket.

uvicorn's ``ws=`` takes a protocol class: it is made, connected and given the request head, and
then becomes the transport's protocol. This one judges the request and is picows' own protocol from
there on, so a session's socket lives on the same port as the pages and its frames pass through
neither ASGI nor a task. picows' protocol class is not public: its version is pinned, and
``tests/server/gateway/test_contract.py`` fails if it changes under us.
"""

import asyncio
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

from armspan.protocol import CloseCode, caps
from armspan.server.clock import monotonic_us
from armspan.server.gateway.assembly import too_large
from armspan.server.gateway.gateway import Gateway
from armspan.server.gateway.peer import Peer
from armspan.server.gateway.socket_options import bound_buffers
from armspan.server.gateway.upgrade import Refusal, judge_upgrade, parse_head
from armspan.server.sessions import FRAME_HEADROOM_BYTES
from picows import WSAutoPingStrategy, WSCloseCode, WSFrame, WSListener, WSMsgType, WSTransport
from picows import picows as picows_core

_log = logging.getLogger(__name__)

_READ_BYTES = 8192
"""At most this much is read at once: picows doubles its buffer whenever a read fills it."""
_BUFFER_BYTES = 4 * _READ_BYTES

if TYPE_CHECKING:

    class _PicowsProtocol(asyncio.BufferedProtocol):
        """What is relied on of picows' protocol class, which its stubs leave out."""

        def __init__(self, *arguments: Any) -> None: ...
        def connection_made(self, transport: Any) -> None: ...
        def get_buffer(self, size_hint: int) -> memoryview: ...  # type: ignore[override]
else:
    _PicowsProtocol = picows_core.WSProtocol


class UpgradedSocket(_PicowsProtocol):
    """One connection from its upgrade request on."""

    def __init__(
        self,
        gateway: Gateway,
        *,
        unsent_bytes: int,
        send_buffer_bytes: int,
        **_uvicorns: Any,  # config, server_state, app_state
    ) -> None:
        self._gateway = gateway
        self._buffers = (unsent_bytes, send_buffer_bytes)
        self._tcp: asyncio.Transport | None = None
        self._judged = False
        self._session = ""
        self._listener: _Listener | None = None
        super().__init__(
            None,  # host and port, for clients
            None,  # path, for clients
            False,  # is_client_side
            self._listen,
            _Violations(self),
            True,  # disconnect_on_exception
            None,  # handshake timeout: the request is complete already
            False,  # enable_auto_ping: the gateway's sweep does it
            0,
            0,
            WSAutoPingStrategy.PING_WHEN_IDLE,
            False,  # enable_auto_pong: pings count as messages, too
            caps.CLIENT_MESSAGE_BYTES,
            None,  # extra headers
            _BUFFER_BYTES,
        )

    def connection_made(self, transport: Any) -> None:
        """Take the connection from uvicorn's HTTP protocol."""
        self._tcp = transport
        bound_buffers(transport.get_extra_info("socket"), *self._buffers)
        super().connection_made(transport)

    def get_buffer(self, size_hint: int) -> memoryview:
        """Where to read to: a part of picows' buffer, so that it never has to grow."""
        return super().get_buffer(size_hint)[:_READ_BYTES]

    def data_received(self, data: bytes) -> None:
        """The request head; then whatever had come with it."""
        if not self._judged:
            self._judged = True
            data = self._judge(data)
        rest = memoryview(data)
        while len(rest) and self._tcp is not None and not self._tcp.is_closing():
            room = self.get_buffer(-1)
            taken = min(len(room), len(rest))
            room[:taken] = rest[:taken]
            self.buffer_updated(taken)
            rest = rest[taken:]

    def _judge(self, head: bytes) -> bytes:
        """What picows is to see of the request: nothing, if it is refused."""
        if not self._gateway.accepting:
            return self._refuse(
                Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "Too many sockets are waiting; try later.")
            )
        judged = judge_upgrade(*parse_head(head), self._gateway.origins)
        if isinstance(judged, Refusal):
            return self._refuse(judged)
        self._session = judged.session
        return judged.head

    def _refuse(self, refusal: Refusal) -> bytes:
        self._gateway.counters.upgrades_refused += 1
        if self._tcp is not None:
            self._tcp.write(refusal.response())
            self._tcp.close()
        return b""

    def _listen(self, _request: object) -> WSListener:
        self._listener = _Listener(self._gateway, self._session)
        return self._listener

    def violation(self, code: WSCloseCode) -> None:
        """picows found a frame that breaks RFC 6455 and is about to close with its own code."""
        if self._listener is not None:
            self._listener.break_off(code)


class _Listener(WSListener):
    """picows' callbacks of one connection, as calls of its peer."""

    def __init__(self, gateway: Gateway, session: str) -> None:
        self._gateway = gateway
        self._session = session
        self.peer: Peer | None = None

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.peer = self._gateway.open(self._session, _PicowsOutlet(transport))
        self._on_frame = self.peer.on_frame

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.rsv1 or frame.rsv2 or frame.rsv3:
            self.break_off(WSCloseCode.PROTOCOL_ERROR)
            return
        self._on_frame(
            cast(int, frame.msg_type),
            frame.fin,
            frame.get_payload_as_memoryview(),
            monotonic_us(),
        )

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        if self.peer is not None:
            self._gateway.lost(self.peer)

    def pause_writing(self) -> None:
        """Nothing: snapshots are skipped by what is buffered, events are bounded by it."""

    def resume_writing(self) -> None:
        """Nothing: the next tick sees that the peer reads again."""

    def break_off(self, code: WSCloseCode) -> None:
        """Close for a frame that picows could not accept, with the protocol's own code."""
        if self.peer is None:
            return
        if code == WSCloseCode.MESSAGE_TOO_BIG:
            self.peer.close(CloseCode.TOO_LARGE, too_large().text)
        else:
            self.peer.close(
                CloseCode.MALFORMED,
                "A WebSocket frame breaks RFC 6455: opcode, mask, length or reserved bits.",
            )


class _PicowsOutlet:
    """A picows transport as an Outlet."""

    __slots__ = ("_is_closing", "_send", "_send_in_place", "_tcp", "_transport", "buffered_bytes")

    def __init__(self, transport: WSTransport) -> None:
        self._transport = transport
        self._tcp = transport.underlying_transport
        self._send = transport.send
        self._send_in_place = transport.send_reuse_external_bytearray
        self.buffered_bytes = self._tcp.get_write_buffer_size
        self._is_closing = self._tcp.is_closing

    def send(self, payload: bytes) -> None:
        if not self._is_closing():  # over TLS each of these would be a line in the log
            self._send(WSMsgType.BINARY, payload)

    def send_frame(self, frame: bytearray) -> None:
        if not self._is_closing():
            self._send_in_place(WSMsgType.BINARY, frame, FRAME_HEADROOM_BYTES)

    def ping(self) -> None:
        self._transport.send_ping()

    def pong(self, payload: bytes) -> None:
        self._transport.send_pong(payload)

    def close(self, code: int, reason: str) -> None:
        self._transport.send_close(cast(WSCloseCode, code), reason.encode())

    def stop_reading(self) -> None:
        if not self._tcp.is_closing():
            self._tcp.pause_reading()

    def disconnect(self) -> None:
        self._tcp.close()

    def abort(self) -> None:
        self._tcp.abort()


class _Violations:
    """The logger that picows is given: it tells of broken frames there first, then closes.

    It also tells of exceptions, which are mistakes of ours. Nothing else that picows logs is
    kept; none of it is needed, and frames may hold keys.
    """

    def __init__(self, owner: UpgradedSocket) -> None:
        self._owner = owner

    def isEnabledFor(self, _level: int) -> bool:  # noqa: N802 - a logger's name
        return False

    def error(self, _text: str, *details: object) -> None:
        args = details[0] if details else None
        code = cast(tuple[object, ...], args)[0] if isinstance(args, tuple) and args else None
        self._owner.violation(code if isinstance(code, WSCloseCode) else WSCloseCode.PROTOCOL_ERROR)

    def exception(self, text: str, *details: object) -> None:
        _log.exception(text, *details)

    def debug(self, _text: str, *_details: object) -> None: ...
    def info(self, _text: str, *_details: object) -> None: ...
    def warning(self, _text: str, *_details: object) -> None: ...
    def log(self, _level: int, _text: str, *_details: object) -> None: ...
