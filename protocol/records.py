"""Owns the enums of control messages, and the records within them."""

from enum import IntEnum
from typing import Annotated

from armspan.protocol import caps
from armspan.protocol.declaration import Record
from armspan.protocol.lengths import Lengths
from armspan.protocol.wire_types import U16, Bool, Choice, Integer, Items, Name, PersonId, Text
from pydantic import Field


class Role(IntEnum):
    """What a peer is in a session."""

    PARTICIPANT = 0  # is seen: sends tracker frames
    SPECTATOR = 1  # only watches


class Voice(IntEnum):
    """How a person takes part in the talk."""

    OFF = 0  # not at all: neither speaks nor hears
    MUTED = 1  # hears
    OPEN = 2  # hears and speaks


class SignalKind(IntEnum):
    """What a signal from one person's WebRTC to another's holds."""

    OFFER = 0  # a session description (SDP)
    ANSWER = 1  # the same, in answer to an offer
    CANDIDATES = 2  # ICE candidates, a JSON array of them
    BYE = 3  # the end of what was offered


class Look(Record):
    """How a person wants to be drawn."""

    avatar: Annotated[str, Text(caps.AVATAR_BYTES, pattern=caps.AVATAR_PATTERN)] = ""
    """Empty: the viewer chooses; a shipped avatar's name; or vrm: and an upload's SHA-256."""
    colour: Annotated[int, Integer(0, caps.COLOUR_MAX)] | None = None
    """Of the upper garment, sRGB: red · 65536 + green · 256 + blue; nil: the viewer chooses."""


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
    look: Look = Look()
    """How to draw the person."""
    voice: Annotated[Voice, Choice(Voice)] = Voice.OFF
    """Whether the person can be called, and may speak."""


class IceServer(Record):
    """A STUN or TURN server, as WebRTC's RTCIceServer."""

    urls: Annotated[
        tuple[Annotated[str, Text(caps.ICE_URL_BYTES)], ...], Items(caps.ICE_URLS, "texts")
    ]
    """Where it is: stun:, turn: or turns: URLs."""
    username: Annotated[str, Text(caps.ICE_USERNAME_BYTES)] = ""
    """For TURN; empty where none is needed."""
    credential: Annotated[str, Text(caps.ICE_CREDENTIAL_BYTES, secret=True)] = Field(
        default="", repr=False
    )
    """Belongs to that username, and expires with it."""
