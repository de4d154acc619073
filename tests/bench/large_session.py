"""300 people at 60 Hz in one session of one server process.

Most of them send poses and throw away what comes (decoding 250 MB/s in Python would starve the
server of its cores); the last ten are bots, who measure. Both keep off the first core, as clients
on other machines would. The server's CPU is read from the kernel, its lateness from its own
statistics over the last ten seconds.
"""

import json
import statistics
import subprocess
import sys
import threading
import time
from typing import Any

from armspan.protocol import PROTOCOL_VERSION, Hello, Role

from tests.bench.drain import Group, draining, keep_off_the_first_core, process_cpu_s
from tests.bench.server_process import ServerProcess, server_process

PEOPLE = 300
MEASURING = 10
RATE_HZ = 60.0
SECONDS = 12.0  # the server's lateness covers ten
LATENESS_P99_MS = 5.0
CORES = 1.0
DEADLINE_S = 120.0


def run() -> dict[str, Any]:
    """Measure, and tell."""
    room = {"ARMSPAN_PEOPLE_PER_SESSION": str(PEOPLE), "ARMSPAN_PENDING_SOCKETS": str(PEOPLE)}
    hello = Hello(protocol_version=PROTOCOL_VERSION, name="Drain", role=Role.PARTICIPANT)
    with server_process("--rate", str(RATE_HZ), **room) as server:
        crowd = Group(server.port, "/ws/large", PEOPLE - MEASURING, hello, RATE_HZ)
        with draining([crowd]) as drain, _CpuMeter(server.pid) as cores:
            before, began_s = drain.received_bytes()[0], time.monotonic()
            drain_cpu_s = process_cpu_s(drain.pid)
            bots = _bots(server)
            received_mb = (drain.received_bytes()[0] - before) / 1e6
            seconds = time.monotonic() - began_s
            drain_cores = (process_cpu_s(drain.pid) - drain_cpu_s) / seconds
    return {
        "people": PEOPLE,
        "measuring": MEASURING,
        "rate_hz": RATE_HZ,
        "seconds": bots["seconds"],
        "tick_lateness_ms": bots["tick_lateness_ms"],
        "server_cores": round(cores.median(), 3),
        "solve_us_per_body": bots["solve_us_per_body"],
        "snapshots_per_s": bots["snapshots_per_s"],
        "pose_to_peer_ms": bots["pose_to_peer_ms"],
        "bytes_per_avatar": bots["bytes_per_avatar"],
        "lost_events": bots["lost_events"],
        "errors": bots["errors"],
        "drained_mb_s": round(received_mb / seconds, 1),
        "drain_cores": round(drain_cores, 3),
    }


class _CpuMeter:
    """The cores that a process keeps busy, second by second."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._over = threading.Event()
        self._cores: list[float] = []
        self._thread = threading.Thread(target=self._measure, name="cpu-meter")

    def __enter__(self) -> "_CpuMeter":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def median(self) -> float:
        return statistics.median(self._cores)

    def _measure(self) -> None:
        cpu_s, at_s = process_cpu_s(self._pid), time.monotonic()
        while not self._over.wait(1.0):
            now_cpu_s, now_s = process_cpu_s(self._pid), time.monotonic()
            self._cores.append((now_cpu_s - cpu_s) / (now_s - at_s))
            cpu_s, at_s = now_cpu_s, now_s


def shortcomings(told: dict[str, Any]) -> list[str]:
    """Where a result falls short of what is promised."""
    found: list[str] = []
    late_ms = told["tick_lateness_ms"]["p99"]
    if late_ms >= LATENESS_P99_MS:
        found.append(f"ticks are {late_ms} ms late (p99), wanted less than {LATENESS_P99_MS}")
    if told["server_cores"] >= CORES:
        found.append(f"the server took {told['server_cores']} cores, wanted less than {CORES}")
    if told["lost_events"] or told["errors"]:
        found.append(f"{told['lost_events']} events lost, {told['errors']} errors")
    return found


def lines(told: dict[str, Any]) -> list[str]:
    """The result for people."""
    late, rate = told["tick_lateness_ms"], told["snapshots_per_s"]
    pose = told["pose_to_peer_ms"]
    return [
        f"{told['people']} people at {told['rate_hz']:g} Hz, one server process, "
        f"{told['measuring']} of them measuring for {told['seconds']:g} s:",
        f"  tick lateness  {late['p50']:.2f} ms, 99 % within {late['p99']:.2f} ms",
        f"  server CPU     {told['server_cores']:.2f} cores",
        f"  solving        {told['solve_us_per_body']:.1f} us a body",
        f"  snapshots      {rate['p50']:.1f} a second (slowest {rate['p01']:.1f})",
        f"  pose to peer   {pose['p50']:.1f} ms, 99 % within {pose['p99']:.1f} ms",
        f"  drained        {told['drained_mb_s']:.0f} MB/s with {told['drain_cores']:.2f} cores",
    ]


def _bots(server: ServerProcess) -> dict[str, Any]:
    command = [
        *(sys.executable, "-m", "armspan.server", "bots"),
        *("--url", server.url, "--session", "large"),
        *("--count", str(MEASURING), "--rate", str(RATE_HZ)),
        *("--seconds", str(SECONDS), "--json", "-"),
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=True,
        preexec_fn=keep_off_the_first_core,
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told
