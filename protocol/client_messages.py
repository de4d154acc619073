"""Owns the control messages that clients send."""

from typing import Annotated

from armspan.protocol import caps
from armspan.protocol.declaration import Lane, Message, Sender, message
from armspan.protocol.lengths import Lengths
from armspan.protocol.records import Look, Role, SignalKind, Voice
from armspan.protocol.wire_types import U16, U53, Choice, Name, PersonId, Text, Token
from pydantic import Field


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
    look: Look | None = None
    """How to draw the person; nil for the default, or for what a returning avatar has."""
    revision: U16 = 0
    """The highest revision that this client knows."""


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


@message(0x15, Lane.CONTROL, Sender.CLIENT, revision=1)
class ChangeLook(Message):
    """The participant wants to be drawn otherwise."""

    look: Look
    """The new look."""


@message(0x16, Lane.CONTROL, Sender.CLIENT, revision=1)
class ChangeVoice(Message):
    """The participant joins the talk, leaves it, or is heard or not; asks for `VoiceServers`."""

    voice: Annotated[Voice, Choice(Voice)]
    """From now on."""


@message(0x17, Lane.CONTROL, Sender.CLIENT, revision=1)
class Signal(Message):
    """To be passed on to a person whose voice is on, from one whose voice is on."""

    to: PersonId
    """Whom it is for."""
    kind: Annotated[SignalKind, Choice(SignalKind)]
    """What the text holds."""
    text: Annotated[str, Text(caps.SIGNAL_BYTES, lines=True)]
    """For the other person's WebRTC; the server does not read it."""
