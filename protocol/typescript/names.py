"""Owns how Python's names and values are spelt in TypeScript."""

import json
import re
from enum import IntEnum

from armspan.protocol.declaration import Record


def camel(name: str) -> str:
    """`session_time_us` becomes `sessionTimeUs`."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def upper_snake(name: str) -> str:
    """`ChangeVoice` becomes `CHANGE_VOICE`."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).upper()


def literal(value: object) -> str:
    """A value as TypeScript spells it; exact for every float64.

    A member of an enum, and a record of nothing but defaults, go by their generated names.
    """
    match value:
        case IntEnum():
            return f"{type(value).__name__}.{value.name}"
        case Record() if value == type(value)():
            return default_name(type(value))
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value).removesuffix(".0")
        case str():
            return "'" + json.dumps(value)[1:-1].replace("'", "\\'").replace('\\"', '"') + "'"
        case _:
            raise TypeError(f"{value!r} has no spelling in TypeScript yet")


def default_name(record: type[Record]) -> str:
    """What the constant with a record's defaults is called."""
    return f"DEFAULT_{record.__name__.upper()}"


def comment(text: str | None, indent: str = "") -> str:
    """The first paragraph of a docstring as a JSDoc comment of one line."""
    paragraph = " ".join((text or "").strip().split("\n\n")[0].split())
    return f"{indent}/** {paragraph} */\n"
