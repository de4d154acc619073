"""What is declared holds together: ids, lanes, wire types, caps, names."""

import math
from typing import Annotated

import pytest
from armspan.protocol import (
    CLIENT_MESSAGES,
    LENGTH_NAMES,
    SERVER_MESSAGES,
    ChangeLengths,
    CloseCode,
    Event,
    Lane,
    Lengths,
    Sender,
    caps,
    clean_name,
)
from armspan.protocol.declaration import Nested, Record, fields_of, wire_type
from armspan.protocol.wire_types import Integer, Real, Text
from hypothesis import given
from hypothesis import strategies as st

EVERY_MESSAGE = (*CLIENT_MESSAGES, *SERVER_MESSAGES)
NAME = Text(caps.NAME_BYTES, trimmed=True)


def test_ids_are_unique_and_beyond_those_of_the_binary_frames():
    ids = [message.message_id for message in EVERY_MESSAGE]
    assert len(set(ids)) == len(ids)
    assert min(ids) >= 0x10


def test_every_message_says_who_sends_it():
    assert {message.sent_by for message in CLIENT_MESSAGES} == {Sender.CLIENT}
    assert {message.sent_by for message in SERVER_MESSAGES} == {Sender.SERVER}


def test_events_are_exactly_the_messages_that_are_numbered():
    for message in EVERY_MESSAGE:
        numbered = [field.name for field in fields_of(message)][:1] == ["sequence"]
        assert issubclass(message, Event) is numbered
        assert (message.lane is Lane.EVENT) is numbered


def test_defaults_come_last():
    for message in EVERY_MESSAGE:
        required = [field.required for field in fields_of(message)]
        assert required == sorted(required, reverse=True)


def test_every_declared_default_obeys_its_own_rule():
    for record in (Lengths, *EVERY_MESSAGE):
        for field in fields_of(record):
            if not field.required and field.default is not None:
                assert isinstance(field.type, Real | Text | Integer)
    assert Lengths() == Lengths.from_row(Lengths().as_row())


def test_a_field_without_a_wire_type_is_refused():
    for annotation in (int, float, list[int], Annotated[int, "u8"], int | str):
        with pytest.raises(TypeError, match="has no wire type"):
            wire_type(annotation)


def test_lengths_travel_in_the_order_of_their_names():
    assert tuple(field.name for field in fields_of(Lengths)) == LENGTH_NAMES
    assert fields_of(ChangeLengths)[0].type == Nested(Lengths)
    row = [cap.low_m for cap in caps.LENGTHS]
    assert Lengths.from_row(row).as_row() == tuple(row)


def test_the_caps_of_lengths_hold_arms_a_fifth_longer_and_children():
    for cap in caps.LENGTHS:
        assert cap.low_m < cap.default_m < cap.high_m
        if cap.default_m > 0:
            assert cap.low_m <= 0.6 * cap.default_m
            assert cap.high_m >= 1.2 * cap.default_m


def test_records_take_no_unknown_fields():
    with pytest.raises(ValueError, match="span_m"):
        Lengths(span_m=1.0)  # type: ignore[call-arg]
    assert issubclass(Lengths, Record)


def test_close_codes_have_a_sentence_each_and_lie_where_they_may():
    sentences = [code.sentence for code in CloseCode]
    assert len(set(sentences)) == len(sentences)
    for code in CloseCode:
        assert code.sentence.endswith(".")
        assert len(code.sentence.encode()) <= caps.CLOSE_REASON_BYTES
        assert code in (1000, 1012) or 4400 <= code <= 4999
        assert CloseCode(int(code)) is code


@given(typed=st.text() | st.text(st.characters(categories=["Cc", "Cf", "Zs", "Cs", "So"])))
def test_a_cleaned_name_is_a_name_or_nothing(typed: str):
    name = clean_name(typed)
    assert name == "" or NAME.accepts(name)
    assert clean_name(name) == name
    if NAME.accepts(typed):
        assert name == typed


def test_a_name_is_cleaned_no_further_than_needed():
    assert clean_name("  Zoë\u202e\n ") == "Zoë"
    assert clean_name("é" * 40) == "é" * 32
    assert clean_name("👩‍🚀") == "👩‍🚀"
    assert clean_name("\u200b \n") == ""
    assert clean_name("A\u00ad\U000e0041") == "A"
    assert clean_name("\u3164\u2800") == ""


@given(number=st.floats(allow_nan=True))
def test_a_length_is_taken_exactly_within_its_bounds(number: float):
    cap = caps.LENGTHS[2]
    accepted = math.isfinite(number) and cap.low_m <= number <= cap.high_m
    try:
        Lengths(upper_arm_m=number)
    except ValueError:
        assert not accepted
    else:
        assert accepted
