"""Sessions come with their first person and go with their last, within the cap."""

import pytest
from armspan.protocol import CloseCode, Joined, Left, ProtocolError, Role
from armspan.server.sessions import Due, Limits, Registry
from armspan.server.sessions.session import Session

from tests.fakes import FakeClock, FakeReceiver, hello


class House:
    def __init__(self, **limits: int) -> None:
        self.clock = FakeClock()
        self.registry = Registry(Limits(**limits), self.clock)

    def join(self, session: str, **more: object):
        receiver = FakeReceiver()
        return self.registry.join(session, hello(**more), receiver, self.clock()), receiver

    def names(self) -> list[str]:
        return [session.name for session in self.registry.sessions()]


def test_a_session_lives_from_its_first_person_to_the_end_of_the_last_grace():
    house = House(grace_us=5_000_000)
    seat, _ = house.join("a")
    watching, _ = house.join("a", role=Role.SPECTATOR)
    house.registry.sweep(house.clock())
    assert house.names() == ["a"]
    seat.lose(house.clock())
    watching.lose(house.clock())
    house.registry.sweep(house.clock.pass_s(4.9))
    assert house.names() == ["a"]
    house.registry.sweep(house.clock.pass_s(0.1))
    assert house.names() == []


def test_a_server_at_its_cap_refuses_new_sessions_and_serves_the_old_ones():
    house = House(sessions=2, people=2)
    house.join("a")
    house.join("b")
    with pytest.raises(ProtocolError) as refused:
        house.join("c")
    assert refused.value.close_code is CloseCode.SERVER_FULL
    house.join("b")
    assert house.names() == ["a", "b"]


def test_a_session_nobody_could_join_is_not_kept():
    house = House(spectators=0)
    with pytest.raises(ProtocolError):
        house.join("a", role=Role.SPECTATOR)
    assert house.names() == []


def test_a_session_that_fails_in_its_tick_ends_alone(monkeypatch, caplog):
    house = House()
    _, broken = house.join("broken")
    _, sound = house.join("sound")
    tick = Session.tick

    def fail(session, *arguments):
        if session.name == "broken":
            raise ZeroDivisionError
        tick(session, *arguments)

    monkeypatch.setattr(Session, "tick", fail)
    house.registry.tick(Due(1, 0, 0), house.clock())
    assert broken.closed is not None
    assert broken.closed[0] is CloseCode.RESTARTING
    assert sound.closed is None
    assert len(sound.snapshots) == 1
    assert house.names() == ["sound"]
    assert "broken" in caplog.text


def test_closing_sends_everyone_away():
    house = House()
    receivers = [house.join(name)[1] for name in ("a", "a", "b")]
    house.registry.close()
    assert house.names() == []
    assert {receiver.closed[0] for receiver in receivers if receiver.closed} == {
        CloseCode.RESTARTING
    }


def test_a_session_just_emptied_counts_no_more():
    house = House(sessions=1)
    seat, _ = house.join("a")
    seat.leave(house.clock())
    house.join("b")
    assert house.names() == ["b"]


def test_whoever_is_away_longest_gives_way_in_a_full_session():
    house = House(people=3)
    first, _ = house.join("a", name="Ada")
    second, _ = house.join("a", name="Bob")
    _, here = house.join("a", name="Carl")
    second.lose(house.clock.pass_s(1))
    first.lose(house.clock.pass_s(1))
    house.join("a", name="Dora")
    assert second.avatar is not None
    left, joined = here.events()[-2:]
    assert isinstance(left, Left)
    assert left.id == second.avatar.id
    assert isinstance(joined, Joined)
    house.join("a", name="Eve")
    with pytest.raises(ProtocolError) as refused:
        house.join("a", name="Finn")
    assert refused.value.close_code is CloseCode.SESSION_FULL
