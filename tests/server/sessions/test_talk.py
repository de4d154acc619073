"""Looks and voices of a session: who is told, who may talk, whose signals are passed on."""

import random

import pytest
from armspan.protocol import (
    ChangeVoice,
    CloseCode,
    Event,
    Hello,
    IceServer,
    Joined,
    Look,
    LookChanged,
    Presence,
    ProtocolError,
    Refused,
    Renamed,
    Role,
    Signal,
    SignalKind,
    Signalled,
    Voice,
    VoiceChanged,
    VoiceServers,
    Welcome,
    encode,
)
from armspan.server.client import Conversation
from armspan.server.sessions import Limits, Seat, Session, VoiceHelp

from tests.fakes import FakeClock, FakeReceiver, hello

RED = Look(avatar="anna", colour=0xFF0000)
BROUGHT = Look(avatar="vrm:" + "0" * 64)
STUN = "stun:voice.example:3478"


class House:
    """A session with everyone's seat and receiver by name."""

    def __init__(self, **limits: int) -> None:
        self.clock = FakeClock()
        self.session = Session(
            "review",
            Limits(**limits),
            self.clock(),
            self.clock,
            voice_help=VoiceHelp(stun_urls=(STUN,)),
        )

    def join(self, name: str, **more: object) -> tuple[Seat, FakeReceiver]:
        receiver = FakeReceiver()
        return self.session.join(hello(name, **more), receiver, self.clock()), receiver

    def talk(self, name: str) -> tuple[Seat, FakeReceiver]:
        seat, receiver = self.join(name)
        seat.change_voice(Voice.OPEN)
        return seat, receiver


def welcome(receiver: FakeReceiver) -> Welcome:
    first = receiver.messages[0]
    assert isinstance(first, Welcome)
    return first


def people(receiver: FakeReceiver) -> list[tuple[str, Look, Voice]]:
    return [(person.name, person.look, person.voice) for person in welcome(receiver).people]


def check_order(receiver: FakeReceiver) -> None:
    """Every event exactly once, from the one after the welcome on."""
    first = welcome(receiver).event_sequence + 1
    told = [event.sequence for event in receiver.events()]
    assert told == list(range(first, first + len(told)))


def told(receiver: FakeReceiver, kind: type[Event]) -> list[Event]:
    return [event for event in receiver.events() if type(event) is kind]


def signal(to: int, text: str = "v=0\r\n") -> Signal:
    return Signal(to=to, kind=SignalKind.OFFER, text=text)


# Looks


def test_a_look_is_told_with_the_joining_and_when_it_changes():
    house = House()
    _, eve = house.join("Eve", role=Role.SPECTATOR)
    seat, _ = house.join("Ada", look=RED)
    (joined,) = eve.events()
    assert isinstance(joined, Joined)
    assert joined.person.look == RED
    seat.change_look(RED)
    assert len(eve.events()) == 1, "nothing has changed"
    seat.change_look(BROUGHT)
    assert eve.events()[-1] == LookChanged(sequence=2, id=1, look=BROUGHT)
    _, bob = house.join("Bob")
    assert people(bob) == [("Ada", BROUGHT, Voice.OFF), ("Bob", Look(), Voice.OFF)]


def test_coming_back_keeps_the_look_unless_a_new_one_is_sent():
    house = House()
    seat, ada = house.join("Ada", look=RED)
    _, bob = house.join("Bob")
    token = welcome(ada).token
    seat.lose(house.clock())
    _, again = house.join("Ada", token=token)
    assert people(again)[0] == ("Ada", RED, Voice.OFF)
    assert told(bob, LookChanged) == []
    house.join("Ada", token=token, look=BROUGHT)
    assert told(bob, LookChanged) == [LookChanged(sequence=5, id=1, look=BROUGHT)]
    check_order(bob)


# Voice


def test_a_voice_is_told_to_all_and_answered_with_the_servers():
    house = House()
    seat, ada = house.join("Ada")
    _, bob = house.join("Bob")
    seat.change_voice(Voice.MUTED)
    servers = VoiceServers(servers=(IceServer(urls=(STUN,)),), expires_s=0)
    assert ada.messages[-2:] == [servers, VoiceChanged(sequence=3, id=1, voice=Voice.MUTED)]
    assert bob.messages[1:] == [VoiceChanged(sequence=3, id=1, voice=Voice.MUTED)]
    _, carl = house.join("Carl")
    assert people(carl)[0] == ("Ada", Look(), Voice.MUTED)
    seat.change_voice(Voice.OPEN)
    seat.change_voice(Voice.OFF)
    voices = [event.voice for event in told(bob, VoiceChanged)]  # type: ignore[attr-defined]
    assert voices == [Voice.MUTED, Voice.OPEN, Voice.OFF]
    check_order(bob)


def test_the_same_voice_again_is_told_nobody_but_gets_new_servers():
    house = House()
    seat, ada = house.talk("Ada")
    _, bob = house.join("Bob")
    seat.change_voice(Voice.OPEN)
    assert isinstance(ada.messages[-1], VoiceServers)
    assert told(bob, VoiceChanged) == []
    seat.change_voice(Voice.OFF)
    before = len(ada.messages)
    seat.change_voice(Voice.OFF)
    assert len(ada.messages) == before


def test_the_seventh_is_refused_and_told_why_until_one_is_done():
    house = House()
    seats = [house.talk(f"P{n}")[0] for n in range(6)]
    _, eve = house.join("Eve", role=Role.SPECTATOR)
    seat, late = house.join("Late")
    before = len(eve.events())
    seat.change_voice(Voice.OPEN)
    refused = late.messages[-1]
    assert isinstance(refused, Refused)
    assert refused.what == ChangeVoice.message_id
    assert "6 people" in refused.text
    assert late.closed is None
    assert len(eve.events()) == before
    seats[3].change_voice(Voice.OPEN)
    assert not isinstance(late.messages[-1], VoiceChanged), "one of the six may still change"
    seats[0].change_voice(Voice.OFF)
    seat.change_voice(Voice.MUTED)
    assert isinstance(late.messages[-1], VoiceChanged)


@pytest.mark.parametrize("end", ["leave", "lose", "expire"])
def test_whoever_goes_makes_room_for_another_voice(end: str):
    house = House(voice_people=1)
    seat, _ = house.talk("Ada")
    if end == "leave":
        seat.leave(house.clock())
    else:
        seat.lose(house.clock())
    if end == "expire":
        house.session.expire(house.clock.pass_s(31))
    _, bob = house.talk("Bob")
    assert isinstance(bob.messages[-1], VoiceChanged)


def test_a_server_without_voice_says_so():
    house = House(voice_people=0)
    _, ada = house.talk("Ada")
    refused = ada.messages[-1]
    assert isinstance(refused, Refused)
    assert "switched off" in refused.text


def test_a_lost_voice_is_off_before_its_owner_is_away_and_stays_off_after_coming_back():
    house = House()
    seat, ada = house.talk("Ada")
    _, bob = house.join("Bob")
    seat.lose(house.clock())
    lost = [type(event) for event in bob.events()]
    assert lost == [VoiceChanged, Presence]
    assert bob.events()[0] == VoiceChanged(sequence=4, id=1, voice=Voice.OFF)
    _, again = house.join("Ada", token=welcome(ada).token)
    assert people(again)[0] == ("Ada", Look(), Voice.OFF)
    check_order(bob)


def test_a_replaced_connection_switches_the_voice_off_and_can_signal_no_more():
    house = House()
    seat, ada = house.talk("Ada")
    other, bob = house.talk("Bob")
    _, again = house.join("Ada", token=welcome(ada).token)
    assert bob.events()[-1] == VoiceChanged(sequence=5, id=1, voice=Voice.OFF)
    assert people(again)[0] == ("Ada", Look(), Voice.OFF)
    assert not seat.signal(signal(2))
    assert not other.signal(signal(1))
    seat.change_voice(Voice.OPEN)
    seat.change_look(RED)
    assert people(house.join("Carl")[1])[0] == ("Ada", Look(), Voice.OFF)
    check_order(bob)


def test_a_peer_that_overflows_while_it_is_answered_leaves_the_others_in_order():
    house = House()
    seat, ada = house.join("Ada")
    _, bob = house.join("Bob")
    ada.on_send = lambda: seat.lose(house.clock())
    seat.change_voice(Voice.OPEN)
    check_order(bob)
    assert people(house.join("Carl")[1])[0] == ("Ada", Look(), Voice.OFF)


# Signals


def test_a_signal_reaches_the_one_it_is_for_and_nobody_else():
    house = House()
    ada, _ = house.talk("Ada")
    bob, bobs = house.talk("Bob")
    _, carls = house.talk("Carl")
    before = len(carls.messages)
    assert ada.signal(signal(2, "v=0\r\nö\r\n"))
    assert bobs.messages[-1] == Signalled(sender=1, kind=SignalKind.OFFER, text="v=0\r\nö\r\n")
    assert len(carls.messages) == before
    bob.change_voice(Voice.MUTED)
    assert ada.signal(signal(2)), "who is muted hears"


def test_signals_need_both_voices_on():
    house = House()
    ada, _ = house.talk("Ada")
    bob, bobs = house.join("Bob")
    before = list(bobs.messages)
    assert not ada.signal(signal(2)), "to one who is off"
    assert not bob.signal(signal(1)), "from one who is off"
    assert not ada.signal(signal(1)), "to oneself"
    assert not ada.signal(signal(99)), "to nobody"
    bob.change_voice(Voice.OPEN)
    assert ada.signal(signal(2))
    bob.change_voice(Voice.OFF)
    assert not ada.signal(signal(2))
    bob.change_voice(Voice.OPEN)
    bob.lose(house.clock())
    assert not ada.signal(signal(2))
    assert [m for m in bobs.messages if isinstance(m, Signalled)] == [
        Signalled(sender=1, kind=SignalKind.OFFER, text="v=0\r\n")
    ]
    assert not [m for m in before if isinstance(m, Signalled)]


def test_a_signal_for_one_who_is_far_behind_is_dropped_and_closes_nobody():
    house = House()
    ada, _ = house.talk("Ada")
    _, bob = house.talk("Bob")
    bob.slow = True
    assert not ada.signal(signal(2))
    assert bob.closed is None


def test_spectators_neither_look_nor_speak():
    house = House()
    seat, _ = house.join("Eve", role=Role.SPECTATOR)
    house.talk("Ada")
    for act in (
        lambda: seat.change_look(RED),
        lambda: seat.change_voice(Voice.MUTED),
        lambda: seat.signal(signal(2)),
    ):
        with pytest.raises(ProtocolError) as refused:
            act()
        assert refused.value.close_code is CloseCode.NOT_ALLOWED


# Revisions


def old_hello(name: str, **more: object) -> Hello:
    return hello(name, revision=0, **more)


def join_old(house: House, name: str = "Old", **more: object) -> tuple[Seat, FakeReceiver]:
    receiver = FakeReceiver()
    return house.session.join(old_hello(name, **more), receiver, house.clock()), receiver


@pytest.mark.parametrize(("revision", "agreed"), [(0, 0), (1, 1), (2, 1), (65_535, 1)])
def test_the_lower_revision_holds(revision: int, agreed: int):
    house = House()
    seat, receiver = house.join("Ada", revision=revision)
    assert (seat.revision, welcome(receiver).revision) == (agreed, agreed)


def test_a_peer_of_revision_0_hears_the_name_in_place_of_what_it_does_not_know():
    house = House()
    ada, _ = house.join("Ada")
    _, old = join_old(house)
    _, new = house.join("New")
    ada.change_look(RED)
    ada.change_voice(Voice.OPEN)
    ada.rename("Ada L.")
    ada.change_look(BROUGHT)
    ada.lose(house.clock())
    assert [type(event) for event in old.events()] == [
        Joined,
        *[Renamed] * 5,
        Presence,
    ]
    names = [event.name for event in told(old, Renamed)]  # type: ignore[attr-defined]
    assert names == ["Ada", "Ada", "Ada L.", "Ada L.", "Ada L."]
    check_order(old)
    check_order(new)
    assert [event.sequence for event in old.events()][1:] == [e.sequence for e in new.events()]


def test_random_doings_keep_every_order_and_everyones_view_true():
    """Whoever has followed the events knows what a newcomer is told."""
    doings = random.Random(3)
    house = House(people=8, voice_people=3)
    _, eve = house.join("Eve", role=Role.SPECTATOR)
    receivers: list[FakeReceiver] = []
    seats: list[Seat] = []
    for step in range(400):
        match doings.randrange(7):
            case 0 if len(seats) < 6:
                seat, receiver = house.join(f"P{step}", revision=doings.randrange(2))
                seats.append(seat)
                receivers.append(receiver)
            case 1 if seats:
                seats.pop(doings.randrange(len(seats))).leave(house.clock())
            case 2 if seats:
                seats.pop(doings.randrange(len(seats))).lose(house.clock())
            case 3 if seats:
                doings.choice(seats).change_look(doings.choice((RED, BROUGHT, Look())))
            case 4 | 5 if seats:
                doings.choice(seats).change_voice(doings.choice(list(Voice)))
            case _:
                house.session.expire(house.clock.pass_s(1))
    followed = Conversation(hello("Eve"))
    for message in eve.messages:
        followed.receive(encode(message), house.clock())
    _, last = house.join("Last", role=Role.SPECTATOR)
    assert followed.people == {person.id: person for person in welcome(last).people}
    assert followed.lost_events == 0
    talking = [p for p in followed.people.values() if p.voice is not Voice.OFF]
    assert len(talking) <= 3
    assert len(receivers) > 20
    for receiver in receivers:
        check_order(receiver)
