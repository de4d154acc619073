"""One port that speaks TLS: pages, sockets, slow readers, and whoever speaks plain HTTP there."""

import asyncio
import contextlib
import time
from pathlib import Path

import pytest
from armspan.protocol import CloseCode, Welcome, encode
from armspan.protocol.frames import Snapshot
from armspan.server.serving import Running

from tests.fakes import hello, tracker
from tests.integration.harness import (
    RawSocket,
    SnapshotHeader,
    frame,
    head,
    in_time,
    server,
    tell,
    until,
)
from tests.integration.secure import get, https

NARROW_BYTES = 8192


async def test_pages_and_sockets_share_the_port(tmp_path: Path):
    async with https(tmp_path) as (running, secured):
        port = running.port
        for path in ("/healthz", "/metrics", "/api/sessions"):
            status, headers, _ = await get(secured, port, path)
            assert status == 200
            assert headers["cross-origin-opener-policy"] == "same-origin"
            assert "strict-transport-security" not in headers  # none could go past a warning then
        async with await secured.join(port) as ada:
            ada.send(tracker(x=1.0))
            while not (await ada.next(Snapshot)).avatars:
                pass


async def test_frames_behind_the_upgrade_and_behind_the_handshake_are_not_lost(tmp_path: Path):
    async with https(tmp_path) as (running, secured):
        raw = await secured.connect(running.port)
        async with raw:
            raw.writer.write(head(running.port) + frame(encode(hello("Ada"))))
            assert (await raw.response())[0] == 101
            assert (await raw.next(Welcome)).your_id == 1


async def test_a_page_that_came_unencrypted_opens_no_socket(tmp_path: Path):
    async with https(tmp_path) as (running, secured):
        for scheme, status in (("http", 403), ("https", 101)):
            origin = f"{scheme}://127.0.0.1:{running.port}"
            async with await secured.connect(running.port) as raw:
                raw.writer.write(head(running.port, Origin=origin))
                assert (await raw.response())[0] == status


async def test_plain_http_is_led_to_https_and_gets_nothing_else(tmp_path: Path):
    async with https(tmp_path) as (running, _):
        port = running.port
        for asked in (
            b"GET /ca.crt HTTP/1.1\r\n",
            b"GET /ws/review HTTP/1.1\r\nUpgrade: websocket\r\n",
        ):
            async with await RawSocket.connect(port) as raw:
                sent = asked + f"Host: 127.0.0.1:{port}\r\n\r\n".encode()
                for byte in sent:  # as slowly as a network may bring it
                    raw.writer.write(bytes((byte,)))
                    await asyncio.sleep(0)
                status, headers = await raw.response()
                assert status == 307
                path = asked.split()[1].decode()
                assert headers["location"] == f"https://127.0.0.1:{port}{path}"
                assert b"CERTIFICATE" not in await in_time(raw.reader.read())
        async with await RawSocket.connect(port) as raw:
            raw.writer.write(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")
            assert (await raw.response())[0] == 421


@pytest.mark.parametrize(
    "begun",
    [
        b"\x16",
        b"\x16\x03\x01\x02\x00" + bytes(600),
        b"\x16" * 9000,
        b"\x00",
        b"SSH-2.0-x\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 3000,
        b"",
    ],
)
async def test_what_is_neither_is_cut_off_and_harms_nobody(begun: bytes, tmp_path: Path):
    async with https(tmp_path, handshake_s=0.4) as (running, secured):
        async with await RawSocket.connect(running.port) as raw:
            raw.writer.write(begun)
            began_s = time.monotonic()
            with contextlib.suppress(ConnectionError):
                await in_time(raw.reader.read())
            assert time.monotonic() - began_s < 3
        assert (await get(secured, running.port, "/healthz"))[0] == 200


async def test_many_handshakes_that_hang_lock_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("armspan.server.tls.door._WAITING_MOST", 4)
    async with https(tmp_path) as (running, secured):
        hanging = [await RawSocket.connect(running.port) for _ in range(12)]
        for raw in hanging:
            raw.writer.write(b"\x16\x03\x01\x02\x00")
        assert (await get(secured, running.port, "/healthz"))[0] == 200
        with contextlib.suppress(ConnectionError):
            assert await in_time(hanging[0].reader.read(), 2) == b""  # the oldest gave way
        for raw in hanging:
            raw.drop()


async def test_a_handshake_that_hangs_does_not_keep_the_server_from_ending(tmp_path: Path):
    async with https(tmp_path) as (running, secured):
        hanging = [await RawSocket.connect(running.port) for _ in range(3)]
        for raw, begun in zip(hanging, (b"", b"\x16\x03\x01\x02\x00", b"GET / HT"), strict=True):
            raw.writer.write(begun)
        ada = await secured.join(running.port)
        await ada.next(Snapshot)
        began_s = time.monotonic()
    assert time.monotonic() - began_s < 2
    error, closed = await ada.closing()
    assert error is not None
    assert closed.code == CloseCode.RESTARTING
    for raw in (*hanging, ada):
        raw.drop()


async def stale_after_a_pause(running: Running, kind: type[RawSocket]) -> tuple[int, float]:
    """Snapshots that a reader finds waiting after a pause, and the others' rate meanwhile."""
    people = [await kind.join(running.port, f"P{n}") for n in range(6)]
    stuck = await kind.join(running.port, "Stuck", receive_buffer_bytes=NARROW_BYTES)
    for raw in (*people, stuck):
        raw.counting = True
    for n, raw in enumerate(people):
        raw.send(tracker(x=float(n)))
    began_s = time.monotonic()
    seen = await asyncio.gather(*(raw.snapshots(3.0) for raw in people))
    rate_hz = min(len(snapshots) for snapshots in seen) / (time.monotonic() - began_s)
    newest = max(m.tick for m in people[0].seen if isinstance(m, SnapshotHeader))
    stale = 0
    while (await stuck.next(SnapshotHeader)).tick <= newest:
        stale += 1
    for raw in (*people, stuck):
        raw.drop()
    return stale, rate_hz


async def test_a_reader_that_stops_over_tls_slows_nobody_and_finds_no_more_waiting(tmp_path: Path):
    narrow = {"send_buffer_bytes": 16_384, "unsent_bytes": 4096}
    async with server(**narrow) as running:
        plain, plain_hz = await stale_after_a_pause(running, RawSocket)
    async with https(tmp_path, **narrow) as (running, secured):
        stale, rate_hz = await stale_after_a_pause(running, secured)
        assert running.counters.snapshots_skipped > 30, "the reader was not stuck at all"
    tell(f"waiting: {plain} plain, {stale} over TLS; others {plain_hz:.1f} and {rate_hz:.1f} Hz")
    assert rate_hz > 0.8 * plain_hz
    assert stale <= plain + 12  # of 180 in that time: the TLS record that is under way


async def test_events_over_tls_pile_up_to_their_bound_and_no_further(tmp_path: Path):
    bounds = {"backlog_bytes": 20_000, "send_buffer_bytes": 16_384, "unsent_bytes": 4096}
    rates = {"changes_per_s": 10_000, "changes_burst": 100_000}
    frames = {"messages_per_s": 10_000, "messages_burst": 100_000}
    async with https(tmp_path, **bounds, **rates, **frames) as (running, secured):
        ada = await secured.join(running.port, "Ada")
        stuck = await secured.join(running.port, "Stuck", receive_buffer_bytes=NARROW_BYTES)
        reading = asyncio.ensure_future(ada.snapshots(9))
        await ada.rename_until(lambda: running.counters.closes)
        assert running.counters.closes == {CloseCode.TOO_SLOW: 1}
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        for raw in (ada, stuck):
            raw.drop()


async def test_peers_that_are_cut_off_over_tls_fill_no_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    async with https(tmp_path) as (running, secured):
        gone = [
            await secured.join(running.port, f"P{n}", receive_buffer_bytes=NARROW_BYTES)
            for n in range(6)
        ]
        for raw in gone:
            await raw.next(Snapshot)
            raw.writer.transport.pause_reading()
        for raw in gone:
            raw.drop()
        session = running.registry.find("review")
        assert session is not None
        await until(lambda: session.connected == 0)
    assert [record for record in caplog.records if record.name == "asyncio"] == []
