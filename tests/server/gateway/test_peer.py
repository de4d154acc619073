"""One peer, without a socket: what it may send when, what each breach earns, what it gets."""

import math
import struct

import pytest
from armspan.protocol import (
    PROTOCOL_VERSION,
    ChangeLengths,
    ClockPing,
    ClockPong,
    CloseCode,
    Error,
    Leave,
    Left,
    Lengths,
    Rename,
    Role,
    Welcome,
    caps,
    encode,
)
from armspan.server.counters import Counters
from armspan.server.gateway import Gateway, OriginPolicy, Patience
from armspan.server.gateway.assembly import Opcode
from armspan.server.gateway.peer import Peer
from armspan.server.sessions import Due, Limits, Registry, session_key

from tests.fakes import FakeClock, FakeOutlet, hello, tracker

SECRET = "a secret of the server"


class House:
    """A gateway with everything but sockets."""

    def __init__(self, *, secret: str | None = None, patience: Patience | None = None, **limits):
        self.clock = FakeClock()
        self.registry = Registry(Limits(**limits), self.clock)
        self.gateway = Gateway(
            self.registry,
            self.clock,
            secret=secret,
            origins=OriginPolicy(),
            patience=patience or Patience(),
            counters=Counters(),
            pending_most=3,
        )

    def open(self, session: str = "review") -> tuple[Peer, FakeOutlet]:
        outlet = FakeOutlet()
        return self.gateway.open(session, outlet), outlet

    def join(self, name: str = "Ada", **more: object) -> tuple[Peer, FakeOutlet]:
        peer, outlet = self.open()
        self.send(peer, encode(hello(name, **more)))
        return peer, outlet

    def send(
        self, peer: Peer, payload: bytes, opcode: int = Opcode.BINARY, last: bool = True
    ) -> None:
        peer.on_frame(opcode, last, memoryview(payload), self.clock())

    def tick(self) -> None:
        self.registry.tick(Due(1, 0, 0), self.clock.pass_s(1 / 60))

    def sweep(self) -> None:
        self.gateway.sweep(self.clock())


def check_closed(house: House, outlet: FakeOutlet, code: CloseCode) -> None:
    """An error with code and sentence, then the close frame with the same; counted once."""
    error = outlet.messages()[-1]
    assert isinstance(error, Error)
    assert error.code == code
    assert error.text.endswith((".", ")"))
    assert outlet.closed is not None
    assert outlet.closed[0] == code
    assert error.text.startswith(outlet.closed[1])
    assert len(outlet.closed[1].encode()) <= caps.CLOSE_REASON_BYTES
    assert house.gateway.counters.closes == {code: 1}


def with_float(frame: bytes, at: int, value: float) -> bytes:
    return frame[:at] + struct.pack("<f", value) + frame[at + 4 :]


BREACHES = {
    "empty": (b"", CloseCode.MALFORMED),
    "not msgpack": (b"\x11\xc1", CloseCode.MALFORMED),
    "another shape": (b"\x11\xa1x", CloseCode.MALFORMED),
    "unknown id": (b"\x7f\x90", CloseCode.UNKNOWN_MESSAGE),
    "a server's message": (b"\x20\x90", CloseCode.UNKNOWN_MESSAGE),
    "a snapshot": (b"\x02" + bytes(15), CloseCode.UNKNOWN_MESSAGE),
    "too large": (b"\x11" + bytes(caps.CLIENT_MESSAGE_BYTES), CloseCode.TOO_LARGE),
    "a short tracker frame": (tracker()[:-1], CloseCode.MALFORMED),
    "a long tracker frame": (tracker() + b"x", CloseCode.MALFORMED),
    "beyond 100 m": (tracker(x=100.5), CloseCode.OUT_OF_RANGE),
    "no rotation": (with_float(tracker(), 36, 2.0), CloseCode.OUT_OF_RANGE),
    "not a number": (with_float(tracker(), 12, math.nan), CloseCode.NOT_FINITE),
    "infinite": (with_float(tracker(), 40, math.inf), CloseCode.NOT_FINITE),
    "infinite, untracked": (with_float(tracker(tracked=1), 40, math.inf), CloseCode.NOT_FINITE),
    "a length of nan": (
        b"\x12\x91\x9b" + (b"\xcb" + struct.pack(">d", math.nan)) * 11,
        CloseCode.NOT_FINITE,
    ),
    "second hello": (encode(hello("Ada")), CloseCode.SECOND_HELLO),
}


@pytest.mark.parametrize("breach", BREACHES)
def test_each_breach_earns_its_own_close_and_touches_nobody_else(breach: str):
    payload, code = BREACHES[breach]
    house = House()
    other, others = house.join("Bob")
    peer, outlet = house.join("Ada")
    house.send(peer, payload)
    check_closed(house, outlet, code)
    house.send(other, tracker())
    house.tick()
    assert others.closed is None
    assert len(others.frames) == 1
    assert outlet.frames == []


@pytest.mark.parametrize(
    "payload", [tracker(), encode(Rename(name="x")), encode(Leave())], ids=["pose", "name", "leave"]
)
def test_hello_comes_first(payload: bytes):
    house = House()
    peer, outlet = house.open()
    house.send(peer, payload)
    check_closed(house, outlet, CloseCode.MALFORMED)
    assert house.registry.sessions() == []


def test_another_version_is_told_so():
    house = House()
    peer, outlet = house.open()
    later = hello("Ada").model_copy(update={"protocol_version": PROTOCOL_VERSION + 1})
    house.send(peer, encode(later))
    check_closed(house, outlet, CloseCode.WRONG_VERSION)


@pytest.mark.parametrize("name", ["", "-x", "a b", "a/b", "ü", "a" * 65, "..", "%2e"])
def test_a_bad_session_name_is_told_on_the_socket(name: str):
    house = House()
    peer, outlet = house.open(name)
    check_closed(house, outlet, CloseCode.BAD_SESSION)
    house.send(peer, encode(hello("Ada")))
    assert house.registry.sessions() == []


@pytest.mark.parametrize("key", [None, "", "x", session_key(SECRET, "other")])
def test_a_wrong_key_opens_nothing(key: str | None):
    house = House(secret=SECRET)
    _, outlet = house.join(key=key)
    check_closed(house, outlet, CloseCode.WRONG_KEY)
    assert house.registry.sessions() == []


def test_the_right_key_opens_its_session():
    house = House(secret=SECRET)
    _, outlet = house.join(key=session_key(SECRET, "review"))
    assert isinstance(outlet.messages()[0], Welcome)


def test_a_full_session_and_a_full_server_say_so():
    house = House(people=1, sessions=1)
    house.join("Ada")
    _, outlet = house.join("Bob")
    check_closed(house, outlet, CloseCode.SESSION_FULL)
    house.gateway.counters.closes.clear()
    peer, outlet = house.open("another")
    house.send(peer, encode(hello("Carl")))
    check_closed(house, outlet, CloseCode.SERVER_FULL)


@pytest.mark.parametrize(
    "payload",
    [tracker(), encode(Rename(name="x")), encode(ChangeLengths(lengths=Lengths(palm_m=0.1)))],
    ids=["pose", "name", "lengths"],
)
def test_spectators_may_not_act(payload: bytes):
    house = House()
    peer, outlet = house.join(role=Role.SPECTATOR)
    house.send(peer, payload)
    check_closed(house, outlet, CloseCode.NOT_ALLOWED)


def test_a_flood_is_closed_and_then_no_longer_read():
    house = House()
    peer, outlet = house.join()
    for _ in range(int(caps.MESSAGES_BURST) - 1):
        house.send(peer, tracker())
    assert outlet.closed is None
    house.send(peer, tracker())
    check_closed(house, outlet, CloseCode.FLOOD)
    assert not outlet.reading


def test_changes_that_everyone_is_told_have_a_bucket_of_their_own():
    house = House()
    _, others = house.join("Bob")
    peer, outlet = house.join("Ada")
    for n in range(int(caps.CHANGES_BURST)):
        house.send(peer, encode(Rename(name=f"n{n}")))
    assert outlet.closed is None
    told = len(others.sent)
    house.send(peer, encode(ChangeLengths(lengths=Lengths(palm_m=0.1))))
    check_closed(house, outlet, CloseCode.FLOOD)
    assert len(others.sent) == told + 1, "only that the peer is gone"


def test_changes_now_and_then_are_no_flood():
    house = House()
    peer, outlet = house.join()
    for n in range(200):
        house.clock.pass_s(1 / caps.CHANGES_PER_S)
        house.send(peer, encode(Rename(name=f"n{n}")))
    assert outlet.closed is None


@pytest.mark.parametrize("opcode", [Opcode.PING, Opcode.PONG, Opcode.CONTINUATION])
def test_empty_frames_are_a_flood_too(opcode: Opcode):
    house = House()
    peer, outlet = house.join()
    if opcode is Opcode.CONTINUATION:
        house.send(peer, b"", Opcode.BINARY, last=False)
    for _ in range(int(caps.MESSAGES_BURST)):
        house.send(peer, b"", opcode, last=opcode is not Opcode.CONTINUATION)
    check_closed(house, outlet, CloseCode.FLOOD)


def test_a_steady_sender_is_never_a_flood():
    house = House()
    peer, outlet = house.join()
    for n in range(120 * 60):
        house.clock.pass_s(1 / 120)
        house.send(peer, tracker(sample_time_us=n * 8333))
    assert outlet.closed is None


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
