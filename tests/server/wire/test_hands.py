"""The compiled codec of hands equals the reference codec bit for bit."""

import tracemalloc
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from armspan.protocol import ProtocolError
from armspan.protocol.frames import Snapshot, encode_snapshot
from armspan.protocol.hands import (
    HandsFrame,
    HandsState,
    decode_hands,
    encode_hands,
    encode_sections,
)
from armspan.server.wire import (
    PARTS_BYTES,
    SnapshotArrays,
    hands_bytes,
    pack_hands,
    read_hands,
    unpack_snapshot,
    warm_up,
    write_hands,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core import config
from numpy.typing import NDArray

from tests.protocol.golden import outcome, payload, title, vectors
from tests.protocol.strategies import hands, mangled, told_hands

SENTINEL = 0xAA


class Kept:
    """Hands as a session keeps them: one row a person."""

    def __init__(self, told: list[HandsState]) -> None:
        self.ids = np.array([hands.id for hands in told], np.uint16)
        self.flags = np.zeros(len(told), np.uint8)
        self.parts = np.zeros((len(told), PARTS_BYTES), np.uint8)
        for row, each in enumerate(told):
            fields = asdict(each)
            del fields["id"]
            frame = encode_hands(HandsFrame(**fields))
            self.flags[row] = read_hands(frame, self.parts[row])

    def packed(self, rows: NDArray[np.int32], before: int = 0) -> bytes:
        size = hands_bytes(rows, self.flags)
        out = np.full(before + size + 3, SENTINEL, np.uint8)
        assert pack_hands(rows, self.ids, self.flags, self.parts, out, before) == before + size
        assert (out[:before] == SENTINEL).all()
        assert (out[before + size :] == SENTINEL).all()
        return out[before : before + size].tobytes()


def all_rows(count: int) -> NDArray[np.int32]:
    return np.arange(count, dtype=np.int32)


@given(frame=hands())
def test_writing_gives_the_bytes_of_the_reference_codec(frame: HandsFrame):
    fingers = np.array([*frame.left_fingers_rad, *frame.right_fingers_rad])
    points = np.array([*frame.left_point, *frame.right_point])
    assert write_hands(frame.flags, fingers, points) == encode_hands(frame)


@given(payload=mangled(hands().map(encode_hands)) | st.binary(max_size=80))
@settings(max_examples=300)
def test_any_bytes_fare_as_they_do_with_the_reference_codec(payload: bytes):
    expected, refusal = outcome(decode_hands, payload)
    for buffer in (payload, bytearray(payload), memoryview(b"x" + payload)[1:]):
        parts = np.full(PARTS_BYTES, SENTINEL, np.uint8)
        flags, refused = outcome(lambda frame, parts=parts: read_hands(frame, parts), buffer)
        if expected is None:
            assert (refused.close_code, refused.text) == (refusal.close_code, refusal.text)
            assert (parts == SENTINEL).all(), "a broken frame wrote something"
        else:
            assert flags == expected.flags
            assert parts.tobytes() == payload[4:]


@pytest.mark.parametrize("row", vectors("invalid_hands"), ids=title)
def test_an_invalid_vector_earns_its_close_code(row: dict[str, Any]):
    with pytest.raises(ProtocolError) as caught:
        read_hands(payload(row), np.zeros(PARTS_BYTES, np.uint8))
    assert caught.value.close_code == row["close_code"]


@given(told=st.lists(told_hands(), max_size=6), before=st.integers(0, 90))
def test_sections_are_those_of_the_reference_codec(told: list[HandsState], before: int):
    assert Kept(told).packed(all_rows(len(told)), before) == encode_sections(tuple(told))


@given(told=st.lists(told_hands(), min_size=1, max_size=5), data=st.data())
@settings(max_examples=50)
def test_only_the_rows_asked_for_are_told_in_their_order(
    told: list[HandsState], data: st.DataObject
):
    rows = data.draw(st.permutations(range(len(told))).map(lambda r: r[:2]))
    chosen = encode_sections(tuple(told[row] for row in rows))
    assert Kept(told).packed(np.array(rows, np.int32)) == chosen


@pytest.mark.parametrize("people", [977, 978, 979, 1024])
def test_a_crowd_is_told_in_as_many_sections_as_it_needs(people: int):
    """978 longest entries fill a section but for nine bytes."""
    ids = range(1, 1 + people)
    told = [HandsState(id=person, flags=15, left_point=(1.0, 2.0, 3.0)) for person in ids]
    sections = Kept(told).packed(all_rows(people))
    assert sections == encode_sections(tuple(told))
    state = SnapshotArrays()
    unpack_snapshot(encode_snapshot(Snapshot(0, 0, ())) + sections, state)
    assert state.hands_ids[: state.hands_count].tolist() == list(ids)


def test_more_hands_than_the_receiver_has_room_for_are_refused():
    told = tuple(HandsState(id=person, flags=0) for person in (1, 2, 3))
    with pytest.raises(ProtocolError, match="hands of 3 people, but this receiver made room for 2"):
        unpack_snapshot(encode_snapshot(Snapshot(0, 0, (), told)), SnapshotArrays(capacity=2))


def test_a_broken_section_tells_nobodys_hands():
    told = (HandsState(id=1, flags=0), HandsState(id=2, flags=15))
    good = encode_snapshot(Snapshot(5, 6, (), told))
    state = SnapshotArrays(capacity=4)
    unpack_snapshot(good, state)
    assert state.hands_count == 2
    with pytest.raises(ProtocolError):
        unpack_snapshot(good[:-1], state)
    assert (state.hands_count, state.tick) == (0, 5)
    unpack_snapshot(encode_snapshot(replace(Snapshot(7, 8, ()), hands=())), state)
    assert (state.hands_count, state.tick) == (0, 7)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="interpreted kernels make objects")
def test_reading_and_packing_leave_nothing_for_the_collector():
    warm_up()
    kept = Kept([HandsState(id=1, flags=15)] * 100)
    rows, frame = all_rows(100), encode_hands(HandsFrame(15))
    out = np.zeros(hands_bytes(rows, kept.flags), np.uint8)
    read_hands(frame, kept.parts[0])
    row = kept.parts[0]
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(100):
            read_hands(frame, row)
            pack_hands(rows, kept.ids, kept.flags, kept.parts, out, 0)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 1000
    assert peak - before < 2000
