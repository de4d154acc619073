"""The reference codec: layout, error bounds of every field, and refusals."""

import math
import struct

import pytest
from armspan.protocol import (
    AVATAR_RECORD_BYTES,
    SNAPSHOT_HEADER_BYTES,
    TRACKER_FRAME_BYTES,
    ProtocolError,
    caps,
    layout,
    quantise,
)
from armspan.protocol.frames import (
    AvatarState,
    Snapshot,
    TrackerFrame,
    decode_avatar,
    decode_snapshot,
    decode_tracker,
    encode_avatar,
    encode_snapshot,
    encode_tracker,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.protocol.golden import outcome
from tests.protocol.strategies import avatars, mangled, rotations, snapshots, trackers

IDENTITY = (0.0, 0.0, 0.0, 1.0)
FIELDS = {field.name: field for field in layout.AVATAR_RECORD}


def angle_between(p: tuple[float, ...], q: tuple[float, ...]) -> float:
    """Radians between two rotations, exact for small ones."""
    same = math.sqrt(sum((a - b) ** 2 for a, b in zip(p, q, strict=True)))
    opposite = math.sqrt(sum((a + b) ** 2 for a, b in zip(p, q, strict=True)))
    return 4.0 * math.asin(min(same, opposite, 2.0) / 2.0)


def test_the_tables_fill_the_frames_without_gaps():
    for table, size in (
        (layout.TRACKER_FRAME, TRACKER_FRAME_BYTES),
        (layout.SNAPSHOT_HEADER, SNAPSHOT_HEADER_BYTES),
        (layout.HANDS_FRAME, layout.HANDS_FRAME_BYTES),
        (layout.SECTION_HEADER, layout.SECTION_HEADER_BYTES),
    ):
        at = 0
        for field in table:
            assert field.offset == at
            at += field.size_bytes
        assert at == size
    bits = sum(field.bits for field in layout.AVATAR_RECORD)
    assert bits == 376 == 8 * AVATAR_RECORD_BYTES


def test_an_avatar_takes_at_most_48_bytes_with_its_share_of_the_header():
    assert AVATAR_RECORD_BYTES + SNAPSHOT_HEADER_BYTES / 16 <= 48


def test_a_record_written_out_by_hand():
    """The layout, independently of the codec: bits set one field after the other."""
    avatar = AvatarState(
        id=0x1234,
        chest_position_m=(-100.0, 100.0, 0.0),
        chest_rotation=(0.0, -1.0, 0.0, 0.0),
        head_rotation=(0.0, 0.0, 0.0, 1.0),
        joint_angles_rad=(math.pi, *(1.0,) * 14),
        sample_age_us=1000,
        provenance=(2, 1, 0),
        discontinuity=5,
    )
    bits = "".join(
        format(whole, f"0{width}b")[::-1]
        for width, whole in [
            (16, 0x1234), (20, 0), (20, 0xFFFFF), (20, 0x80000),
            (2, 1), (15, 0x4000), (15, 0x4000), (15, 0x4000),
            (2, 3), (10, 0x200), (10, 0x200), (10, 0x200),
            (15, 0x7FFF),
            *([(14, 10_799)] * 4 + [(12, 2_699)] * 3) * 2,
            (12, 4), (2, 2), (2, 1), (2, 0), (4, 5),
        ]
    )  # fmt: skip
    expected = bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, 376, 8))
    assert encode_avatar(avatar) == expected


def test_a_tracker_frame_written_out_by_hand():
    frame = TrackerFrame(
        sample_time_us=0x0102030405,
        head=(1.0, 2.0, -0.5, 0.0, 0.0, 0.0, 1.0),
        left_palm=(0.0,) * 6 + (1.0,),
        right_palm=(0.0,) * 6 + (-1.0,),
        tracked=0b101,
        discontinuity=3,
        left_input=(1, 2, 3, 4),
        right_input=(5, 6, 7, 255),
    )
    expected = "0105030005040302010000000000803f00000040000000bf"
    expected += "00" * 12 + "0000803f" + "00" * 24 + "0000803f" + "00" * 24 + "000080bf"
    assert encode_tracker(frame).hex() == expected + "01020304" + "050607ff"


@given(frame=trackers())
def test_a_tracker_frame_comes_back_as_float32(frame: TrackerFrame):
    decoded = decode_tracker(encode_tracker(frame))
    for name in ("sample_time_us", "tracked", "discontinuity", "left_input", "right_input"):
        assert getattr(decoded, name) == getattr(frame, name)
    for sensor, name in enumerate(("head", "left_palm", "right_palm")):
        sent, received = getattr(frame, name), getattr(decoded, name)
        assert received[:3] == sent[:3]
        assert received[3:] == pytest.approx(sent[3:], abs=1e-6)
        if frame.tracked >> sensor & 1:
            assert math.hypot(*received[3:]) == pytest.approx(1.0, abs=1e-12)


@given(payload=mangled(trackers().map(encode_tracker)) | st.binary(max_size=120))
@settings(max_examples=300)
def test_any_bytes_are_a_tracker_frame_or_a_protocol_error(payload: bytes):
    frame, refused = outcome(decode_tracker, payload)
    if frame is None:
        assert refused.text.isprintable()
    else:
        assert len(payload) == 104
        assert all(math.isfinite(n) for n in (*frame.head, *frame.left_palm, *frame.right_palm))


@given(avatar=avatars())
def test_every_field_of_an_avatar_comes_back_within_half_a_step(avatar: AvatarState):
    decoded = decode_avatar(encode_avatar(avatar))
    assert (decoded.id, decoded.provenance, decoded.discontinuity) == (
        avatar.id,
        avatar.provenance,
        avatar.discontinuity,
    )
    for sent, received in zip(avatar.chest_position_m, decoded.chest_position_m, strict=True):
        clamped = min(max(sent, -caps.COORDINATE_M), caps.COORDINATE_M)
        assert abs(received - clamped) <= FIELDS["chest_x_m"].step / 2 * (1 + 1e-9)
    for name, sent, received in zip(
        layout.JOINT_FIELDS, avatar.joint_angles_rad, decoded.joint_angles_rad, strict=True
    ):
        turn = 2.0 * math.pi
        error = abs((received - sent + math.pi) % turn - math.pi)
        assert error <= FIELDS[name].step / 2 * (1 + 1e-6)
    clamped_us = min(max(avatar.sample_age_us, 0), 4095 * 250)
    assert abs(decoded.sample_age_us - clamped_us) <= 125


@given(rotation=rotations())
def test_rotations_come_back_within_their_bounds(rotation: tuple[float, float, float, float]):
    avatar = AvatarState(1, (0.0, 0.0, 0.0), rotation, rotation, (0.0,) * 15)
    decoded = decode_avatar(encode_avatar(avatar))
    # Three components off by half a step, and the fourth by at most their sum (it is the
    # largest), turn the rotation by less than 2 * sqrt(3 + 9) half steps.
    for received, field in (
        (decoded.chest_rotation, FIELDS["chest_rotation_1"]),
        (decoded.head_rotation, FIELDS["head_rotation_1"]),
    ):
        bound = 2.0 * math.sqrt(12.0) * field.step / 2
        assert angle_between(rotation, received) <= bound * (1 + 1e-3)
        assert math.hypot(*received) == pytest.approx(1.0, abs=1e-12)


@given(rotation=rotations())
def test_a_rotation_and_its_negative_are_the_same_bytes(
    rotation: tuple[float, float, float, float],
):
    negative = tuple(-component for component in rotation)
    one = AvatarState(1, (0.0, 0.0, 0.0), rotation, rotation, (0.0,) * 15)
    other = AvatarState(1, (0.0, 0.0, 0.0), negative, negative, (0.0,) * 15)  # type: ignore[arg-type]
    assert encode_avatar(one) == encode_avatar(other)


@given(whole=st.integers(0, 2**376 - 1))
def test_any_record_decodes_to_finite_numbers_and_to_itself(whole: int):
    record = whole.to_bytes(AVATAR_RECORD_BYTES, "little")
    avatar, _ = outcome(decode_avatar, record)
    if avatar is None:
        return
    assert all(abs(number) <= 100.0 for number in avatar.chest_position_m)
    for rotation in (avatar.chest_rotation, avatar.head_rotation):
        assert math.hypot(*rotation) == pytest.approx(1.0, abs=1e-9)
    again = decode_avatar(encode_avatar(avatar))
    assert again.chest_position_m == pytest.approx(avatar.chest_position_m, abs=1e-9)
    # pi and -pi are one angle and come back as pi.
    for first, second in zip(avatar.joint_angles_rad, again.joint_angles_rad, strict=True):
        assert abs(second - first) < 1e-9 or first == -math.pi
    assert again.sample_age_us == avatar.sample_age_us


@given(snapshot=snapshots(), kind=st.integers(2, 255), body=st.binary(max_size=60))
def test_later_sections_of_a_snapshot_are_skipped(snapshot: Snapshot, kind: int, body: bytes):
    decoded = decode_snapshot(encode_snapshot(snapshot))
    assert (decoded.tick, decoded.session_time_us) == (snapshot.tick, snapshot.session_time_us)
    assert len(decoded.avatars) == len(snapshot.avatars)
    section = struct.pack("<BBH", kind, 0, len(body)) + body
    assert decode_snapshot(encode_snapshot(snapshot) + section) == decoded
    with pytest.raises(ProtocolError, match="section"):
        decode_snapshot(encode_snapshot(snapshot) + section[:-1])


@given(payload=mangled(snapshots().map(encode_snapshot)) | st.binary(max_size=120))
@settings(max_examples=300)
def test_any_bytes_are_a_snapshot_or_a_protocol_error(payload: bytes):
    snapshot, refused = outcome(decode_snapshot, payload)
    if snapshot is None:
        assert refused.text.isprintable()
    else:
        assert len(payload) >= SNAPSHOT_HEADER_BYTES + 47 * len(snapshot.avatars)


@given(angle_rad=st.floats(-1e6, 1e6))
def test_wrapping_keeps_the_angle_and_ends_within_half_a_turn(angle_rad: float):
    wrapped = quantise.wrapped(angle_rad)
    assert -math.pi - 1e-9 < wrapped <= math.pi + 1e-9
    assert math.cos(wrapped) == pytest.approx(math.cos(angle_rad), abs=1e-9)
    assert math.sin(wrapped) == pytest.approx(math.sin(angle_rad), abs=1e-9)
    assert quantise.wrapped(-math.pi) == math.pi


def test_an_identity_that_was_quantised_is_still_nearly_one():
    """Zero has no code of its own in a linear field; the error stays within half a step."""
    at_rest = AvatarState(1, (0.0,) * 3, IDENTITY, IDENTITY, (0.0,) * 15)
    decoded = decode_avatar(encode_avatar(at_rest))
    assert max(abs(n) for n in decoded.chest_position_m) < 0.0001
    assert angle_between(decoded.chest_rotation, IDENTITY) < 0.0001


def test_a_number_that_does_not_fit_is_the_callers_mistake():
    jumpy = AvatarState(1, (0.0,) * 3, IDENTITY, IDENTITY, (0.0,) * 15, discontinuity=16)
    with pytest.raises(ValueError, match="discontinuity 16 does not fit 4 bits"):
        encode_avatar(jumpy)
    with pytest.raises(struct.error):
        encode_tracker(
            TrackerFrame(-1, (0.0,) * 7, (0.0,) * 7, (0.0,) * 7)  # type: ignore[arg-type]
        )
