"""Whose hands a tick tells, how often, and for how long after they were heard."""

import pytest
from armspan.protocol import CloseCode, Lengths, ProtocolError, Role, Welcome
from armspan.protocol.frames import Snapshot
from armspan.server.sessions import FRAME_HEADROOM_BYTES, Due, Limits, Seat, Session
from armspan.server.sessions.bodies import Bodies
from armspan.server.sessions.statistics import Lateness
from armspan.solvers import Method

from tests.fakes import FakeClock, FakeReceiver, hands, hello, tracker


class House:
    """A session, its clock, and the snapshots of its ticks."""

    def __init__(self, rate_hz: float = 60.0) -> None:
        self.clock = FakeClock()
        self.rate_hz = rate_hz
        self.session = Session("review", Limits(rate_hz=rate_hz), self.clock(), self.clock)
        self.eve = self.join("Eve", role=Role.SPECTATOR)[1]

    def join(self, name: str = "Ada", **more: object) -> tuple[Seat, FakeReceiver]:
        receiver = FakeReceiver()
        return self.session.join(hello(name, **more), receiver, self.clock()), receiver

    def ticks(self, seconds: float) -> list[Snapshot]:
        before = len(self.eve.snapshots)
        for _ in range(round(seconds * self.rate_hz)):
            self.clock.pass_s(1 / self.rate_hz)
            self.session.tick(Due(0, 0, 0), self.clock(), Lateness())
        return self.eve.snapshots[before:]


def token_of(receiver: FakeReceiver) -> bytes | None:
    welcome = receiver.messages[0]
    assert isinstance(welcome, Welcome)
    return welcome.token


def told(snapshots: list[Snapshot]) -> list[list[int]]:
    """The ids whose hands were told, of the snapshots that told any."""
    return [[hands.id for hands in snapshot.hands] for snapshot in snapshots if snapshot.hands]


@pytest.mark.parametrize(
    ("rate_hz", "times"), [(60.0, 15), (90.0, 15), (30.0, 15), (20.0, 20), (10.0, 10), (240.0, 15)]
)
def test_hands_are_told_about_fifteen_times_a_second(rate_hz: float, times: int):
    house = House(rate_hz)
    seat, _ = house.join()
    house.ticks(0.5)
    seat.write_hands(hands(), house.clock())
    assert len(told(house.ticks(0.9))) == pytest.approx(0.9 * times, abs=1)


def test_what_is_told_is_what_was_sent():
    house = House()
    seat, _ = house.join()
    seat.write_pose(tracker(), house.clock())
    seat.write_hands(hands(flags=9, angle_rad=0.5, x=2.0), house.clock())
    snapshot = next(s for s in house.ticks(0.2) if s.hands)
    (ada,) = snapshot.hands
    assert (ada.id, ada.flags) == (1, 9)
    assert ada.left_fingers_rad == pytest.approx((0.5,) * 20, abs=0.006)
    assert ada.right_fingers_rad == (0.0,) * 20
    assert ada.right_point == (2.0, 4.0, 6.0)
    assert ada.left_point == (0.0, 0.0, 0.0)
    assert [avatar.id for avatar in snapshot.avatars] == [1], "the records are as ever"


def test_hands_are_told_for_a_second_after_they_were_heard():
    house = House()
    seat, _ = house.join()
    seat.write_hands(hands(), house.clock())
    assert told(house.ticks(1.0))
    house.ticks(0.1)
    assert told(house.ticks(1.0)) == []
    seat.write_hands(hands(), house.clock())
    assert told(house.ticks(0.1))[-1] == [1]


def test_hands_that_were_lost_are_told_so_for_a_second():
    house = House()
    seat, _ = house.join()
    seat.write_hands(hands(), house.clock())
    house.ticks(0.2)
    seat.write_hands(hands(flags=0), house.clock())
    last = [snapshot.hands for snapshot in house.ticks(0.9) if snapshot.hands]
    assert len(last) >= 12
    assert all(of.flags == 0 for hands in last for of in hands)
    house.ticks(0.2)
    assert told(house.ticks(1.0)) == []


def test_only_those_are_told_who_have_hands():
    house = House()
    seats = [house.join(name)[0] for name in "ABCDE"]
    for seat in seats[1::2]:
        seat.write_hands(hands(), house.clock())
    assert told(house.ticks(0.1))[-1] == [2, 4]


def test_a_tick_without_hands_is_the_frame_that_it_was():
    house = House()
    seat, _ = house.join()
    seat.write_pose(tracker(), house.clock())
    snapshots = house.ticks(1.0)
    assert all(snapshot.hands == () for snapshot in snapshots)
    bodies = Bodies(Method.ROBUST, 1, house.clock)
    assert len({id(bodies.pack(tick, tick)) for tick in range(10)}) == 1
    assert len(bodies.pack(0, 0)) == FRAME_HEADROOM_BYTES + 16


def test_hands_go_with_their_connection_and_do_not_come_back_with_the_person():
    house = House()
    seat, ada = house.join("Ada")
    seat.write_hands(hands(), house.clock())
    assert told(house.ticks(0.1))[-1] == [1]
    seat.lose(house.clock())
    assert told(house.ticks(0.5)) == []
    token = token_of(ada)
    seat, _ = house.join("Ada", token=token)
    assert told(house.ticks(0.5)) == []
    seat.write_hands(hands(), house.clock())
    assert told(house.ticks(0.1))[-1] == [1]


def test_a_reused_row_tells_no_hands_of_its_last_owner():
    house = House()
    seat, _ = house.join("Ada")
    seat.write_hands(hands(), house.clock())
    seat.leave(house.clock())
    house.join("Bob")
    assert told(house.ticks(0.5)) == []


def test_rows_grow_while_hands_are_told():
    house = House()
    for person in range(12):
        house.join(f"P{person}")[0].write_hands(hands(), house.clock())
        assert told(house.ticks(0.07))[-1] == list(range(1, 2 + person))


def test_a_bad_frame_leaves_the_hands_as_they_were_and_a_replaced_seat_changes_nothing():
    house = House()
    seat, ada = house.join("Ada")
    seat.write_hands(hands(flags=1), house.clock())
    with pytest.raises(ProtocolError) as refused:
        seat.write_hands(hands(x=100.0), house.clock())
    assert refused.value.close_code is CloseCode.OUT_OF_RANGE
    snapshot = next(s for s in house.ticks(0.1) if s.hands)
    assert snapshot.hands[0].flags == 1
    token = token_of(ada)
    house.join("Ada", token=token)
    seat.write_hands(hands(), house.clock())
    assert told(house.ticks(0.1)) == []


def test_a_spectator_has_no_hands():
    house = House()
    seat, _ = house.join("Sam", role=Role.SPECTATOR)
    with pytest.raises(ProtocolError) as refused:
        seat.write_hands(hands(), house.clock())
    assert refused.value.close_code is CloseCode.NOT_ALLOWED


def test_telling_hands_uses_its_buffer_again():
    clock = FakeClock()
    bodies = Bodies(Method.ROBUST, 4, clock)
    slot = bodies.open(0, 7, Lengths())
    slot.write_hands(hands(), 0)
    frames = {id(bodies.pack(tick, 1000 * tick)) for tick in range(40)}
    assert len(frames) == 2, "one buffer without hands, one with them"
