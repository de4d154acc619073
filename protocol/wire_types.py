"""Owns the wire types: what a field of a control message may hold, and the rule in words.

Each type is an annotation that pydantic validates with and the TypeScript generator reads.
They are strict: a bool is no number, a float is no integer, text is no blob. Only `Real` also
takes an integer, because JavaScript encoders write 60.0 as 60.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Any

from armspan.protocol import caps
from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

_FORBIDDEN = re.compile(
    "[" + "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in caps.FORBIDDEN_CODE_POINTS) + "]"
)
_FORBIDDEN_IN_LINES = re.compile(rf"(?![\r\n]){_FORBIDDEN.pattern}")

# Unicode's categories that show nothing: controls, formats, surrogates, spaces and marks.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zs", "Zl", "Zp", "Mn", "Mc", "Me"})


def _is_visible(text: str) -> bool:
    return any(
        unicodedata.category(character) not in _UNSEEN
        and ord(character) not in caps.BLANK_CODE_POINTS
        for character in text
    )


def _refusing_with(rule: str, schema: CoreSchema) -> CoreSchema:
    return core_schema.custom_error_schema(
        schema, custom_error_type="rule", custom_error_message=rule
    )


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number from `low` to `high`, as any msgpack integer."""

    low: int
    high: int

    @property
    def rule(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    def __get_pydantic_core_schema__(self, _source: Any, _: GetCoreSchemaHandler) -> CoreSchema:
        number = core_schema.int_schema(strict=True, ge=self.low, le=self.high)
        return _refusing_with(self.rule, number)


@dataclass(frozen=True, slots=True)
class Real:
    """A finite number, written as a msgpack float 64; floats 32 and integers are read as well."""

    low: float | None = None
    high: float | None = None

    @property
    def rule(self) -> str:
        if self.low is None or self.high is None:
            return "a finite number"
        return f"a number from {self.low:g} to {self.high:g}"

    def __get_pydantic_core_schema__(self, _source: Any, _: GetCoreSchemaHandler) -> CoreSchema:
        number = core_schema.float_schema(
            strict=True, allow_inf_nan=False, ge=self.low, le=self.high
        )
        return _refusing_with(self.rule, number)


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    @property
    def rule(self) -> str:
        return "true or false"

    def __get_pydantic_core_schema__(self, _source: Any, _: GetCoreSchemaHandler) -> CoreSchema:
        return _refusing_with(self.rule, core_schema.bool_schema(strict=True))


@dataclass(frozen=True, slots=True)
class Blob:
    """Exactly `size_bytes` bytes, as msgpack bin."""

    size_bytes: int

    @property
    def rule(self) -> str:
        return f"exactly {self.size_bytes} bytes"

    def __get_pydantic_core_schema__(self, _source: Any, _: GetCoreSchemaHandler) -> CoreSchema:
        blob = core_schema.bytes_schema(
            strict=True, min_length=self.size_bytes, max_length=self.size_bytes
        )
        return _refusing_with(self.rule, blob)


@dataclass(frozen=True, slots=True)
class Text:
    """At most `max_bytes` of UTF-8 without the forbidden code points; a name is trimmed and shows.

    Text is refused, never repaired: what one peer sends is what every other one reads.
    """

    max_bytes: int
    trimmed: bool = False  # a name: something to see, no white space at either end
    secret: bool = False  # never shown in errors
    lines: bool = False  # may hold line breaks: CR and LF
    pattern: str = ""  # a regular expression that the whole text matches

    @property
    def rule(self) -> str:
        if self.pattern:
            return f"text that matches ^({self.pattern})$"
        shape = "a visible name without spaces at its ends," if self.trimmed else "text"
        low = "1 to " if self.trimmed else "at most "
        but = " but line breaks" if self.lines else ""
        return f"{shape} of {low}{self.max_bytes} UTF-8 bytes without control characters{but}"

    def accepts(self, text: str) -> bool:
        """Whether `text` obeys the rule; a lone surrogate has no UTF-8 and does not."""
        try:
            size_bytes = len(text.encode("utf-8"))
        except UnicodeEncodeError:
            return False
        forbidden = _FORBIDDEN_IN_LINES if self.lines else _FORBIDDEN
        if size_bytes > self.max_bytes or forbidden.search(text):
            return False
        if self.pattern and not re.fullmatch(self.pattern, text):
            return False
        return not self.trimmed or (_is_visible(text) and text == text.strip())

    def _check(self, text: str) -> str:
        if not self.accepts(text):
            raise ValueError(self.rule)
        return text

    def __get_pydantic_core_schema__(self, _source: Any, _: GetCoreSchemaHandler) -> CoreSchema:
        text = core_schema.no_info_after_validator_function(
            self._check, core_schema.str_schema(strict=True)
        )
        return _refusing_with(self.rule, text)


@dataclass(frozen=True, slots=True)
class Choice:
    """A member of an enum, by its number."""

    enum: type[IntEnum]

    @property
    def rule(self) -> str:
        return " or ".join(f"{int(member)} ({member.name.lower()})" for member in self.enum)

    def _member(self, number: Any) -> Any:
        known = type(number) is int and number in [int(member) for member in self.enum]
        return self.enum(number) if known else number

    def __get_pydantic_core_schema__(self, _source: Any, _: GetCoreSchemaHandler) -> CoreSchema:
        member = core_schema.no_info_before_validator_function(
            self._member, core_schema.is_instance_schema(self.enum)
        )
        return _refusing_with(self.rule, member)


@dataclass(frozen=True, slots=True)
class Items:
    """The cap of a sequence: at most `max_items` of a kind."""

    max_items: int
    kind: str = "records"

    @property
    def rule(self) -> str:
        return f"an array of at most {self.max_items} {self.kind}"

    def _check(self, items: Any) -> Any:
        if len(items) > self.max_items:
            raise PydanticCustomError("rule", "{rule}", {"rule": self.rule})
        return items

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))


U8 = Annotated[int, Integer(0, 2**8 - 1)]
U16 = Annotated[int, Integer(0, 2**16 - 1)]
U32 = Annotated[int, Integer(0, 2**32 - 1)]
U53 = Annotated[int, Integer(0, caps.TIME_US_MAX)]
PersonId = Annotated[int, Integer(1, caps.PERSON_ID_MAX)]
Number = Annotated[float, Real()]
Bool = Annotated[bool, Flag()]
Name = Annotated[str, Text(caps.NAME_BYTES, trimmed=True)]
Token = Annotated[bytes, Blob(caps.TOKEN_BYTES)]


def printable(text: str) -> str:
    """`text` without forbidden code points and surrogates: safe to show on a terminal."""
    return _FORBIDDEN.sub("", text.encode("utf-8", "ignore").decode("utf-8"))


def clean_name(text: str) -> str:
    """The nearest text that is a valid name, or "" if nothing of it can be seen.

    For clients, on what a person typed: drops forbidden code points, trims, and clips to
    `caps.NAME_BYTES` between characters.
    """
    shown = printable(text).strip().encode("utf-8")[: caps.NAME_BYTES].decode("utf-8", "ignore")
    return shown.strip() if _is_visible(shown) else ""
