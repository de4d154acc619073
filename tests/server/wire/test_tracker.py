"""The compiled tracker reader agrees with the reference codec, in values and in refusals."""

import math
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from armspan.protocol import ProtocolError
from armspan.protocol.frames import TrackerFrame, decode_tracker, encode_tracker
from armspan.server.wire import read_tracker, write_tracker
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.protocol.golden import outcome, payload, title, vectors
from tests.protocol.strategies import mangled, trackers

UNTOUCHED = -7.0


def read(frame: bytes) -> tuple[tuple[int, int, int], np.ndarray, np.ndarray]:
    poses, inputs = np.full(21, UNTOUCHED), np.full(8, 99, np.uint8)
    return read_tracker(frame, poses, inputs), poses, inputs


def check_equal(frame: bytes, expected: TrackerFrame) -> None:
    (tracked, discontinuity, sample_time_us), poses, inputs = read(frame)
    assert (tracked, discontinuity, sample_time_us) == (
        expected.tracked,
        expected.discontinuity,
        expected.sample_time_us,
    )
    for sensor, pose in enumerate((expected.head, expected.left_palm, expected.right_palm)):
        row = poses[7 * sensor : 7 * sensor + 7]
        if tracked >> sensor & 1:
            assert tuple(row) == pose
        else:
            assert (row == UNTOUCHED).all()
    assert tuple(inputs) == (*expected.left_input, *expected.right_input)


@given(frame=trackers())
def test_a_frame_is_read_bit_for_bit_as_the_reference_codec_reads_it(frame: TrackerFrame):
    encoded = encode_tracker(frame)
    for buffer in (
        encoded,
        bytearray(encoded),
        memoryview(encoded),
        memoryview(b"x" + encoded)[1:],
    ):
        check_equal(buffer, decode_tracker(encoded))  # type: ignore[arg-type]


@given(payload=mangled(trackers().map(encode_tracker)) | st.binary(max_size=120))
@settings(max_examples=400)
def test_any_bytes_fare_as_they_do_with_the_reference_codec(payload: bytes):
    expected, refusal = outcome(decode_tracker, payload)
    poses, inputs = np.full(21, UNTOUCHED), np.full(8, 99, np.uint8)
    _, refused = outcome(lambda frame: read_tracker(frame, poses, inputs), payload)
    if expected is None:
        assert (refused.close_code, refused.text) == (refusal.close_code, refusal.text)
        assert (poses == UNTOUCHED).all()
        assert (inputs == 99).all()
    else:
        assert refused is None
        check_equal(payload, expected)


@pytest.mark.parametrize("row", vectors("trackers"), ids=title)
def test_a_vector_is_read_and_written(row: dict[str, Any]):
    check_equal(payload(row), decode_tracker(payload(row)))
    frame = row["frame"]
    poses = np.array([*frame["head"], *frame["left_palm"], *frame["right_palm"]])
    inputs = np.array([*frame["left_input"], *frame["right_input"]], np.uint8)
    written = write_tracker(
        poses, inputs, frame["tracked"], frame["discontinuity"], frame["sample_time_us"]
    )
    assert written == payload(row)


@pytest.mark.parametrize("row", vectors("invalid_trackers"), ids=title)
def test_an_invalid_vector_earns_its_close_code(row: dict[str, Any]):
    with pytest.raises(ProtocolError) as caught:
        read(payload(row))
    assert caught.value.close_code == row["close_code"]


@pytest.mark.parametrize(
    ("at", "words"), [(12, "The head"), (40, "The left hand"), (68, "The right hand")]
)
def test_an_error_names_the_sensor(at: int, words: str):
    frame = np.frombuffer(payload(vectors("trackers")[0]), np.uint8).copy()
    frame[at : at + 4] = np.frombuffer(np.float32(-101.0).tobytes(), np.uint8)
    with pytest.raises(ProtocolError, match=rf"^{words} is at -101 m"):
        read(frame.tobytes())


def test_an_error_just_beyond_a_bound_does_not_print_the_bound():
    frame = np.frombuffer(payload(vectors("trackers")[0]), np.uint8).copy()
    beyond = np.nextafter(np.float32(100.0), np.float32(np.inf))
    frame[12:16] = np.frombuffer(beyond.tobytes(), np.uint8)
    with pytest.raises(ProtocolError, match=r"is at 100\.000008 m"):
        read(frame.tobytes())


def test_rotations_come_out_at_unit_length_in_double_precision():
    _, poses, _ = read(payload(vectors("trackers")[-1]))
    assert math.hypot(*poses[3:7]) == pytest.approx(1.0, abs=1e-15)


def test_writing_and_reading_keep_float32_values():
    source = np.random.default_rng(3)
    poses = source.uniform(-2.0, 2.0, 21).astype(np.float32).astype(np.float64)
    for sensor in range(3):
        rotation = poses[7 * sensor + 3 : 7 * sensor + 7]
        rotation /= np.linalg.norm(rotation)
    inputs = source.integers(0, 256, 8).astype(np.uint8)
    frame = write_tracker(poses, inputs, tracked=7, discontinuity=4, sample_time_us=123_456_789)
    (tracked, discontinuity, sample_time_us), read_poses, read_inputs = read(frame)
    assert (tracked, discontinuity, sample_time_us) == (7, 4, 123_456_789)
    np.testing.assert_allclose(read_poses, poses, atol=1.5e-7)
    np.testing.assert_array_equal(read_inputs, inputs)
    assert asdict(decode_tracker(frame))["left_input"] == tuple(inputs[:4])
