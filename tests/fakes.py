"""Fakes that tests share: a clock that stands still, a socket and a receiver that remember."""

from collections.abc import Callable

import numpy as np
from armspan.protocol import (
    PROTOCOL_REVISION,
    CloseCode,
    Event,
    Hello,
    Role,
    ServerMessage,
    decode_from_server,
)
from armspan.protocol.frames import Snapshot, decode_snapshot
from armspan.server.sessions import FRAME_HEADROOM_BYTES
from armspan.server.wire import write_hands, write_tracker


class FakeClock:
    """Microseconds that pass only when told."""

    def __init__(self, now_us: int = 1_000_000) -> None:
        self.now_us = now_us

    def __call__(self) -> int:
        return self.now_us

    def pass_s(self, seconds: float) -> int:
        self.now_us += round(seconds * 1e6)
        return self.now_us


class FakeAlarm:
    """An alarm that a test rings."""

    def __init__(self, on_ring: Callable[[], None]) -> None:
        self.ring = on_ring
        self.at_us: int | None = None

    def set(self, at_us: int) -> None:
        self.at_us = at_us

    def close(self) -> None:
        self.at_us = None


class FakeReceiver:
    """A receiver that keeps what it is sent; a slow one skips snapshots."""

    def __init__(self) -> None:
        self.snapshots_skipped = 0
        self.slow = False
        self.snapshots: list[Snapshot] = []
        self.messages: list[ServerMessage] = []
        self.closed: tuple[CloseCode, str] | None = None
        self.on_send: Callable[[], None] = lambda: None

    def offer_snapshot(self, frame: bytearray) -> bool:
        if self.slow:
            self.snapshots_skipped += 1
            return False
        self.snapshots.append(decode_snapshot(bytes(frame[FRAME_HEADROOM_BYTES:])))
        return True

    def send(self, payload: bytes) -> None:
        self.messages.append(decode_from_server(payload))
        self.on_send()

    def pass_on(self, payload: bytes) -> bool:
        if not self.slow:
            self.messages.append(decode_from_server(payload))
        return not self.slow

    def offer(self, payload: bytes) -> None:
        self.messages.append(decode_from_server(payload))

    def close(self, code: CloseCode, text: str) -> None:
        self.closed = (code, text)

    def events(self) -> list[Event]:
        return [message for message in self.messages if isinstance(message, Event)]


class FakeOutlet:
    """A socket that keeps what it is told, in order."""

    def __init__(self) -> None:
        self.buffered = 0
        self.sent: list[bytes] = []
        self.frames: list[bytes] = []
        self.pings = 0
        self.pongs: list[bytes] = []
        self.closed: tuple[int, str] | None = None
        self.reading = True
        self.disconnected = False
        self.aborted = False

    def buffered_bytes(self) -> int:
        return self.buffered

    def send(self, payload: bytes) -> None:
        self.sent.append(payload)

    def send_frame(self, frame: bytearray) -> None:
        self.frames.append(bytes(frame[FRAME_HEADROOM_BYTES:]))

    def ping(self) -> None:
        self.pings += 1

    def pong(self, payload: bytes) -> None:
        self.pongs.append(payload)

    def close(self, code: int, reason: str) -> None:
        assert self.closed is None, "closed twice"
        self.closed = (code, reason)

    def stop_reading(self) -> None:
        self.reading = False

    def disconnect(self) -> None:
        self.disconnected = True

    def abort(self) -> None:
        self.aborted = True

    def messages(self) -> list[ServerMessage]:
        return [decode_from_server(payload) for payload in self.sent]


def hello(name: str = "Ada", role: Role = Role.PARTICIPANT, **more: object) -> Hello:
    """A hello of the present version."""
    present = {"protocol_version": 1, "revision": PROTOCOL_REVISION}
    return Hello.model_validate({**present, "name": name, "role": role, **more})


def tracker(
    x: float = 0.0,
    *,
    tracked: int = 7,
    discontinuity: int = 0,
    sample_time_us: int = 0,
    height: float = 1.6,
) -> bytes:
    """A tracker frame: the head at (x, height, 0), the hands before the chest."""
    rest = [0.0, 0.0, 0.0, 1.0]
    poses = np.array([x, height, 0.0, *rest, x - 0.2, 1.1, -0.3, *rest, x + 0.2, 1.1, -0.3, *rest])
    return write_tracker(
        poses,
        np.zeros(8, np.uint8),
        tracked=tracked,
        discontinuity=discontinuity,
        sample_time_us=sample_time_us,
    )


def hands(flags: int = 15, angle_rad: float = 0.5, x: float = 1.0) -> bytes:
    """A hands frame: every joint at one angle, both hands pointing at (x, 2x, 3x)."""
    return write_hands(flags, np.full(40, angle_rad), np.tile(np.array([1.0, 2.0, 3.0]) * x, 2))
