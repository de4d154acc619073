"""The client over real sockets, against a server that follows a script."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import numpy as np
import pytest
from armspan.protocol import (
    PROTOCOL_VERSION,
    ClockPing,
    ClockPong,
    CloseCode,
    Error,
    Hello,
    Leave,
    Left,
    Lengths,
    Rename,
    Role,
    Welcome,
    caps,
    decode_from_client,
    encode,
)
from armspan.protocol.frames import decode_tracker
from armspan.server.client import (
    BrokenServer,
    Connection,
    Disconnected,
    Invitation,
    Refused,
    connect,
    stay,
)
from websockets.asyncio.server import ServerConnection, serve

Script = Callable[[ServerConnection], Awaitable[None]]
TOKEN = bytes(range(16))
WELCOME = Welcome(
    protocol_version=PROTOCOL_VERSION,
    server_version="1",
    session="demo",
    your_id=1,
    token=TOKEN,
    tick_rate_hz=60.0,
    tick=0,
    session_time_us=0,
    event_sequence=0,
    people=(),
    max_people=8,
    method="robust",
)


@contextlib.asynccontextmanager
async def scripted(script: Script) -> AsyncIterator[Invitation]:
    async with serve(script, "127.0.0.1", 0, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield Invitation(url=f"http://127.0.0.1:{port}", session="demo", name="Ada")


async def hello_of(socket: ServerConnection) -> Hello:
    hello = decode_from_client(await socket.recv(decode=False))
    assert isinstance(hello, Hello)
    return hello


async def welcomed(socket: ServerConnection) -> Hello:
    hello = await hello_of(socket)
    await socket.send(encode(WELCOME))
    return hello


async def test_hello_says_who_comes_and_the_samples_follow_bit_for_bit():
    seen: asyncio.Queue[object] = asyncio.Queue()

    async def script(socket: ServerConnection) -> None:
        seen.put_nowait(socket.request.path if socket.request else None)
        seen.put_nowait(await welcomed(socket))
        async for payload in socket:
            seen.put_nowait(payload)

    poses = np.tile([0.125, 1.5, -0.25, 0.5, -0.5, 0.5, 0.5], 3)
    poses[14] = -7.75
    inputs = np.arange(8, dtype=np.uint8)
    async with scripted(script) as here:
        invitation = Invitation(here.url, "demo", "Ada", key="k", lengths=Lengths(palm_m=0.09))
        async with connect(invitation) as me:
            assert me.welcome == WELCOME
            await me.send_sample(
                poses, sample_time_us=123, tracked=0b101, discontinuity=3, inputs=inputs
            )
            await me.send(Rename(name="Grace"))
            assert await seen.get() == "/ws/demo"
            assert await seen.get() == invitation.hello
            frame = decode_tracker(await seen.get())  # type: ignore[arg-type]
            assert frame.sample_time_us == 123
            assert (frame.tracked, frame.discontinuity) == (0b101, 3)
            assert frame.head == tuple(poses[:7])
            assert frame.right_palm == tuple(poses[14:])
            assert frame.right_input == (4, 5, 6, 7)
            assert await seen.get() == encode(Rename(name="Grace"))


async def test_reading_keeps_the_clock():
    offset_us = 3_600_000_000

    async def script(socket: ServerConnection) -> None:
        await welcomed(socket)
        await socket.send(encode(Left(sequence=1, id=9, reason="")))
        async for payload in socket:
            ping = decode_from_client(payload)
            assert isinstance(ping, ClockPing)
            now_us = ping.client_time_us + offset_us
            pong = ClockPong(client_time_us=ping.client_time_us, received_us=now_us, sent_us=now_us)
            await socket.send(encode(pong))

    async with scripted(script) as invitation, connect(invitation) as me:
        async with asyncio.timeout(5):
            while not me.conversation.clock.synchronised:
                await me.receive()
        # The server claims to answer at once, so the true offset is within the round trip.
        error_us = abs(me.conversation.clock.offset_us - offset_us)
        assert error_us <= me.conversation.clock.round_trip_us


@pytest.mark.parametrize("says_error", [True, False])
async def test_a_refused_hello_gives_the_servers_sentence(says_error: bool):
    async def script(socket: ServerConnection) -> None:
        await hello_of(socket)
        if says_error:
            await socket.send(encode(Error(code=CloseCode.WRONG_KEY, text="That key is wrong.")))
        await socket.close(CloseCode.WRONG_KEY, "That key is wrong.")

    async with scripted(script) as invitation:
        with pytest.raises(Refused, match=r"That key is wrong\.") as refused:
            async with connect(invitation):
                raise AssertionError("never welcomed")
    assert refused.value.code == CloseCode.WRONG_KEY


async def test_a_server_that_never_says_welcome_is_given_up():
    async def script(socket: ServerConnection) -> None:
        await socket.wait_closed()

    async with scripted(script) as invitation:
        with pytest.raises(Disconnected, match="welcome"):
            async with connect(invitation, timeout_s=0.2):
                raise AssertionError("never welcomed")


async def test_nobody_at_the_address_is_said_with_the_address():
    async with scripted(welcomed_and_gone) as invitation:
        pass
    with pytest.raises(Disconnected, match="cannot be reached") as failure:
        async with connect(invitation):
            raise AssertionError("nobody is there")
    assert invitation.url in str(failure.value)


async def welcomed_and_gone(socket: ServerConnection) -> None:
    await welcomed(socket)
    await socket.close(CloseCode.RESTARTING, "Back soon.")


async def test_iteration_ends_with_the_reason_of_the_end():
    async with scripted(welcomed_and_gone) as invitation, connect(invitation) as me:
        with pytest.raises(Disconnected, match=r"Back soon\."):
            await anext(me)


async def test_text_is_no_part_of_the_protocol():
    async def script(socket: ServerConnection) -> None:
        await welcomed(socket)
        await socket.send("hello there")
        await socket.wait_closed()

    async with scripted(script) as invitation, connect(invitation) as me:
        with pytest.raises(BrokenServer):
            await me.receive()


async def test_leaving_says_so():
    seen: asyncio.Queue[bytes] = asyncio.Queue()

    async def script(socket: ServerConnection) -> None:
        await welcomed(socket)
        async for payload in socket:
            assert isinstance(payload, bytes)
            seen.put_nowait(payload)

    async with scripted(script) as invitation, connect(invitation) as me:
        await me.leave()
        assert await seen.get() == encode(Leave())


async def test_whoever_stays_comes_back_as_the_same_person():
    hellos: list[Hello] = []

    async def script(socket: ServerConnection) -> None:
        hellos.append(await welcomed(socket))
        await socket.close(CloseCode.RESTARTING, "Back soon.")

    async with scripted(script) as invitation:
        connections: list[Connection] = []
        async with contextlib.aclosing(stay(invitation, give_up_s=5)) as comings:
            async for connection in comings:
                connections.append(connection)
                with pytest.raises(Disconnected):
                    await connection.receive()
                if len(connections) == 3:
                    break
    assert [hello.token for hello in hellos] == [None, TOKEN, TOKEN]


async def test_a_server_that_says_welcome_and_hangs_up_is_not_hammered():
    calls = 0

    async def script(socket: ServerConnection) -> None:
        nonlocal calls
        calls += 1
        await welcomed_and_gone(socket)

    async with scripted(script) as invitation:
        began_s = time.monotonic()
        async with contextlib.aclosing(stay(invitation, give_up_s=20)) as comings:
            async for connection in comings:
                with pytest.raises(Disconnected):
                    await connection.receive()
                if calls == 4:
                    break
    assert time.monotonic() - began_s >= 0.5 * (0.25 + 0.5 + 1.0)


async def test_a_message_above_the_cap_is_the_servers_fault():
    async def script(socket: ServerConnection) -> None:
        await welcomed(socket)
        await socket.send(bytes(caps.SERVER_MESSAGE_BYTES + 1))
        await socket.wait_closed()

    async with scripted(script) as invitation, connect(invitation) as me:
        with pytest.raises(BrokenServer, match="more than 262144 bytes"):
            await me.receive()


async def test_what_a_server_says_at_the_end_cannot_command_a_terminal():
    async def script(socket: ServerConnection) -> None:
        await welcomed(socket)
        await socket.close(CloseCode.FLOOD, "\x1b]0;mine\x07 so\u202e long\n")

    async with scripted(script) as invitation, connect(invitation) as me:
        with pytest.raises(Refused) as end:
            await me.receive()
    assert str(end.value) == "]0;mine so long"


async def test_staying_ends_when_the_server_is_gone_for_good():
    async with scripted(welcomed_and_gone) as invitation:
        pass
    began_s = time.monotonic()
    with pytest.raises(Disconnected, match="Gave up after"):
        await anext(stay(invitation, give_up_s=1.0))
    assert time.monotonic() - began_s < 3


async def test_a_refusal_is_not_tried_again():
    calls = 0

    async def script(socket: ServerConnection) -> None:
        nonlocal calls
        calls += 1
        await hello_of(socket)
        await socket.close(CloseCode.SESSION_FULL, "")

    async with scripted(script) as invitation:
        with pytest.raises(Refused, match="full"):
            await anext(stay(invitation))
    assert calls == 1


def test_a_spectator_can_be_invited():
    invitation = Invitation("http://h", "demo", "Ada", role=Role.SPECTATOR, token=TOKEN)
    assert (invitation.hello.role, invitation.hello.token) == (Role.SPECTATOR, TOKEN)
