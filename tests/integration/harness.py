"""Real servers and sockets for tests: a server in this loop, a client that may misbehave."""

import asyncio
import base64
import contextlib
import functools
import json
import os
import socket
import struct
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from armspan.protocol import (
    SNAPSHOT_ID,
    Error,
    Event,
    Rename,
    Role,
    ServerMessage,
    Welcome,
    decode_from_server,
    encode,
)
from armspan.protocol.frames import Snapshot, decode_snapshot
from armspan.server.gateway.assembly import Opcode
from armspan.server.serving import Running, serving
from armspan.server.settings import Settings
from armspan.server.warm import warm_up

from tests.fakes import hello

DEADLINE_S = 10.0
compiled = functools.cache(warm_up)
_M = TypeVar("_M")


@contextlib.asynccontextmanager
async def server(secret: str | None = None, **settings: object) -> AsyncIterator[Running]:
    """A server on a free port of loopback, with other settings than the defaults if given."""
    compiled()
    async with serving(Settings.model_validate({"port": 0, **settings}), secret) as running:
        yield running


def tell(figures: str) -> None:
    """Print what a test measured (shown with -s or -rP)."""
    sys.stdout.write(f"\n{figures}\n")


async def until(condition: Callable[[], bool], what: str = "the condition") -> None:
    """Wait for a condition, and fail if it does not come true."""
    deadline = asyncio.get_running_loop().time() + DEADLINE_S
    while not condition():
        assert asyncio.get_running_loop().time() < deadline, f"{what} did not come true"
        await asyncio.sleep(0.005)


async def in_time(awaitable: Awaitable[_M], seconds: float = DEADLINE_S) -> _M:
    """What is awaited, or a failure after a while."""
    return await asyncio.wait_for(awaitable, seconds)


@dataclass(frozen=True, slots=True)
class Closed:
    """A close frame, or the connection's end without one (code 1006)."""

    code: int
    reason: str = ""


SNAPSHOT_HEADER = struct.Struct("<xxHIQ")


class SnapshotHeader(NamedTuple):
    """The beginning of a snapshot."""

    avatars: int
    tick: int
    session_time_us: int


class RawSocket:
    """A WebSocket client that sends exactly what it is told, sound or not."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.seen: list[ServerMessage | Snapshot | SnapshotHeader] = []
        self.counting = False
        """Read only the headers of snapshots; thirty clients that decode would be the slow ones."""
        self._buffer = bytearray()  # so that a reader may be cancelled between two frames

    @classmethod
    async def connect(cls, port: int, receive_buffer_bytes: int | None = None) -> "RawSocket":
        """Connect; with a small buffer, its kernel is full soon after it stops reading."""
        plain = socket.socket()
        if receive_buffer_bytes is not None:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_bytes)
        plain.setblocking(False)
        await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", port))
        limit = 4096 if receive_buffer_bytes is not None else 65536
        return cls(*await asyncio.open_connection(sock=plain, limit=limit))

    @classmethod
    async def open(
        cls,
        port: int,
        session: str = "review",
        receive_buffer_bytes: int | None = None,
        **headers: str,
    ) -> "RawSocket":
        """Connect and upgrade."""
        raw = await cls.connect(port, receive_buffer_bytes)
        raw.writer.write(head(port, session, **headers))
        status, _ = await raw.response()
        assert status == 101, status
        return raw

    @classmethod
    async def join(
        cls,
        port: int,
        name: str = "Ada",
        session: str = "review",
        receive_buffer_bytes: int | None = None,
        **more: object,
    ) -> "RawSocket":
        """Connect, upgrade, say hello and take the welcome."""
        raw = await cls.open(port, session, receive_buffer_bytes)
        raw.send(encode(hello(name, **more)))
        await raw.next(Welcome)
        return raw

    @classmethod
    async def watch(cls, port: int, session: str = "review") -> "RawSocket":
        return await cls.join(port, "Eve", session, role=Role.SPECTATOR)

    async def response(self) -> tuple[int, dict[str, str]]:
        """Status and headers of an HTTP response."""
        raw = await in_time(self.reader.readuntil(b"\r\n\r\n"))
        lines = raw.decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
        return int(lines[0].split()[1]), headers

    @property
    def welcome(self) -> Welcome:
        return next(message for message in self.seen if isinstance(message, Welcome))

    def send(self, payload: bytes, opcode: int = Opcode.BINARY, **more: bool) -> None:
        self.writer.write(frame(payload, opcode, **more))

    async def receive(
        self,
    ) -> ServerMessage | Snapshot | SnapshotHeader | Closed | tuple[int, bytes]:
        """The next message; control frames come as (opcode, payload)."""
        while (whole := split_frame(self._buffer)) is None:
            try:
                read = await self.reader.read(65536)
            except ConnectionError:
                read = b""
            if not read:
                return Closed(1006)
            self._buffer += read
        opcode, payload, size = whole
        del self._buffer[:size]
        if opcode == Opcode.CLOSE:
            return Closed(int.from_bytes(payload[:2], "big"), payload[2:].decode())
        if opcode != Opcode.BINARY:
            return opcode, payload
        if payload[0] != SNAPSHOT_ID:
            message = decode_from_server(payload)
        elif self.counting:
            message = SnapshotHeader(*SNAPSHOT_HEADER.unpack_from(payload))
        else:
            message = decode_snapshot(payload)
        self.seen.append(message)
        return message

    async def next(self, kind: type[_M]) -> _M:
        """The next message of a kind; those before it are only seen."""

        async def find() -> _M:
            while not isinstance(message := await self.receive(), kind):
                assert not isinstance(message, Closed), f"closed: {message}, {self.seen[-1:]}"
            return message

        return await in_time(find())

    async def closing(self) -> tuple[Error | None, Closed]:
        """The error, if one was sent, and how the connection was closed."""

        async def find():
            error = None
            while not isinstance(message := await self.receive(), Closed):
                if isinstance(message, Error):
                    error = message
            return error, message

        return await in_time(find())

    async def rename_until(self, over: Callable[[], object], most: int = 20_000) -> None:
        """Pile up events for everyone, until something has happened."""
        for n in range(most):
            self.send(encode(Rename(name=f"{n} {'x' * 40}")))
            if n % 50 == 0:
                await asyncio.sleep(0)
                if over():
                    return

    async def snapshots(self, seconds: float) -> list[Snapshot | SnapshotHeader]:
        """What comes within a time."""
        before = len(self.seen)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not isinstance(await self.receive(), Closed):
                    pass
        return [m for m in self.seen[before:] if isinstance(m, (Snapshot, SnapshotHeader))]

    def events(self) -> list[Event]:
        return [message for message in self.seen if isinstance(message, Event)]

    def drop(self) -> None:
        """End the connection as a lost network does: without a word."""
        self.writer.transport.abort()

    async def __aenter__(self) -> "RawSocket":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.drop()


def split_frame(buffer: bytearray) -> tuple[int, bytes, int] | None:
    """Opcode, payload and whole size of the first frame of a server, if it is all there."""
    if len(buffer) < 2:
        return None
    assert not buffer[1] & 0x80, "a server never masks"
    size, start = buffer[1], 2
    if size > 125:
        start = 4 if size == 126 else 10
        if len(buffer) < start:
            return None
        size = int.from_bytes(buffer[2:start], "big")
    if len(buffer) < start + size:
        return None
    return buffer[0] & 0x0F, bytes(buffer[start : start + size]), start + size


def head(port: int, session: str = "review", **headers: str) -> bytes:
    """An upgrade request."""
    sent = {
        "Host": f"127.0.0.1:{port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        "Sec-WebSocket-Version": "13",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    return f"GET /ws/{session} HTTP/1.1\r\n{lines}\r\n".encode()


def frame(
    payload: bytes,
    opcode: int = Opcode.BINARY,
    *,
    last: bool = True,
    masked: bool = True,
    reserved: bool = False,
) -> bytes:
    """A client's WebSocket frame; unmasked or with reserved bits if asked to."""
    first = opcode | (0x80 if last else 0) | (0x40 if reserved else 0)
    size = len(payload)
    if size < 126:
        length = bytes((size,))
    elif size < 65536:
        length = b"\x7e" + size.to_bytes(2, "big")
    else:
        length = b"\x7f" + size.to_bytes(8, "big")
    if not masked:
        return bytes((first,)) + length + payload
    mask = os.urandom(4)
    hidden = bytes(byte ^ mask[n % 4] for n, byte in enumerate(payload))
    return bytes((first, length[0] | 0x80)) + length[1:] + mask + hidden


async def get(
    port: int, path: str, host: str | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """An HTTP GET, by hand: status, headers, body."""
    raw = await RawSocket.connect(port)
    async with raw:
        sent = {"Host": host or f"127.0.0.1:{port}", "Connection": "close", **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        raw.writer.write(f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode())
        status, answered = await raw.response()
        return status, answered, await in_time(raw.reader.read())


async def get_json(port: int, path: str, **headers: str) -> dict[str, Any]:
    """The body of an HTTP GET that must succeed."""
    status, _, body = await get(port, path, **headers)
    assert status == 200, (status, body)
    return json.loads(body)


async def metric(port: int, name: str, **labels: str) -> float:
    """A number that Prometheus would read; 0 where there is none yet."""
    _, _, body = await get(port, "/metrics")
    inside = ",".join(f'{label}="{value}"' for label, value in labels.items())
    wanted = f"{name}{{{inside}}}" if inside else name
    for line in body.decode().splitlines():
        if line.startswith(wanted + " "):
            return float(line.split()[-1])
    return 0.0
