"""Every format's axes, and a clear line for every file that is none."""

import math
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from armspan.server.traces import RecordingError, npz, read_recording
from armspan.server.traces.rotations import about_y, multiply, rotate
from armspan.solvers.body.skeleton import DEFAULT_LENGTHS, LENGTH_NAMES

X, Y, Z = np.eye(3)
LENGTH = dict(zip(LENGTH_NAMES, DEFAULT_LENGTHS, strict=True))
EYES = np.array([0, LENGTH["eyes_up_m"], -LENGTH["eyes_forward_m"]])  # from the skull base
LEFT, RIGHT = 1, 2


def write(tmp_path: Path, **arrays: Any) -> Path:
    path = tmp_path / "file.npz"
    np.savez(path, **arrays)
    return path


def motion(samples: int = 4, **changes: Any) -> dict[str, Any]:
    """A motion-capture file of a T-pose: faces +Z, its left hand out along +X."""
    identity = np.array([1.0, 0.0, 0.0, 0.0])
    arrays: dict[str, Any] = {
        "head_pos": np.tile([0.1, 1.5, 0.2], (samples, 1)),
        "head_quat": np.tile(identity, (samples, 1)),
        "hand_pos": np.tile([[0.7, 1.4, 0.0], [-0.7, 1.4, 0.0]], (samples, 1, 1)),
        "hand_quat": np.tile(identity, (samples, 2, 1)),
        "hand_bad": np.zeros((samples, 2), dtype=bool),
        "upper_arm": np.array([0.27, 0.29]),
        "forearm": np.array([0.25, 0.25]),
        "shoulder_half_width": np.array(0.17),
        "fps": np.array(120.0),
    }
    return arrays | changes


def stream(samples: int = 4, **changes: Any) -> dict[str, Any]:
    """A stream of a person at rest, palms in front, fingers forward, backs up."""
    identity = np.tile([0.0, 0.0, 0.0, 1.0], (samples, 1))
    arrays: dict[str, Any] = {}
    for name, x_m in (("head", 0.0), ("left_hand", -0.2), ("right_hand", 0.2)):
        arrays[f"{name}_position"] = np.tile([x_m, 1.2, -0.3], (samples, 1))
        arrays[f"{name}_rotation"] = identity
    return arrays | changes


def headset(samples: int = 4, **changes: Any) -> dict[str, Any]:
    """A headset file: both wands forward and level, as A-Frame's hand models record them."""
    left = [math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]  # +90 degrees about Z, wxyz
    right = [math.sqrt(0.5), 0.0, 0.0, -math.sqrt(0.5)]
    arrays: dict[str, Any] = {
        "t": np.arange(samples) / 90.0,
        "head_pos": np.tile([0.0, 1.7, 0.0], (samples, 1)),
        "head_quat": np.tile([1.0, 0.0, 0.0, 0.0], (samples, 1)),
        "hand_pos": np.tile([[-0.2, 1.2, -0.4], [0.2, 1.2, -0.4]], (samples, 1, 1)),
        "hand_quat": np.tile([left, right], (samples, 1, 1)),
    }
    return arrays | changes


def sensor(path: Path, which: int) -> tuple[np.ndarray, np.ndarray]:
    pose = read_recording(path).poses[0, 7 * which : 7 * which + 7]
    return pose[:3], pose[3:]


def test_a_recorded_t_pose_faces_forward_with_its_left_to_the_left(tmp_path: Path):
    path = write(tmp_path, **motion())
    eyes, head = sensor(path, 0)
    assert np.allclose(rotate(head, -Z), -Z)
    skull = np.array([-0.1, 1.5, -0.2])
    assert np.allclose(eyes, skull + EYES)
    for which, outward in ((LEFT, -X), (RIGHT, X)):
        palm, hand = sensor(path, which)
        assert np.allclose(rotate(hand, -Z), outward)  # fingers
        assert np.allclose(rotate(hand, Y), Y)  # the back, of a palm that faces down
        wrist = np.array([0.7 * outward[0], 1.4, 0.0])
        assert np.allclose(palm, wrist + LENGTH["palm_m"] * outward)


def test_a_turn_of_the_recorded_person_is_the_same_turn_here(tmp_path: Path):
    yaw = 0.7
    turn_wxyz = about_y(yaw)[[3, 0, 1, 2]]
    path = write(
        tmp_path,
        **motion(head_quat=np.tile(turn_wxyz, (4, 1)), hand_quat=np.tile(turn_wxyz, (4, 2, 1))),
    )
    _, head = sensor(path, 0)
    assert np.allclose(rotate(head, -Z), [-math.sin(yaw), 0, -math.cos(yaw)])  # left is -X here
    _, hand = sensor(path, LEFT)
    assert np.allclose(rotate(hand, -Z), rotate(about_y(yaw), -X))


def test_measured_lengths_replace_the_defaults(tmp_path: Path):
    lengths = read_recording(write(tmp_path, **motion())).lengths
    named = dict(zip(LENGTH_NAMES, lengths, strict=True))
    assert named["shoulder_lateral_m"] == pytest.approx(0.17)
    assert named["upper_arm_m"] == pytest.approx(0.28)
    assert named["forearm_m"] == pytest.approx(0.25)
    assert named["eye_height_m"] == pytest.approx(1.5 + LENGTH["eyes_up_m"])
    assert named["neck_m"] == LENGTH["neck_m"]


def test_a_glitch_is_bridged_and_a_long_gap_is_lost(tmp_path: Path):
    samples = 240
    hand = np.tile([[0.7, 1.4, 0.0], [-0.7, 1.4, 0.0]], (samples, 1, 1))
    hand[:, 0, 2] = np.linspace(0, 1, samples)
    truth = hand.copy()
    bad = np.zeros((samples, 2), dtype=bool)
    bad[50:60, 0] = True
    bad[100:180, 1] = True
    hand[bad] = 9.0
    path = write(
        tmp_path,
        **motion(samples, hand_pos=hand, hand_bad=bad),
    )
    recording = read_recording(path)
    assert recording.tracked[:, LEFT].all()
    assert recording.tracked[:, RIGHT].sum() == samples - 80
    assert np.allclose(recording.poses[:, 9], -truth[:, 0, 2], atol=1e-9)


def test_a_wand_forward_is_a_fist_with_the_thumb_along_it(tmp_path: Path):
    path = write(tmp_path, **headset())
    for which, palm_side in ((LEFT, X), (RIGHT, -X)):
        palm, hand = sensor(path, which)
        assert np.allclose(rotate(hand, Y), -palm_side)  # the palms look at one another
        fingers = rotate(hand, -Z)
        assert fingers[2] < 0
        assert fingers[1] < 0
        thumb = rotate(hand, X if which == LEFT else -X)
        assert thumb[2] < -0.5
        assert palm[2] == pytest.approx(-0.4 + 0.097)


def test_a_pages_jittering_timestamps_become_whole_refreshes(tmp_path: Path):
    jittered = np.array([0.0, 0.006, 0.022, 0.0335, 0.067])
    recording = read_recording(write(tmp_path, **headset(5, t=jittered)))
    assert np.allclose(recording.time_s * 90, [0, 1, 2, 3, 6])


def test_a_stream_of_palms_and_eyes_is_taken_as_it_is(tmp_path: Path):
    recording = read_recording(write(tmp_path, **stream()))
    assert np.allclose(recording.poses[0, :3], [0, 1.2, -0.3])
    assert np.allclose(recording.poses[0, 14:17], [0.2, 1.2, -0.3])
    assert np.array_equal(recording.lengths, DEFAULT_LENGTHS)
    assert recording.duration_s == pytest.approx(3 / 60)


def test_a_streams_wrists_and_skull_base_are_moved_to_palms_and_eyes(tmp_path: Path):
    path = write(
        tmp_path, **stream(hand_frame=np.array("wrist"), head_frame=np.array("skull_base"))
    )
    eyes, _ = sensor(path, 0)
    assert np.allclose(eyes, [0, 1.2 + LENGTH["eyes_up_m"], -0.3 - LENGTH["eyes_forward_m"]])
    palm, _ = sensor(path, RIGHT)
    assert np.allclose(palm, [0.2, 1.2, -0.3 - LENGTH["palm_m"]])


def test_a_streams_grips_follow_webxrs_axes(tmp_path: Path):
    path = write(tmp_path, **stream(hand_frame=np.array("grip")))
    for which, sign in ((LEFT, -1.0), (RIGHT, 1.0)):
        _, hand = sensor(path, which)
        # The grip has the world's axes here: its X, Y, Z are the hand's (sign)Y, Z, (sign)X.
        assert np.allclose(rotate(hand, sign * Y), X)
        assert np.allclose(rotate(hand, Z), Y)
        assert np.allclose(rotate(hand, sign * X), Z)


def test_rows_of_nan_say_that_a_hand_is_not_tracked(tmp_path: Path):
    lost = stream(6)
    position = lost["left_hand_position"].copy()
    position[2:4] = np.nan
    recording = read_recording(write(tmp_path, **(lost | {"left_hand_position": position})))
    assert recording.tracked[:, LEFT].tolist() == [True, True, False, False, True, True]
    assert np.isfinite(recording.poses).all()


def nan_in(name: str, arrays: dict[str, Any]) -> dict[str, Any]:
    broken = np.array(arrays[name], dtype=np.float64)
    broken.flat[0] = np.nan
    return arrays | {name: broken}


BAD = {
    "a missing array": ({k: v for k, v in motion().items() if k != "head_quat"}, "no head_quat"),
    "a wrong shape": (motion(hand_pos=np.zeros((4, 3))), r"hand_pos has shape \(4, 3\)"),
    "fewer rows": (motion(head_quat=np.tile([1.0, 0, 0, 0], (3, 1))), "head_quat has shape"),
    "a NaN in a head": (nan_in("head_pos", motion()), "not finite"),
    "a NaN in a headset": (nan_in("t", headset()), "not finite"),
    "no unit quaternion": (motion(head_quat=np.ones((4, 4))), "head_quat.* must be unit"),
    "zero quaternions": (stream(head_rotation=np.zeros((4, 4))), "head_rotation, row 0, .* unit"),
    "an absurd rate": (motion(fps=np.array(0.0)), "fps"),
    "an unknown hand frame": (stream(hand_frame=np.array("elbow")), "hand_frame is 'elbow'"),
    "an unknown head frame": (stream(head_frame=np.array("chin")), "head_frame is 'chin'"),
    "text for numbers": (stream(head_position=np.array(["a"] * 12).reshape(4, 3)), "numbers"),
    "time that stands": (stream(time_s=np.zeros(4)), "does not rise"),
    "time of another unit": (stream(time_s=np.arange(4) * 1e17), "more than 6 hours"),
    "a place beyond the world": (stream(head_position=np.full((4, 3), 101.0)), "101 m from"),
    "a length of a giant": (stream(lengths=np.full(11, 9.0)), "shoulder_lateral_m is 9"),
    "a word of a megabyte": (stream(hand_frame=np.array("x" * 1_000_000)), "^.{1,300}$"),
    "one sample": (stream(1), "at least 2"),
    "no head": ({k: v for k, v in stream().items() if "head" not in k}, "no head_position"),
    "something else": ({"a": np.zeros(3)}, "is no recording"),
}


@pytest.mark.parametrize(("arrays", "words"), BAD.values(), ids=BAD)
def test_a_bad_file_is_refused_in_one_line_that_names_it(
    tmp_path: Path, arrays: dict[str, Any], words: str
):
    path = write(tmp_path, **arrays)
    with pytest.raises(RecordingError, match=words) as refusal:
        read_recording(path)
    assert "\n" not in str(refusal.value)
    assert str(path.stem) in str(refusal.value)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"hello", bytes(1000)])
def test_a_file_that_is_no_npz_is_refused(tmp_path: Path, content: bytes):
    path = tmp_path / "file.npz"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=r"is no \.npz archive"):
        read_recording(path)


def test_pickled_objects_are_never_loaded(tmp_path: Path):
    path = write(tmp_path, **stream(left_hand_position=np.array([{"a": 1}], dtype=object)))
    with pytest.raises(RecordingError, match="left_hand_position holds pickled objects"):
        read_recording(path)


def test_a_missing_file_is_refused(tmp_path: Path):
    with pytest.raises(RecordingError, match="cannot be read"):
        read_recording(tmp_path / "none.npz")


def test_multiplying_turns_first_by_the_right_factor():
    a, b = np.random.default_rng(1).normal(size=(2, 4))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    vector = np.array([0.3, -0.2, 0.9])
    assert np.allclose(rotate(multiply(a, b), vector), rotate(a, rotate(b, vector)))


def header(shape: str, descr: str = "'<f8'") -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def archive(tmp_path: Path, method: int = zipfile.ZIP_DEFLATED, **members: bytes) -> Path:
    """A sound stream, with ``members`` in the places of its arrays."""
    path = write(tmp_path, **stream())
    with zipfile.ZipFile(path) as sound:
        whole = {name: sound.read(name) for name in sound.namelist()}
    whole |= {f"{name}.npy": content for name, content in members.items()}
    with zipfile.ZipFile(path, "w", method) as file:
        for name, content in whole.items():
            file.writestr(name, content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        header("(1000000000000, 3)"),
        header("(4294967296, 4294967296)"),
        header("(-1, 3)"),
        header("(0, 99999999999999999999)"),
        header("(" * 3000 + ")" * 3000),
        header("(3,)", "'U2000000000'"),
        header("(3,)", "'zz9'"),
        b"\x93NUMPY\x09\x00" + bytes(100),
        b"hello",
        b"",
    ],
)
def test_an_array_that_lies_about_itself_is_refused_without_memory_for_it(
    tmp_path: Path, content: bytes
):
    with pytest.raises(RecordingError, match="head_position is no sound array") as refusal:
        read_recording(archive(tmp_path, head_position=content))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_packings_that_cannot_be_bounded_are_refused(tmp_path: Path, method: int):
    with pytest.raises(RecordingError, match="another way than numpy"):
        read_recording(archive(tmp_path, method))


def test_arrays_that_nobody_asks_for_are_never_unpacked(tmp_path: Path):
    bomb = header("(6000000,)") + bytes(48_000_000)
    path = archive(tmp_path, extra=bomb, junk=b"no array at all")
    tracemalloc.start()
    try:
        read_recording(path)
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


def test_more_than_the_limit_is_refused_before_it_unpacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(npz, "MAX_BYTES", 500)
    with pytest.raises(RecordingError, match="more than the limit of 500 bytes"):
        read_recording(write(tmp_path, **stream()))


@pytest.mark.parametrize("flag", [1, 64])
def test_damaged_and_encrypted_archives_are_refused(tmp_path: Path, flag: int):
    path = archive(tmp_path)
    content = bytearray(path.read_bytes())
    at = content.find(b"PK\x01\x02")
    while at >= 0:
        content[at + 8] |= flag
        at = content.find(b"PK\x01\x02", at + 4)
    content[60:200] = bytes(140)
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=r"file\.npz: \w+ is no sound array|cannot be read"):
        read_recording(path)


def test_what_is_no_regular_file_is_refused():
    with pytest.raises(RecordingError, match="no regular file"):
        read_recording(Path("/dev/zero"))
