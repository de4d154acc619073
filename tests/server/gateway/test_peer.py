"""How a connection lives and ends: signs of life, closes, and what a slow peer gets."""

import pytest
from armspan.protocol import (
    ClockPing,
    ClockPong,
    CloseCode,
    Error,
    Leave,
    Left,
    Rename,
    Role,
    Welcome,
    caps,
    encode,
)
from armspan.server.gateway import Patience
from armspan.server.gateway.assembly import Opcode

from tests.fakes import hello, tracker
from tests.server.gateway.house import House, check_closed


def test_no_hello_in_time_is_closed():
    house = House()
    _, outlet = house.open()
    house.clock.pass_s(4.9)
    house.sweep()
    assert outlet.closed is None
    house.clock.pass_s(0.2)
    house.sweep()
    check_closed(house, outlet, CloseCode.HANDSHAKE_TIMEOUT)


def test_a_hello_in_pieces_still_has_to_come_in_time():
    house = House()
    peer, outlet = house.open()
    for n in range(6):
        house.clock.pass_s(1)
        house.send(peer, b"\x10", Opcode.BINARY if n == 0 else Opcode.CONTINUATION, last=False)
        house.sweep()
    check_closed(house, outlet, CloseCode.HANDSHAKE_TIMEOUT)


def test_a_silent_peer_is_pinged_once_and_then_closed():
    house = House()
    _, outlet = house.join()
    for _ in range(4 * round(caps.SILENCE_S * 0.6)):
        house.clock.pass_s(0.25)
        house.sweep()
    assert outlet.pings == 1
    assert outlet.closed is None
    for _ in range(4 * round(caps.SILENCE_S * 0.5)):
        house.clock.pass_s(0.25)
        house.sweep()
    check_closed(house, outlet, CloseCode.SILENT)


def test_a_pong_is_a_sign_of_life_without_any_pose():
    house = House()
    peer, outlet = house.join(role=Role.SPECTATOR)
    for _ in range(4 * round(caps.SILENCE_S * 6)):
        house.clock.pass_s(0.25)
        pinged = outlet.pings
        house.sweep()
        if outlet.pings > pinged:
            house.send(peer, b"", Opcode.PONG)
    assert outlet.closed is None
    assert 10 <= outlet.pings <= 12


def test_pings_are_answered_with_their_payload():
    house = House()
    peer, outlet = house.join()
    house.send(peer, b"abc", Opcode.PING)
    assert outlet.pongs == [b"abc"]


def test_pongs_do_not_pile_up_for_a_peer_that_does_not_read():
    house = House()
    peer, outlet = house.join()
    outlet.buffered = Patience().backlog_bytes
    house.send(peer, b"abc", Opcode.PING)
    assert outlet.pongs == []
    assert outlet.closed is None
    outlet.buffered += 1
    house.send(peer, b"abc", Opcode.PING)
    check_closed(house, outlet, CloseCode.TOO_SLOW)


def test_a_clock_ping_comes_back_with_session_time():
    house = House()
    peer, outlet = house.join()
    house.clock.pass_s(2)
    house.send(peer, encode(ClockPing(client_time_us=123)))
    assert outlet.messages()[-1] == ClockPong(
        client_time_us=123, received_us=2_000_000, sent_us=2_000_000
    )


def test_leave_ends_with_a_plain_close():
    house = House()
    peer, outlet = house.join()
    house.send(peer, encode(Leave()))
    assert outlet.closed == (CloseCode.LEFT, CloseCode.LEFT.sentence)
    assert not any(isinstance(message, Error) for message in outlet.messages())
    house.registry.sweep(house.clock())
    assert house.registry.sessions() == []


@pytest.mark.parametrize(
    ("payload", "kept"),
    [(b"\x03\xe8", False), (b"\x03\xe9", True), (b"\x11\x30", True), (b"", True)],
    ids=["1000", "1001", "4400", "none"],
)
def test_a_plain_close_leaves_for_good_and_any_other_keeps_the_avatar(payload: bytes, kept: bool):
    house = House()
    peer, outlet = house.join()
    house.send(peer, payload, Opcode.CLOSE)
    assert outlet.disconnected
    assert outlet.closed is not None
    house.gateway.lost(peer)
    house.registry.sweep(house.clock())
    assert [session.people for session in house.registry.sessions()] == ([1] if kept else [])
    code = int.from_bytes(payload, "big") or 1005
    assert house.gateway.counters.closes == {0 if code == 4400 else code: 1}


@pytest.mark.parametrize("code", [0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65535])
def test_a_close_code_that_no_frame_may_carry_is_malformed(code: int):
    house = House()
    peer, outlet = house.join()
    house.send(peer, code.to_bytes(2, "big"), Opcode.CLOSE)
    check_closed(house, outlet, CloseCode.MALFORMED)


def test_half_a_close_code_is_malformed():
    house = House()
    peer, outlet = house.join()
    house.send(peer, b"\x03", Opcode.CLOSE)
    check_closed(house, outlet, CloseCode.MALFORMED)


def test_a_breach_frees_the_place_at_once_and_the_others_hear_why():
    house = House(people=2)
    _, others = house.join("Bob")
    peer, outlet = house.join("Ada")
    house.send(peer, tracker(x=100.5))
    left = others.messages()[-1]
    assert isinstance(left, Left)
    assert outlet.closed is not None
    assert left.reason == outlet.closed[1]
    _, newcomer = house.join("Carl")
    assert isinstance(newcomer.messages()[0], Welcome)


def test_a_lost_socket_keeps_the_avatar_and_is_counted():
    house = House()
    peer, _ = house.join()
    house.gateway.lost(peer)
    (session,) = house.registry.sessions()
    assert (session.people, session.connected) == (1, 0)
    assert house.gateway.counters.closes == {1006: 1}


def test_nothing_acts_after_its_close():
    house = House()
    _, others = house.join("Bob")
    peer, outlet = house.join("Ada")
    house.send(peer, b"\x7f")
    told = len(others.sent)
    sent = len(outlet.sent)
    for payload in (encode(Rename(name="Ghost")), tracker(), encode(Leave()), b"\x7f"):
        house.send(peer, payload)
    house.tick()
    assert len(others.sent) == told
    assert (len(outlet.sent), outlet.frames) == (sent, [])
    (session,) = house.registry.sessions()
    assert session.people == 1
    house.send(peer, b"", Opcode.CLOSE)
    assert outlet.disconnected


def test_a_closed_peer_that_lingers_is_aborted():
    house = House()
    peer, outlet = house.join()
    house.send(peer, b"\x7f")
    house.sweep()
    assert not outlet.aborted
    house.clock.pass_s(1.1)
    house.sweep()
    assert outlet.aborted


def test_a_peer_that_is_behind_skips_snapshots_and_gets_its_events():
    house = House()
    peer, outlet = house.join("Ada")
    house.send(peer, tracker())
    house.tick()
    size = len(outlet.frames[0])
    outlet.buffered = 2 * size
    house.tick()
    assert len(outlet.frames) == 2
    outlet.buffered = 3 * size + 100
    house.tick()
    house.join("Bob")
    assert len(outlet.frames) == 2
    assert peer.snapshots_skipped == 1
    assert type(outlet.messages()[-1]).__name__ == "Joined"
    outlet.buffered = 0
    house.tick()
    assert len(outlet.frames) == 3


def test_events_that_pile_up_close_the_peer_and_nobody_else():
    house = House()
    _, slow = house.join("Ada")
    _, sound = house.join("Bob")
    slow.buffered = Patience().backlog_bytes + 1
    peer, _ = house.join("Carl")
    house.send(peer, encode(Rename(name="Carla")))
    check_closed(house, slow, CloseCode.TOO_SLOW)
    assert [type(message).__name__ for message in sound.messages()[1:]] == [
        "Joined",
        "Presence",
        "Renamed",
    ]


def test_only_so_many_sockets_wait_for_their_hello():
    house = House()
    waiting = [house.open() for _ in range(3)]
    assert not house.gateway.accepting
    house.send(waiting[0][0], encode(hello("Ada")))
    assert house.gateway.accepting


def test_closing_tells_everyone_and_lets_nobody_in():
    house = House()
    outlets = [house.join(f"P{n}")[1] for n in range(3)] + [house.open()[1]]
    house.gateway.close()
    assert {outlet.closed[0] for outlet in outlets if outlet.closed} == {CloseCode.RESTARTING}
    assert all(isinstance(outlet.messages()[-1], Error) for outlet in outlets)
    assert not house.gateway.accepting
    assert house.gateway.counters.closes == {CloseCode.RESTARTING: 4}
