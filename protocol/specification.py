"""Owns the tables of `README.md`: the specification repeats what is declared, never by hand.

`python -m armspan.protocol.specification [--check]` writes them between their markers.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from armspan.protocol import caps, examples, layout
from armspan.protocol.close_codes import CloseCode
from armspan.protocol.declaration import (
    Field,
    Lane,
    Message,
    Nested,
    Optional,
    Record,
    Sequence,
    WireType,
    fields_of,
)
from armspan.protocol.lengths import Lengths
from armspan.protocol.messages import (
    CLIENT_MESSAGES,
    SERVER_MESSAGES,
)
from armspan.protocol.records import IceServer, Look, Person
from armspan.protocol.wire_types import Blob, Choice, Flag, Integer, Real, Text

_README = Path(__file__).with_name("README.md")
_SECTION = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str) -> str:
    """The text with every marked section written anew; KeyError for one that is not known."""
    return _SECTION.sub(lambda m: f"{m[1]}{_TABLES[m[2]]()}{m[3]}", text)


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)


def _type(declared: WireType) -> str:
    match declared:
        case Integer(low, high):
            return f"integer {low} … {high}" if high < 2**32 else f"integer {low} … 2^53 - 1"
        case Real(low, high) if low is not None and high is not None:
            return f"real {low:g} … {high:g}"
        case Real():
            return "real"
        case Flag():
            return "bool"
        case Blob(size_bytes):
            return f"bin, {size_bytes} bytes"
        case Text(max_bytes, pattern=pattern) if pattern:
            return f"text that matches `{_cap_name(pattern)}`"
        case Text(max_bytes, lines=True):
            return f"text of lines, ≤ {max_bytes} bytes"
        case Text(max_bytes, trimmed):
            return f"name, 1 … {max_bytes} bytes" if trimmed else f"text, ≤ {max_bytes} bytes"
        case Choice():
            return declared.rule
        case Nested(record):
            return record.__name__
        case Sequence(inner, items):
            return f"array of ≤ {items.max_items} {_type(inner)}"
        case Optional(inner):
            return f"{_type(inner)}, or nil"


def _cap_name(value: object) -> str:
    return next(name for name, cap in vars(caps).items() if name.isupper() and cap == value)


def _default(field: Field) -> str:
    if field.required:
        return "—"
    match field.default:
        case None:
            return "nil"
        case "":
            return "empty text"
        case Record():
            return "all absent"
        case _:
            return f"{field.default}"


def _record(record: type[Record]) -> str:
    rows = [
        (index, f"`{field.name}`", _type(field.type), _default(field), field.note)
        for index, field in enumerate(fields_of(record))
    ]
    if not rows:
        return "No fields: the empty array.\n"
    return _table(("#", "field", "type", "if absent", "meaning"), rows)


def _message(message: type[Message]) -> str:
    since = f"Since revision {message.since_revision}.\n\n" if message.since_revision else ""
    return (
        f"#### `0x{message.message_id:02x}` {message.__name__} ({message.lane.value})\n\n"
        f"{message.__doc__}\n\n{since}{_record(message)}\n"
    )


def _messages(messages: tuple[type[Message], ...]) -> str:
    return "\n" + "".join(_message(message) for message in messages)


def _records() -> str:
    return "\n" + "".join(
        f"#### {record.__name__}\n\n{record.__doc__}\n\n{_record(record)}\n"
        for record in (Lengths, Look, Person, IceServer)
    )


def _overview() -> str:
    rows = [
        ("`0x01`", "tracker frame", "client", Lane.POSE.value, 0),
        ("`0x02`", "snapshot", "server", Lane.POSE.value, 0),
        ("`0x03`", "hands frame", "client", Lane.POSE.value, 1),
        *(
            (f"`0x{m.message_id:02x}`", m.__name__, m.sent_by.value, m.lane.value, m.since_revision)
            for m in (*CLIENT_MESSAGES, *SERVER_MESSAGES)
        ),
    ]
    return _table(("id", "message", "sent by", "lane", "since revision"), rows)


def _bytes(fields: Iterable[layout.ByteField]) -> str:
    rows = [
        (
            field.offset,
            f"{field.count} {field.kind.name.lower()}",
            f"`{field.name}`",
            field.note,
        )
        for field in fields
    ]
    return _table(("byte", "type", "field", "holds"), rows)


def _bits() -> str:
    rows: list[tuple[object, ...]] = []
    offset = 0
    for field in layout.AVATAR_RECORD:
        is_linear = field.coding in (layout.Coding.LINEAR, layout.Coding.ANGLE)
        bounds = f"{field.low:.6g} … {field.high:.6g}" if is_linear else ""
        step = f"{field.step:.3g}" if is_linear else ""
        row = (offset, field.bits, f"`{field.name}`", field.coding.value, bounds, step)
        rows.append(row)
        offset += field.bits
    return _table(("bit", "bits", "field", "coding", "from … to", "step"), rows)


def _close_codes() -> str:
    rows = [(int(code), f"`{code.name}`", code.sentence) for code in CloseCode]
    return _table(("code", "name", "what happened, and what to do"), rows)


def _caps() -> str:
    rows = [
        (f"`{name}`", _cap(value))
        for name, value in vars(caps).items()
        if name.isupper() and isinstance(value, int | float | str)
    ]
    return _table(("cap", "value"), rows)


def _cap(value: float | str) -> str:
    match value:
        case str():
            return "`" + value.replace("|", "\\|") + "`"
        case int():
            return f"{value:,}"
        case _:
            return f"{value:g}"


def _section_entry() -> str:
    rows = [
        (f"{count} {kind.name.lower()}", f"`{name}`", note)
        for name, kind, count, note in layout.HANDS_ENTRY
    ]
    return _table(("type", "field", "holds"), rows)


def _fingers() -> str:
    rows = [
        (index, f"`{joint.name}`", f"{joint.low_deg:g}° … {joint.high_deg:g}°", f"{step:.2f}°")
        for index, joint in enumerate(caps.FINGER_JOINTS)
        for step in [(joint.high_deg - joint.low_deg) / layout.FINGERS[index].maximum]
    ]
    return _table(("#", "joint", "from … to", "step"), rows)


def _forbidden() -> str:
    return _table(
        ("from", "to"),
        [(f"U+{low:04X}", f"U+{high:04X}") for low, high in caps.FORBIDDEN_CODE_POINTS],
    )


_TABLES: dict[str, Callable[[], str]] = {
    "overview": _overview,
    "client_messages": lambda: _messages(CLIENT_MESSAGES),
    "server_messages": lambda: _messages(SERVER_MESSAGES),
    "records": _records,
    "tracker_frame": lambda: _bytes(layout.TRACKER_FRAME),
    "snapshot_header": lambda: _bytes(layout.SNAPSHOT_HEADER),
    "avatar_record": _bits,
    "close_codes": _close_codes,
    "caps": _caps,
    "forbidden": _forbidden,
    "handshake": examples.handshake,
    "snapshot_example": examples.snapshot_example,
    "hands_frame": lambda: _bytes(layout.HANDS_FRAME),
    "hands_example": examples.hands_example,
    "fingers": _fingers,
    "section_header": lambda: _bytes(layout.SECTION_HEADER),
    "hands_entry": _section_entry,
    "section_example": examples.section_example,
}
TABLE_NAMES = tuple(_TABLES)


def main() -> int:
    """0: written, or up to date; 1: `--check` found a difference."""
    parser = argparse.ArgumentParser(description="Fill in the tables of the specification.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    text = _README.read_text("utf-8")
    if filled(text) == text:
        return 0
    if check:
        sys.stderr.write(
            f"{_README} differs from the declarations; "
            "run python -m armspan.protocol.specification and commit it.\n"
        )
        return 1
    _README.write_text(filled(text), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
