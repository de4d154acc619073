"""Many WebSocket clients at the price of a few: they throw away what comes, undecoded.

For load that must not compete with the server it is put on: raw sockets, one epoll, frames made
ahead. They are masked with zeros, which RFC 6455 allows, so payloads need no work. What arrives
is discarded in the kernel (MSG_TRUNC) and only counted.
"""

import heapq
import os
import select
import socket
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection as Pipe

import numpy as np
from armspan.protocol import PROTOCOL_VERSION, Hello, Role, encode
from armspan.server.bots.casting import Part, cast_random
from armspan.server.client import monotonic_us
from armspan.server.client.connection import NO_INPUTS
from armspan.server.wire import write_tracker

CONNECT_WITHIN_S = 10.0
AT_ONCE_BYTES = 1 << 22
FRAMES_AHEAD = 240  # of each sender's motion: four seconds, there and back
SAMPLE_TIME_AT = 4  # in a tracker frame
_TIME = struct.Struct("<Q")


@dataclass(frozen=True)
class Group:
    """``count`` clients that connect to one path; with a hello if it is given."""

    port: int
    path: str
    count: int
    hello: Hello | None = None
    rate_hz: float = 0.0  # of tracker frames; 0: they only receive
    offers: str = ""  # WebSocket extensions


@contextmanager
def draining(groups: Sequence[Group]) -> Iterator["Drain"]:
    """Connect all clients in a process of their own; they are gone when the block is left."""
    spawn = get_context("spawn")
    here, there = spawn.Pipe()
    process = spawn.Process(target=_main, args=(list(groups), there), name="drain", daemon=True)
    process.start()
    there.close()
    try:
        if not here.poll(60.0) or here.recv() != "connected":
            raise RuntimeError("the draining clients could not connect")
        yield Drain(here, process.pid or 0)
    finally:
        here.close()  # the process ends when it finds the pipe closed
        process.join(5.0)
        if process.is_alive():
            process.kill()
            process.join()


@dataclass
class Drain:
    """The process with the clients, from outside."""

    pipe: Pipe
    pid: int

    def received_bytes(self) -> list[int]:
        """What each group received so far, WebSocket headers included.

        Raises RuntimeError if a server closed any of the connections.
        """
        self.pipe.send("received")
        received: list[int]
        received, gone = self.pipe.recv()
        if gone:
            raise RuntimeError(f"{gone} draining clients were closed by the server")
        return received


def spectator(name: str = "Drain") -> Hello:
    return Hello(protocol_version=PROTOCOL_VERSION, name=name, role=Role.SPECTATOR)


def _main(groups: list[Group], pipe: Pipe) -> None:
    clients = _Clients(len(groups))
    for number, group in enumerate(groups):
        parts = cast_random(group.count, 100, seed=number) if group.rate_hz else []
        for index in range(group.count):
            connection = _connect(group, parts[index].name if parts else "")
            clients.add(number, connection)
            if parts:
                clients.senders.append(_Sender(connection, parts[index], group.rate_hz))
            clients.attend(0.0)  # who reads nothing for a while is closed
    pipe.send("connected")
    clients.epoll.register(pipe.fileno(), select.EPOLLIN)
    due = [(sender.next_due_us, order) for order, sender in enumerate(clients.senders)]
    heapq.heapify(due)
    while True:
        wait_s = max(0.0, (due[0][0] - monotonic_us()) / 1e6) if due else -1.0
        if clients.attend(wait_s, pipe.fileno()) and not _answer(pipe, clients):
            return
        now_us = monotonic_us()
        while due and due[0][0] <= now_us:
            sender = clients.senders[due[0][1]]
            if not sender.send(now_us):
                heapq.heappop(due)  # the server is gone; reading finds out, and counts it
            else:
                heapq.heapreplace(due, (sender.next_due_us, due[0][1]))


class _Clients:
    """All connections of the process, and what they received."""

    def __init__(self, groups: int) -> None:
        self.epoll = select.epoll()
        self.received = [0] * groups
        self.gone = 0
        self.senders: list[_Sender] = []
        self._connections: dict[int, tuple[int, socket.socket]] = {}

    def add(self, group: int, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._connections[connection.fileno()] = (group, connection)
        self.epoll.register(connection.fileno(), select.EPOLLIN)

    def attend(self, wait_s: float, other: int = -1) -> bool:
        """Throw away what has come; whether the descriptor ``other`` has something, too."""
        asked = False
        for descriptor, _ in self.epoll.poll(wait_s):
            if descriptor == other:
                asked = True
                continue
            group, connection = self._connections[descriptor]
            count = _discard(connection)
            self.received[group] += count
            if not count:
                self.gone += 1
                self.epoll.unregister(descriptor)
        return asked


def _answer(pipe: Pipe, clients: _Clients) -> bool:
    """Tell what was received; False when the parent is gone or wants the end."""
    try:
        pipe.recv()
        pipe.send((clients.received, clients.gone))
    except (EOFError, OSError):
        return False
    return True


def _discard(connection: socket.socket) -> int:
    """Throw away what has come; 0 when the other side is gone."""
    try:
        return connection.recv_into(_NOWHERE, AT_ONCE_BYTES, socket.MSG_TRUNC)
    except BlockingIOError:
        return 1
    except OSError:
        return 0


_NOWHERE = bytearray(AT_ONCE_BYTES)  # never written: the kernel drops the bytes


def _connect(group: Group, name: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", group.port), CONNECT_WITHIN_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    request = (
        f"GET {group.path} HTTP/1.1\r\nHost: 127.0.0.1:{group.port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        "Sec-WebSocket-Version: 13\r\n"
        + (f"Sec-WebSocket-Extensions: {group.offers}\r\n" if group.offers else "")
        + "\r\n"
    )
    connection.sendall(request.encode())
    head = b""
    while b"\r\n\r\n" not in head:
        got = connection.recv(1)  # not a byte of what follows: it is to be counted
        if not got:
            raise RuntimeError(f"{group.path}: refused ({head[:80]!r})")
        head += got
    if b" 101 " not in head.split(b"\r\n", 1)[0]:
        raise RuntimeError(f"{group.path}: refused ({head[:80]!r})")
    if group.hello is not None:
        hello = group.hello.model_copy(update={"name": name}) if name else group.hello
        connection.sendall(masked(encode(hello)))
    return connection


def masked(payload: bytes) -> bytes:
    """A client's binary WebSocket frame whose mask is zero (RFC 6455, section 5.3)."""
    if len(payload) < 126:
        head = bytes((0x82, 0x80 | len(payload)))
    else:
        head = bytes((0x82, 0x80 | 126)) + len(payload).to_bytes(2, "big")
    return head + bytes(4) + payload


class _Sender:
    """Sends one person's samples at an even rate, made ahead; only their times are new."""

    def __init__(self, connection: socket.socket, part: Part, rate_hz: float) -> None:
        self._connection = connection
        self._period_us = 1e6 / rate_hz
        self._clock_us = part.clock_us
        self._frames = [bytearray(frame) for frame in _frames(part, rate_hz)]
        self._time_at = len(self._frames[0]) - 104 + SAMPLE_TIME_AT
        self._begin_us = monotonic_us() + part.phase * self._period_us
        self._tick = 1

    @property
    def next_due_us(self) -> float:
        return self._begin_us + self._tick * self._period_us

    def send(self, now_us: int) -> bool:
        """Send the sample of now; missed ticks are not made up for. False: nobody is there."""
        self._tick = max(self._tick, int((now_us - self._begin_us) / self._period_us)) + 1
        frame = self._frames[self._tick % len(self._frames)]
        _TIME.pack_into(frame, self._time_at, self._clock_us + now_us)
        try:
            sent = self._connection.send(frame)
        except BlockingIOError:
            return True
        except OSError:
            return False
        if sent != len(frame):
            raise RuntimeError("the server takes samples no more: half of one went out")
        return True


def _frames(part: Part, rate_hz: float) -> list[bytes]:
    """A stretch of the part's motion, and back again: repeated, it never jumps."""
    pose, there = np.empty(21), []
    for step in range(FRAMES_AHEAD):
        tracked = part.pose(step / rate_hz, pose)
        there.append(masked(write_tracker(pose, NO_INPUTS, tracked, 0, 0)))
    return there + there[-2:0:-1]


def process_cpu_s(pid: int) -> float:
    """User and system time of a process so far."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
