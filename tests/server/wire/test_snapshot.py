"""The compiled snapshot codec equals the reference codec bit for bit."""

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from armspan.protocol import CloseCode, ProtocolError
from armspan.protocol.frames import AvatarState, Snapshot, decode_snapshot, encode_snapshot
from armspan.server.wire import SnapshotArrays, unpack_snapshot, warm_up
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core import config

from tests.protocol.golden import outcome, payload, title, vectors
from tests.protocol.strategies import mangled, snapshots
from tests.server.wire.arrays import arrays_of, packed, rounded, snapshot_of

LATER = b"\x7f\0\x04\0tail"  # a section of a kind that nobody knows yet


def all_rows(count: int) -> np.ndarray:
    return np.arange(count, dtype=np.int32)


@given(snapshot=snapshots())
def test_packing_writes_the_bytes_of_the_reference_codec(snapshot: Snapshot):
    count = len(snapshot.avatars)
    out = np.full(16 + 47 * count + 5, 0xAA, np.uint8)
    records = encode_snapshot(replace(snapshot, hands=()))
    assert packed(arrays_of(snapshot), all_rows(count), out) == records
    assert (out[16 + 47 * count :] == 0xAA).all()


@given(snapshot=snapshots())
def test_unpacking_gives_the_numbers_of_the_reference_codec(snapshot: Snapshot):
    encoded = encode_snapshot(snapshot)
    state = SnapshotArrays(capacity=4)
    for buffer in (encoded, bytearray(encoded), memoryview(b"x" + encoded + LATER)[1:]):
        count = unpack_snapshot(buffer, state)
        assert snapshot_of(state, count) == rounded(decode_snapshot(encoded))


def test_a_large_random_session_agrees_in_both_directions():
    source = np.random.default_rng(5)
    count = 1000
    state = SnapshotArrays(capacity=count)
    state.tick, state.session_time_us = 77, 1_283_000
    state.ids[:] = source.permutation(65_535)[:count] + 1
    state.world_from_chest[:, :3] = source.uniform(-120.0, 120.0, (count, 3))
    rotations = source.normal(size=(2, count, 4))
    rotations /= np.linalg.norm(rotations, axis=2, keepdims=True)
    state.world_from_chest[:, 3:], state.head_rotation[:] = rotations
    state.joint_angles[:] = source.uniform(-7.0, 7.0, (count, 15))
    state.sample_age_us[:] = source.integers(-1000, 2_000_000, count)
    state.provenance[:] = source.integers(0, 3, (count, 3))
    state.discontinuity[:] = source.integers(0, 16, count)
    encoded = encode_snapshot(snapshot_of(state, count))
    out = np.zeros(len(encoded), np.uint8)
    assert packed(state, all_rows(count), out) == encoded
    received = SnapshotArrays()
    assert unpack_snapshot(encoded, received) == count
    assert snapshot_of(received, count) == decode_snapshot(encoded)


@given(snapshot=snapshots(), data=st.data())
@settings(max_examples=50)
def test_only_the_rows_asked_for_are_packed_in_their_order(snapshot: Snapshot, data: st.DataObject):
    rows = data.draw(st.permutations(range(len(snapshot.avatars))).map(lambda r: r[:2]))
    chosen = Snapshot(
        snapshot.tick, snapshot.session_time_us, tuple(snapshot.avatars[row] for row in rows)
    )
    out = np.zeros(16 + 47 * len(rows), np.uint8)
    bytes_of_rows = packed(arrays_of(snapshot, room=3), np.array(rows, np.int32), out)
    assert bytes_of_rows == encode_snapshot(chosen)


@given(payload=mangled(snapshots().map(encode_snapshot)) | st.binary(max_size=120))
@settings(max_examples=300)
def test_any_bytes_fare_as_they_do_with_the_reference_codec(payload: bytes):
    expected, refusal = outcome(decode_snapshot, payload)
    state = SnapshotArrays(capacity=8)
    count, refused = outcome(lambda frame: unpack_snapshot(frame, state), payload)
    if expected is None:
        assert (refused.close_code, refused.text) == (refusal.close_code, refusal.text)
    else:
        assert snapshot_of(state, count or 0) == rounded(expected)


@pytest.mark.parametrize("row", vectors("snapshots"), ids=title)
def test_a_vector_is_unpacked_and_packed(row: dict[str, Any]):
    state = SnapshotArrays(capacity=20)
    count = unpack_snapshot(payload(row), state)
    assert snapshot_of(state, count) == rounded(decode_snapshot(payload(row)))
    if row["snapshot"] is not None:
        fields = dict(row["snapshot"], hands=())
        avatars = tuple(AvatarState(**avatar) for avatar in fields.pop("avatars"))
        source = arrays_of(Snapshot(avatars=avatars, **fields))
        out = np.zeros(2000, np.uint8)
        records = payload(row)[: 16 + 47 * len(avatars)]
        assert packed(source, all_rows(len(avatars)), out) == records


@pytest.mark.parametrize("row", vectors("invalid_snapshots"), ids=title)
def test_an_invalid_vector_earns_its_close_code(row: dict[str, Any]):
    with pytest.raises(ProtocolError) as caught:
        unpack_snapshot(payload(row), SnapshotArrays(capacity=1024))
    assert caught.value.close_code == row["close_code"]


def test_more_avatars_than_the_receiver_has_room_for_are_refused():
    twenty = payload(next(row for row in vectors("snapshots") if "twenty" in row["name"]))
    with pytest.raises(ProtocolError, match="20 avatars, but this receiver made room for 19"):
        unpack_snapshot(twenty, SnapshotArrays(capacity=19))


def test_a_broken_snapshot_keeps_the_tick_of_the_last_good_one():
    good = payload(vectors("snapshots")[1])
    state = SnapshotArrays(capacity=1)
    unpack_snapshot(good, state)
    broken = bytearray(good)
    broken[4] = 200  # the tick
    broken[16:18] = b"\0\0"  # the id
    with pytest.raises(ProtocolError) as caught:
        unpack_snapshot(broken, state)
    assert caught.value.close_code is CloseCode.MALFORMED
    assert (state.tick, state.session_time_us) == (1, 16_667)


def test_packing_into_too_little_room_is_the_callers_mistake():
    state = SnapshotArrays(capacity=2)
    with pytest.raises(ValueError, match="2 avatars does not fit 109 bytes"):
        packed(state, all_rows(2), np.zeros(109, np.uint8))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_spoils_its_own_field_only(wrong: float):
    state = SnapshotArrays(capacity=1)
    state.ids[0] = 1
    state.world_from_chest[0] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    state.joint_angles[0, 3] = wrong
    state.world_from_chest[0, 1] = wrong
    received = SnapshotArrays(capacity=1)
    with np.errstate(invalid="ignore"):
        frame = packed(state, all_rows(1), np.zeros(63, np.uint8))
    assert unpack_snapshot(frame, received) == 1
    assert np.isfinite(received.joint_angles).all()
    assert np.abs(np.delete(received.joint_angles[0], 3)).max() < 0.001
    assert np.abs(received.world_from_chest[0, [0, 2]]).max() < 0.001


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="interpreted kernels make objects")
def test_a_tick_of_packing_leaves_nothing_for_the_collector():
    warm_up()
    state = SnapshotArrays(capacity=100)
    state.ids[:] = 1
    rows, out = all_rows(100), np.zeros(5000, np.uint8)
    packed(state, rows, out)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(100):
            packed(state, rows, out)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 1000
    assert peak - before < 2 * 4716 + 2000  # the bytes of one snapshot, which the helper copies
