"""Owns how a message is declared: the base classes, the lanes, and the fields read back from them.

A message is a frozen pydantic model. Its fields, in declared order, are one msgpack array. Ids and
the order of fields are forever; new fields go to the end and have a default.
"""

import types
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin, get_type_hints

from armspan.protocol.wire_types import Blob, Choice, Flag, Integer, Items, Real, Text
from pydantic import BaseModel, ConfigDict


class Lane(Enum):
    """How a message is delivered."""

    POSE = "pose"  # the newest replaces the older ones; a peer that is behind skips them
    EVENT = "event"  # ordered, numbered, never dropped; a peer that cannot take them is closed
    CONTROL = "control"  # ordered with the events, never dropped, not numbered
    STATUS = "status"  # worth nothing when late: a peer that is behind misses it


class Sender(Enum):
    """Who may send a message."""

    CLIENT = "client"
    SERVER = "server"


class Record(BaseModel):
    """A fixed row of fields; on the wire a msgpack array of them in declared order."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Message(Record):
    """A record that travels by itself, behind the byte of its id."""

    message_id: ClassVar[int]
    lane: ClassVar[Lane]
    sent_by: ClassVar[Sender]
    since_revision: ClassVar[int]
    """Only for peers of this revision or a higher one."""


class Event(Message):
    """A change of the session; its `sequence` is consecutive for every peer."""


_M = TypeVar("_M", bound=Message)


def message(
    message_id: int, lane: Lane, sender: Sender, *, revision: int = 0
) -> Callable[[type[_M]], type[_M]]:
    """Give a message class its id, its lane, its sender and the revision that it came with."""

    def declare(declared: type[_M]) -> type[_M]:
        declared.message_id = message_id
        declared.lane = lane
        declared.sent_by = sender
        declared.since_revision = revision
        return declared

    return declare


@dataclass(frozen=True, slots=True)
class Nested:
    """A record within a record: an array within an array."""

    record: type[Record]

    @property
    def rule(self) -> str:
        return f"an array of the fields of {self.record.__name__}"


@dataclass(frozen=True, slots=True)
class Sequence:
    """An array of at most `items.max_items` records or scalars of one kind."""

    item: "WireType"
    items: Items

    @property
    def rule(self) -> str:
        return self.items.rule


@dataclass(frozen=True, slots=True)
class Optional:
    """The inner type, or nil."""

    inner: "WireType"

    @property
    def rule(self) -> str:
        return f"nil, or {self.inner.rule}"


WireType = Integer | Real | Flag | Blob | Text | Choice | Nested | Sequence | Optional
_SCALARS = (Integer, Real, Flag, Blob, Text, Choice)


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record, as encoders, generators and documents need it."""

    name: str
    type: WireType
    required: bool
    default: Any  # meaningful only if not required
    note: str  # the first line of its docstring


@cache
def fields_of(record: type[Record]) -> tuple[Field, ...]:
    """The fields of a record in wire order."""
    hints = get_type_hints(record, include_extras=True)
    return tuple(
        Field(
            name=name,
            type=wire_type(hints[name]),
            required=declared.is_required(),
            default=declared.default,
            note=(declared.description or "").partition("\n")[0],
        )
        for name, declared in record.model_fields.items()
    )


def longest_text_bytes(record: type[Record]) -> int:
    """How long a text within this record may be, at most."""
    return max((_text_bytes(field.type) for field in fields_of(record)), default=0)


def _text_bytes(declared: WireType) -> int:
    match declared:
        case Text():
            return declared.max_bytes
        case Nested(record):
            return longest_text_bytes(record)
        case Sequence(inner) | Optional(inner):
            return _text_bytes(inner)
        case _:
            return 0


def wire_type(annotation: Any) -> WireType:
    """The wire type that an annotation of a field declares; TypeError if it declares none."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        marker = arguments[1]
        if isinstance(marker, Items):
            return Sequence(wire_type(get_args(arguments[0])[0]), marker)
        if isinstance(marker, _SCALARS):
            return marker
    if origin in (Union, types.UnionType) and arguments[-1] is type(None) and len(arguments) == 2:
        return Optional(wire_type(arguments[0]))
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return Nested(annotation)
    raise TypeError(f"{annotation!r} has no wire type: use those of armspan.protocol.wire_types")
