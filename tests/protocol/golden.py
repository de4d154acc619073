"""Owns what the tests of both codecs share: the golden vectors, and refusals as values."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from armspan.protocol import ProtocolError

_T = TypeVar("_T")

FOLDER = Path(__file__).parents[1] / "golden" / "protocol"


def vectors(name: str) -> list[Any]:
    """The rows of one file, for `pytest.mark.parametrize`."""
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def payload(row: dict[str, Any]) -> bytes:
    return bytes.fromhex(row["hex"]) + bytes(row.get("then_zeros", 0))


def title(row: dict[str, Any]) -> str:
    return str(row["name"]).replace(" ", "-")


def outcome(read: Callable[[bytes], _T], payload: bytes) -> tuple[_T | None, ProtocolError | None]:
    """What was read, or the refusal. Any other exception is a failure of the test."""
    try:
        return read(payload), None
    except ProtocolError as refused:
        return None, refused
