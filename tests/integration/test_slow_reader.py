"""One reader of thirty stops reading: the others do not notice, and the server does not grow."""

import asyncio
import os
import time
from pathlib import Path

import pytest
from armspan.protocol import CloseCode
from armspan.protocol.frames import Snapshot

from tests.fakes import tracker
from tests.integration.harness import (
    RawSocket,
    SnapshotHeader,
    get_json,
    in_time,
    metric,
    server,
    tell,
)
from tests.integration.subprocess_server import served

PEOPLE = 30
NARROW_BYTES = 8192
RATE_HZ = 60


def resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def send_poses(people: list[RawSocket]) -> None:
    tick = 0
    while True:
        for n, raw in enumerate(people):
            raw.send(tracker(x=n, sample_time_us=tick * 1_000_000 // RATE_HZ))
        tick += 1
        await asyncio.sleep(1 / RATE_HZ)


def newest_tick(raw: RawSocket) -> int:
    return next(m for m in reversed(raw.seen) if isinstance(m, SnapshotHeader)).tick


async def catch_up(stuck: RawSocket, other: RawSocket) -> float:
    """Read until it is as new as what another one reads at the same time; the seconds it took."""
    reading = asyncio.ensure_future(other.snapshots(10))
    resumed_s = time.monotonic()
    while (await stuck.next(SnapshotHeader)).tick < newest_tick(other) - 3:
        assert time.monotonic() - resumed_s < 10
    caught_up_s = time.monotonic() - resumed_s
    reading.cancel()
    tell(f"current after {caught_up_s:.3f} s")
    return caught_up_s


@pytest.mark.slow
async def test_one_reader_of_thirty_stops_reading():

    async with served() as (port, pid), asyncio.TaskGroup() as tasks:
        people = [await RawSocket.join(port, f"P{n}") for n in range(PEOPLE - 1)]
        stuck = await RawSocket.join(port, "Stuck", receive_buffer_bytes=NARROW_BYTES)
        for raw in (*people, stuck):
            raw.counting = True
        sending = tasks.create_task(send_poses([*people, stuck]))
        await asyncio.gather(*(raw.snapshots(1.0) for raw in people))  # stuck reads no more

        before_bytes, started_s = resident_bytes(pid), time.monotonic()
        seen = await asyncio.gather(*(raw.snapshots(5.0) for raw in people))
        spent_s = time.monotonic() - started_s
        rates = sorted(len(snapshots) / spent_s for snapshots in seen)
        grown_bytes = resident_bytes(pid) - before_bytes
        skipped = await metric(port, "armspan_snapshots_skipped_total")
        tell(f"others {rates[0]:.1f} to {rates[-1]:.1f} Hz, {grown_bytes} bytes, {skipped} skipped")
        assert rates[0] >= 0.95 * RATE_HZ
        assert all(snapshot.avatars == PEOPLE for snapshot in seen[0][-5:])
        assert skipped > 100, "the reader was not stuck at all"
        assert grown_bytes < 1_000_000

        assert await catch_up(stuck, people[0]) < 0.5
        sending.cancel()
        for raw in (*people, stuck):
            raw.drop()


@pytest.mark.slow
async def test_one_who_neither_reads_nor_sends_for_12_s_is_still_there_and_soon_current():
    async with served() as (port, _), asyncio.TaskGroup() as tasks:
        people = [await RawSocket.join(port, f"P{n}") for n in range(PEOPLE - 1)]
        stuck = await RawSocket.join(port, "Stuck", receive_buffer_bytes=NARROW_BYTES)
        for raw in (*people, stuck):
            raw.counting = True
        sending = tasks.create_task(send_poses(people))
        await asyncio.gather(*(raw.snapshots(12.0) for raw in people))
        assert await metric(port, "armspan_snapshots_skipped_total") > 100
        newest = newest_tick(people[0])
        assert await catch_up(stuck, people[0]) < 0.5
        assert newest_tick(stuck) > newest
        listed = await get_json(port, "/api/sessions")
        assert listed["sessions"][0]["connected"] == PEOPLE
        sending.cancel()
        for raw in (*people, stuck):
            raw.drop()


async def test_events_pile_up_to_their_bound_and_then_the_reader_is_closed():
    async with (
        server(
            backlog_bytes=20_000,
            send_buffer_bytes=16_384,
            messages_per_s=10_000,
            messages_burst=100_000,
            changes_per_s=10_000,
            changes_burst=100_000,
        ) as running,
        await RawSocket.join(running.port, "Ada") as ada,
    ):
        stuck = await RawSocket.join(running.port, "Stuck", receive_buffer_bytes=NARROW_BYTES)
        reading = asyncio.ensure_future(ada.snapshots(8))
        await ada.rename_until(lambda: running.counters.closes)
        assert running.counters.closes == {CloseCode.TOO_SLOW: 1}
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        await in_time(ada.next(Snapshot))
        sequences = [event.sequence for event in ada.events()]
        assert sequences == list(range(sequences[0], sequences[0] + len(sequences)))
        listed = await get_json(running.port, "/api/sessions")
        assert listed["sessions"][0]["connected"] == 1
        stuck.drop()
