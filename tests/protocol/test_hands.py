"""Hands: the bound of every angle's error, what is told and what is not, and refusals."""

import math

import pytest
from armspan.protocol import HandsFlag, ProtocolError, caps, layout
from armspan.protocol.frames import Snapshot, decode_snapshot, encode_snapshot
from armspan.protocol.hands import (
    HandsFrame,
    HandsState,
    decode_hands,
    encode_hands,
    encode_sections,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.protocol.golden import outcome
from tests.protocol.strategies import hands, mangled, told_hands

FLAT, NOWHERE = (0.0,) * 20, (0.0, 0.0, 0.0)


def check_fingers(sent: tuple[float, ...], received: tuple[float, ...], told: int) -> None:
    if not told:
        assert received == FLAT
        return
    for joint, angle_rad, decoded_rad in zip(layout.FINGERS, sent, received, strict=True):
        clamped_rad = min(max(angle_rad, joint.low), joint.high)
        assert abs(decoded_rad - clamped_rad) <= joint.step / 2 * (1 + 1e-9)


def check_told(sent: HandsFrame, received: HandsFrame) -> None:
    assert received.flags == sent.flags
    check_fingers(
        sent.left_fingers_rad, received.left_fingers_rad, sent.flags & HandsFlag.LEFT_FINGERS
    )
    check_fingers(
        sent.right_fingers_rad, received.right_fingers_rad, sent.flags & HandsFlag.RIGHT_FINGERS
    )
    left, right = sent.flags & HandsFlag.LEFT_POINT, sent.flags & HandsFlag.RIGHT_POINT
    assert received.left_point == (sent.left_point if left else NOWHERE)
    assert received.right_point == (sent.right_point if right else NOWHERE)


@given(frame=hands())
def test_what_is_told_comes_back_and_what_is_not_is_zero(frame: HandsFrame):
    check_told(frame, decode_hands(encode_hands(frame)))


@given(told=st.lists(told_hands(), max_size=6))
def test_sections_tell_everybody_in_order(told: list[HandsState]):
    decoded = decode_snapshot(encode_snapshot(Snapshot(1, 2, (), tuple(told)))).hands
    assert [hands.id for hands in decoded] == [hands.id for hands in told]
    for sent, received in zip(told, decoded, strict=True):
        check_told(sent, received)


def test_a_frame_written_out_by_hand():
    frame = HandsFrame(
        flags=HandsFlag.LEFT_FINGERS | HandsFlag.RIGHT_POINT,
        left_fingers_rad=tuple(math.radians(joint.high_deg) for joint in caps.FINGER_JOINTS),
        right_point=(1.0, 2.0, -0.5),
    )
    expected = "03090000" + "ff" * 20 + "00" * 20 + "00" * 12 + "0000803f00000040000000bf"
    assert encode_hands(frame).hex() == expected


def test_a_section_written_out_by_hand():
    told = HandsState(id=0x1234, flags=HandsFlag.LEFT_POINT, left_point=(1.0, 2.0, -0.5))
    assert encode_sections((told,)).hex() == "01000f00" + "341204" + "0000803f00000040000000bf"
    assert encode_sections(()) == b""


def test_where_one_section_is_full_another_follows():
    crowd = tuple(HandsState(id=person, flags=15) for person in range(1, 1025))
    payload = encode_snapshot(Snapshot(1, 2, (), crowd))
    assert len(payload) == 16 + 1024 * layout.HANDS_ENTRY_BYTES + 2 * 4
    assert decode_snapshot(payload).hands[-1].id == 1024


def test_a_whole_session_with_hands_fits_a_message():
    people = caps.PEOPLE_PER_SESSION
    most = 16 + people * (layout.AVATAR_RECORD_BYTES + layout.HANDS_ENTRY_BYTES) + 2 * 4
    assert most <= caps.SERVER_MESSAGE_BYTES


@given(payload=mangled(hands().map(encode_hands)) | st.binary(max_size=80))
@settings(max_examples=300)
def test_any_bytes_are_a_hands_frame_or_a_protocol_error(payload: bytes):
    frame, refused = outcome(decode_hands, payload)
    if frame is None:
        assert refused.text.isprintable()
    else:
        assert len(payload) == 68
        points = (*frame.left_point, *frame.right_point)
        assert all(abs(number) <= caps.COORDINATE_M for number in points)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 100.001])
def test_a_point_that_is_not_told_has_to_be_finite_and_no_more(number: float):
    at = layout.HANDS_FRAME[-1].offset
    payload = bytearray(encode_hands(HandsFrame(0)))
    payload[at : at + 4] = encode_hands(HandsFrame(8, right_point=(number, 0.0, 0.0)))[at : at + 4]
    if math.isfinite(number):
        assert decode_hands(payload).right_point == NOWHERE
    else:
        with pytest.raises(ProtocolError, match="finite"):
            decode_hands(payload)


def test_a_hand_has_twenty_joints_whose_bounds_hold_the_flat_hand():
    assert len(layout.FINGERS) == 20
    assert len({joint.name for joint in layout.FINGERS}) == 20
    for joint in layout.FINGERS:
        assert joint.low < 0.0 < joint.high
        assert joint.step < math.radians(0.6)
