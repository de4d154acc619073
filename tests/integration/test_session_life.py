"""A session over real sockets: joining late, coming back, taking over, leaving, and the end."""

import asyncio
import contextlib
import itertools
import logging

import pytest
from armspan.protocol import (
    ChangeLengths,
    ClockPing,
    ClockPong,
    CloseCode,
    Joined,
    Leave,
    Left,
    Lengths,
    LengthsChanged,
    Presence,
    Rename,
    Renamed,
    Statistics,
    Welcome,
    encode,
)
from armspan.protocol.frames import Snapshot
from armspan.server.gateway.assembly import Opcode
from armspan.server.sessions import session_key

from tests.fakes import hello, tracker
from tests.integration.harness import RawSocket, get, get_json, head, in_time, server, until

SECRET = "a secret of the server"


async def shows(raw: RawSocket, ids: set[int]) -> Snapshot:
    """The first snapshot that shows exactly these avatars."""
    while True:
        snapshot = await raw.next(Snapshot)
        if {avatar.id for avatar in snapshot.avatars} == ids:
            return snapshot


async def test_everyone_sees_everyone_where_they_are():
    async with (
        server() as running,
        await RawSocket.join(running.port, "Ada") as ada,
        await RawSocket.join(running.port, "Bob") as bob,
        await RawSocket.watch(running.port) as eve,
    ):
        ada.send(tracker(x=3))
        bob.send(tracker(x=-4))
        for raw in (ada, bob, eve):
            snapshot = await in_time(shows(raw, {1, 2}))
            where = {avatar.id: avatar.chest_position_m[0] for avatar in snapshot.avatars}
            assert abs(where[1] - 3) < 0.3
            assert abs(where[2] + 4) < 0.3


async def test_snapshots_come_at_the_rate_in_order_and_carry_the_session_time():
    async with server(rate_hz=50) as running, await RawSocket.watch(running.port) as eve:
        await eve.next(Snapshot)
        seen = await eve.snapshots(1.0)
        assert 45 <= len(seen) <= 52
        for before, after in itertools.pairwise(seen):
            assert after.tick > before.tick
            elapsed_us = after.session_time_us - before.session_time_us
            assert abs(elapsed_us / (after.tick - before.tick) - 20_000) < 15_000


async def test_a_late_joiner_knows_everything_and_misses_nothing():
    async with (
        server() as running,
        await RawSocket.join(running.port, "Ada") as ada,
        await RawSocket.join(running.port, "Bob") as bob,
    ):
        ada.send(encode(Rename(name="Ada L.")))
        ada.send(encode(ChangeLengths(lengths=Lengths(forearm_m=0.31))))
        await ada.next(LengthsChanged)
        bob.drop()
        await ada.next(Presence)
        async with await RawSocket.join(running.port, "Carl") as carl:
            people = {person.id: person for person in carl.welcome.people}
            assert people[1].name == "Ada L."
            assert (people[1].lengths.forearm_m, people[1].lengths_version) == (0.31, 1)
            assert [people[id_].connected for id_ in (1, 2, 3)] == [True, False, True]
            joined = await ada.next(Joined)
            assert joined.sequence == carl.welcome.event_sequence
            ada.send(encode(Rename(name="Ada")))
            renamed = await carl.next(Renamed)
            assert renamed == Renamed(sequence=joined.sequence + 1, id=1, name="Ada")
        sequences = [event.sequence for event in ada.events()]
        assert sequences == list(range(sequences[0], sequences[0] + len(sequences)))


async def test_a_lost_connection_comes_back_as_itself():
    async with server() as running, await RawSocket.join(running.port, "Ada") as ada:
        bob = await RawSocket.join(running.port, "Bob")
        bob.send(tracker(x=1))
        await in_time(shows(ada, {2}))
        token = bob.welcome.token
        bob.drop()
        assert await ada.next(Presence) == Presence(sequence=3, id=2, connected=False)
        await in_time(shows(ada, set()))
        async with await RawSocket.join(running.port, "Bob", token=token) as back:
            assert back.welcome.your_id == 2
            assert await ada.next(Presence) == Presence(sequence=4, id=2, connected=True)
            back.send(tracker(x=2))
            await in_time(shows(ada, {2}))
            listed = await get_json(running.port, "/api/sessions")
            assert listed["sessions"][0]["people"] == 2


async def test_a_dead_socket_is_taken_over_and_nothing_of_it_acts_any_more():
    async with (
        server() as running,
        await RawSocket.join(running.port, "Ada") as ada,
        await RawSocket.join(running.port, "Bob") as dead,
    ):
        dead.send(tracker(x=1))
        await in_time(shows(ada, {2}))
        async with await RawSocket.join(running.port, "Robert", token=dead.welcome.token) as alive:
            assert alive.welcome.your_id == 2
            alive.send(tracker(x=5))
            for acted in (tracker(x=9), encode(Rename(name="Ghost")), encode(Leave())):
                dead.send(acted)
            error, closed = await dead.closing()
            assert error is not None
            assert closed.code == CloseCode.REPLACED
            await ada.snapshots(0.4)
            assert [type(event) for event in ada.events()] == [Joined, Renamed]
            last = ada.seen[-1]
            assert isinstance(last, Snapshot)
            (avatar,) = last.avatars
            assert abs(avatar.chest_position_m[0] - 5) < 0.3
            assert running.counters.closes == {CloseCode.REPLACED: 1}
            alive.send(encode(Rename(name="Bob")))
            assert (await ada.next(Renamed)).name == "Bob"


async def test_nobody_comes_back_after_the_grace():
    async with server(grace_s=0.3) as running, await RawSocket.join(running.port) as ada:
        bob = await RawSocket.join(running.port, "Bob")
        bob.drop()
        left = await ada.next(Left)
        assert left.id == 2
        async with await RawSocket.join(running.port, token=bob.welcome.token) as again:
            assert again.welcome.your_id == 3


@pytest.mark.parametrize("how", ["leave", "close 1000"])
async def test_leaving_is_at_once(how: str):
    async with server() as running, await RawSocket.join(running.port) as ada:
        async with await RawSocket.join(running.port, "Bob") as bob:
            if how == "leave":
                bob.send(encode(Leave()))
            else:
                bob.send(b"\x03\xe8", Opcode.CLOSE)
            error, closed = await bob.closing()
            assert error is None
            assert closed.code == 1000
        left = await ada.next(Left)
        assert left.id == 2
        assert running.counters.closes == {1000: 1}


async def test_the_last_one_out_ends_the_session():
    async with server() as running:
        async with await RawSocket.join(running.port) as ada:
            ada.send(encode(Leave()))
            await ada.closing()
        await until(lambda: not running.registry.sessions(), "the session's end")
        async with await RawSocket.join(running.port) as again:
            assert again.welcome.your_id == 1
            assert again.welcome.tick < 100


async def test_clocks_agree_within_the_round_trip():
    async with server() as running, await RawSocket.watch(running.port) as eve:
        snapshot = await eve.next(Snapshot)
        eve.send(encode(ClockPing(client_time_us=42)))
        pong = await eve.next(ClockPong)
        assert pong.client_time_us == 42
        assert pong.received_us <= pong.sent_us
        assert 0 <= pong.received_us - snapshot.session_time_us < 1_000_000


async def test_everyone_is_told_the_statistics_every_second():
    async with server() as running, await RawSocket.join(running.port) as ada:
        ada.send(tracker())
        await ada.next(Statistics)
        before = (await ada.next(Snapshot)).tick
        told = await ada.next(Statistics)
        seconds = ((await ada.next(Snapshot)).tick - before) / 60
        assert 1 <= round(seconds) <= 3  # a peer that happens to be behind misses one
        assert abs(seconds - round(seconds)) < 0.25
        assert told.people == 1
        assert told.bytes_per_s_out > 30 * 40
        assert told.solve_us_per_body > 0


async def test_one_port_serves_pages_api_and_sockets():
    async with server() as running:
        async with await RawSocket.join(running.port):
            assert (await get(running.port, "/healthz"))[0] == 200
            assert (await get(running.port, "/s/review"))[0] in (200, 503)
            assert (await get(running.port, "/nowhere"))[0] == 404
        raw = await RawSocket.connect(running.port)
        async with raw:  # a page and then a socket on one connection
            raw.writer.write(
                f"GET /healthz HTTP/1.1\r\nHost: localhost:{running.port}\r\n\r\n".encode()
            )
            status, headers = await raw.response()
            assert status == 200
            await raw.reader.readexactly(int(headers["content-length"]))
            raw.writer.write(head(running.port))
            assert (await raw.response())[0] == 101
            raw.send(encode(hello()))
            await raw.next(Welcome)


async def test_the_end_of_the_server_is_told_and_waits_for_nobody():
    async with contextlib.AsyncExitStack() as owned:
        running = await owned.enter_async_context(server())
        ada = await RawSocket.join(running.port, "Ada")
        bob = await RawSocket.join(running.port, "Bob")
        waiting = await RawSocket.open(running.port)
        started_s = asyncio.get_running_loop().time()
        ending = asyncio.ensure_future(owned.aclose())
        for raw in (ada, bob, waiting):
            error, closed = await raw.closing()
            assert error is not None
            assert closed.code == CloseCode.RESTARTING
        await in_time(ending)  # neither of them has closed its side
        assert asyncio.get_running_loop().time() - started_s < 2
        assert [type(event) for event in (*ada.events(), *bob.events())] == [Joined]


async def test_no_key_or_secret_is_ever_logged(caplog: pytest.LogCaptureFixture):
    for logger in ("armspan", "uvicorn", "asyncio", "picows"):
        caplog.set_level(logging.DEBUG, logger)
    key, wrong = session_key(SECRET, "review"), session_key(SECRET, "other")
    async with server(SECRET, require_key=True) as running:
        async with await RawSocket.join(running.port, key=key) as ada:
            for presented in (wrong, key[:-1]):
                async with await RawSocket.open(running.port) as raw:
                    raw.send(encode(hello(key=presented)))
                    await raw.closing()
            ada.send(encode(hello(key=key)))
            await ada.closing()
        for sent in (SECRET, "Bearer x"):
            await get(running.port, "/api/sessions", Authorization=f"Bearer {sent}")
        await get(running.port, f"/s/review?key={key}")
        await get(running.port, f"/ws/review?key={key}")
    assert "4401" in caplog.text
    for secret in (SECRET, key, wrong, key[:-1]):
        assert secret not in caplog.text
