"""One session: joining, coming back, leaving, ordered events, and what a tick sends."""

import contextlib

import numpy as np
import pytest
from armspan.protocol import (
    CloseCode,
    Event,
    Joined,
    Left,
    Lengths,
    LengthsChanged,
    Presence,
    ProtocolError,
    Renamed,
    Role,
    Statistics,
    Welcome,
)
from armspan.server.sessions import Due, Limits, Seat, Session
from armspan.server.sessions.statistics import Lateness

from tests.fakes import FakeClock, FakeReceiver, hello, tracker


class House:
    """A session, its clock, and how tests use it."""

    def __init__(self, **limits: int) -> None:
        self.clock = FakeClock()
        self.session = Session("review", Limits(**limits), self.clock(), self.clock)

    def join(self, name: str = "Ada", **more: object) -> tuple[Seat, FakeReceiver]:
        receiver = FakeReceiver()
        seat = self.session.join(hello(name, **more), receiver, self.clock())
        return seat, receiver

    def watch(self) -> tuple[Seat, FakeReceiver]:
        return self.join("Eve", role=Role.SPECTATOR)

    def tick(self, missed: int = 0) -> None:
        self.clock.pass_s(1 / 60)
        self.session.tick(Due(0, 0, missed), self.clock(), Lateness())


def welcome(receiver: FakeReceiver) -> Welcome:
    first = receiver.messages[0]
    assert isinstance(first, Welcome)
    return first


def check_order(receiver: FakeReceiver) -> None:
    """Every event exactly once, from the one after the welcome on."""
    first = welcome(receiver).event_sequence + 1
    told = [event.sequence for event in receiver.events()]
    assert told == list(range(first, first + len(told)))


def test_a_late_joiner_is_told_everyone_and_the_others_are_told_the_joiner():
    house = House()
    _, ada = house.join("Ada")
    _, bob = house.join("Bob", lengths=Lengths(forearm_m=0.3))
    assert [person.name for person in welcome(bob).people] == ["Ada", "Bob"]
    assert welcome(bob).your_id == 2
    joined = ada.events()[-1]
    assert isinstance(joined, Joined)
    assert joined.person.lengths.forearm_m == 0.3
    assert bob.events() == []
    check_order(ada)
    assert welcome(bob).event_sequence == joined.sequence


def test_spectators_are_not_people_and_may_not_act():
    house = House()
    _, ada = house.join()
    seat, eve = house.watch()
    assert (house.session.people, house.session.spectators) == (1, 1)
    assert (welcome(eve).your_id, welcome(eve).token) == (0, None)
    assert ada.events() == []
    for act in (
        lambda: seat.write_pose(tracker(), house.clock()),
        lambda: seat.rename("x"),
        lambda: seat.change_lengths(Lengths(palm_m=0.1)),
    ):
        with pytest.raises(ProtocolError) as refused:
            act()
        assert refused.value.close_code is CloseCode.NOT_ALLOWED
    seat.lose(house.clock())
    assert house.session.spectators == 0
    assert ada.events() == []


def test_names_and_lengths_are_told_with_a_version_and_only_when_they_change():
    house = House()
    seat, ada = house.join("Ada")
    seat.rename("Ada L.")
    seat.rename("Ada L.")
    seat.change_lengths(Lengths(palm_m=0.1))
    seat.change_lengths(Lengths(palm_m=0.1))
    renamed, measured = ada.events()
    assert isinstance(renamed, Renamed)
    assert renamed.name == "Ada L."
    assert isinstance(measured, LengthsChanged)
    assert (measured.lengths_version, measured.lengths.palm_m) == (1, 0.1)
    _, bob = house.join("Bob")
    assert welcome(bob).people[0].name == "Ada L."
    assert welcome(bob).people[0].lengths_version == 1


def test_leaving_is_at_once_and_for_good():
    house = House()
    _, ada = house.join("Ada")
    seat, bob = house.join("Bob")
    token = welcome(bob).token
    seat.leave(house.clock())
    left = ada.events()[-1]
    assert isinstance(left, Left)
    assert left.id == 2
    assert house.session.people == 1
    _, again = house.join("Bob", token=token)
    assert welcome(again).your_id == 3


def test_a_lost_connection_keeps_its_avatar_for_the_grace():
    house = House(grace_us=30_000_000)
    _, ada = house.join("Ada")
    seat, bob = house.join("Bob")
    seat.lose(house.clock())
    assert ada.events()[-1] == Presence(sequence=3, id=2, connected=False)
    house.session.expire(house.clock.pass_s(29.9))
    _, back = house.join("Bob", token=welcome(bob).token)
    assert welcome(back).your_id == 2
    assert ada.events()[-1] == Presence(sequence=4, id=2, connected=True)
    assert all(person.connected for person in welcome(back).people)
    house.session.expire(house.clock.pass_s(60))
    assert house.session.people == 2
    check_order(ada)


def test_after_the_grace_the_avatar_is_gone_and_its_token_is_worth_nothing():
    house = House(grace_us=30_000_000)
    _, ada = house.join("Ada")
    seat, bob = house.join("Bob")
    seat.lose(house.clock())
    house.session.expire(house.clock.pass_s(30))
    assert isinstance(ada.events()[-1], Left)
    _, again = house.join("Bob", token=welcome(bob).token)
    assert welcome(again).your_id == 3


def test_a_wrong_token_joins_as_someone_new():
    house = House()
    house.join("Ada")
    _, mallory = house.join("Mallory", token=bytes(16))
    assert welcome(mallory).your_id == 2


def test_a_takeover_cuts_the_old_socket_off_at_once():
    house = House()
    _, ada = house.join("Ada")
    old, dead = house.join("Bob")
    old.write_pose(tracker(x=1), house.clock())
    house.tick()
    new, alive = house.join("Robert", token=welcome(dead).token)
    assert dead.closed is not None
    assert dead.closed[0] is CloseCode.REPLACED
    told, seen = len(dead.messages), len(dead.snapshots)
    assert welcome(alive).your_id == welcome(dead).your_id == 2
    assert old.vacated

    new.write_pose(tracker(x=5), house.clock())
    old.write_pose(tracker(x=9), house.clock())
    old.rename("Ghost")
    old.change_lengths(Lengths(palm_m=0.12))
    old.leave(house.clock())
    old.lose(house.clock())
    house.tick()

    assert house.session.people == 2
    assert [type(event) for event in ada.events()] == [Joined, Renamed]
    shown = {avatar.id: avatar for avatar in ada.snapshots[-1].avatars}
    assert shown.keys() == {2}
    assert abs(shown[2].chest_position_m[0] - 5) < 0.5
    assert (len(dead.messages), len(dead.snapshots)) == (told, seen)
    check_order(ada)


def test_coming_back_keeps_lengths_unless_new_ones_are_sent():
    house = House()
    _, first = house.join("Bob", lengths=Lengths(palm_m=0.1))
    _, second = house.join("Bob", token=welcome(first).token)
    assert welcome(second).people[0].lengths.palm_m == 0.1
    _, third = house.join("Bob", token=welcome(first).token, lengths=Lengths(palm_m=0.09))
    assert welcome(third).people[0].lengths.palm_m == 0.09
    assert welcome(third).people[0].lengths_version == 1


def test_a_full_session_stays_at_its_cap_but_takes_its_own_people_back():
    house = House(people=2, spectators=1)
    _, ada = house.join("Ada")
    seat, bob = house.join("Bob")
    with pytest.raises(ProtocolError) as refused:
        house.join("Carl")
    assert refused.value.close_code is CloseCode.SESSION_FULL
    seat.lose(house.clock())
    house.join("Bob", token=welcome(bob).token)
    with pytest.raises(ProtocolError):
        house.join("Carl")
    house.watch()
    with pytest.raises(ProtocolError):
        house.watch()
    assert (house.session.people, house.session.spectators) == (2, 1)
    check_order(ada)


def test_an_avatar_is_shown_from_its_first_tracked_head_until_it_is_away():
    house = House()
    seat, ada = house.join()
    house.tick()
    seat.write_pose(tracker(tracked=0), house.clock())
    house.tick()
    assert all(not snapshot.avatars for snapshot in ada.snapshots)
    seat.write_pose(tracker(x=2), house.clock())
    house.tick()
    (avatar,) = ada.snapshots[-1].avatars
    assert avatar.id == 1
    assert abs(avatar.chest_position_m[0] - 2) < 0.5
    _, eve = house.watch()
    seat.lose(house.clock())
    house.tick()
    assert eve.snapshots[-1].avatars == ()


def test_rows_grow_while_people_move():
    house = House(people=100)
    seats = [house.join(f"P{n}")[0] for n in range(70)]
    for n, seat in enumerate(seats):
        seat.write_pose(tracker(x=n), house.clock())
    for n in range(30):
        seats.append(house.join(f"Q{n}")[0])
        seats[-1].write_pose(tracker(x=70 + n), house.clock())
    _, eve = house.watch()
    house.tick()
    found = {avatar.id: avatar.chest_position_m[0] for avatar in eve.snapshots[-1].avatars}
    assert found.keys() == set(range(1, 101))
    assert max(abs(found[id_] - (id_ - 1)) for id_ in found) < 0.5


def test_a_reused_row_shows_nothing_of_its_last_owner():
    house = House()
    _, eve = house.watch()
    seat, _ = house.join("Ada")
    seat.write_pose(tracker(x=50), house.clock())
    house.tick()
    seat.leave(house.clock())
    seat, _ = house.join("Bob")
    house.tick()
    assert eve.snapshots[-1].avatars == ()
    seat.write_pose(tracker(x=-50), house.clock())
    house.tick()
    (avatar,) = eve.snapshots[-1].avatars
    assert abs(avatar.chest_position_m[0] + 50) < 0.5


def test_a_reused_row_is_solved_as_a_fresh_one():
    used, fresh = House(), House()
    seat, _ = used.join("Ada", lengths=Lengths(forearm_m=0.4))
    for n in range(40):
        seat.write_pose(tracker(x=3 + n / 10, height=1.2), used.clock())
        used.tick()
    seat.leave(used.clock())
    shown = []
    for house in (used, fresh):
        seat, bob = house.join("Bob")
        seat.write_pose(tracker(tracked=1), house.clock())
        house.tick()
        shown.append(bob.snapshots[-1].avatars[0])
    for attribute in ("chest_position_m", "chest_rotation", "joint_angles_rad", "provenance"):
        assert getattr(shown[0], attribute) == getattr(shown[1], attribute)


def test_a_bad_frame_leaves_the_pose_as_it_was():
    house = House()
    seat, ada = house.join()
    seat.write_pose(tracker(x=1), house.clock())
    house.tick()
    with pytest.raises(ProtocolError) as refused:
        seat.write_pose(tracker(x=101), house.clock())
    assert refused.value.close_code is CloseCode.OUT_OF_RANGE
    house.tick()
    before, after = (snapshot.avatars[0].chest_position_m for snapshot in ada.snapshots[-2:])
    assert np.allclose(before, after, atol=1e-3)


def test_coming_back_is_a_discontinuity_whatever_the_sender_counts_from():
    house = House()
    seat, first = house.join()
    _, eve = house.watch()

    def shown() -> int:
        house.tick()
        return eve.snapshots[-1].avatars[0].discontinuity

    seat.write_pose(tracker(discontinuity=3), house.clock())
    start = shown()
    seat.write_pose(tracker(discontinuity=3), house.clock())
    assert shown() == start
    seat.write_pose(tracker(discontinuity=5), house.clock())
    assert shown() == (start + 2) % 16
    for counter in (0, 5, 15):
        before = shown()
        seat, _ = house.join(token=welcome(first).token)
        seat.write_pose(tracker(discontinuity=counter), house.clock())
        assert shown() == (before + 1) % 16


def test_sample_age_is_what_passed_since_the_sample():
    house = House()
    seat, ada = house.join()
    for n in range(10):
        seat.write_pose(tracker(sample_time_us=n * 10_000), house.clock())
        house.clock.pass_s(0.010)
    house.tick()
    age_us = ada.snapshots[-1].avatars[0].sample_age_us
    assert abs(age_us - (10_000 + 16_667)) <= 250
    assert ada.snapshots[-1].session_time_us == house.clock() - house.session.started_us


def test_ticks_are_numbered_and_missed_ones_are_left_out():
    house = House()
    _, ada = house.join()
    for missed in (0, 0, 3, 0):
        house.tick(missed)
    assert [snapshot.tick for snapshot in ada.snapshots] == [1, 2, 6, 7]


def test_everyone_is_told_the_statistics_once_a_second():
    house = House()
    receivers = [house.watch()[1] for _ in range(61)]
    receivers[5].slow = True
    for _ in range(120):
        house.tick()
    for receiver in receivers:
        told = [m for m in receiver.messages if isinstance(m, Statistics)]
        assert len(told) == 2
        assert told[-1].spectators == 61
    (_, last) = [m for m in receivers[5].messages if isinstance(m, Statistics)]
    assert 60 < last.snapshots_skipped <= 120


def test_an_event_that_closes_a_peer_is_followed_by_that_news_in_order():
    house = House()
    _, first = house.join("A")
    overflowing, middle = house.join("B")
    _, last = house.join("C")
    middle.on_send = lambda: overflowing.lose(house.clock())
    seat, _ = house.join("D")
    assert not seat.vacated
    for receiver in (first, last):
        kinds = [type(event) for event in receiver.events()[-2:]]
        assert kinds == [Joined, Presence]
        check_order(receiver)


def test_dissolving_tells_everyone_the_same_and_nothing_of_each_other():
    house = House()
    seats = [house.join(f"P{n}") for n in range(3)]
    told = [len(receiver.messages) for _, receiver in seats]
    house.session.dissolve(CloseCode.RESTARTING, "Going.")
    for (seat, receiver), count in zip(seats, told, strict=True):
        assert receiver.closed == (CloseCode.RESTARTING, "Going.")
        assert len(receiver.messages) == count
        assert seat.vacated
        seat.lose(house.clock())


def test_random_comings_and_goings_never_break_the_order_or_the_caps():
    random = np.random.default_rng(7)
    house = House(people=6, spectators=2, grace_us=1_000_000)
    here: list[tuple[Seat, FakeReceiver]] = []
    tokens: list[bytes] = []
    for _ in range(2000):
        match random.integers(6):
            case 0 | 1:
                token = tokens[random.integers(len(tokens))] if tokens else None
                role = Role(int(random.random() < 0.2))
                with contextlib.suppress(ProtocolError):
                    seat, receiver = house.join("x", role=role, token=token)
                    here.append((seat, receiver))
                    if (new := welcome(receiver).token) is not None:
                        tokens = [*tokens[-5:], new]
            case 2 if here:
                here[random.integers(len(here))][0].lose(house.clock())
            case 3 if here:
                here[random.integers(len(here))][0].leave(house.clock())
            case 4 if here:
                seat, _ = here[random.integers(len(here))]
                if seat.avatar is not None:
                    seat.write_pose(tracker(), house.clock())
                    seat.rename(f"n{random.integers(99)}")
            case _:
                house.tick()
                house.session.expire(house.clock.pass_s(0.1))
        assert house.session.people <= 6
        assert house.session.spectators <= 2
        seated = [seat for seat, _ in here if not seat.vacated]
        assert house.session.connected + house.session.spectators == len(seated)
        avatars = [seat.avatar.id for seat in seated if seat.avatar is not None]
        assert len(avatars) == len(set(avatars)), "one seat an avatar"
    for _, receiver in here:
        check_order(receiver)
        assert all(isinstance(event, Event) for event in receiver.events())
