"""Looks, hands, voices and signals between real sockets, by Python clients and raw ones."""

import contextlib
from typing import TypeVar

import numpy as np
import pytest
from armspan.protocol import (
    ChangeVoice,
    HandsFlag,
    IceServer,
    Joined,
    Look,
    LookChanged,
    Refused,
    Signal,
    SignalKind,
    Signalled,
    Voice,
    VoiceChanged,
    VoiceServers,
    encode,
)
from armspan.server.client import Connection, Invitation, OldServer, SnapshotFrame, connect
from armspan.server.serving import Running
from armspan.server.sessions.voice_servers import turn_credential
from armspan.server.wire import SnapshotArrays

from tests.fakes import hands, tracker
from tests.integration.harness import RawSocket, in_time, metric, server, until

_M = TypeVar("_M")
SECRET = "a secret that two servers share"
TURN = "turn:voice.example:3478"
RED = Look(avatar="anna", colour=0xFF0000)


def invitation(running: Running, name: str, **more: object) -> Invitation:
    url = f"http://127.0.0.1:{running.port}"
    return Invitation(url=url, session="review", name=name, **more)  # type: ignore[arg-type]


async def told(connection: Connection, kind: type[_M]) -> _M:
    """The next message of a kind."""

    async def look() -> _M:
        while not isinstance(message := await connection.receive(), kind):
            pass
        return message

    return await in_time(look())


async def hands_told(connection: Connection, arrays: SnapshotArrays) -> None:
    """Wait for a snapshot that tells hands."""

    async def look() -> None:
        while True:
            message = await connection.receive()
            if isinstance(message, SnapshotFrame):
                message.unpack(arrays)
                if arrays.hands_count:
                    return

    await in_time(look())


async def test_python_clients_see_each_others_look_and_hands():
    fingers, points = np.linspace(-0.2, 1.0, 40), np.array([1.0, 2.0, 3.0, -1.0, -2.0, -3.0])
    async with (
        server() as running,
        connect(invitation(running, "Ada")) as ada,
        connect(invitation(running, "Bob", look=RED)) as bob,
    ):
        joined = await told(ada, Joined)
        assert joined.person.look == RED
        await bob.change_look(Look(avatar="vrm:" + "0" * 64))
        changed = await told(ada, LookChanged)
        assert ada.conversation.people[bob.welcome.your_id].look == changed.look
        assert ada.conversation.lost_events == 0
        flags = HandsFlag.LEFT_FINGERS | HandsFlag.RIGHT_POINT
        await bob.send_hands(flags, fingers, points)
        arrays = SnapshotArrays(capacity=4)
        await hands_told(ada, arrays)
        assert arrays.hands_ids[0] == bob.welcome.your_id
        assert arrays.hands_flags[0] == flags
        np.testing.assert_allclose(arrays.fingers[0, :20], fingers[:20], atol=0.006)
        assert not arrays.fingers[0, 20:].any()
        assert arrays.points[0].tolist() == [0.0, 0.0, 0.0, -1.0, -2.0, -3.0]


async def test_two_people_find_each_other_and_get_credentials_that_expire():
    async with (
        server(
            stun_urls=["stun:voice.example"], turn_urls=[TURN], turn_secret=SECRET, turn_ttl_s=600
        ) as running,
        connect(invitation(running, "Ada")) as ada,
        connect(invitation(running, "Bob")) as bob,
    ):
        await ada.change_voice(Voice.OPEN)
        servers = await told(ada, VoiceServers)
        stun, turn = servers.servers
        assert stun == IceServer(urls=("stun:voice.example",))
        assert (turn.urls, servers.expires_s) == ((TURN,), 600)
        assert turn.credential == turn_credential(SECRET, turn.username)
        assert ada.conversation.voice_servers == servers
        assert (await told(bob, VoiceChanged)).voice is Voice.OPEN
        await bob.change_voice(Voice.MUTED)
        await told(ada, VoiceChanged)
        await told(ada, VoiceChanged)
        voices = [person.voice for person in ada.conversation.people.values()]
        assert voices == [Voice.OPEN, Voice.MUTED]
        sdp = "v=0\r\n" + "a=candidate\r\n" * 300
        await ada.signal(bob.welcome.your_id, SignalKind.OFFER, sdp)
        signalled = await told(bob, Signalled)
        assert (signalled.sender, signalled.kind) == (ada.welcome.your_id, SignalKind.OFFER)
        assert signalled.text == sdp
        await ada.leave()
        await until(lambda: running.registry.sessions()[0].people == 1, "Ada is gone")
        await bob.signal(1, SignalKind.BYE, "")
        await until(lambda: running.counters.signals_dropped == 1, "a signal to nobody")
        assert await metric(running.port, "armspan_signals_passed_total") == 1


async def test_seven_want_to_talk_and_the_network_of_one_breaks():
    async with server() as running, contextlib.AsyncExitStack() as owned:
        people = [
            await owned.enter_async_context(await RawSocket.join(running.port, f"P{n}"))
            for n in range(7)
        ]
        for person in people[:6]:
            person.send(encode(ChangeVoice(voice=Voice.OPEN)))
            await person.next(VoiceServers)
        people[6].send(encode(ChangeVoice(voice=Voice.OPEN)))
        refused = await people[6].next(Refused)
        assert refused.what == ChangeVoice.message_id
        people[0].drop()
        off = VoiceChanged(sequence=14, id=1, voice=Voice.OFF)
        while await people[6].next(VoiceChanged) != off:
            pass
        people[6].send(encode(ChangeVoice(voice=Voice.OPEN)))
        await people[6].next(VoiceServers)
        again = await RawSocket.join(running.port, "P0", token=people[0].welcome.token)
        await owned.enter_async_context(again)
        voices = {person.id: person.voice for person in again.welcome.people}
        assert voices == {1: Voice.OFF, **dict.fromkeys(range(2, 8), Voice.OPEN)}


async def test_an_old_client_stays_and_sees_the_bodies_of_people_with_hands():
    async with (
        server() as running,
        await RawSocket.join(running.port, "Old", revision=0) as old,
        await RawSocket.join(running.port, "New") as new,
    ):
        assert old.welcome.revision == 0
        new.send(tracker())
        new.send(hands())
        new.send(encode(ChangeVoice(voice=Voice.OPEN)))
        seen = await old.snapshots(0.5)
        assert any(getattr(snapshot, "hands", ()) for snapshot in seen)
        assert len(old.events()) == 2
        assert not [event for event in old.events() if isinstance(event, VoiceChanged)]


async def test_a_client_sends_an_old_server_nothing_that_it_does_not_know():
    async with server() as running, connect(invitation(running, "Ada")) as ada:
        welcome = ada.welcome.model_copy(update={"revision": 0})
        ada.conversation.welcome = welcome
        for act in (
            ada.change_look(RED),
            ada.change_voice(Voice.OPEN),
            ada.signal(2, SignalKind.BYE, ""),
            ada.send_hands(0, np.zeros(40), np.zeros(6)),
        ):
            with pytest.raises(OldServer, match="update the server"):
                await act
        await ada.send_sample(np.tile([0.0, 1.6, 0.0, 0.0, 0.0, 0.0, 1.0], 3))


async def test_a_flood_of_signals_costs_nobody_the_session():
    """The longest signals, as fast as the bucket of messages lets them through."""
    text = "x" * 4096
    async with (
        server(messages_burst=400) as running,
        await RawSocket.join(running.port, "Mallory") as mallory,
        await RawSocket.join(running.port, "Bob") as bob,
    ):
        for raw in (mallory, bob):
            raw.send(encode(ChangeVoice(voice=Voice.OPEN)))
            await raw.next(VoiceServers)
        for _ in range(300):
            mallory.send(encode(Signal(to=2, kind=SignalKind.OFFER, text=text)))
        refused = await mallory.next(Refused)
        assert refused.what == Signal.message_id
        counters = running.counters
        await until(lambda: counters.signals_passed + counters.signals_dropped == 300)
        assert 0 < counters.signals_passed <= 140, "the bucket's, less what Bob was behind for"
        await bob.next(Signalled)
        bob.send(encode(ChangeVoice(voice=Voice.MUTED)))
        await bob.next(VoiceServers)
        assert counters.closes == {}


async def test_signals_to_one_who_does_not_read_are_dropped():
    text = "x" * 4096
    async with (
        server(unsent_bytes=4096, send_buffer_bytes=16_384, signals_burst=400) as running,
        await RawSocket.join(running.port, "Mallory") as mallory,
        await RawSocket.join(running.port, "Bob", receive_buffer_bytes=4096) as bob,
    ):
        for raw in (mallory, bob):
            raw.send(encode(ChangeVoice(voice=Voice.OPEN)))
            await raw.next(VoiceServers)
        for _ in range(100):
            mallory.send(encode(Signal(to=2, kind=SignalKind.OFFER, text=text)))
        counters = running.counters
        await until(lambda: counters.signals_passed + counters.signals_dropped == 100)
        assert counters.signals_dropped > 20
        assert counters.closes == {}
        assert running.registry.sessions()[0].connected == 2
