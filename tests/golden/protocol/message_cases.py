"""Owns the cases of control messages: every message, and every way to break one."""

import math
import struct
from typing import Any

import msgpack
from armspan.protocol import (
    ChangeLengths,
    ChangeLook,
    ChangeVoice,
    ClockPing,
    ClockPong,
    CloseCode,
    Error,
    Hello,
    IceServer,
    Joined,
    Leave,
    Left,
    Lengths,
    LengthsChanged,
    Look,
    LookChanged,
    Message,
    Person,
    Presence,
    Refused,
    Rename,
    Renamed,
    Role,
    Sender,
    Signal,
    SignalKind,
    Signalled,
    Statistics,
    Voice,
    VoiceChanged,
    VoiceServers,
    Welcome,
    caps,
    encode,
)

TALL = Lengths(upper_arm_m=0.36, forearm_m=0.312, palm_m=0.096, eye_height_m=1.95)
ANN = Person(id=1, name="Ann", connected=True, lengths_version=0, lengths=Lengths())
BROUGHT = Look(avatar="vrm:" + "0123456789abcdef" * 4, colour=0xFFFFFF)
LONGEST = Person(
    id=65_535,
    name="é" * 32,  # 64 bytes
    connected=False,
    lengths_version=65_535,
    lengths=TALL,
    look=BROUGHT,
    voice=Voice.OPEN,
)
SDP = "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\n"
TOKEN = bytes(range(16))
HELLO = Hello(protocol_version=1, name="Ann", role=Role.PARTICIPANT)


def welcome(
    people: tuple[Person, ...], your_id: int, token: bytes | None, revision: int = 0
) -> Welcome:
    return Welcome(
        protocol_version=1,
        server_version="0.1.0",
        session="demo",
        your_id=your_id,
        token=token,
        tick_rate_hz=60.0,
        tick=4_000_000_000,
        session_time_us=2**53 - 1,
        event_sequence=7,
        people=people,
        max_people=64,
        method="robust",
        revision=revision,
    )


VALID: dict[str, Message] = {
    "hello with defaults": HELLO,
    "hello with everything": Hello(
        protocol_version=65_535,
        name="👩‍🚀 Zoë",
        role=Role.SPECTATOR,
        key="k" * caps.KEY_BYTES,
        token=TOKEN,
        lengths=TALL,
        client="web 0.1",
        look=BROUGHT,
        revision=65_535,
    ),
    "rename": Rename(name="n" * caps.NAME_BYTES),
    "rename to a mark on a letter and a filler": Rename(name="e\u0301 \u3164"),
    "rename to a private symbol": Rename(name="\ue000"),
    "change lengths": ChangeLengths(lengths=TALL),
    "clock ping at zero": ClockPing(client_time_us=0),
    "clock ping at the end of time": ClockPing(client_time_us=2**53 - 1),
    "leave": Leave(),
    "change to a shipped avatar": ChangeLook(look=Look(avatar="anna-2", colour=0)),
    "change to an avatar of the longest name": ChangeLook(look=Look(avatar="a" * 32, colour=None)),
    "change to an avatar that was brought": ChangeLook(look=BROUGHT),
    "change to no look": ChangeLook(look=Look()),
    "voice off": ChangeVoice(voice=Voice.OFF),
    "voice open": ChangeVoice(voice=Voice.OPEN),
    "an offer of lines": Signal(to=2, kind=SignalKind.OFFER, text=SDP),
    "candidates": Signal(to=65_535, kind=SignalKind.CANDIDATES, text='[{"candidate":"é"}]'),
    "an answer of the longest text": Signal(to=1, kind=SignalKind.ANSWER, text="x" * 4096),
    "bye": Signal(to=1, kind=SignalKind.BYE, text=""),
    "welcome to a spectator of an empty session": welcome((), 0, None),
    "welcome to a participant": welcome((ANN, LONGEST), 1, TOKEN),
    "joined": Joined(sequence=8, person=LONGEST),
    "left": Left(sequence=9, id=1, reason="left"),
    "presence": Presence(sequence=10, id=300, connected=False),
    "renamed": Renamed(sequence=2**32 - 1, id=65_535, name="Bo"),
    "lengths changed": LengthsChanged(sequence=11, id=2, lengths_version=3, lengths=TALL),
    "clock pong": ClockPong(client_time_us=12, received_us=3_000_000_000, sent_us=2**40),
    "statistics": Statistics(
        tick_rate_hz=59.94,
        tick_lateness_p50_ms=0.07,
        tick_lateness_p99_ms=1.5,
        people=50,
        spectators=2,
        bytes_per_s_out=8_400_000.0,
        snapshots_skipped=3,
        solve_us_per_body=6.25,
    ),
    "error": Error(code=4503, text="The session is full."),
    "welcome of revision 1": welcome((ANN,), 1, TOKEN, revision=1),
    "look changed": LookChanged(sequence=12, id=65_535, look=BROUGHT),
    "voice changed": VoiceChanged(sequence=13, id=1, voice=Voice.MUTED),
    "signalled": Signalled(sender=3, kind=SignalKind.ANSWER, text=SDP),
    "signalled with the longest text": Signalled(
        sender=3, kind=SignalKind.OFFER, text="\r\n" * 2048
    ),
    "no voice servers": VoiceServers(servers=(), expires_s=0),
    "voice servers": VoiceServers(
        servers=(
            IceServer(urls=("stun:voice.example:3478",)),
            IceServer(
                urls=("turn:voice.example:3478?transport=udp", "turns:voice.example:5349"),
                username="1800000000:7",
                credential="bm8gc2VjcmV0",
            ),
        ),
        expires_s=3600,
    ),
    "as many voice servers as there may be": VoiceServers(
        servers=(IceServer(urls=("turn:" + "h" * 251,) * 8, credential="c" * 128),) * 8,
        expires_s=2**32 - 1,
    ),
    "refused": Refused(what=0x16, text="6 people have their voice on."),
}


def body(message_id: int, *values: Any) -> bytes:
    """A message of any values, as msgpack writes them."""
    return bytes((message_id,)) + msgpack.packb(values)


def float32(value: float) -> bytes:
    return b"\xca" + struct.pack(">f", value)


# Read like the message named, though no encoder of ours writes them so.
READABLE: list[tuple[str, bytes, Message]] = [
    ("hello without its defaults", body(0x10, 1, "Ann", 0), HELLO),
    ("hello of revision 0", body(0x10, 1, "Ann", 0, None, None, None, ""), HELLO),
    (
        "a person of revision 0",
        body(0x30, 8, [1, "Ann", True, 0, []]),
        Joined(sequence=8, person=ANN),
    ),
    ("a look without its colour", body(0x15, ["anna"]), ChangeLook(look=Look(avatar="anna"))),
    (
        "a voice server without credentials",
        body(0x44, [[["stun:voice.example"]]], 0),
        VoiceServers(servers=(IceServer(urls=("stun:voice.example",)),), expires_s=0),
    ),
    (
        "hello with fields of a newer version",
        body(0x10, 1, "Ann", 0, None, None, None, "", None, 0, ["new", [1.5, None]], b"x" * 200),
        HELLO,
    ),
    (
        "numbers wider than they need",
        b"\x13\x91\xcf" + bytes(7) + b"\x05",
        ClockPing(client_time_us=5),
    ),
    (
        "whole and short floats as lengths",
        b"\x12\x91\x92" + float32(0.25) + float32(0.125),
        ChangeLengths(lengths=Lengths(shoulder_lateral_m=0.25, shoulder_up_m=0.125)),
    ),
    ("an array header of 16 bits", b"\x14\xdc\x00\x00", Leave()),
    (
        "integers as real numbers",
        body(0x41, 60, 0, 1, 50, 2, 8_400_000, 3, 6),
        Statistics(
            tick_rate_hz=60.0,
            tick_lateness_p50_ms=0.0,
            tick_lateness_p99_ms=1.0,
            people=50,
            spectators=2,
            bytes_per_s_out=8_400_000.0,
            snapshots_skipped=3,
            solve_us_per_body=6.0,
        ),
    ),
]

_C, _S = Sender.CLIENT, Sender.SERVER
_BAD, _NAN, _UNKNOWN = CloseCode.MALFORMED, CloseCode.NOT_FINITE, CloseCode.UNKNOWN_MESSAGE


def named(name: str) -> bytes:
    return body(0x11, name)


def with_lengths(*lengths: Any) -> bytes:
    return body(0x12, list(lengths))


def with_people(people: Any) -> bytes:
    return body(0x20, 1, "0.1.0", "demo", 1, None, 60, 1, 2, 3, people, 64, "robust")


def looking(*look: Any) -> bytes:
    return body(0x15, list(look))


def nested(depth: int) -> list[Any]:
    return [nested(depth - 1)] if depth > 1 else []


# (what is wrong, who sent it, bytes, close code)
INVALID: list[tuple[str, Sender, bytes, CloseCode]] = [
    ("nothing at all", _C, b"", _BAD),
    ("nothing at all, from the server", _S, b"", _BAD),
    ("an unknown id", _C, b"\x7f\x90", _UNKNOWN),
    (
        "a welcome from a client",
        _C,
        encode(VALID["welcome to a participant"]),
        _UNKNOWN,
    ),
    ("a hello from the server", _S, encode(HELLO), _UNKNOWN),
    ("a tracker frame as a control message", _C, b"\x01" + bytes(103), _UNKNOWN),
    ("too large", _C, body(0x11, "x") + bytes(caps.CLIENT_MESSAGE_BYTES), CloseCode.TOO_LARGE),
    ("no body", _C, b"\x10", _BAD),
    ("a body cut short", _C, encode(HELLO)[:-1], _BAD),
    ("bytes after the body", _C, encode(HELLO) + b"\x00", _BAD),
    ("a body that is no array", _C, b"\x10\x01", _BAD),
    ("a body that is a map", _C, b"\x10" + msgpack.packb({"name": "Ann"}), _BAD),
    ("an empty map as the body", _C, b"\x10\x80", _BAD),
    ("the byte that msgpack never uses", _C, b"\x10\xc1", _BAD),
    ("an array that claims four billion items", _C, b"\x10\xdd\xff\xff\xff\xff", _BAD),
    ("a text that claims four billion bytes", _C, b"\x10\x91\xdb\xff\xff\xff\xff", _BAD),
    ("a blob that claims four billion bytes", _C, b"\x10\x91\xc6\xff\xff\xff\xff", _BAD),
    ("a map that claims four billion pairs", _C, b"\x10\x91\xdf\xff\xff\xff\xff", _BAD),
    ("an array of one item more than the cap", _C, body(0x14, *[0] * 33), _BAD),
    ("an extension type", _C, b"\x11\x91\xd4\x05\x00", _BAD),
    ("a timestamp", _C, b"\x11\x91\xd6\xff\x00\x00\x00\x00", _BAD),
    ("an empty map in an unknown field", _C, b"\x14\x91\x80", _BAD),
    ("arrays nested five deep", _C, body(0x14, nested(4)), _BAD),
    ("arrays nested three hundred deep", _C, body(0x14, nested(300)), _BAD),
    ("a field that is missing", _C, body(0x10, 1, "Ann"), _BAD),
    ("no fields", _C, body(0x10), _BAD),
    ("a number as a name", _C, body(0x11, 5), _BAD),
    ("a blob as a name", _C, body(0x11, b"Ann"), _BAD),
    ("nil as a name", _C, body(0x11, None), _BAD),
    ("an array as a name", _C, body(0x11, ["Ann"]), _BAD),
    ("an empty name", _C, named(""), _BAD),
    ("a name of spaces", _C, named("  "), _BAD),
    ("a name that begins with a space", _C, named(" Ann"), _BAD),
    ("a name that ends with a no-break space", _C, named("Ann\u00a0"), _BAD),
    ("a name of 65 bytes", _C, named("n" * 65), _BAD),
    ("a name of 33 characters and 66 bytes", _C, named("é" * 33), _BAD),
    ("a name with a line break", _C, named("A\nB"), _BAD),
    ("a name with a zero", _C, named("A\0B"), _BAD),
    ("a name with a C1 control", _C, named("A\u0085B"), _BAD),
    ("a name that turns the text around it", _C, named("A\u202eB"), _BAD),
    ("a name with an invisible space", _C, named("A\u200bB"), _BAD),
    ("a name with a byte order mark", _C, named("\ufeffA"), _BAD),
    ("a name with a soft hyphen", _C, named("A\u00adB"), _BAD),
    ("a name with an Arabic letter mark", _C, named("A\u061cB"), _BAD),
    ("a name with a vowel separator", _C, named("A\u180eB"), _BAD),
    ("a name with a tag", _C, named("A\U000e0041B"), _BAD),
    ("a name of a filler", _C, named("\u3164"), _BAD),
    ("a name of a half wide filler", _C, named("\uffa0"), _BAD),
    ("a name of jamo fillers", _C, named("\u115f\u1160"), _BAD),
    ("a name of an empty braille pattern", _C, named("\u2800"), _BAD),
    ("a name of a joiner and a non-joiner", _C, named("\u200d\u200c"), _BAD),
    ("a name of a combining mark", _C, named("\u0301"), _BAD),
    ("invalid UTF-8", _C, b"\x11\x91\xa3A\xffB", _BAD),
    ("UTF-8 cut within a character", _C, b"\x11\x91\xa2A\xc3", _BAD),
    ("an overlong zero in UTF-8", _C, b"\x11\x91\xa2\xc0\x80", _BAD),
    ("a surrogate in UTF-8", _C, b"\x11\x91\xa3\xed\xa0\x80", _BAD),
    ("an unknown role", _C, body(0x10, 1, "Ann", 2), _BAD),
    ("true as a role", _C, body(0x10, 1, "Ann", True), _BAD),
    ("true as a version", _C, body(0x10, True, "Ann", 0), _BAD),
    ("a version of 17 bits", _C, body(0x10, 65_536, "Ann", 0), _BAD),
    ("a time below zero", _C, body(0x13, -1), _BAD),
    ("a time of 2^53", _C, body(0x13, 2**53), _BAD),
    ("a time of 2^64 - 1", _C, body(0x13, 2**64 - 1), _BAD),
    ("a text as a time", _C, body(0x13, "5"), _BAD),
    ("a fraction as a time", _C, body(0x13, 5.5), _BAD),
    ("a time that is no number", _C, body(0x13, math.nan), _NAN),
    ("a key of 129 bytes", _C, body(0x10, 1, "Ann", 0, "k" * 129), _BAD),
    ("a token of 15 bytes", _C, body(0x10, 1, "Ann", 0, None, b"t" * 15), _BAD),
    ("a token as text", _C, body(0x10, 1, "Ann", 0, None, "t" * 16), _BAD),
    ("a number as lengths", _C, body(0x12, 0.3), _BAD),
    ("nil as lengths", _C, body(0x12, None), _BAD),
    ("true as a length", _C, with_lengths(True), _BAD),
    ("a length that is no number", _C, with_lengths(0.18, math.nan), _NAN),
    ("an infinite length", _C, with_lengths(math.inf), _NAN),
    ("an infinite length of 32 bits", _C, b"\x12\x91\x91" + float32(-math.inf), _NAN),
    ("an upper arm of 3 m", _C, with_lengths(0.18, 0.05, 3.0), _BAD),
    ("a forearm of no length", _C, with_lengths(0.18, 0.05, 0.3, 0.0), _BAD),
    ("a person of id 0", _S, body(0x31, 1, 0, "left"), _BAD),
    ("one as a flag", _S, body(0x32, 1, 1, 1), _BAD),
    ("people as a number", _S, with_people(5), _BAD),
    (
        "a person as a number",
        _S,
        with_people([5]),
        _BAD,
    ),
    (
        "a broken person within people",
        _S,
        with_people([[1, "", True, 0, []]]),
        _BAD,
    ),
    ("a look that is no array", _C, body(0x15, "anna"), _BAD),
    ("nil as a look", _C, body(0x15, None), _BAD),
    ("an avatar in capitals", _C, looking("Anna"), _BAD),
    ("an avatar that begins with a digit", _C, looking("2anna"), _BAD),
    ("an avatar of 33 letters", _C, looking("a" * 33), _BAD),
    ("an avatar that is a path", _C, looking("../anna"), _BAD),
    ("an avatar and a line break", _C, looking("anna\n"), _BAD),
    ("an avatar of another alphabet", _C, looking("änna"), _BAD),
    ("a hash that is too short", _C, looking("vrm:" + "0" * 63), _BAD),
    ("a hash that is too long", _C, looking("vrm:" + "0" * 65), _BAD),
    ("a hash in capitals", _C, looking("vrm:" + "A" * 64), _BAD),
    ("a hash of nothing", _C, looking("vrm:"), _BAD),
    ("a number as an avatar", _C, looking(7), _BAD),
    ("a colour of 25 bits", _C, looking("anna", 0x1000000), _BAD),
    ("a colour below zero", _C, looking("anna", -1), _BAD),
    ("a colour as text", _C, looking("anna", "#ff0000"), _BAD),
    ("a hello with a broken look", _C, body(0x10, 1, "A", 0, None, None, None, "", ["!"]), _BAD),
    (
        "a hello of a revision of 17 bits",
        _C,
        body(0x10, 1, "A", 0, None, None, None, "", None, 65_536),
        _BAD,
    ),
    ("an unknown voice", _C, body(0x16, 3), _BAD),
    ("true as a voice", _C, body(0x16, True), _BAD),
    ("a voice that is missing", _C, body(0x16), _BAD),
    ("a signal to nobody", _C, body(0x17, 0, 0, ""), _BAD),
    ("a signal to a person beyond all", _C, body(0x17, 65_536, 0, ""), _BAD),
    ("a signal of an unknown kind", _C, body(0x17, 1, 4, ""), _BAD),
    ("a signal of 4,097 bytes", _C, body(0x17, 1, 0, "x" * 4097), _BAD),
    ("a signal of 4,098 bytes in fewer characters", _C, body(0x17, 1, 0, "é" * 2049), _BAD),
    ("a signal with a zero", _C, body(0x17, 1, 0, "v=0\0"), _BAD),
    ("a signal that turns the text around it", _C, body(0x17, 1, 0, "v=0\u202e"), _BAD),
    ("a signal as bytes", _C, body(0x17, 1, 0, b"v=0"), _BAD),
    ("a signal without its text", _C, body(0x17, 1, 0), _BAD),
    ("a long text in an unknown field", _C, body(0x11, "Ann", "x" * 257), _BAD),
    (
        "a signal beyond the cap",
        _C,
        body(0x17, 1, 0, "") + bytes(caps.CLIENT_MESSAGE_BYTES),
        CloseCode.TOO_LARGE,
    ),
    ("an event of looks from a client", _C, encode(VALID["look changed"]), _UNKNOWN),
    ("a signal from the server", _S, encode(VALID["bye"]), _UNKNOWN),
    ("a look of nobody", _S, body(0x35, 1, 0, ["", None]), _BAD),
    ("a voice server that is text", _S, body(0x44, ["stun:voice.example"], 0), _BAD),
    ("an address that is a number", _S, body(0x44, [[[5]]], 0), _BAD),
    ("addresses that are text", _S, body(0x44, [["stun:voice.example"]], 0), _BAD),
    ("nine addresses", _S, body(0x44, [[["stun:v"] * 9]], 0), _BAD),
    ("nine voice servers", _S, body(0x44, [[["stun:v"]]] * 9, 0), _BAD),
    ("an address of 257 bytes", _S, body(0x44, [[["s" * 257]]], 0), _BAD),
    ("a refusal of message 256", _S, body(0x45, 256, "no"), _BAD),
    ("an infinite rate", _S, body(0x41, math.inf, 0, 0, 1, 0, 0, 0, 0), _NAN),
    (
        "an unreadable hello of another version",
        _C,
        body(0x10, 9, ["Ann"], 0),
        CloseCode.WRONG_VERSION,
    ),
]

# Refused where the language tells 5.0 from 5; JavaScript cannot.
INVALID_WITH_FLOATS: list[tuple[str, Sender, bytes, CloseCode]] = [
    ("a float as a time", _C, body(0x13, 5.0), _BAD),
    ("a float as a role", _C, body(0x10, 1, "Ann", 0.0), _BAD),
]
