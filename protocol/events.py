"""Owns the events: the server's numbered messages, which change the list of people."""

from typing import Annotated

from armspan.protocol import caps
from armspan.protocol.declaration import Event, Lane, Sender, message
from armspan.protocol.lengths import Lengths
from armspan.protocol.records import Look, Person, Voice
from armspan.protocol.wire_types import U16, U32, Bool, Choice, Name, PersonId, Text


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


@message(0x35, Lane.EVENT, Sender.SERVER, revision=1)
class LookChanged(Event):
    """A person wants to be drawn otherwise."""

    sequence: U32
    """The event's number."""
    id: PersonId
    """Whose look changed."""
    look: Look
    """The new look."""


@message(0x36, Lane.EVENT, Sender.SERVER, revision=1)
class VoiceChanged(Event):
    """A person joined the talk, left it, or is heard or not."""

    sequence: U32
    """The event's number."""
    id: PersonId
    """Whose voice changed."""
    voice: Annotated[Voice, Choice(Voice)]
    """From now on."""
