"""The reference codec agrees with the golden vectors, valid and invalid."""

import subprocess
import sys
from dataclasses import asdict
from typing import Any

import armspan.protocol
import pytest
from armspan.protocol import (
    CLIENT_MESSAGES,
    SERVER_MESSAGES,
    CloseCode,
    ProtocolError,
    decode,
    decode_from_client,
    decode_from_server,
    encode,
)
from armspan.protocol.frames import (
    AvatarState,
    Snapshot,
    TrackerFrame,
    decode_snapshot,
    decode_tracker,
    encode_snapshot,
    encode_tracker,
)
from armspan.protocol.hands import HandsFrame, HandsState, decode_hands, encode_hands

from tests.protocol.golden import FOLDER, payload, title, vectors

DECODERS = {"client": decode_from_client, "server": decode_from_server}


def plain(value: Any) -> Any:
    """JSON's shapes as Python's: lists become tuples, hex becomes bytes."""
    if isinstance(value, dict):
        if value.keys() == {"hex"}:
            return bytes.fromhex(value["hex"])
        return {name: plain(item) for name, item in value.items()}
    return tuple(plain(item) for item in value) if isinstance(value, list) else value


@pytest.mark.parametrize("row", vectors("messages"), ids=title)
def test_a_message_is_read_from_its_vector_and_written_to_it(row: dict[str, Any]):
    message = DECODERS[row["sender"]](payload(row))
    assert type(message) is getattr(armspan.protocol, row["type"])
    assert message.model_dump() == plain(row["fields"])
    assert decode(payload(row)) == message
    assert (encode(message) == payload(row)) is row["canonical"]
    assert DECODERS[row["sender"]](encode(message)) == message


@pytest.mark.parametrize("row", vectors("invalid_messages"), ids=title)
def test_an_invalid_message_earns_its_close_code(row: dict[str, Any]):
    with pytest.raises(ProtocolError) as caught:
        DECODERS[row["sender"]](payload(row))
    assert caught.value.close_code == row["close_code"]
    assert 20 < len(caught.value.text.encode()) <= 256


@pytest.mark.parametrize("row", vectors("trackers"), ids=title)
def test_a_tracker_frame_is_read_from_its_vector_and_written_to_it(row: dict[str, Any]):
    assert encode_tracker(TrackerFrame(**plain(row["frame"]))) == payload(row)
    assert asdict(decode_tracker(payload(row))) == plain(row["decoded"])


@pytest.mark.parametrize("row", vectors("invalid_trackers"), ids=title)
def test_an_invalid_tracker_frame_earns_its_close_code(row: dict[str, Any]):
    with pytest.raises(ProtocolError) as caught:
        decode_tracker(payload(row))
    assert caught.value.close_code == row["close_code"]


@pytest.mark.parametrize("row", vectors("hands"), ids=title)
def test_a_hands_frame_is_read_from_its_vector_and_written_to_it(row: dict[str, Any]):
    assert asdict(decode_hands(payload(row))) == plain(row["decoded"])
    if row["frame"] is not None:
        assert encode_hands(HandsFrame(**plain(row["frame"]))) == payload(row)


@pytest.mark.parametrize("row", vectors("invalid_hands"), ids=title)
def test_an_invalid_hands_frame_earns_its_close_code(row: dict[str, Any]):
    with pytest.raises(ProtocolError) as caught:
        decode_hands(payload(row))
    assert caught.value.close_code == row["close_code"]


@pytest.mark.parametrize("row", vectors("snapshots"), ids=title)
def test_a_snapshot_is_read_from_its_vector_and_written_to_it(row: dict[str, Any]):
    assert asdict(decode_snapshot(payload(row))) == plain(row["decoded"])
    if row["snapshot"] is not None:
        fields = plain(row["snapshot"])
        avatars = tuple(AvatarState(**avatar) for avatar in fields.pop("avatars"))
        hands = tuple(HandsState(**told) for told in fields.pop("hands"))
        assert encode_snapshot(Snapshot(avatars=avatars, hands=hands, **fields)) == payload(row)


@pytest.mark.parametrize("row", vectors("invalid_snapshots"), ids=title)
def test_an_invalid_snapshot_earns_its_close_code(row: dict[str, Any]):
    with pytest.raises(ProtocolError) as caught:
        decode_snapshot(payload(row))
    assert caught.value.close_code == row["close_code"]


def test_the_vectors_are_those_of_the_cases():
    script = FOLDER / "write_vectors.py"
    ended = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_every_message_has_a_vector():
    covered = {row["type"] for row in vectors("messages")}
    assert covered == {message.__name__ for message in (*CLIENT_MESSAGES, *SERVER_MESSAGES)}


def test_every_close_code_that_bytes_alone_can_earn_has_a_vector():
    files = ("invalid_messages", "invalid_trackers", "invalid_hands", "invalid_snapshots")
    earned = {row["close_code"] for name in files for row in vectors(name)}
    assert earned == {
        CloseCode.MALFORMED,
        CloseCode.WRONG_VERSION,
        CloseCode.TOO_LARGE,
        CloseCode.UNKNOWN_MESSAGE,
        CloseCode.OUT_OF_RANGE,
        CloseCode.NOT_FINITE,
    }
