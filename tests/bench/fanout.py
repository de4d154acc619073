"""What it costs to send one snapshot to everyone: FastAPI's ``send_bytes`` against the gateway.

All live in one server process and one event loop, and take turns: for a while the same bytes go
to 50 clients at 60 Hz the one way, then the next, then nothing does (what the tick itself costs),
and again. FastAPI is measured as it comes (its clients offer permessage-deflate, as every browser
does, and uvicorn takes it) and with compression switched off. The clients, in another process,
throw away what comes.

The kernel's share (a TCP send on loopback delivers to the receiver, too) is the same for all.
"""

import asyncio
import contextlib
import resource
import socket
import statistics
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection as Pipe
from typing import Any

import numpy as np
import uvicorn
import uvloop
from armspan.protocol import AVATAR_RECORD_BYTES, SNAPSHOT_HEADER_BYTES
from armspan.protocol.frames import AvatarState, Snapshot, encode_snapshot
from armspan.server.serving import serving
from armspan.server.sessions import FRAME_HEADROOM_BYTES
from armspan.server.settings import Settings
from armspan.server.warm import warm_up
from fastapi import FastAPI, WebSocket, WebSocketDisconnect

from tests.bench.drain import Group, draining, spectator

CLIENTS = 50
RATE_HZ = 60.0
TURN_S = 2.0
ROUNDS = 4
WANTED_RATIO = 3.0
SNAPSHOTS = 60  # different ones: more than a compressor looks back on
SNAPSHOT_BYTES = SNAPSHOT_HEADER_BYTES + CLIENTS * AVATAR_RECORD_BYTES
DEFAULTS, UNCOMPRESSED, GATEWAY, IDLE = "fastapi", "fastapi_uncompressed", "gateway", "idle"
BROWSERS_OFFER = "permessage-deflate; client_max_window_bits"


@dataclass(frozen=True)
class Turn:
    """One way, for a while: CPU of the whole process, in user space and in the kernel."""

    way: str
    ticks: int
    user_s: float
    kernel_s: float


def run() -> dict[str, Any]:
    """Measure, and tell: microseconds of server CPU a client and tick, and the ratios."""
    spawn = get_context("spawn")
    here, there = spawn.Pipe()
    server = spawn.Process(target=_server_main, args=(there,), name="fanout-server", daemon=True)
    server.start()
    there.close()
    try:
        ports: dict[str, int] = here.recv()
        groups = [
            Group(ports[DEFAULTS], "/plain", CLIENTS, offers=BROWSERS_OFFER),
            Group(ports[UNCOMPRESSED], "/plain", CLIENTS),
            Group(ports[GATEWAY], "/ws/bench", CLIENTS, spectator()),
        ]
        with draining(groups) as drain:
            here.send(None)
            before = drain.received_bytes()
            turns = _take_turns(here)
            received = [a - b for a, b in zip(drain.received_bytes(), before, strict=True)]
    finally:
        with contextlib.suppress(OSError):
            here.send(None)
        server.join(5.0)
        if server.is_alive():
            server.kill()
            server.join()
    return _told(turns, dict(zip((DEFAULTS, UNCOMPRESSED, GATEWAY), received, strict=True)))


def _take_turns(pipe: Pipe) -> list[Turn]:
    turns: list[Turn] = []
    for _ in range(ROUNDS):
        for way in (IDLE, DEFAULTS, UNCOMPRESSED, GATEWAY):
            pipe.send((way, TURN_S))
            turns.append(pipe.recv())
    return turns


def _told(turns: list[Turn], received_bytes: dict[str, int]) -> dict[str, Any]:
    def us_per_tick(way: str, part: Callable[[Turn], float]) -> float:
        return statistics.median(part(turn) * 1e6 / turn.ticks for turn in turns if turn.way == way)

    def cost_us(way: str, part: Callable[[Turn], float]) -> float:
        return (us_per_tick(way, part) - us_per_tick(IDLE, part)) / CLIENTS

    told: dict[str, Any] = {
        "clients": CLIENTS,
        "rate_hz": RATE_HZ,
        "snapshot_bytes": SNAPSHOT_BYTES,
        "ticks_each_way": sum(turn.ticks for turn in turns if turn.way == GATEWAY),
    }
    total = {way: cost_us(way, lambda turn: turn.user_s + turn.kernel_s) for way in received_bytes}
    user = {way: cost_us(way, lambda turn: turn.user_s) for way in received_bytes}
    for way, count in received_bytes.items():
        told[way] = {
            "us": round(total[way], 2),
            "user_us": round(user[way], 2),
            "received_mb": round(count / 1e6, 1),
        }
    told["ratio"] = round(total[DEFAULTS] / total[GATEWAY], 2)
    told["ratio_uncompressed"] = round(total[UNCOMPRESSED] / total[GATEWAY], 2)
    told["ratio_uncompressed_user"] = round(user[UNCOMPRESSED] / user[GATEWAY], 2)
    return told


def shortcomings(told: dict[str, Any]) -> list[str]:
    """Where a result falls short of what is promised."""
    sent_mb = told["snapshot_bytes"] * told["ticks_each_way"] * CLIENTS / 1e6
    found: list[str] = []
    for way in (UNCOMPRESSED, GATEWAY):
        if told[way]["received_mb"] < 0.95 * sent_mb:
            found.append(f"{way}: {told[way]['received_mb']} MB of {sent_mb:.1f} MB came through")
    if told["ratio"] < WANTED_RATIO:
        found.append(f"the gateway is {told['ratio']} times cheaper, wanted {WANTED_RATIO}")
    return found


def lines(told: dict[str, Any]) -> list[str]:
    """The result for people."""

    def row(name: str, way: str) -> str:
        return f"  {name:<38} {told[way]['us']:6.1f} us, {told[way]['user_us']:5.1f} in user space"

    return [
        f"one snapshot of {told['snapshot_bytes']} bytes to {CLIENTS} clients at {RATE_HZ:g} Hz; "
        f"server CPU a client and tick, medians of {ROUNDS} turns:",
        row("FastAPI send_bytes, browsers' clients", DEFAULTS),
        row("FastAPI send_bytes, compression off", UNCOMPRESSED),
        row("Armspan's gateway", GATEWAY),
        f"  ratios {told['ratio']:.1f} and {told['ratio_uncompressed']:.1f} "
        f"(in user space {told['ratio_uncompressed_user']:.1f})",
    ]


def _snapshots() -> list[bytes]:
    """A second of a room in which everyone moves, over and over: it compresses as real ones do."""
    random = np.random.default_rng(0)
    chest, head = random.normal(size=(2, CLIENTS, 4))
    place = random.uniform(-3, 3, (CLIENTS, 3))
    low, wide = random.uniform(-1, 1, (CLIENTS, 15)), random.uniform(0, 1, (CLIENTS, 15))
    phase = random.uniform(0, 2 * np.pi, (CLIENTS, 15))
    return [
        _snapshot(
            step,
            place + 0.02 * np.sin(turn + phase[:, :3]),
            chest + 0.03 * np.sin(turn + phase[:, 3:7]),
            head + 0.1 * np.sin(turn + phase[:, 7:11]),
            low + wide * np.sin(turn + phase),
        )
        for step, turn in enumerate(np.linspace(0, 2 * np.pi, SNAPSHOTS, endpoint=False))
    ]


def _snapshot(
    step: int, place: np.ndarray, chest: np.ndarray, head: np.ndarray, angles: np.ndarray
) -> bytes:
    chest = chest / np.linalg.norm(chest, axis=1, keepdims=True)
    head = head / np.linalg.norm(head, axis=1, keepdims=True)
    people = tuple(
        AvatarState(
            id=index + 1,
            chest_position_m=tuple(place[index].tolist()),
            chest_rotation=tuple(chest[index].tolist()),
            head_rotation=tuple(head[index].tolist()),
            joint_angles_rad=tuple(angles[index].tolist()),
            sample_age_us=(index * 7919 + step * 104_729) % 17_000,
        )
        for index in range(CLIENTS)
    )
    return encode_snapshot(Snapshot(tick=step, session_time_us=step * 16_667, avatars=people))


def _server_main(pipe: Pipe) -> None:
    uvloop.run(_serve(pipe))


async def _serve(pipe: Pipe) -> None:
    """All servers in this loop; turns are ordered through the pipe."""
    loop = asyncio.get_running_loop()
    warm_up()
    # The clients say nothing, not even pong; one tick a second of the server's own is no matter.
    settings = Settings(port=0, rate_hz=1, spectators_per_session=CLIENTS, silence_s=600)
    compressed: list[WebSocket] = []
    uncompressed: list[WebSocket] = []
    async with (
        serving(settings, None) as running,
        _plain_server(compressed) as compressed_port,
        _plain_server(uncompressed, ws_per_message_deflate=False) as uncompressed_port,
    ):
        pipe.send(
            {DEFAULTS: compressed_port, UNCOMPRESSED: uncompressed_port, GATEWAY: running.port}
        )
        await loop.run_in_executor(None, pipe.recv)  # all clients are connected

        async def by_gateway(payload: bytes) -> None:
            frame = bytearray(FRAME_HEADROOM_BYTES) + payload
            for peer in running.gateway._peers:
                peer.offer_snapshot(frame)

        async def nothing(_payload: bytes) -> None:
            pass

        ways = {
            DEFAULTS: partial(_send_to_all, compressed),
            UNCOMPRESSED: partial(_send_to_all, uncompressed),
            GATEWAY: by_gateway,
            IDLE: nothing,
        }
        snapshots = _snapshots()
        while (order := await loop.run_in_executor(None, pipe.recv)) is not None:
            way, seconds = order
            pipe.send(await _turn(way, ways[way], snapshots, seconds))


async def _send_to_all(clients: list[WebSocket], payload: bytes) -> None:
    for client in clients:
        await client.send_bytes(payload)


async def _turn(
    way: str,
    fan_out: Callable[[bytes], Coroutine[Any, Any, None]],
    snapshots: list[bytes],
    seconds: float,
) -> Turn:
    """Fan out at RATE_HZ for a while."""
    ticks, began_s, before = 0, time.monotonic(), resource.getrusage(resource.RUSAGE_SELF)
    while time.monotonic() - began_s < seconds:
        await fan_out(snapshots[ticks % SNAPSHOTS])
        ticks += 1
        due_s = began_s + ticks / RATE_HZ
        await asyncio.sleep(max(0.0, due_s - time.monotonic()))
    after = resource.getrusage(resource.RUSAGE_SELF)
    return Turn(way, ticks, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime)


@contextlib.asynccontextmanager
async def _plain_server(clients: list[WebSocket], **settings: bool) -> AsyncIterator[int]:
    """The ordinary way: a FastAPI application that keeps its sockets in a list."""
    app = FastAPI()

    @app.websocket("/plain")
    async def plain(client: WebSocket) -> None:
        await client.accept()
        clients.append(client)
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                await client.receive_bytes()

    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", **settings)  # type: ignore[arg-type]
    )
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve(sockets=[listener]))
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = server.force_exit = True
