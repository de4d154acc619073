"""Owns the bytes of control messages: strict, bounded decoding and canonical encoding."""

import math
from collections.abc import Mapping
from typing import Any, cast

import msgpack  # pyright: ignore[reportMissingTypeStubs]
from armspan.protocol import caps
from armspan.protocol.client_messages import Hello
from armspan.protocol.close_codes import CloseCode
from armspan.protocol.declaration import (
    Message,
    Nested,
    Optional,
    Record,
    Sender,
    Sequence,
    WireType,
    fields_of,
    longest_text_bytes,
)
from armspan.protocol.errors import ProtocolError
from armspan.protocol.messages import (
    CLIENT_MESSAGES,
    SERVER_MESSAGES,
    ClientMessage,
    ServerMessage,
)
from armspan.protocol.wire_types import Text
from pydantic import ValidationError

_FROM_CLIENT: Mapping[int, type[Message]] = {m.message_id: m for m in CLIENT_MESSAGES}
_FROM_SERVER: Mapping[int, type[Message]] = {m.message_id: m for m in SERVER_MESSAGES}
_LONG_TEXT_BYTES: Mapping[type[Message], int] = {
    m: longest
    for m in (*CLIENT_MESSAGES, *SERVER_MESSAGES)
    if (longest := longest_text_bytes(m)) > caps.BODY_TEXT_BYTES
}
_AGAIN = "Correct it and send the message again."
_SHOWN_CHARACTERS = 40


def encode(message: Message) -> bytes:
    """The WebSocket message: the byte of the id, then one msgpack array of the fields."""
    body = cast(bytes, msgpack.packb(_row(message)))  # pyright: ignore[reportUnknownMemberType]
    return bytes((message.message_id,)) + body


def decode_from_client(payload: bytes | bytearray | memoryview) -> ClientMessage:
    """What a server received. Raises ProtocolError; allocates no more than the caps allow."""
    return cast(ClientMessage, _decode(payload, Sender.CLIENT))


def decode_from_server(payload: bytes | bytearray | memoryview) -> ServerMessage:
    """What a client received. Raises ProtocolError; allocates no more than the caps allow."""
    return cast(ServerMessage, _decode(payload, Sender.SERVER))


def decode(payload: bytes | bytearray | memoryview) -> ClientMessage | ServerMessage:
    """A control message of either direction, for tools; peers know which direction they read."""
    if len(payload) and payload[0] in _FROM_CLIENT:
        return decode_from_client(payload)
    return decode_from_server(payload)


def require_version(version: int) -> None:
    """Refuse a hello (or a welcome) of another protocol version, in words for both sides."""
    if version != caps.PROTOCOL_VERSION:
        older = "server" if version > caps.PROTOCOL_VERSION else "client"
        raise ProtocolError(
            CloseCode.WRONG_VERSION,
            f"Protocol version {version} is not {caps.PROTOCOL_VERSION}, the one spoken here. "
            f"Update the {older}.",
        )


def _row(record: Record) -> list[Any]:
    return [_plain(getattr(record, field.name)) for field in fields_of(type(record))]


def _plain(value: Any) -> Any:
    match value:
        case Record():
            return _row(value)
        case tuple():
            return [_plain(item) for item in cast(tuple[Any, ...], value)]
        case _:
            return value


def _decode(payload: bytes | bytearray | memoryview, sender: Sender) -> Message:
    declared = _declaration(payload, sender)
    values = _unpack(payload, declared)
    try:
        return declared.model_validate(_named(declared, values))
    except ValidationError as broken:
        raise _as_protocol_error(declared, values, broken) from None


def _declaration(payload: bytes | bytearray | memoryview, sender: Sender) -> type[Message]:
    if len(payload) == 0:
        raise ProtocolError(
            CloseCode.MALFORMED,
            "A message of 0 bytes has no id; a message begins with one byte of id.",
        )
    from_client = sender is Sender.CLIENT
    limit = caps.CLIENT_MESSAGE_BYTES if from_client else caps.SERVER_MESSAGE_BYTES
    if len(payload) > limit:
        raise ProtocolError(
            CloseCode.TOO_LARGE,
            f"A message has {len(payload)} bytes, but a {sender.value} may send at most {limit}.",
        )
    declared = (_FROM_CLIENT if from_client else _FROM_SERVER).get(payload[0])
    if declared is None:
        raise ProtocolError(
            CloseCode.UNKNOWN_MESSAGE,
            f"No {sender.value} sends a control message of id 0x{payload[0]:02x} "
            f"in protocol version {caps.PROTOCOL_VERSION}.",
        )
    return declared


def _unpack(payload: bytes | bytearray | memoryview, declared: type[Message]) -> list[Any]:
    """The body's array; every header is checked against the caps before anything is allocated."""
    name, from_client = declared.__name__, declared.sent_by is Sender.CLIENT
    items = caps.CLIENT_ARRAY_ITEMS if from_client else caps.SERVER_ARRAY_ITEMS
    try:
        body = cast(
            object,
            msgpack.unpackb(  # pyright: ignore[reportUnknownMemberType]
                memoryview(payload)[1:],
                raw=False,
                max_array_len=items,
                max_str_len=_LONG_TEXT_BYTES.get(declared, caps.BODY_TEXT_BYTES),
                max_bin_len=caps.BODY_BLOB_BYTES,
                max_map_len=0,
                max_ext_len=0,
            ),
        )
    except (ValueError, msgpack.UnpackException) as broken:
        raise ProtocolError(
            CloseCode.MALFORMED,
            f"{name} is not one msgpack array within the caps ({_sentence(broken)}). {_AGAIN}",
        ) from None
    if not isinstance(body, list):
        raise ProtocolError(
            CloseCode.MALFORMED,
            f"{name} holds {_shown(body)}, but must be one array of its fields. {_AGAIN}",
        )
    _refuse_strange(body, name, 1)
    return cast(list[Any], body)


def _refuse_strange(value: Any, name: str, depth: int) -> None:
    """No maps, extension types or deep nests, not even in fields that are still unknown here."""
    if isinstance(value, list):
        if depth > caps.BODY_DEPTH:
            raise ProtocolError(
                CloseCode.MALFORMED,
                f"{name} nests arrays deeper than {caps.BODY_DEPTH}. {_AGAIN}",
            )
        for item in cast(list[Any], value):
            _refuse_strange(item, name, depth + 1)
    elif value is not None and not isinstance(value, bool | int | float | str | bytes):
        raise ProtocolError(
            CloseCode.MALFORMED,
            f"{name} holds {_shown(value)}; maps and extension types are never used. {_AGAIN}",
        )


def _named(record: type[Record], values: list[Any]) -> dict[str, Any]:
    """The values by field name. Extra trailing ones come from a newer peer and are ignored."""
    pairs = zip(fields_of(record), values, strict=False)
    return {field.name: _arranged(field.type, value) for field, value in pairs}


def _arranged(declared: WireType, value: Any) -> Any:
    """The shape that pydantic expects; what does not fit stays as it is and is refused there."""
    match declared:
        case Optional(inner) if value is not None:
            return _arranged(inner, value)
        case Nested(record) if isinstance(value, list):
            return _named(record, cast(list[Any], value))
        case Sequence(kind) if isinstance(value, list):
            return tuple(_arranged(kind, item) for item in cast(list[Any], value))
        case _:
            return value


def _as_protocol_error(
    record: type[Message], values: list[Any], broken: ValidationError
) -> ProtocolError:
    first = broken.errors(include_url=False, include_context=False)[0]
    where = ".".join([record.__name__, *(str(step) for step in first["loc"])])
    declared = _type_at(record, first["loc"])
    absent = first["type"] == "missing"
    value = "absent" if absent else _shown(first["input"], _is_secret(declared))
    rule = declared.rule
    if not absent and isinstance(first["input"], float) and not math.isfinite(first["input"]):
        return ProtocolError(CloseCode.NOT_FINITE, f"{where} is {value}, but must be {rule}.")
    if record is Hello and first["loc"] != ("protocol_version",) and values:
        # A hello that cannot be read may be of another version: then that is the better word.
        try:
            require_version(values[0])
        except ProtocolError as wrong_version:
            return wrong_version
    return ProtocolError(CloseCode.MALFORMED, f"{where} is {value}, but must be {rule}. {_AGAIN}")


def _type_at(record: type[Record], location: tuple[int | str, ...]) -> WireType:
    """The declared type at a pydantic location such as ("people", 3, "name")."""
    declared: WireType = Nested(record)
    for step in location:
        inner = declared.inner if isinstance(declared, Optional) else declared
        if isinstance(inner, Sequence) and isinstance(step, int):
            declared = inner.item
        elif isinstance(inner, Nested):
            fields = fields_of(inner.record)
            declared = next(field.type for field in fields if field.name == step)
    return declared


def _is_secret(declared: WireType) -> bool:
    inner = declared.inner if isinstance(declared, Optional) else declared
    return isinstance(inner, Text) and inner.secret


def _shown(value: Any, secret: bool = False) -> str:
    """A value for a sentence: short, printable, and never the contents of a container."""
    match value:
        case str() if secret:
            return f"text of {len(value)} characters"
        case None:
            return "nil"
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
        case str():
            text = ascii(value if len(value) <= _SHOWN_CHARACTERS else value[:_SHOWN_CHARACTERS])
            return f"{text} ({len(value.encode('utf-8', 'surrogatepass'))} bytes)"
        case bytes():
            return f"a blob of {len(value)} bytes"
        case list() | tuple() | dict():
            kind = "a map" if isinstance(value, dict) else "an array"
            return f"{kind} of {len(cast(list[Any], value))}"
        case _:
            return "an extension type"


def _sentence(broken: BaseException) -> str:
    text = str(broken) or type(broken).__name__
    return ascii(text)[1:-1][:80]
