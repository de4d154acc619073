"""50 people at 60 Hz, bots and server on the same machine: what everyone gets, and how late."""

import json
import subprocess
import sys
from typing import Any

from tests.bench.server_process import server_process

PEOPLE = 50
SECONDS = 10.0
RATE_HZ = 60.0
DEADLINE_S = 120.0
# What is promised; sampling at 60 Hz with 2 ms of jitter alone makes 9 and 19 ms.
SNAPSHOTS_PER_S = 59.0
POSE_P50_MS, POSE_P99_MS = 12.0, 25.0
BYTES_PER_AVATAR = 48.0


def run() -> dict[str, Any]:
    """Measure, and tell: the report of ``armspan bots``."""
    with server_process("--rate", str(RATE_HZ)) as server:
        command = [
            *(sys.executable, "-m", "armspan.server", "bots"),
            *("--url", server.url, "--session", "bench"),
            *("--count", str(PEOPLE), "--rate", str(RATE_HZ)),
            *("--seconds", str(SECONDS), "--json", "-"),
        ]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=DEADLINE_S, check=True
        )
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def shortcomings(told: dict[str, Any]) -> list[str]:
    """Where a result falls short of what is promised."""
    rules = (
        ("snapshots a second", told["snapshots_per_s"]["p50"], ">=", SNAPSHOTS_PER_S),
        ("pose to peer, p50 ms", told["pose_to_peer_ms"]["p50"], "<=", POSE_P50_MS),
        ("pose to peer, p99 ms", told["pose_to_peer_ms"]["p99"], "<=", POSE_P99_MS),
        ("bytes an avatar", told["bytes_per_avatar"], "<=", BYTES_PER_AVATAR),
        ("lost events", told["lost_events"], "<=", 0),
        ("errors", told["errors"], "<=", 0),
    )
    return [
        f"{name}: {value}, wanted {sign} {limit}"
        for name, value, sign, limit in rules
        if (value < limit if sign == ">=" else value > limit)
    ]


def lines(told: dict[str, Any]) -> list[str]:
    """The result for people."""
    rate, pose = told["snapshots_per_s"], told["pose_to_peer_ms"]
    late = told["tick_lateness_ms"]
    return [
        f"{told['clients']} people at {told['rate_hz']:g} Hz for {told['seconds']:g} s:",
        f"  snapshots      {rate['p50']:.1f} a second (slowest {rate['p01']:.1f})",
        f"  pose to peer   {pose['p50']:.1f} ms, 99 % within {pose['p99']:.1f} ms",
        f"  tick lateness  {late['p50']:.2f} ms, 99 % within {late['p99']:.2f} ms",
        f"  an avatar      {told['bytes_per_avatar']:.1f} bytes",
        f"  lost           {told['lost_events']} events; {told['errors']} errors",
        f"  bots' own CPU  {told['bots_cpu_cores']:.2f} cores",
    ]
