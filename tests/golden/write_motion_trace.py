"""Captures the trace on which the web client's playback is measured.

A real server is sent the head and hands of a recorded person who wore a headset, with the sender's
jitter. Two spectators watch: one on a clean network, whose snapshots are the truth, and one behind
a relay that now and then holds everything back for 30 to 190 ms and lets single pieces wait for a
few milliseconds, as a wireless network does. What arrives there, and when, is written down.

Run ``python -m tests.golden.write_motion_trace``; it takes half a minute, and the result is another
one each time, so it is kept.
"""

import base64
import contextlib
import json
import random
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from armspan.protocol import (
    PROTOCOL_VERSION,
    SNAPSHOT_ID,
    ClockPing,
    ClockPong,
    Hello,
    Role,
    Welcome,
    decode_from_server,
    encode,
)
from websockets.sync.client import connect

from tests.browser.processes import Server, bots, server

HERE = Path(__file__).parent
RECORDING = HERE.parents[1] / "server" / "traces" / "recordings" / "headset_and_wands.npz"
SECONDS = 12.0
GAPS_S = (0.190, 0.030, 0.120, 0.060, 0.160, 0.090, 0.190, 0.045, 0.140, 0.075)
GAP_EVERY_S = (0.7, 1.1)
CLEAN_BEFORE_S = 0.3
WAIT_MEAN_S = 0.003
PING_EVERY_S = 1.0
SESSION = "trace"


class Relay:
    """A port on loopback behind which the server is, with a bad network between."""

    def __init__(self, port: int, seed: int) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._port = port
        self._random = random.Random(seed)
        self.port: int = self._listening.getsockname()[1]
        self._gaps = list(reversed(GAPS_S))
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        client, _ = self._listening.accept()
        there = socket.create_connection(("127.0.0.1", self._port))
        for each in (client, there):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=self._pass_on, args=(client, there, False), daemon=True).start()
        threading.Thread(target=self._pass_on, args=(there, client, True), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, badly: bool) -> None:
        gap_at = time.monotonic() + 2.0
        with contextlib.suppress(OSError):
            while piece := source.recv(65_536):
                if badly:
                    time.sleep(min(self._random.expovariate(1 / WAIT_MEAN_S), 0.020))
                    if self._gaps and time.monotonic() >= gap_at:
                        time.sleep(self._gaps.pop())
                        gap_at = time.monotonic() + self._random.uniform(*GAP_EVERY_S)
                target.sendall(piece)


def _watch(port: int, until_s: float) -> Iterator[tuple[int, bytes]]:
    """What a spectator receives, and when by its own clock in microseconds; it pings."""
    with connect(f"ws://127.0.0.1:{port}/ws/{SESSION}", max_size=2**20, compression=None) as peer:
        hello = Hello(protocol_version=PROTOCOL_VERSION, name="Trace", role=Role.SPECTATOR)
        peer.send(encode(hello))
        next_ping_s = 0.0
        while (now_s := time.monotonic()) < until_s:
            if now_s >= next_ping_s:
                peer.send(encode(ClockPing(client_time_us=time.monotonic_ns() // 1000)))
                next_ping_s = now_s + PING_EVERY_S
            payload = peer.recv(timeout=5)
            assert isinstance(payload, bytes)
            yield time.monotonic_ns() // 1000, payload


def _clean(port: int, until_s: float, snapshots: list[bytes]) -> None:
    for _, payload in _watch(port, until_s):
        if payload[0] == SNAPSHOT_ID:
            snapshots.append(payload)


def _event(local_us: int, payload: bytes, clean: list[bytes]) -> list[Any] | None:
    """What the page would have noticed: its kind, when by the own clock, and its content."""
    if payload[0] == SNAPSHOT_ID:
        return ["snapshot", local_us, clean.index(payload)]
    match decode_from_server(payload):
        case Welcome(session_time_us=session_us):
            return ["welcome", local_us, session_us]
        case ClockPong(client_time_us=sent, received_us=received, sent_us=answered):
            return ["pong", local_us, [sent, received, answered]]
        case _:
            return None


def _capture(running: Server) -> dict[str, Any]:
    relay = Relay(running.port, seed=4)
    until_s = time.monotonic() + SECONDS
    clean: list[bytes] = []
    watching = threading.Thread(
        target=_clean, args=(running.port, until_s + CLEAN_BEFORE_S, clean), daemon=True
    )
    watching.start()
    time.sleep(CLEAN_BEFORE_S)
    rough = list(_watch(relay.port, until_s))
    watching.join()
    events = (_event(local_us, payload, clean) for local_us, payload in rough)
    return {
        "about": "Written by write_motion_trace.py. Times are microseconds; gaps, milliseconds.",
        "gaps": [round(1000 * gap) for gap in GAPS_S],
        "snapshots": [base64.b64encode(payload).decode() for payload in clean],
        "events": [event for event in events if event is not None],
    }


def main() -> None:
    """Write the trace anew."""
    options = ("--replay", str(RECORDING), "--rate", "72", "--jitter-ms", "1.5")
    with server() as running, bots(running.url, SESSION, 1, *options):
        time.sleep(3.0)
        trace = _capture(running)
    text = json.dumps(trace, separators=(",", ":")).replace("],[", "],\n[").replace('","', '",\n"')
    (HERE / "motion_trace.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
