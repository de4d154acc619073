"""Many WebSocket clients at the price of a few: they throw away what comes, undecoded.

For load that must not compete with the server it is put on: raw sockets, frames made ahead. They
are masked with zeros, which RFC 6455 allows, so payloads need no work. What arrives is discarded
in the kernel (MSG_TRUNC) and only counted. The process keeps off the first of the machine's cores:
real clients sit on other machines.
"""

import os
import socket
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection as Pipe

import numpy as np
from armspan.protocol import PROTOCOL_VERSION, TRACKER_FRAME_BYTES, Hello, Role, encode
from armspan.server.bots.casting import Part, cast_random
from armspan.server.client import monotonic_us
from armspan.server.client.connection import NO_INPUTS
from armspan.server.wire import write_tracker

CONNECT_WITHIN_S = 10.0
AT_ONCE_BYTES = 1 << 22
SLICE_S = 0.001
SWEEP_S = 0.025  # in which all connections are read once
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


def keep_off_the_first_core() -> None:
    """Leave a core to the server, where there is more than one: for a process and its children."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(0, cores[1:])


def _main(groups: list[Group], pipe: Pipe) -> None:
    keep_off_the_first_core()
    clients = _Clients(len(groups))
    for number, group in enumerate(groups):
        parts = cast_random(group.count, 100, seed=number) if group.rate_hz else []
        for index in range(group.count):
            connection = _connect(group, parts[index].name if parts else "")
            clients.add(number, connection)
            if parts:
                clients.senders.append(_Sender(connection, parts[index]))
            clients.discard(1.0)  # who reads nothing for a while is closed
    rate_hz = max(group.rate_hz for group in groups)
    for sender in clients.senders:
        sender.prepare(rate_hz)
    pipe.send("connected")
    clients.run(pipe, rate_hz)


class _Clients:
    """All connections of the process, and what they received.

    They are looked after in small slices of time, so that the server meets a steady trickle. No
    socket is waited for: waking a reader would be done, and paid for, by the server's own send.
    """

    def __init__(self, groups: int) -> None:
        self.received = [0] * groups
        self.gone = 0
        self.senders: list[_Sender] = []
        self._connections: list[tuple[int, socket.socket]] = []
        self._swept = 0.0

    def add(self, group: int, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._connections.append((group, connection))

    def run(self, pipe: Pipe, rate_hz: float) -> None:
        """Send and discard until the parent is gone; answer what it asks."""
        self.senders.sort(key=lambda sender: sender.phase)
        begin_us, turn = monotonic_us(), 0
        while True:
            if pipe.poll(SLICE_S) and not self._answer(pipe):
                return
            self.discard(SLICE_S / SWEEP_S)
            now_us = monotonic_us()
            while self.senders:
                period, order = divmod(turn, len(self.senders))
                sender = self.senders[order]
                late_us = now_us - begin_us - (period + sender.phase) * 1e6 / rate_hz
                if late_us < 0:
                    break
                if late_us < 1e6 / rate_hz:  # what is later is not made up for
                    sender.send(now_us)
                turn += 1

    def discard(self, share: float) -> None:
        """Throw away what has come for the next ``share`` of all connections."""
        self._swept += share * len(self._connections)
        while self._swept >= 1 and self._connections:
            self._swept -= 1
            group, connection = self._connections.pop(0)
            count = _discard(connection)
            if count < 0:
                self.gone += 1
                continue
            self.received[group] += count
            self._connections.append((group, connection))

    def _answer(self, pipe: Pipe) -> bool:
        """Tell what was received; False when the parent is gone or wants the end."""
        try:
            pipe.recv()
            pipe.send((self.received, self.gone))
        except (EOFError, OSError):
            return False
        return True


def _discard(connection: socket.socket) -> int:
    """Throw away what has come, and count it; -1 when the other side is gone."""
    try:
        return connection.recv_into(_NOWHERE, AT_ONCE_BYTES, socket.MSG_TRUNC) or -1
    except BlockingIOError:
        return 0
    except OSError:
        return -1


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
    """Sends one person's samples, made ahead; only their times are new."""

    def __init__(self, connection: socket.socket, part: Part) -> None:
        self.phase = part.phase
        self._connection = connection
        self._part = part
        self._frames: list[bytearray] = []
        self._turn = 0

    def prepare(self, rate_hz: float) -> None:
        self._frames = [bytearray(frame) for frame in _frames(self._part, rate_hz)]

    def send(self, now_us: int) -> None:
        """Send the sample of now; a server that is gone is found out by reading."""
        self._turn += 1
        frame = self._frames[self._turn % len(self._frames)]
        time_at = len(frame) - TRACKER_FRAME_BYTES + SAMPLE_TIME_AT
        _TIME.pack_into(frame, time_at, self._part.clock_us + now_us)
        try:
            sent = self._connection.send(frame)
        except OSError:
            return
        if sent != len(frame):
            raise RuntimeError("the server takes samples no more: half of one went out")


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
