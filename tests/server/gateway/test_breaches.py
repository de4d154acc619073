"""What a peer may send, and what each breach earns it; nobody else notices."""

import math
import struct

import pytest
from armspan.protocol import (
    PROTOCOL_VERSION,
    ChangeLengths,
    ChangeLook,
    ChangeVoice,
    CloseCode,
    Leave,
    Lengths,
    Look,
    Refused,
    Rename,
    Role,
    Signal,
    SignalKind,
    Signalled,
    Voice,
    VoiceChanged,
    Welcome,
    caps,
    encode,
)
from armspan.server.gateway.assembly import Opcode
from armspan.server.gateway.peer import Peer
from armspan.server.sessions import session_key

from tests.fakes import FakeOutlet, hands, hello, tracker
from tests.server.gateway.house import SECRET, House, check_closed

LOOK = encode(ChangeLook(look=Look(avatar="anna")))
VOICE = encode(ChangeVoice(voice=Voice.OPEN))
SIGNAL = encode(Signal(to=2, kind=SignalKind.BYE, text=""))


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
    "a short hands frame": (hands()[:-1], CloseCode.MALFORMED),
    "a long hands frame": (hands() + b"x", CloseCode.MALFORMED),
    "an unknown flag of hands": (hands()[:1] + b"\x10" + hands()[2:], CloseCode.MALFORMED),
    "pointing beyond 100 m": (hands(x=34.0), CloseCode.OUT_OF_RANGE),
    "pointing at nothing": (with_float(hands(), 44, math.nan), CloseCode.NOT_FINITE),
    "pointing at nothing, untold": (with_float(hands(0), 64, math.inf), CloseCode.NOT_FINITE),
    "an avatar that is a path": (b"\x15\x91\x91\xa9../secret", CloseCode.MALFORMED),
    "an unknown voice": (b"\x16\x91\x07", CloseCode.MALFORMED),
    "a signal of 5,000 bytes": (
        b"\x17\x93\x01\x00\xda\x13\x88" + b"x" * 5000,
        CloseCode.MALFORMED,
    ),
    "a name as long as a signal": (b"\x11\x91\xda\x10\x00" + b"x" * 4096, CloseCode.MALFORMED),
    "an event from a client": (
        encode(VoiceChanged(sequence=1, id=1, voice=Voice.OPEN)),
        CloseCode.UNKNOWN_MESSAGE,
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
    "payload",
    [tracker(), hands(), encode(Rename(name="x")), encode(Leave())],
    ids=["pose", "hands", "name", "leave"],
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
    [
        tracker(),
        hands(),
        encode(Rename(name="x")),
        encode(ChangeLengths(lengths=Lengths(palm_m=0.1))),
        LOOK,
        VOICE,
        SIGNAL,
    ],
    ids=["pose", "hands", "name", "lengths", "look", "voice", "signal"],
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


def test_looks_and_voices_are_changes_too():
    house = House()
    peer, outlet = house.join("Ada")
    for n in range(int(caps.CHANGES_BURST) // 2):
        house.send(peer, encode(ChangeLook(look=Look(colour=n))))
        house.send(peer, VOICE)
    assert outlet.closed is None
    house.send(peer, LOOK)
    check_closed(house, outlet, CloseCode.FLOOD)


def talking(house: House, name: str) -> tuple[Peer, FakeOutlet]:
    peer, outlet = house.join(name)
    house.send(peer, VOICE)
    return peer, outlet


def test_too_many_signals_are_dropped_and_told_once_and_then_go_on():
    house = House()
    peer, outlet = talking(house, "Ada")
    _, other = talking(house, "Bob")
    for _ in range(int(caps.SIGNALS_BURST) + 50):
        house.send(peer, SIGNAL)
    passed = [m for m in other.messages() if isinstance(m, Signalled)]
    assert len(passed) == caps.SIGNALS_BURST
    counters = house.gateway.counters
    assert (counters.signals_passed, counters.signals_dropped) == (caps.SIGNALS_BURST, 50)
    (refused,) = [m for m in outlet.messages() if isinstance(m, Refused)]
    assert refused.what == Signal.message_id
    assert (outlet.closed, other.closed) == (None, None)
    house.clock.pass_s(1)
    house.send(peer, SIGNAL)
    assert isinstance(other.messages()[-1], Signalled)
    for _ in range(30):
        house.send(peer, SIGNAL)
    assert len([m for m in outlet.messages() if isinstance(m, Refused)]) == 2


def test_signals_pile_up_before_nobody():
    """Whoever reads nothing is not closed for what others send, and misses it."""
    house = House()
    peer, _ = talking(house, "Ada")
    _, other = talking(house, "Bob")
    sent = len(other.sent)
    other.buffered = 65_537
    house.send(peer, SIGNAL)
    assert (len(other.sent), other.closed) == (sent, None)
    assert house.gateway.counters.signals_dropped == 1
    other.buffered = 65_536
    house.send(peer, SIGNAL)
    assert len(other.sent) == sent + 1


@pytest.mark.parametrize(
    "payload", [hands(), LOOK, VOICE, SIGNAL], ids=["hands", "look", "voice", "signal"]
)
def test_a_connection_of_revision_0_knows_nothing_of_revision_1(payload: bytes):
    house = House()
    peer, outlet = house.join(revision=0)
    house.send(peer, payload)
    check_closed(house, outlet, CloseCode.UNKNOWN_MESSAGE)


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
