"""Every kind of bad input over real sockets: its own close, a count, and nobody else touched."""

import asyncio
import contextlib
import math
import random
import struct

import pytest
from armspan.protocol import (
    ChangeLengths,
    CloseCode,
    Left,
    Lengths,
    Rename,
    Renamed,
    Welcome,
    caps,
    encode,
)
from armspan.server.gateway.assembly import Opcode
from armspan.server.sessions import session_key

from tests.fakes import hands, hello, tracker
from tests.integration.harness import (
    RawSocket,
    frame,
    get_json,
    head,
    in_time,
    metric,
    server,
    until,
)

SECRET = "a secret of the server"


def with_float(payload: bytes, at: int, value: float) -> bytes:
    return payload[:at] + struct.pack("<f", value) + payload[at + 4 :]


BREACHES = {
    "malformed": (frame(b"\x11\xc1"), CloseCode.MALFORMED),
    "empty": (frame(b""), CloseCode.MALFORMED),
    "text": (frame(b"hello", Opcode.TEXT), CloseCode.MALFORMED),
    "truncated pose": (frame(tracker()[:50]), CloseCode.MALFORMED),
    "unmasked": (frame(tracker(), masked=False), CloseCode.MALFORMED),
    "oversized": (frame(b"\x11" + bytes(caps.CLIENT_MESSAGE_BYTES)), CloseCode.TOO_LARGE),
    "oversized in fragments": (
        frame(bytes(5000), last=False) + frame(bytes(5000), Opcode.CONTINUATION),
        CloseCode.TOO_LARGE,
    ),
    "declared as 1 GB": (b"\x82\xff" + (2**30).to_bytes(8, "big"), CloseCode.TOO_LARGE),
    "unknown message": (frame(b"\x6f\x90"), CloseCode.UNKNOWN_MESSAGE),
    "not finite": (frame(with_float(tracker(), 12, math.nan)), CloseCode.NOT_FINITE),
    "beyond 100 m": (frame(tracker(x=-100.01)), CloseCode.OUT_OF_RANGE),
    "no rotation": (frame(with_float(tracker(), 36, 0.5)), CloseCode.OUT_OF_RANGE),
    "second hello": (frame(encode(hello("Ada"))), CloseCode.SECOND_HELLO),
    "truncated hands": (frame(hands()[:50]), CloseCode.MALFORMED),
    "pointing beyond 100 m": (frame(hands(x=34.0)), CloseCode.OUT_OF_RANGE),
    "an impossible avatar": (frame(b"\x15\x91\x91\xa4VRM:"), CloseCode.MALFORMED),
    "an impossible voice": (frame(b"\x16\x91\x03"), CloseCode.MALFORMED),
    "an endless signal": (
        frame(b"\x17\x93\x01\x00\xdb\xff\xff\xff\xff" + bytes(8000)),
        CloseCode.MALFORMED,
    ),
    "flood": (frame(tracker()) * 500, CloseCode.FLOOD),
}


@pytest.mark.parametrize("breach", BREACHES)
async def test_a_breach_is_closed_with_its_code_counted_and_touches_nobody_else(breach: str):
    sent, code = BREACHES[breach]
    async with (
        server() as running,
        await RawSocket.join(running.port, "Bob") as bob,
        await RawSocket.join(running.port, "Mallory") as mallory,
    ):
        ticks_before = running.registry.lateness.ticks
        watching = asyncio.ensure_future(bob.snapshots(0.5))
        mallory.writer.write(sent)
        error, closed = await mallory.closing()
        assert error is not None
        assert (error.code, closed.code) == (code, code)
        assert len(error.text) > 20
        assert error.text.startswith(closed.reason)
        assert await metric(running.port, "armspan_closes_total", code=str(int(code))) == 1
        # The other one got every tick there was, at the rate, and was told who left, and why.
        seen = await watching
        ticks = running.registry.lateness.ticks - ticks_before
        assert ticks >= 20, "a third late, which only a busy machine excuses"
        assert len(seen) >= ticks - 2
        assert bob.events()[-1] == Left(sequence=3, id=2, reason=closed.reason)
        bob.send(encode(Rename(name="Robert")))
        assert await bob.next(Renamed) == Renamed(sequence=4, id=1, name="Robert")


@pytest.mark.parametrize(
    "message",
    [tracker(), encode(Rename(name="x")), encode(ChangeLengths(lengths=Lengths(palm_m=0.1)))],
    ids=["pose", "rename", "lengths"],
)
async def test_a_spectator_may_only_watch(message: bytes):
    async with server() as running, await RawSocket.watch(running.port) as eve:
        eve.send(message)
        _, closed = await eve.closing()
        assert closed.code == CloseCode.NOT_ALLOWED
        assert running.counters.closes == {CloseCode.NOT_ALLOWED: 1}


async def test_a_bad_session_name_and_another_version_are_told():
    async with server() as running:
        for name in ("a%20b", "-a", "a/b", "x" * 65):
            async with await RawSocket.open(running.port, name) as raw:
                error, closed = await raw.closing()
                assert error is not None
                assert closed.code == CloseCode.BAD_SESSION
        async with await RawSocket.open(running.port) as raw:
            newer = hello().model_copy(update={"protocol_version": 2})
            raw.send(encode(newer))
            error, closed = await raw.closing()
            assert error is not None
            assert closed.code == CloseCode.WRONG_VERSION
            assert "2" in error.text
        assert running.registry.sessions() == []


async def test_a_slow_handshake_is_closed():
    async with server(handshake_s=0.3) as running:
        async with await RawSocket.open(running.port) as raw:
            error, closed = await raw.closing()
            assert error is not None
            assert closed.code == CloseCode.HANDSHAKE_TIMEOUT
        async with await RawSocket.open(running.port) as raw:
            for byte in frame(encode(hello())):  # a hello that trickles in is just as slow
                raw.writer.write(bytes((byte,)))
                if raw.reader.at_eof():
                    break
                with contextlib.suppress(ConnectionError):
                    await raw.writer.drain()
                await asyncio.sleep(0.05)
            _, closed = await raw.closing()
            assert closed.code == CloseCode.HANDSHAKE_TIMEOUT
        assert running.counters.closes == {CloseCode.HANDSHAKE_TIMEOUT: 2}


@pytest.mark.parametrize("start", [b"", b"G", b"GET / HTTP/1.1\r\nHost: loc"])
async def test_a_connection_without_a_request_is_closed(start: bytes):
    async with server(handshake_s=0.3) as running:
        raw = await RawSocket.connect(running.port)
        async with raw:
            raw.writer.write(start)
            assert await in_time(raw.reader.read(), 3) == b""


async def test_a_connection_that_trickles_its_second_request_is_closed():
    async with server(handshake_s=0.3) as running:
        raw = await RawSocket.connect(running.port)
        async with raw:
            request = f"GET /healthz HTTP/1.1\r\nHost: localhost:{running.port}\r\n\r\n"
            raw.writer.write(request.encode())
            assert (await raw.response())[0] == 200
            closed = asyncio.ensure_future(raw.reader.read())
            for character in request * 3:
                raw.writer.write(character.encode())
                await asyncio.sleep(0.02)
                if closed.done():
                    break
            assert closed.done()


@pytest.mark.parametrize(
    ("begun", "apart"),
    [
        ("POST / HTTP/1.1", False),
        ("POST / HTTP/1.1", True),  # its answer has been sent
        ("POST /api/sessions/review/avatars HTTP/1.1", False),
        ("GET /healthz HTTP/1.1", True),
    ],
)
async def test_a_body_that_breaks_http_ends_its_connection_and_nothing_fails(
    begun: str, apart: bool, caplog: pytest.LogCaptureFixture
):
    async with server() as running:
        raw = await RawSocket.connect(running.port)
        async with raw:
            lines = f"Host: localhost:{running.port}\r\nTransfer-Encoding: chunked\r\n\r\n"
            request = f"{begun}\r\n{lines}".encode()
            if apart:
                raw.writer.write(request)
                assert (await raw.response())[0] in (200, 405)
                raw.writer.write(b"zz\r\n")
            else:
                raw.writer.write(request + b"zz\r\n")
                assert (await raw.response())[0] == 400
            assert b"Exception" not in await in_time(raw.reader.read(), 3)
        assert await get_json(running.port, "/healthz")
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize(
    "request_after_host",
    [
        b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 40_000,
        b"X: y\r\n" * 40_000 + b"\r\n",
    ],
)
async def test_what_would_keep_the_parser_busy_is_refused(request_after_host: bytes):
    async with server() as running:
        raw = await RawSocket.connect(running.port)
        async with raw:
            raw.writer.write(f"POST / HTTP/1.1\r\nHost: localhost:{running.port}\r\n".encode())
            raw.writer.write(request_after_host)
            with contextlib.suppress(ConnectionError):
                assert (await raw.response())[0] == 400
                await in_time(raw.reader.read(), 3)
        assert await get_json(running.port, "/healthz")


async def test_only_so_many_sockets_may_wait():
    async with server(pending_sockets=3) as running, contextlib.AsyncExitStack() as owned:
        for _ in range(3):
            await owned.enter_async_context(await RawSocket.open(running.port))
        refused = await owned.enter_async_context(await RawSocket.connect(running.port))
        refused.writer.write(head(running.port))
        assert (await refused.response())[0] == 503
        assert await metric(running.port, "armspan_upgrades_refused_total") == 1


@pytest.mark.parametrize("key", [None, "", "wrong", session_key(SECRET, "other")])
async def test_a_wrong_key_opens_nothing(key: str | None):
    async with server(SECRET, require_key=True) as running:
        async with await RawSocket.open(running.port) as raw:
            raw.send(encode(hello(key=key)))
            error, closed = await raw.closing()
            assert error is not None
            assert closed.code == CloseCode.WRONG_KEY
        assert running.registry.sessions() == []
        assert await metric(running.port, "armspan_closes_total", code="4401") == 1
        right = session_key(SECRET, "review")
        async with await RawSocket.join(running.port, key=right) as raw:
            assert raw.welcome.your_id == 1


async def test_a_full_session_stays_at_its_cap_under_simultaneous_joins():
    async with server(people_per_session=5) as running, contextlib.AsyncExitStack() as owned:
        raws = [
            await owned.enter_async_context(await RawSocket.open(running.port)) for _ in range(40)
        ]
        for n, raw in enumerate(raws):
            raw.send(encode(hello(f"P{n}")))
        async with asyncio.TaskGroup() as tasks:
            outcomes = [tasks.create_task(first_answer(raw)) for raw in raws]
        answers = [outcome.result() for outcome in outcomes]
        assert answers.count("welcome") == 5
        assert answers.count(CloseCode.SESSION_FULL) == 35
        (session,) = running.registry.sessions()
        assert session.people == 5
        assert running.counters.closes == {CloseCode.SESSION_FULL: 35}


async def first_answer(raw: RawSocket) -> str | int:
    message = await in_time(raw.receive())
    if isinstance(message, Welcome):
        return "welcome"
    _, closed = await raw.closing()
    return closed.code


async def test_a_full_server_refuses_another_session():
    async with server(sessions=2) as running, contextlib.AsyncExitStack() as owned:
        for name in ("a", "b"):
            await owned.enter_async_context(await RawSocket.join(running.port, session=name))
        async with await RawSocket.open(running.port, "c") as raw:
            raw.send(encode(hello()))
            _, closed = await raw.closing()
            assert closed.code == CloseCode.SERVER_FULL
        listed = await get_json(running.port, "/api/sessions")
        assert [session["name"] for session in listed["sessions"]] == ["a", "b"]


async def test_a_silent_peer_is_closed_and_one_that_answers_pings_is_not():
    async with (
        server(silence_s=0.6) as running,
        await RawSocket.watch(running.port) as quiet,
        await RawSocket.watch(running.port) as alive,
    ):

        async def answer_pings() -> None:
            while True:
                match await alive.receive():
                    case (Opcode.PING, bytes(payload)):
                        alive.send(payload, Opcode.PONG)

        answering = asyncio.ensure_future(answer_pings())
        error, closed = await quiet.closing()
        assert error is not None
        assert closed.code == CloseCode.SILENT
        await asyncio.sleep(1.2)
        assert not answering.done()
        answering.cancel()
        assert running.counters.closes == {CloseCode.SILENT: 1}


async def test_a_page_of_another_origin_gets_no_socket():
    async with server() as running:
        for headers in (
            {"Origin": "http://evil.example"},
            {"Host": "evil.example", "Origin": "http://evil.example"},
            {"Origin": f"http://127.0.0.1:{running.port + 1}"},
        ):
            raw = await RawSocket.connect(running.port)
            async with raw:
                raw.writer.write(head(running.port, **headers))
                status, _ = await raw.response()
                assert status in (403, 421)
        own = f"http://127.0.0.1:{running.port}"
        async with await RawSocket.open(running.port, Origin=own):
            pass


async def test_rubbish_of_any_kind_leaves_the_server_as_it_was():
    """Seeded noise in every position: after the head, as frames, as messages."""
    noise = random.Random(2)
    async with server() as running, await RawSocket.join(running.port, "Bob") as bob:
        for n in range(60):
            raw = await RawSocket.open(running.port)
            async with raw:
                if n % 3:
                    raw.send(encode(hello("Noise")))
                payload = noise.randbytes(noise.randrange(1, 300))
                raw.writer.write(
                    payload if n % 2 else frame(bytes((noise.randrange(256),)) + payload)
                )
                raw.writer.write_eof()
                await in_time(raw.closing())
        await until(lambda: running.gateway.sockets == 1, "every socket gone")
        assert len(await bob.snapshots(0.3)) >= 12
        (session,) = running.registry.sessions()
        assert session.connected == 1
