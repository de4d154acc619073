"""`armspan serve` as a program: what it prints, how it ends, and what it says when it cannot."""

import asyncio
import contextlib
import os
import pty
import re
import signal
import socket
import sys
import time
from pathlib import Path

import psutil
import pytest
from armspan.protocol import CloseCode
from armspan.protocol.frames import Snapshot
from armspan.server.sessions import session_key

from tests.integration.harness import RawSocket, compiled, get, get_json, tell
from tests.integration.subprocess_server import started

SECRET = "a secret that is long enough"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_it_prints_an_address_that_works_and_ends_in_order(number: signal.Signals):
    async with started("--session", "review") as server:
        assert re.fullmatch(r"Session review: http://127\.0\.0\.1:\d+/s/review", server.lines[0])
        assert re.fullmatch(r"Start page: http://127\.0\.0\.1:\d+/", server.lines[1])
        async with (
            await RawSocket.join(server.port) as ada,
            await RawSocket.join(server.port, "Stuck") as stuck,
        ):
            stuck.writer.transport.pause_reading()
            await ada.next(Snapshot)
            asked_s = time.monotonic()
            stopping = asyncio.ensure_future(server.stop(number))
            error, closed = await ada.closing()
            assert error is not None
            assert closed.code == CloseCode.RESTARTING
            status, _, errors = await stopping
            assert time.monotonic() - asked_s < 2
            assert (status, errors) == (0, "")


async def test_a_second_start_is_quick():
    """Judged by processor time, which a busy machine does not stretch as it does waiting."""
    async with started():
        pass
    began_s = time.monotonic()
    async with started() as server:
        tell(f"ready {time.monotonic() - began_s:.2f} s after it was started: {server.lines[-1]}")
        spent = psutil.Process(server.process.pid).cpu_times()
    assert spent.user + spent.system < 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_first_start_says_why_it_takes_long_and_may_be_ended(
    number: signal.Signals, tmp_path: Path
):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "armspan.server", "serve", "--port", "0"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
    )
    assert process.stderr is not None
    assert (await asyncio.wait_for(process.stderr.readline(), 60)).startswith(b"Compiling")
    asked_s = time.monotonic()
    process.send_signal(number)
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert time.monotonic() - asked_s < 2
    assert (process.returncode, out, err) == (0, b"", b"")


async def test_a_port_in_use_is_one_line_and_status_1():
    await asyncio.to_thread(compiled)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "armspan.server", "serve", "--port", str(port)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await asyncio.wait_for(process.communicate(), 60)
        assert process.returncode == 1
        assert out == b""
        assert err.decode().count("\n") == 1
        assert str(port) in err.decode()
        assert "--port" in err.decode()


@pytest.mark.parametrize("host", ["a..b", "a" * 70])
async def test_a_host_that_can_be_none_is_one_line_and_status_1(host: str):
    await asyncio.to_thread(compiled)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "armspan.server", "serve", "--host", host),
        env={**os.environ, "ARMSPAN_SECRET": SECRET},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert (process.returncode, out) == (1, b"")
    assert err.decode().count("\n") == 1
    assert host in err.decode()


async def test_output_that_nobody_reads_is_one_line_and_status_1():
    await asyncio.to_thread(compiled)
    reading, writing = os.pipe()
    os.close(reading)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "armspan.server", "serve", "--port", "0"),
        stdout=writing,
        stderr=asyncio.subprocess.PIPE,
    )
    os.close(writing)
    _, err = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 1
    assert err.decode().count("\n") == 1
    assert "output" in err.decode()


async def test_a_secret_is_made_kept_and_part_of_the_link(tmp_path: Path):
    links = []
    for _ in range(2):
        async with started(
            "--require-key", "--session", "review", XDG_STATE_HOME=str(tmp_path)
        ) as server:
            found = re.fullmatch(
                r"Session review: http://[\d.:]+/s/review#key=(\S{32})", server.lines[0]
            )
            assert found
            links.append(found[1])
            async with await RawSocket.join(server.port, key=found[1]) as ada:
                assert ada.welcome.your_id == 1
            assert (await get(server.port, "/api/sessions"))[0] == 401
            _, _, errors = await server.stop()
            assert errors == ""
    assert links[0] == links[1]
    kept = (tmp_path / "armspan/secret").read_text().strip()
    assert session_key(kept, "review") == links[0]


async def test_beyond_loopback_keys_are_needed_and_never_logged(tmp_path: Path):
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    async with started(
        *("--host", "0.0.0.0", "--secret-file", str(secret)),
        *("--session", "review", "--log-level", "debug"),
    ) as server:
        key = session_key(SECRET, "review")
        assert server.lines[0].endswith(f"#key={key}")
        async with await RawSocket.join(server.port, key=key):
            pass
        async with await RawSocket.open(server.port) as raw:
            from armspan.protocol import encode

            from tests.fakes import hello

            raw.send(encode(hello(key=key[::-1])))
            _, closed = await raw.closing()
            assert closed.code == CloseCode.WRONG_KEY
        _, out, errors = await server.stop()
        assert "4401" in errors
        for private in (SECRET, key, key[::-1]):
            assert private not in out + errors


def read_terminal(descriptor: int) -> bytes:
    """What was written to a terminal whose programs have all ended."""
    read = b""
    with contextlib.suppress(OSError):  # nobody has it open any more
        while some := os.read(descriptor, 65536):
            read += some
    return read


@pytest.mark.slow
async def test_on_a_terminal_stand_the_servers_words_alone_and_no_code_for_loopback():
    await asyncio.to_thread(compiled)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    terminal, programs_end = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "armspan.server", "serve", "--port", str(port), "--demo", "2"),
        stdout=programs_end,
        stderr=programs_end,
    )
    os.close(programs_end)
    try:
        async with asyncio.timeout(60):
            people = 0
            while people < 2:
                await asyncio.sleep(0.1)
                people = await listed_people(port)
            await asyncio.sleep(1.0)  # time in which progress would have been shown twice
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 10) == 0
        lines = read_terminal(terminal).decode().splitlines()
    finally:
        if process.returncode is None:
            process.kill()
        os.close(terminal)
    assert [line.split(":")[0].split(" after")[0] for line in (*lines[:2], lines[-1])] == [
        "Session demo",
        "Start page",
        "Ready",
    ]
    works = "\n".join(lines[2:-1])
    assert works.startswith("Works on this machine alone")
    assert f"adb reverse tcp:{port} tcp:{port}" in works
    assert len(lines) == 6


async def listed_people(port: int) -> int:
    try:
        listed = await get_json(port, "/api/sessions")
    except OSError:  # it does not listen yet
        return 0
    return sum(session["connected"] for session in listed["sessions"])


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_the_demonstration_comes_and_goes_with_the_server(number: signal.Signals):
    async with started("--demo", "3", "--require-key", ARMSPAN_SECRET=SECRET) as server:
        assert f"/s/demo#key={session_key(SECRET, 'demo')}" in server.lines[0]
        async with asyncio.timeout(60):
            authorization = f"Bearer {SECRET}"
            connected = 0
            while connected < 3:
                await asyncio.sleep(0.1)
                listed = await get_json(server.port, "/api/sessions", Authorization=authorization)
                connected = sum(session["connected"] for session in listed["sessions"])
        bots = psutil.Process(server.process.pid).children(recursive=True)
        assert bots
        assert not any(SECRET in str(bot.environ()) for bot in bots)
        server.process.send_signal(number)
        status = await asyncio.wait_for(server.process.wait(), 5)
        assert status == (0 if number is signal.SIGTERM else -9)
        _, alive = await asyncio.to_thread(psutil.wait_procs, bots, timeout=20)
        assert not alive
