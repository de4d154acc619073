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
    """The version this client speaks."""
    name: Name
    """What the others call the person; a spectator has one, too."""
    role: Annotated[Role, Choice(Role)]
    """Whether the peer is seen."""
    key: Annotated[str, Text(caps.KEY_BYTES, secret=True)] | None = Field(default=None, repr=False)
    """Of the session, where it has one: from the fragment of the session's link."""
    token: Token | None = Field(default=None, repr=False)
    """From an earlier welcome: asks for its own avatar back."""
    lengths: Lengths | None = None
    """Of the person; nil for the defaults, or for those a returning avatar has."""
    client: Annotated[str, Text(caps.CLIENT_BYTES)] = ""
    """Program and version, for diagnosis."""


@message(0x11, Lane.CONTROL, Sender.CLIENT)
class Rename(Message):
    """The participant wants to be called something else."""

    name: Name
    """The new name."""


@message(0x12, Lane.CONTROL, Sender.CLIENT)
class ChangeLengths(Message):
    """The participant was measured anew."""

    lengths: Lengths
    """The new lengths."""


@message(0x13, Lane.STATUS, Sender.CLIENT)
class ClockPing(Message):
    """Asks for the session's time; the client's own monotonic time comes back with the answer."""

    client_time_us: U53
    """The client's monotonic clock as the ping leaves."""


@message(0x14, Lane.CONTROL, Sender.CLIENT)
class Leave(Message):
    """The peer leaves for good: its avatar goes at once, its token ends."""


class Person(Record):
    """A participant as others see it."""

    id: PersonId
    """Not used again soon after the person left."""
    name: Name
    """What to call the person."""
    connected: Bool
    """False while the person's network is lost and the avatar waits."""
    lengths_version: U16
    """One up with every change of the lengths; 0 follows 65535."""
    lengths: Lengths
    """The person's skeleton."""


@message(0x20, Lane.CONTROL, Sender.SERVER)
class Welcome(Message):
    """The answer to hello: everything that a late joiner needs."""

    protocol_version: U16
    """The version that this connection speaks."""
    server_version: Annotated[str, Text(caps.SERVER_VERSION_BYTES)]
    """For diagnosis."""
    session: Annotated[str, Text(caps.SESSION_BYTES)]
    """The session's name."""
    your_id: U16
    """This peer's own person; 0 for a spectator."""
    token: Token | None = Field(repr=False)
    """Gives this avatar back after a lost connection; nil for a spectator."""
    tick_rate_hz: Number
    """Snapshots a second."""
    tick: U32
    """The last tick."""
    session_time_us: U53
    """Session time as the welcome was made."""
    event_sequence: U32
    """The last event that this welcome already contains."""
    people: Annotated[tuple[Person, ...], Items(caps.PEOPLE_PER_SESSION)]
    """Everybody in the session, this peer and people who are away among them."""
    max_people: U16
    """The most participants that the session takes."""
    method: Annotated[str, Text(caps.METHOD_BYTES)]
    """How the server solves the bodies."""


@message(0x30, Lane.EVENT, Sender.SERVER)
class Joined(Event):
    """A person came."""

    sequence: U32
    """The event's number."""
    person: Person
    """Who came."""


@message(0x31, Lane.EVENT, Sender.SERVER)
class Left(Event):
    """A person went for good."""

    sequence: U32
    """The event's number."""
    id: PersonId
    """Who went."""
    reason: Annotated[str, Text(caps.REASON_BYTES)]
    """Why, in a few words."""


@message(0x32, Lane.EVENT, Sender.SERVER)
class Presence(Event):
    """A person lost the network, or came back; the avatar stays meanwhile."""

    sequence: U32
    """The event's number."""
    id: PersonId
    """Whose connection changed."""
    connected: Bool
    """False: lost, and the avatar waits; true: back."""


@message(0x33, Lane.EVENT, Sender.SERVER)
class Renamed(Event):
    """A person has another name."""

    sequence: U32
    """The event's number."""
    id: PersonId
    """Whose name changed."""
    name: Name
    """The new name."""


@message(0x34, Lane.EVENT, Sender.SERVER)
class LengthsChanged(Event):
    """A person has other lengths."""

    sequence: U32
    """The event's number."""
    id: PersonId
    """Whose lengths changed."""
    lengths_version: U16
    """Of these lengths."""
    lengths: Lengths
    """The new lengths."""


@message(0x40, Lane.STATUS, Sender.SERVER)
class ClockPong(Message):
    """Answers a clock ping: when it was received and when this answer left, in session time."""

    client_time_us: U53
    """As the ping said it."""
    received_us: U53
    """Session time when the ping arrived."""
    sent_us: U53
    """Session time when this answer left."""


@message(0x41, Lane.STATUS, Sender.SERVER)
class Statistics(Message):
    """Once a second: how the session runs, and what this peer gets of it."""

    tick_rate_hz: Number
    """Snapshots a second that are meant."""
    tick_lateness_p50_ms: Number
    """How long after its time a tick began, of the last seconds: median."""
    tick_lateness_p99_ms: Number
    """The same: 99th percentile."""
    people: U16
    """Participants, connected or away."""
    spectators: U16
    """Spectators."""
    bytes_per_s_out: Number
    """Snapshot bytes that the session sends to all its peers."""
    snapshots_skipped: U32
    """For this peer on this connection, because it was behind."""
    solve_us_per_body: Number
    """What solving costs the server."""


@message(0x42, Lane.CONTROL, Sender.SERVER)
class Error(Message):
    """Says why the server closes the connection, just before it does."""

    code: U16
    """The close code that follows."""
    text: Annotated[str, Text(caps.ERROR_TEXT_BYTES)]
    """The value, the rule it broke and the next step, for a person."""


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
