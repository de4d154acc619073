"""Owns one peer from its first frame to its close: what it may send when, and what it gets.

Sans-IO: frames come in as calls with the time, everything else goes out through an Outlet.
"""

import logging
from typing import Protocol

from armspan.protocol import (
    HANDS_FRAME_ID,
    TRACKER_FRAME_ID,
    CloseCode,
    Error,
    Hello,
    ProtocolError,
    close_reason,
    decode_from_client,
    encode,
)
from armspan.server.counters import Counters
from armspan.server.gateway.assembly import NO_STATUS, Assembly, Opcode, close_code
from armspan.server.gateway.bucket import TokenBucket
from armspan.server.gateway.outlet import Outlet
from armspan.server.gateway.patience import Patience
from armspan.server.gateway.requests import HANDS_REVISION, Requests, require_revision
from armspan.server.sessions import Receiver, Seat

_SNAPSHOTS_BEHIND = 2
_PLAIN = 1000
_LOST = 1006  # RFC 6455 section 7.1.5: a connection that ended without a close frame
_OTHER = 0  # for the counters: any code that is none of these
_PEERS_COUNTED = frozenset({_PLAIN, 1001, NO_STATUS, _LOST})
_FAULTS = range(4400, 4430)  # the peer broke a rule; further codes are the network's or ours
_PONG_BEHIND_BYTES = 65_536
_SIGNALS_BEHIND_BYTES = 65_536
_UNEXPLAINED = frozenset({CloseCode.LEFT})
_FLOODING = frozenset({CloseCode.FLOOD, CloseCode.TOO_LARGE})

_log = logging.getLogger(__name__)


class Host(Protocol):
    """What a peer asks of the gateway."""

    counters: Counters
    patience: Patience

    def clock(self) -> int: ...
    def admit(self, session: str, hello: Hello, receiver: Receiver, now_us: int) -> Seat: ...


class Peer:
    """One WebSocket. It waits for hello, has a seat, or is closed, in that order."""

    __slots__ = (
        "_assembly",
        "_bucket",
        "_buffered_bytes",
        "_closed_us",
        "_counters",
        "_heard_us",
        "_host",
        "_opened_us",
        "_outlet",
        "_pinged",
        "_requests",
        "_seat",
        "_session",
        "snapshots_skipped",
    )

    def __init__(self, host: Host, session: str, outlet: Outlet, now_us: int) -> None:
        self._host = host
        self._counters = host.counters
        self._session = session
        self._outlet = outlet
        self._buffered_bytes = outlet.buffered_bytes
        self._bucket = TokenBucket(host.patience.messages_per_s, host.patience.messages_burst)
        self._requests = Requests(host, self)
        self._assembly = Assembly()
        self._seat: Seat | None = None
        self._opened_us = now_us
        self._heard_us = now_us
        self._pinged = False
        self._closed_us: int | None = None
        self.snapshots_skipped = 0

    @property
    def pending(self) -> bool:
        """Whether hello is still to come."""
        return self._seat is None and self._closed_us is None

    # What comes in

    def on_frame(self, opcode: int, last: bool, payload: memoryview, now_us: int) -> None:
        """One WebSocket frame; the payload is only valid during the call."""
        if not self._bucket.take(1, now_us):
            self._flooded()
            return
        if self._closed_us is not None:
            if opcode == Opcode.CLOSE:
                self._outlet.disconnect()
            return
        self._heard_us = now_us
        self._pinged = False
        counters = self._counters
        counters.messages_received += 1
        counters.bytes_received += len(payload)
        try:
            if opcode >= Opcode.CLOSE:
                self._on_control_frame(opcode, payload, now_us)
            else:
                message = self._assembly.add(opcode, last, payload)
                if message is not None:
                    self._on_message(message, now_us)
        except ProtocolError as broken:
            self.close(broken.close_code, broken.text)

    def on_lost(self, now_us: int) -> None:
        """The socket is gone."""
        if self._closed_us is None:
            self._count_peers_close(_LOST)
            self._end(now_us)

    def _on_message(self, message: bytes | memoryview, now_us: int) -> None:
        seat = self._seat
        kind = message[0] if len(message) else None
        if seat is None:
            self._on_first(message, now_us)
        elif kind == TRACKER_FRAME_ID:
            seat.write_pose(message, now_us)
        elif kind == HANDS_FRAME_ID:
            require_revision(seat, HANDS_REVISION, "hands frames")
            seat.write_hands(message, now_us)
        else:
            self._requests.take(decode_from_client(message), seat, now_us)

    def _on_first(self, message: bytes | memoryview, now_us: int) -> None:
        if len(message) and message[0] in (TRACKER_FRAME_ID, HANDS_FRAME_ID):
            raise ProtocolError(
                CloseCode.MALFORMED, "A pose came before hello; hello opens a connection."
            )
        hello = decode_from_client(message)
        if not isinstance(hello, Hello):
            raise ProtocolError(
                CloseCode.MALFORMED,
                f"{type(hello).__name__} came before hello; hello opens a connection.",
            )
        self._seat = self._host.admit(self._session, hello, self, now_us)
        if self._closed_us is not None:  # it overflowed while it was welcomed
            self._seat.lose(now_us)

    def _on_control_frame(self, opcode: int, payload: memoryview, now_us: int) -> None:
        if opcode == Opcode.PING:
            self._answer_ping(bytes(payload))
        elif opcode == Opcode.CLOSE:
            code = close_code(payload)
            if code == _PLAIN and self._seat is not None:
                self._seat.leave(now_us)
            self._count_peers_close(code)
            self._outlet.close(_PLAIN if code == NO_STATUS else code, "")
            self._end(now_us)
            self._outlet.disconnect()

    def _answer_ping(self, payload: bytes) -> None:
        """Pong, unless the peer is behind: a later ping is answered instead (RFC 6455, 5.5.3)."""
        behind_bytes = self._buffered_bytes()
        if behind_bytes > self._host.patience.backlog_bytes:
            self.close(CloseCode.TOO_SLOW, CloseCode.TOO_SLOW.sentence)
        elif behind_bytes <= _PONG_BEHIND_BYTES:
            self._outlet.pong(payload)

    # What goes out: a session's Receiver

    def offer_snapshot(self, frame: bytearray) -> bool:
        """Send a snapshot, or skip it: one that waits behind two others is old when it arrives."""
        if self._closed_us is not None:
            return False
        if self._buffered_bytes() > _SNAPSHOTS_BEHIND * len(frame):
            self.snapshots_skipped += 1
            self._counters.snapshots_skipped += 1
            return False
        self._counters.snapshots_sent += 1
        self._outlet.send_frame(frame)
        return True

    def send(self, payload: bytes) -> None:
        """Send what must not be lost; a peer that lets it pile up is closed."""
        if self._closed_us is not None:
            return
        if self._buffered_bytes() > self._host.patience.backlog_bytes:
            self.close(CloseCode.TOO_SLOW, CloseCode.TOO_SLOW.sentence)
            return
        self._counters.control_messages_sent += 1
        self._outlet.send(payload)

    def pass_on(self, payload: bytes) -> bool:
        """Send what another peer wrote, unless this one is far behind; never closes it."""
        if self._closed_us is not None or self._buffered_bytes() > _SIGNALS_BEHIND_BYTES:
            return False
        self._counters.control_messages_sent += 1
        self._outlet.send(payload)
        return True

    def offer(self, payload: bytes) -> None:
        """Send what is worth nothing when late, unless the peer is behind."""
        if self._closed_us is None and not self._buffered_bytes():
            self._counters.control_messages_sent += 1
            self._outlet.send(payload)

    def close(self, code: CloseCode, text: str) -> None:
        """Say why and close; the seat is free at once. Only the first call does anything."""
        if self._closed_us is not None:
            return
        self._counters.closes[code] += 1
        self._end(self._host.clock(), close_reason(text) if code in _FAULTS else "")
        if code not in _UNEXPLAINED:
            self._outlet.send(encode(Error(code=int(code), text=text)))
            _log.info("Closed a peer of session %s: %d, %s", self._session, code, text)
        self._outlet.close(code, close_reason(text))
        if code in _FLOODING:
            self._outlet.stop_reading()

    # Time passes

    def sweep(self, now_us: int) -> None:
        """Close what is too slow, ping what is silent; a few times a second."""
        patience = self._host.patience
        if self._closed_us is not None:
            if now_us - self._closed_us > patience.linger_us:
                self._outlet.abort()
        elif self._seat is None and now_us - self._opened_us > patience.handshake_us:
            self.close(CloseCode.HANDSHAKE_TIMEOUT, CloseCode.HANDSHAKE_TIMEOUT.sentence)
        elif now_us - self._heard_us > patience.silence_us:
            self.close(CloseCode.SILENT, CloseCode.SILENT.sentence)
        elif not self._pinged and now_us - self._heard_us > patience.silence_us // 2:
            self._pinged = True
            self._outlet.ping()

    def abort(self) -> None:
        """Close the socket now."""
        self._outlet.abort()

    # Inside

    def _flooded(self) -> None:
        if self._closed_us is not None:
            self._outlet.stop_reading()  # it goes on after it was told
        else:
            self.close(CloseCode.FLOOD, CloseCode.FLOOD.sentence)

    def _end(self, now_us: int, fault: str = "") -> None:
        self._closed_us = now_us
        if self._seat is None:
            return
        if fault:  # what broke a rule holds no place of the session's
            self._seat.leave(now_us, fault)
        else:
            self._seat.lose(now_us)

    def _count_peers_close(self, code: int) -> None:
        # Under the server's own codes only its own closes are counted.
        self._counters.closes[code if code in _PEERS_COUNTED else _OTHER] += 1
