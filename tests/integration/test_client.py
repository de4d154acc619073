"""The Python client against a real server: what a script needs, and what goes wrong."""

import asyncio
import contextlib

import numpy as np
import pytest
from armspan.protocol import (
    CloseCode,
    Joined,
    Left,
    Lengths,
    LengthsChanged,
    Presence,
    Rename,
    Renamed,
    Role,
    SessionEvent,
)
from armspan.server.client import (
    Connection,
    Invitation,
    Refused,
    SnapshotFrame,
    connect,
    monotonic_us,
    stay,
)
from armspan.server.client.errors import Disconnected
from armspan.server.serving import Running
from armspan.server.sessions import session_key
from armspan.server.wire import SnapshotArrays
from armspan.solvers.body.chest import eyes_from_chest

from tests.integration.harness import in_time, server

REST = [0.0, 0.0, 0.0, 1.0]
POSES = np.array([1.0, 1.6, -2.0, *REST, 0.8, 1.1, -2.3, *REST, 1.2, 1.1, -2.3, *REST])
EVENTS = (Joined, Left, Presence, Renamed)


def invitation(running: Running, name: str = "Ada", **more: object) -> Invitation:
    url = f"http://127.0.0.1:{running.port}"
    return Invitation(url=url, session="demo", name=name, **more)  # type: ignore[arg-type]


async def next_event(connection: Connection) -> SessionEvent:
    async def look() -> SessionEvent:
        while True:
            message = await connection.receive()
            if isinstance(message, (*EVENTS, LengthsChanged)):
                return message

    return await in_time(look())  # type: ignore[return-value]


async def read_to_the_end(connection: Connection) -> None:
    async for _ in connection:
        pass


async def next_snapshot(connection: Connection, avatars: int, arrays: SnapshotArrays) -> None:
    async def look() -> None:
        while True:
            message = await connection.receive()
            if isinstance(message, SnapshotFrame) and message.unpack(arrays) == avatars:
                return

    await in_time(look())


async def test_a_sample_that_is_sent_is_seen_by_another_with_its_head_in_place():
    async with (
        server() as running,
        connect(invitation(running)) as ada,
        connect(invitation(running, "Eve", role=Role.SPECTATOR)) as eve,
    ):
        await ada.send_sample(POSES)
        arrays = SnapshotArrays(4)
        await next_snapshot(eve, 1, arrays)
        assert arrays.ids[0] == ada.welcome.your_id
        lengths = np.array(Lengths().as_row())
        eyes = eyes_from_chest(lengths, arrays.world_from_chest[0], arrays.head_rotation[0])
        np.testing.assert_allclose(eyes, POSES[:3], atol=0.002)
        assert eve.welcome.your_id == 0


async def test_both_see_who_comes_changes_and_goes_and_no_event_is_lost():
    async with server() as running, connect(invitation(running)) as ada:
        async with connect(invitation(running, "Grace")) as grace:
            joined = await next_event(ada)
            assert isinstance(joined, Joined)
            assert joined.person.name == "Grace"
            assert {p.name for p in grace.conversation.people.values()} == {"Ada", "Grace"}
            await grace.send(Rename(name="Admiral"))
            renamed = await next_event(ada)
            assert isinstance(renamed, Renamed)
            assert ada.conversation.people[grace.welcome.your_id].name == "Admiral"
            await grace.leave()
        left = await next_event(ada)
        assert isinstance(left, Left)
        assert set(ada.conversation.people) == {ada.welcome.your_id}
        assert ada.conversation.lost_events == 0


async def test_the_clock_agrees_with_the_servers_ticks():
    async with server() as running, connect(invitation(running)) as ada:
        await ada.send_sample(POSES)
        arrays = SnapshotArrays(4)
        clock = ada.conversation.clock
        while not clock.synchronised:
            await next_snapshot(ada, 1, arrays)
        await next_snapshot(ada, 1, arrays)
        age_us = clock.session_us(monotonic_us()) - arrays.session_time_us
        assert -clock.round_trip_us <= age_us < 200_000  # a tick just now, and on its way


async def test_a_lost_connection_comes_back_as_the_same_person():
    async with server() as running, connect(invitation(running, "Eve")) as eve:
        ids: list[int] = []
        async with contextlib.aclosing(stay(invitation(running))) as comings:
            async for connection in comings:
                ids.append(connection.welcome.your_id)
                if len(ids) == 2:
                    break
                connection._socket.transport.abort()  # the network goes away without a word
                with pytest.raises(Disconnected):
                    await read_to_the_end(connection)
        assert ids[0] == ids[1]
        seen = [await next_event(eve) for _ in range(3)]
        assert [type(event) for event in seen] == [Joined, Presence, Presence]
        assert [e.connected for e in seen if isinstance(e, Presence)] == [False, True]


async def test_the_wrong_key_is_refused_and_the_right_one_opens():
    secret = "a secret that nobody guesses"
    async with server(secret, require_key=True) as running:
        for key in (None, "wrong"):
            with pytest.raises(Refused) as refused:
                async with connect(invitation(running, key=key)):
                    raise AssertionError("came in without the key")
            assert refused.value.code == CloseCode.WRONG_KEY
        key = session_key(secret, "demo")
        async with connect(invitation(running, key=key)) as ada:
            assert ada.welcome.your_id > 0


async def test_a_server_that_shuts_down_says_so():
    async with asyncio.timeout(20):
        async with server() as running:
            staying = connect(invitation(running))
            ada = await staying.__aenter__()
        with pytest.raises(Disconnected) as ended:
            await read_to_the_end(ada)
        assert len(str(ended.value)) > 10
        await staying.__aexit__(None, None, None)
