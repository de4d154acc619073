"""The client's logic without any socket: bytes in, state out."""

import numpy as np
import pytest
from armspan.protocol import (
    PROTOCOL_VERSION,
    ClockPong,
    CloseCode,
    Error,
    Hello,
    Joined,
    Left,
    Lengths,
    LengthsChanged,
    Look,
    LookChanged,
    Person,
    Presence,
    ProtocolError,
    Renamed,
    Role,
    Statistics,
    Voice,
    VoiceChanged,
    VoiceServers,
    Welcome,
    decode_from_client,
    encode,
)
from armspan.protocol.frames import AvatarState, Snapshot, encode_snapshot
from armspan.server.client import (
    BrokenServer,
    Conversation,
    Disconnected,
    OldServer,
    Refused,
    SessionClock,
    SnapshotFrame,
)
from armspan.server.wire import SnapshotArrays

HELLO = Hello(protocol_version=PROTOCOL_VERSION, name="Ada", role=Role.PARTICIPANT)


def person(id_: int, name: str = "Somebody") -> Person:
    return Person(id=id_, name=name, connected=True, lengths_version=0, lengths=Lengths())


def welcome(**changes: object) -> Welcome:
    fields: dict[str, object] = {
        "protocol_version": PROTOCOL_VERSION,
        "server_version": "1",
        "session": "demo",
        "your_id": 2,
        "token": bytes(16),
        "tick_rate_hz": 60.0,
        "tick": 5,
        "session_time_us": 10,
        "event_sequence": 7,
        "people": (person(1), person(2)),
        "max_people": 8,
        "method": "robust",
    }
    return Welcome.model_validate(fields | changes)


def joined_conversation() -> Conversation:
    conversation = Conversation(HELLO)
    conversation.receive(encode(welcome()), 0)
    return conversation


def a_snapshot() -> bytes:
    state = AvatarState(
        id=1,
        chest_position_m=(1.0, 1.25, -2.0),
        chest_rotation=(0.0, 0.0, 0.0, 1.0),
        head_rotation=(0.0, 0.0, 0.0, 1.0),
        joint_angles_rad=(0.1,) * 15,
        sample_age_us=3000,
    )
    return encode_snapshot(Snapshot(tick=9, session_time_us=123456, avatars=(state,)))


def test_the_first_message_is_the_hello():
    assert decode_from_client(Conversation(HELLO).opening()) == HELLO


def test_a_welcome_tells_who_is_there():
    conversation = joined_conversation()
    assert set(conversation.people) == {1, 2}
    assert conversation.lost_events == 0


def test_events_change_the_people():
    conversation = joined_conversation()
    longer = Lengths(forearm_m=0.3)
    for event in (
        Joined(sequence=8, person=person(3)),
        Renamed(sequence=9, id=3, name="Grace"),
        Presence(sequence=10, id=1, connected=False),
        LengthsChanged(sequence=11, id=3, lengths_version=1, lengths=longer),
        Left(sequence=12, id=2, reason="left"),
    ):
        assert conversation.receive(encode(event), 0) == event
    assert set(conversation.people) == {1, 3}
    assert conversation.people[3].name == "Grace"
    assert conversation.people[3].lengths == longer
    assert not conversation.people[1].connected
    assert conversation.lost_events == 0


def test_every_missing_event_is_counted():
    conversation = joined_conversation()
    conversation.receive(encode(Joined(sequence=11, person=person(3))), 0)
    assert conversation.lost_events == 3
    conversation.receive(encode(Left(sequence=12, id=3, reason="")), 0)
    assert conversation.lost_events == 3


def test_event_numbers_go_on_after_their_largest():
    conversation = Conversation(HELLO)
    conversation.receive(encode(welcome(event_sequence=2**32 - 1)), 0)
    conversation.receive(encode(Left(sequence=0, id=1, reason="")), 0)
    assert conversation.lost_events == 0


def test_a_snapshot_is_passed_on_and_decoded_when_asked():
    conversation = joined_conversation()
    frame = conversation.receive(a_snapshot(), 77)
    assert isinstance(frame, SnapshotFrame)
    assert (frame.received_us, conversation.snapshots) == (77, 1)
    arrays = SnapshotArrays(4)
    assert frame.unpack(arrays) == 1
    assert arrays.ids[0] == 1
    np.testing.assert_allclose(arrays.world_from_chest[0, :3], [1, 1.25, -2], atol=1e-3)
    with pytest.raises(BrokenServer, match="broken snapshot"):
        SnapshotFrame(a_snapshot()[:-1], 0).unpack(arrays)


def test_statistics_are_kept():
    conversation = joined_conversation()
    told = Statistics(
        tick_rate_hz=60.0,
        tick_lateness_p50_ms=0.1,
        tick_lateness_p99_ms=0.4,
        people=2,
        spectators=0,
        bytes_per_s_out=1000.0,
        snapshots_skipped=0,
        solve_us_per_body=5.0,
    )
    conversation.receive(encode(told), 0)
    assert conversation.statistics == told


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        a_snapshot(),  # before the welcome
        encode(Left(sequence=1, id=1, reason="")),
        b"\x7f\x90",
        b"\x20\x91",
        encode(HELLO),
        encode(welcome(protocol_version=PROTOCOL_VERSION + 1)),
    ],
    ids=["empty", "early snapshot", "early event", "unknown", "short", "a client's", "version"],
)
def test_a_server_that_breaks_the_protocol_is_told_apart(payload: bytes):
    with pytest.raises(BrokenServer) as broken:
        Conversation(HELLO).receive(payload, 0)
    assert not isinstance(broken.value, ProtocolError)


def test_the_servers_own_words_explain_the_end():
    conversation = Conversation(HELLO)
    conversation.receive(encode(Error(code=CloseCode.WRONG_KEY, text="That key is wrong.")), 0)
    ended = conversation.ended(4401, "short")
    assert isinstance(ended, Refused)
    assert (ended.code, str(ended)) == (4401, "That key is wrong.")


@pytest.mark.parametrize("code", [None, 1006, 1012, 4408, 4430, 4431])
def test_an_end_for_a_passing_reason_may_be_tried_again(code: int | None):
    assert isinstance(joined_conversation().ended(code, ""), Disconnected)


@pytest.mark.parametrize("code", [4400, 4401, 4410, 4429, 4503, 4999])
def test_an_end_for_good_says_why_even_if_the_server_did_not(code: int):
    ended = joined_conversation().ended(code, "")
    assert isinstance(ended, Refused)
    assert len(str(ended)) > 10


def test_the_clock_believes_the_quickest_exchange():
    clock = SessionClock()
    assert not clock.synchronised
    true_offset_us = 5_000_000
    for out_us, back_us in ((100, 9_000), (40, 60), (20_000, 100)):
        sent_us = 1_000
        received_us = sent_us + out_us + true_offset_us
        clock.add(sent_us, received_us, received_us + 7, received_us + 7 + back_us - true_offset_us)
    assert clock.round_trip_us == 100
    assert abs(clock.session_us(2_000) - true_offset_us - 2_000) <= 50


def test_the_clock_forgets_old_exchanges():
    clock = SessionClock()
    clock.add(0, 100, 100, 0)
    for _ in range(16):
        clock.add(0, 525, 525, 50)
    assert clock.offset_us == 500


def test_pongs_set_the_clock():
    conversation = joined_conversation()
    pong = ClockPong(client_time_us=1_000, received_us=9_050, sent_us=9_060)
    conversation.receive(encode(pong), 1_110)
    assert conversation.clock.offset_us == pytest.approx(8_000)


def test_looks_and_voices_are_followed():
    talk = Conversation(HELLO)
    talk.receive(encode(welcome(revision=1)), 0)
    look = Look(avatar="anna", colour=255)
    talk.receive(encode(LookChanged(sequence=8, id=1, look=look)), 0)
    talk.receive(encode(VoiceChanged(sequence=9, id=1, voice=Voice.OPEN)), 0)
    talk.receive(encode(VoiceChanged(sequence=10, id=99, voice=Voice.OPEN)), 0)
    assert (talk.people[1].look, talk.people[1].voice) == (look, Voice.OPEN)
    assert (talk.people[2].look, talk.people[2].voice) == (Look(), Voice.OFF)
    assert talk.lost_events == 0
    servers = VoiceServers(servers=(), expires_s=0)
    talk.receive(encode(servers), 0)
    assert talk.voice_servers == servers


def test_what_the_server_does_not_know_is_not_sent():
    talk = Conversation(HELLO)
    with pytest.raises(OldServer, match="revision 0"):
        talk.require_revision(1, "hands")
    talk.receive(encode(welcome()), 0)
    talk.require_revision(0, "Rename")
    with pytest.raises(OldServer, match="update the server"):
        talk.require_revision(1, "hands")
    newer = Conversation(HELLO)
    newer.receive(encode(welcome(revision=1)), 0)
    newer.require_revision(1, "hands")
