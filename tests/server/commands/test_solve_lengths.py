"""``armspan solve``: whose lengths it solves with, told, recorded or measured."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.skeleton import LENGTH_NAMES

from tests.server.commands.solving import invoke, moving, recorded, refused, solved


def skeleton(folder: Path, told: object) -> list[str]:
    path = folder / "person.json"
    path.write_text(told if isinstance(told, str) else json.dumps(told))
    return ["--skeleton", str(path)]


def test_a_skeletons_lengths_are_used(tmp_path: Path):
    out = solved(tmp_path, recorded(), *skeleton(tmp_path, {"upper_arm_m": 0.33, "forearm_m": 0.3}))
    bones = np.linalg.norm(out["elbow_position"] - out["shoulder_position"], axis=-1)
    np.testing.assert_allclose(bones, 0.33)
    plain = solved(tmp_path, recorded())
    empty = solved(tmp_path, recorded(), *skeleton(tmp_path, {}))
    np.testing.assert_array_equal(empty["joint_angles"], plain["joint_angles"])


def test_a_palm_grows_with_its_hand_unless_it_is_told(tmp_path: Path):
    for told, palm in (({"hand_length_m": 0.2185}, 0.092), ({"palm_m": 0.07}, 0.07)):
        out = solved(tmp_path, recorded(), *skeleton(tmp_path, told))
        length = np.linalg.norm(out["palm_position"] - out["wrist_position"], axis=-1)
        np.testing.assert_allclose(length, palm)


def used(folder: Path, arrays: dict[str, Any], *options: str) -> tuple[np.ndarray, str]:
    """The lengths that were solved with, and what was said."""
    done = invoke(folder, arrays, *options)
    assert done.exit_code == 0, done.stderr
    with np.load(folder / "out.npz") as out:
        return out["lengths"], done.stderr


def test_head_and_hands_alone_tell_the_lengths(tmp_path: Path):
    lengths, said = used(tmp_path, moving())
    np.testing.assert_allclose(lengths[[0, 4, 8, 10]], 1.1 * DEFAULT_LENGTHS[[0, 4, 8, 10]], 0.02)
    assert lengths[2] + lengths[3] == pytest.approx(1.1 * 0.56, abs=0.02)
    assert said.startswith("armspan: calibrated by movement: eyes 1.78 m high, arm 0.6")


def test_wrists_and_skulls_calibrate_as_palms_and_eyes_do(tmp_path: Path):
    given = moving(hand_frame=np.array("wrist"), head_frame=np.array("skull_base"))
    given["head_position"] = given["head_position"] - [0.0, 0.077, -0.099]
    for side in ("left", "right"):
        given[f"{side}_hand_position"] = given[f"{side}_hand_position"] + [0.0, 0.0, 0.088]
    lengths, _ = used(tmp_path, given)
    np.testing.assert_allclose(lengths, used(tmp_path, moving())[0], atol=0.012)


def test_a_skeleton_file_means_the_same_body_in_every_recording(tmp_path: Path):
    options = skeleton(tmp_path, {"forearm_m": 0.3})
    lengths, said = used(tmp_path, moving(), *options)
    expected = DEFAULT_LENGTHS.copy()
    expected[3] = 0.3
    np.testing.assert_array_equal(lengths, expected)
    assert said == ""


@pytest.mark.parametrize(
    ("arrays", "options", "words"),
    [
        (moving(), ["--no-calibrate"], ""),
        (moving(time_s=None), [], "default lengths: there is no time_s"),
        (moving(seconds=1.5), [], "default lengths: to calibrate takes 2 seconds"),
        (moving(lengths=DEFAULT_LENGTHS), [], ""),
        (
            moving(
                chest_position=np.zeros((180, 3)), chest_rotation=np.tile([0, 0, 0, 1.0], (180, 1))
            ),
            [],
            "",
        ),
    ],
)
def test_lengths_are_the_default_ones_where_nothing_may_or_can_be_told(
    tmp_path: Path, arrays: dict[str, Any], options: list[str], words: str
):
    lengths, said = used(tmp_path, arrays, *options)
    np.testing.assert_array_equal(lengths, DEFAULT_LENGTHS)
    assert words in said
    assert said.count("\n") == bool(words)


def test_a_recorded_persons_lengths_are_used_unless_a_skeleton_is_given(tmp_path: Path):
    lengths = DEFAULT_LENGTHS.copy()
    lengths[LENGTH_NAMES.index("upper_arm_m")] = 0.33
    for options, upper_arm_m in ([], 0.33), (skeleton(tmp_path, {"upper_arm_m": 0.31}), 0.31):
        out = solved(tmp_path, recorded(lengths=lengths), *options)
        bones = np.linalg.norm(out["elbow_position"] - out["shoulder_position"], axis=-1)
        np.testing.assert_allclose(bones, upper_arm_m)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"upper_arm": 0.3}, ("'upper_arm' is no length", "upper_arm_m")),
        ({"upper_arm_m": 33}, ("upper_arm_m is 33", "metres are wanted")),
        ({"upper_arm_m": "long"}, ("upper_arm_m is 'long'", "a number")),
        ({"upper_arm_m": True}, ("upper_arm_m is True", "a number")),
        ('{"upper_arm_m": NaN}', ("upper_arm_m is nan", "metres are wanted")),
        ([0.3], ("holds no object",)),
        ("[" * 100_000, ("is not JSON",)),
        ("{", ("is not JSON",)),
    ],
)
def test_bad_skeletons_are_refused(tmp_path: Path, told: object, words: tuple[str, ...]):
    message = refused(tmp_path, recorded(), *skeleton(tmp_path, told))
    for word in words:
        assert word in message
