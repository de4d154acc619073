"""Owns the control messages that servers send, but for the events."""

from typing import Annotated

from armspan.protocol import caps
from armspan.protocol.declaration import Lane, Message, Sender, message
from armspan.protocol.records import IceServer, Person, SignalKind
from armspan.protocol.wire_types import (
    U8,
    U16,
    U32,
    U53,
    Choice,
    Items,
    Number,
    PersonId,
    Text,
    Token,
)
from pydantic import Field


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
    revision: U16 = 0
    """What holds for this connection: the lower of the client's and the server's."""


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


@message(0x43, Lane.CONTROL, Sender.SERVER, revision=1)
class Signalled(Message):
    """A signal that another person sent to this one."""

    sender: PersonId
    """Whose it is."""
    kind: Annotated[SignalKind, Choice(SignalKind)]
    """What the text holds."""
    text: Annotated[str, Text(caps.SIGNAL_BYTES, lines=True)]
    """As it was sent; do not trust it more than its sender."""


@message(0x44, Lane.CONTROL, Sender.SERVER, revision=1)
class VoiceServers(Message):
    """How to reach the others; the answer to a `ChangeVoice` that is not OFF."""

    servers: Annotated[tuple[IceServer, ...], Items(caps.ICE_SERVERS)]
    """For RTCPeerConnection."""
    expires_s: U32
    """How long the credentials are good for from now on; 0 if there are none."""


@message(0x45, Lane.CONTROL, Sender.SERVER, revision=1)
class Refused(Message):
    """Says that a request was not done, and why; the connection goes on."""

    what: U8
    """The id of the message that asked."""
    text: Annotated[str, Text(caps.ERROR_TEXT_BYTES)]
    """Why, and the next step, for a person."""
