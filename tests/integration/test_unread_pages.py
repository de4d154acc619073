"""Pages that nobody reads hold up neither the server nor its end; slow readers get all."""

import asyncio
import contextlib
import functools
from pathlib import Path

import psutil
import pytest
from armspan.server.web import app

from tests.integration.harness import RawSocket, in_time, server, until


async def test_the_end_of_the_server_waits_for_no_page_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "large.bin").write_bytes(bytes(20_000_000))
    monkeypatch.setattr(app, "add_pages", functools.partial(app.add_pages, folder=tmp_path))
    async with contextlib.AsyncExitStack() as owned:
        running = await owned.enter_async_context(server())
        raw = await RawSocket.connect(running.port, receive_buffer_bytes=8192)
        raw.writer.write(b"GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert (await raw.response())[1]["content-length"] == "20000000"
        started_s = asyncio.get_running_loop().time()
        await in_time(owned.aclose())  # while most of the page is still to be read
        assert asyncio.get_running_loop().time() - started_s < 1
        raw.drop()


async def test_a_page_that_nobody_reads_is_given_up_and_a_slow_reader_gets_it_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "large.bin").write_bytes(bytes(3_000_000))
    monkeypatch.setattr(app, "add_pages", functools.partial(app.add_pages, folder=tmp_path))
    async with server(handshake_s=0.3) as running, contextlib.AsyncExitStack() as owned:
        raws = [await RawSocket.connect(running.port, receive_buffer_bytes=8192) for _ in range(2)]
        for raw in raws:
            await owned.enter_async_context(raw)
            raw.writer.write(b"GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert (await raw.response())[0] == 200
        slow, _stuck = raws
        started_s = asyncio.get_running_loop().time()
        read_bytes = 0
        while read_bytes < 3_000_000:
            taken = await in_time(slow.reader.readexactly(30_000))
            read_bytes += len(taken)
            await asyncio.sleep(0.01)
        assert asyncio.get_running_loop().time() - started_s > 3 * 0.3
        await until(lambda: not open_sockets(running.port), "the end of the unread page")


def open_sockets(port: int) -> int:
    """How many sockets of clients this process's server holds."""
    sockets = psutil.Process().net_connections("tcp")
    return sum(s.status == psutil.CONN_ESTABLISHED and s.laddr.port == port for s in sockets)
