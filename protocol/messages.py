"""Owns the control messages of both directions."""

from enum import IntEnum
from typing import Annotated

from armspan.protocol import caps
from armspan.protocol.declaration import Event, Lane, Message, Record, Sender, message
from armspan.protocol.lengths import Lengths
from armspan.protocol.wire_types import (
    U16,
    U32,
    U53,
    Bool,
    Choice,
    Items,
    Name,
    Number,
    PersonId,
    Text,
    Token,
)
from pydantic import Field


class Role(IntEnum):
    """What a peer is in a session."""

    PARTICIPANT = 0  # is seen: sends tracker frames
    SPECTATOR = 1  # only watches


@message(0x10, Lane.CONTROL, Sender.CLIENT)
class Hello(Message):
    """The first message of every client, within `HANDSHAKE_S`, and only once."""

    protocol_version: U16
    name: Name
    role: Annotated[Role, Choice(Role)]
    key: Annotated[str, Text(caps.KEY_BYTES, secret=True)] | None = Field(None, repr=False)
    token: Token | None = Field(
        None, repr=False
    )  # from an earlier welcome: asks for its own avatar back
    lengths: Lengths | None = None  # nil: the defaults
    client: Annotated[str, Text(caps.CLIENT_BYTES)] = ""  # program and version, for diagnosis


@message(0x11, Lane.CONTROL, Sender.CLIENT)
class Rename(Message):
    """The participant wants to be called something else."""

    name: Name


@message(0x12, Lane.CONTROL, Sender.CLIENT)
class ChangeLengths(Message):
    """The participant was measured anew."""

    lengths: Lengths


@message(0x13, Lane.STATUS, Sender.CLIENT)
class ClockPing(Message):
    """Asks for the session's time; the client's own monotonic time comes back with the answer."""

    client_time_us: U53


@message(0x14, Lane.CONTROL, Sender.CLIENT)
class Leave(Message):
    """The peer leaves for good: its avatar goes at once, its token ends."""


class Person(Record):
    """A participant as others see it."""

    id: PersonId
    name: Name
    connected: Bool
    lengths_version: U16  # counts up, round to 0 after 65535, with every change of the lengths
    lengths: Lengths


@message(0x20, Lane.CONTROL, Sender.SERVER)
class Welcome(Message):
    """The answer to hello: everything that a late joiner needs."""

    protocol_version: U16
    server_version: Annotated[str, Text(caps.SERVER_VERSION_BYTES)]
    session: Annotated[str, Text(caps.SESSION_BYTES)]
    your_id: U16  # 0: a spectator
    token: Token | None = Field(repr=False)  # gives this avatar back; nil for a spectator
    tick_rate_hz: Number
    tick: U32
    session_time_us: U53
    event_sequence: U32  # the last event that this welcome already contains
    people: Annotated[tuple[Person, ...], Items(caps.PEOPLE_PER_SESSION)]
    max_people: U16
    method: Annotated[str, Text(caps.METHOD_BYTES)]  # how the server solves the bodies


@message(0x30, Lane.EVENT, Sender.SERVER)
class Joined(Event):
    """A person came."""

    sequence: U32
    person: Person


@message(0x31, Lane.EVENT, Sender.SERVER)
class Left(Event):
    """A person went for good."""

    sequence: U32
    id: PersonId
    reason: Annotated[str, Text(caps.REASON_BYTES)]


@message(0x32, Lane.EVENT, Sender.SERVER)
class Presence(Event):
    """A person lost the network, or came back; the avatar stays meanwhile."""

    sequence: U32
    id: PersonId
    connected: Bool


@message(0x33, Lane.EVENT, Sender.SERVER)
class Renamed(Event):
    """A person has another name."""

    sequence: U32
    id: PersonId
    name: Name


@message(0x34, Lane.EVENT, Sender.SERVER)
class LengthsChanged(Event):
    """A person has other lengths."""

    sequence: U32
    id: PersonId
    lengths_version: U16
    lengths: Lengths


@message(0x40, Lane.STATUS, Sender.SERVER)
class ClockPong(Message):
    """Answers a clock ping: when it was received and when this answer left, in session time."""

    client_time_us: U53
    received_us: U53
    sent_us: U53


@message(0x41, Lane.STATUS, Sender.SERVER)
class Statistics(Message):
    """Once a second: how the session runs, and what this peer gets of it."""

    tick_rate_hz: Number
    tick_lateness_p50_ms: Number
    tick_lateness_p99_ms: Number
    people: U16
    spectators: U16
    bytes_per_s_out: Number  # of the session, to all its peers
    snapshots_skipped: U32  # for this peer, since it joined
    solve_us_per_body: Number


@message(0x42, Lane.CONTROL, Sender.SERVER)
class Error(Message):
    """Says why the server closes the connection, just before it does."""

    code: U16  # a close code
    text: Annotated[str, Text(caps.ERROR_TEXT_BYTES)]


ClientMessage = Hello | Rename | ChangeLengths | ClockPing | Leave
SessionEvent = Joined | Left | Presence | Renamed | LengthsChanged
ServerMessage = Welcome | SessionEvent | ClockPong | Statistics | Error

CLIENT_MESSAGES: tuple[type[Message], ...] = (Hello, Rename, ChangeLengths, ClockPing, Leave)
SERVER_MESSAGES: tuple[type[Message], ...] = (
    Welcome,
    Joined,
    Left,
    Presence,
    Renamed,
    LengthsChanged,
    ClockPong,
    Statistics,
    Error,
)
