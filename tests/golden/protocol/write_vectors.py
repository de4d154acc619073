"""Owns the golden vectors of the protocol: writes them, or with `--check` compares them.

Their bytes come from the reference codec. `tests/protocol/test_golden.py` and the web client's
tests read them; a change of these files is a change of the wire.
"""

import argparse
import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import frame_cases
import hands_cases
import message_cases
from armspan.protocol import Message, Record, Sender, encode
from armspan.protocol.frames import (
    decode_snapshot,
    decode_tracker,
    encode_snapshot,
    encode_tracker,
)
from armspan.protocol.hands import HandsFrame, decode_hands, encode_hands

_FOLDER = Path(__file__).resolve().parent


def _plain(value: Any) -> Any:
    """A message's field as JSON: bytes as {"hex": ...}, records as objects."""
    if isinstance(value, Record):
        return {name: _plain(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _bytes(payload: bytes) -> dict[str, Any]:
    """Hex, then that many zero bytes: the oversized ones need not fill the repository."""
    kept = payload.rstrip(b"\0") if len(payload) > 500 else payload
    return {"hex": kept.hex(), "then_zeros": len(payload) - len(kept)}


def _message(name: str, message: Message, payload: bytes, canonical: bool) -> dict[str, Any]:
    return {
        "name": name,
        "sender": message.sent_by.value,
        "type": type(message).__name__,
        "fields": _plain(message),
        "hex": payload.hex(),
        "canonical": canonical,  # whether an encoder writes exactly these bytes
    }


def _messages() -> list[dict[str, Any]]:
    canonical = [
        _message(name, message, encode(message), True)
        for name, message in message_cases.VALID.items()
    ]
    readable = [
        _message(name, message, payload, False) for name, payload, message in message_cases.READABLE
    ]
    return canonical + readable


def _invalid_messages() -> list[dict[str, Any]]:
    def row(case: tuple[str, Sender, bytes, int], needs_floats: bool) -> dict[str, Any]:
        name, sender, payload, code = case
        return {
            "name": name,
            "sender": sender.value,
            **_bytes(payload),
            "close_code": int(code),
            "needs_floats": needs_floats,  # a language that cannot tell 5.0 from 5 takes it
        }

    return [row(case, False) for case in message_cases.INVALID] + [
        row(case, True) for case in message_cases.INVALID_WITH_FLOATS
    ]


def _trackers() -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "hex": encode_tracker(frame).hex(),
            "frame": dataclasses.asdict(frame),
            "decoded": dataclasses.asdict(decode_tracker(encode_tracker(frame))),
        }
        for name, frame in frame_cases.TRACKERS.items()
    ]


def _snapshots() -> list[dict[str, Any]]:
    written = [
        {
            "name": name,
            "hex": encode_snapshot(snapshot).hex(),
            "snapshot": dataclasses.asdict(snapshot),
            "decoded": dataclasses.asdict(decode_snapshot(encode_snapshot(snapshot))),
        }
        for name, snapshot in (frame_cases.SNAPSHOTS | hands_cases.SNAPSHOTS).items()
    ]
    readable = [
        {
            "name": name,
            "hex": payload.hex(),
            "snapshot": None,
            "decoded": dataclasses.asdict(decode_snapshot(payload)),
        }
        for name, payload in (
            *frame_cases.READABLE_SNAPSHOTS,
            *hands_cases.READABLE_SNAPSHOTS,
        )
    ]
    return written + readable


def _hands() -> list[dict[str, Any]]:
    def row(name: str, payload: bytes, frame: HandsFrame | None) -> dict[str, Any]:
        return {
            "name": name,
            "hex": payload.hex(),
            "frame": None if frame is None else dataclasses.asdict(frame),
            "decoded": dataclasses.asdict(decode_hands(payload)),
        }

    written = [row(name, encode_hands(frame), frame) for name, frame in hands_cases.HANDS.items()]
    return written + [row(name, payload, None) for name, payload in hands_cases.READABLE_HANDS]


def _invalid_frames(cases: list[tuple[str, bytes, Any]]) -> list[dict[str, Any]]:
    return [
        {"name": name, **_bytes(payload), "close_code": int(code)} for name, payload, code in cases
    ]


def vectors() -> dict[str, list[dict[str, Any]]]:
    """Every file's contents by its name."""
    return {
        "messages.json": _messages(),
        "invalid_messages.json": _invalid_messages(),
        "trackers.json": _trackers(),
        "invalid_trackers.json": _invalid_frames(frame_cases.INVALID_TRACKERS),
        "snapshots.json": _snapshots(),
        "hands.json": _hands(),
        "invalid_hands.json": _invalid_frames(hands_cases.INVALID_HANDS),
        "invalid_snapshots.json": _invalid_frames(
            [*frame_cases.INVALID_SNAPSHOTS, *hands_cases.INVALID_SNAPSHOTS]
        ),
    }


def main() -> int:
    """0: written, or equal; 1: `--check` found a difference."""
    parser = argparse.ArgumentParser(description="Write the golden vectors of the protocol.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    stale = False
    for name, rows in vectors().items():
        text = "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"
        path = _FOLDER / name
        if not check:
            path.write_text(text, "utf-8")
        elif not path.is_file() or path.read_text("utf-8") != text:
            stale = True
            sys.stderr.write(f"{path} differs from its cases; run {__file__} and look at why.\n")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
