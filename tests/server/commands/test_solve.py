"""``armspan solve``: the arrays that it reads and writes, and what it refuses in one line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from armspan.server.commands.solve import solve
from armspan.solvers import DEFAULT_LENGTHS, JOINT_NAMES, forward_kinematics
from armspan.solvers.body.skeleton import LENGTH_NAMES
from click.testing import CliRunner
from scipy.spatial.transform import Rotation

from tests.server.commands.solving import FRAMES, headed, invoke, recorded, refused, solved
from tests.solvers.drawing import mirrored_angles, turn_between

ALL_SOLVED = f"{FRAMES} frames: {2 * FRAMES} of {2 * FRAMES} hands within 1 mm and 1 degree"


def test_the_answer_has_every_array_of_the_manual(tmp_path: Path):
    done = invoke(tmp_path, recorded())
    assert done.stdout.strip() == ALL_SOLVED
    out = solved(tmp_path, recorded())
    assert tuple(out["joint_names"]) == JOINT_NAMES
    shapes = {
        "joint_angles": (FRAMES, 15),
        "converged": (FRAMES, 2),
        "in_limits": (FRAMES, 2),
        "reachable": (FRAMES, 2),
        "iterations": (FRAMES, 2),
        "position_error_m": (FRAMES, 2),
        "rotation_error_rad": (FRAMES, 2),
        "chest_position": (FRAMES, 3),
        "chest_rotation": (FRAMES, 4),
        "shoulder_position": (FRAMES, 2, 3),
        "elbow_position": (FRAMES, 2, 3),
        "wrist_position": (FRAMES, 2, 3),
        "palm_position": (FRAMES, 2, 3),
        "palm_rotation": (FRAMES, 2, 4),
        "lengths": (11,),
    }
    assert tuple(out["length_names"]) == LENGTH_NAMES
    np.testing.assert_array_equal(out["lengths"], DEFAULT_LENGTHS)
    for name, shape in shapes.items():
        assert out[name].shape == shape, name
    assert out["converged"].dtype == out["in_limits"].dtype == out["reachable"].dtype == np.bool_
    assert out["iterations"].dtype.kind == "i"
    assert out["converged"].all()
    assert out["in_limits"].all()
    assert out["reachable"].all()


def test_the_positions_are_those_of_the_angles_and_the_palms_those_of_the_input(tmp_path: Path):
    arrays = recorded(chest_position=np.tile([1.0, 2.0, 3.0], (FRAMES, 1)))
    for side in ("left", "right"):
        arrays[f"{side}_hand_position"] = arrays[f"{side}_hand_position"] + [1.0, 2.0, 3.0]
    out = solved(tmp_path, arrays)
    chest = np.concatenate([out["chest_position"], out["chest_rotation"]], axis=1)
    for row in range(FRAMES):
        frames = forward_kinematics(DEFAULT_LENGTHS, chest[row], out["joint_angles"][row])
        for joint, name in enumerate(("shoulder", "elbow", "wrist", "palm")):
            np.testing.assert_allclose(out[f"{name}_position"][row], frames.position[:, joint])
    for side, name in enumerate(("left", "right")):
        given = arrays[f"{name}_hand_position"]
        np.testing.assert_allclose(out["palm_position"][:, side], given, atol=1.001e-3)
        turned = turn_between(out["palm_rotation"][:, side], arrays[f"{name}_hand_rotation"])
        assert turned.max() < np.radians(1.0)


def test_a_chest_that_is_given_comes_back(tmp_path: Path):
    out = solved(tmp_path, recorded(chest_rotation=np.tile([0.0, 0.0, 0.0, -2.0], (FRAMES, 1))))
    np.testing.assert_array_equal(out["chest_position"], 0.0)
    assert turn_between(out["chest_rotation"], np.array([0.0, 0.0, 0.0, 1.0])).max() < 1e-7


def test_the_chest_is_found_from_eyes_or_from_the_base_of_the_skull(tmp_path: Path):
    eyes = solved(tmp_path, headed())
    assert np.abs(eyes["chest_position"] - [0.0, 1.365, 0.0]).max() < 0.1
    skull = headed(head_frame=np.array("skull_base"))
    skull["head_position"] = skull["head_position"] - [0.0, 0.07, -0.09]
    np.testing.assert_allclose(
        solved(tmp_path, skull)["chest_position"], eyes["chest_position"], atol=1e-12
    )


def test_without_any_hand_both_arms_hang(tmp_path: Path):
    none = {f"{s}_hand_{p}": None for s in ("left", "right") for p in ("position", "rotation")}
    out = solved(tmp_path, headed(**none))
    assert not out["converged"].any()
    assert not out["reachable"].any()
    assert out["in_limits"].all()
    assert np.isnan(out["position_error_m"]).all()
    assert (out["palm_position"][..., 1] < out["shoulder_position"][..., 1] - 0.5).all()


def test_a_hand_with_nan_in_a_row_is_not_tracked_there(tmp_path: Path):
    arrays = recorded()
    arrays["left_hand_position"] = arrays["left_hand_position"].copy()
    arrays["left_hand_position"][3] = np.nan
    arrays["left_hand_rotation"] = arrays["left_hand_rotation"].copy()
    arrays["left_hand_rotation"][5, 2] = np.nan
    out = solved(tmp_path, arrays)
    lost = np.zeros((FRAMES, 2), np.bool_)
    lost[[3, 5], 0] = True
    np.testing.assert_array_equal(out["converged"], ~lost)
    np.testing.assert_array_equal(np.isnan(out["position_error_m"]), lost)
    assert np.isfinite(out["joint_angles"]).all()


def test_rotations_of_any_length_are_normalised(tmp_path: Path):
    plain = solved(tmp_path, recorded())
    scaled = recorded()
    for name in ("left_hand_rotation", "right_hand_rotation", "chest_rotation"):
        scaled[name] = scaled[name] * np.geomspace(1e-6, 1e200, FRAMES)[:, None]
    out = solved(tmp_path, scaled)
    np.testing.assert_allclose(out["joint_angles"], plain["joint_angles"], atol=1e-6)


@pytest.mark.parametrize("frame", ["palm", "wrist", "grip"])
def test_hands_may_be_given_in_three_frames(tmp_path: Path, frame: str):
    palms = recorded()
    given = recorded(hand_frame=np.array(frame))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        turned = Rotation.from_quat(palms[f"{side}_hand_rotation"])
        if frame == "wrist":
            back = turned.apply([0.0, 0.0, DEFAULT_LENGTHS[4]])
            given[f"{side}_hand_position"] = palms[f"{side}_hand_position"] + back
        if frame == "grip":  # X, Y, Z of a right grip are the hand's +Y, +Z, +X
            hand_from_grip = np.array([[0, 0, sign], [sign, 0, 0], [0, 1, 0]])
            given[f"{side}_hand_rotation"] = (
                turned * Rotation.from_matrix(hand_from_grip)
            ).as_quat()
    np.testing.assert_allclose(
        solved(tmp_path, given)["joint_angles"],
        solved(tmp_path, palms)["joint_angles"],
        atol=1e-6,
    )


@pytest.mark.parametrize("method", ["robust", "luciano"])
def test_mirrored_input_gives_mirrored_output(tmp_path: Path, method: str):
    arrays, mirror = recorded(), np.array([-1.0, 1.0, 1.0])
    image = recorded(
        left_hand_position=mirror * arrays["right_hand_position"],
        right_hand_position=mirror * arrays["left_hand_position"],
        left_hand_rotation=arrays["right_hand_rotation"] * [1, -1, -1, 1],
        right_hand_rotation=arrays["left_hand_rotation"] * [1, -1, -1, 1],
    )
    here = solved(tmp_path, arrays, "--method", method)
    there = solved(tmp_path, image, "--method", method)
    good = here["converged"].all(axis=1)
    assert good.any()
    expected = mirrored_angles(here["joint_angles"])[good]
    off = (there["joint_angles"][good] - expected + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(off).max() < 1e-5


def test_the_2001_method_is_there_and_knows_no_limits(tmp_path: Path):
    out = solved(tmp_path, recorded(), "--method", "luciano")
    assert 0.5 < out["converged"].mean() < 1.0
    assert not out["in_limits"].all()
    assert out["iterations"].max() > 12


def test_frames_with_times_are_one_motion(tmp_path: Path):
    arrays = recorded(time_s=np.arange(FRAMES) / 60.0)
    for name in ("left_hand_position", "left_hand_rotation"):
        arrays[name] = np.tile(arrays[name][:1], (FRAMES, 1))
    arrays["left_hand_position"][5:] = np.nan
    out = solved(tmp_path, arrays)
    left = out["palm_position"][:, 0]
    assert np.linalg.norm(left[5] - left[4]) < 0.3
    assert np.linalg.norm(left[30] - left[4]) > 0.1


def test_no_frames_are_no_trouble(tmp_path: Path):
    out = solved(tmp_path, {name: array[:0] for name, array in recorded().items()})
    assert out["joint_angles"].shape == (0, 15)
    assert out["palm_position"].shape == (0, 2, 3)


@pytest.mark.slow
def test_a_hundred_thousand_frames_take_seconds(tmp_path: Path):
    many = 100_000
    out = solved(
        tmp_path,
        {name: np.resize(array, (many, array.shape[1])) for name, array in recorded().items()},
    )
    assert out["converged"].all()
    np.testing.assert_array_equal(out["joint_angles"][:FRAMES], out["joint_angles"][-FRAMES:])


def bad_row(name: str, row: int, value: object) -> dict[str, Any]:
    arrays = recorded() if "head" not in name else headed()
    arrays[name] = arrays[name].copy()
    arrays[name][row] = value
    return arrays


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        (bad_row("right_hand_rotation", 7, 0.0), ("right_hand_rotation row 7", "not zero")),
        (bad_row("left_hand_position", 2, np.inf), ("left_hand_position row 2", "100 metres")),
        (bad_row("left_hand_position", 2, 1500.0), ("left_hand_position row 2", "100 metres")),
        (bad_row("left_hand_rotation", 1, np.inf), ("left_hand_rotation row 1", "finite")),
        (bad_row("chest_position", 4, np.nan), ("chest_position row 4 is NaN",)),
        (bad_row("chest_rotation", 4, np.nan), ("chest_rotation row 4 is NaN",)),
        (bad_row("head_position", 0, np.nan), ("head_position row 0 is NaN",)),
        (recorded(left_hand_position=np.zeros((FRAMES, 2))), ("left_hand_position", "(40, 3)")),
        (recorded(right_hand_position=np.zeros((3, 3))), ("right_hand_position", "(40, 3)")),
        (recorded(chest_position=np.zeros(3)), ("chest_position", "(40, 3)")),
        (recorded(left_hand_rotation=None), ("no left_hand_rotation", "both or neither")),
        (recorded(chest_rotation=None), ("no chest_rotation", "both or neither")),
        (recorded(chest_position=None, chest_rotation=None), ("head_position", "either pair")),
        (recorded(chest_position=np.full((FRAMES, 3), "x")), ("chest_position", "float64")),
        (recorded(hand_frame=np.array("foot")), ("hand_frame is 'foot'", "palm, wrist, grip")),
        (headed(head_frame=np.array(3)), ("head_frame is 3", "eyes, skull_base")),
        (recorded(time_s=np.arange(3.0)), ("time_s", "(40,)")),
        (recorded(time_s=-np.arange(FRAMES * 1.0)), ("time_s row 1 is -1.0", "ascend")),
        (recorded(time_s=np.full(FRAMES, np.nan)), ("time_s row 0 is nan", "ascend")),
        (recorded(chest_position=np.array([{}] * FRAMES)), ("pickled objects",)),
    ],
)
def test_bad_arrays_are_refused_with_name_row_rule_and_value(
    tmp_path: Path, arrays: dict[str, Any], words: tuple[str, ...]
):
    told = refused(tmp_path, arrays)
    assert str(tmp_path / "in.npz") in told
    for word in words:
        assert word in told


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 cut off", b"\x93NUMPY"])
def test_files_that_are_no_archive_are_refused(tmp_path: Path, content: bytes):
    (tmp_path / "in.npz").write_bytes(content)
    done = CliRunner().invoke(solve, [str(tmp_path / "in.npz"), str(tmp_path / "out.npz")])
    assert done.exit_code == 1
    assert "is no .npz archive" in done.stderr


def test_an_archive_that_is_cut_off_is_refused(tmp_path: Path):
    np.savez(tmp_path / "in.npz", **recorded())
    whole = (tmp_path / "in.npz").read_bytes()
    damaged = whole[:200] + bytes(200) + whole[400:]
    (tmp_path / "in.npz").write_bytes(damaged)
    done = CliRunner().invoke(solve, [str(tmp_path / "in.npz"), str(tmp_path / "out.npz")])
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1


def test_files_that_cannot_be_read_or_written_are_named(tmp_path: Path):
    done = CliRunner().invoke(solve, [str(tmp_path / "none.npz"), str(tmp_path / "out.npz")])
    assert done.exit_code == 1
    assert "none.npz: cannot be read" in done.stderr
    np.savez(tmp_path / "in.npz", **recorded())
    nowhere = tmp_path / "no" / "such" / "out.npz"
    done = CliRunner().invoke(solve, [str(tmp_path / "in.npz"), str(nowhere)])
    assert done.exit_code == 1
    assert f"{nowhere}: cannot be written" in done.stderr


def test_an_answer_replaces_what_was_there_and_leaves_nothing_else(tmp_path: Path):
    (tmp_path / "out.npz").write_text("old")
    solved(tmp_path, recorded())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.npz", "out.npz"]


def test_bad_use_is_status_2(tmp_path: Path):
    for arguments in (["one.npz"], ["--method", "guess", "a.npz", "b.npz"], ["--nothing"]):
        assert CliRunner().invoke(solve, arguments).exit_code == 2


def test_a_place_that_cannot_be_written_is_told_before_the_work(tmp_path: Path):
    told = CliRunner().invoke(solve, ["nothing.npz", str(tmp_path / "no" / "out.npz")]).stderr
    assert "out.npz: cannot be written" in told


def test_hands_out_of_reach_are_counted(tmp_path: Path):
    arrays = recorded()
    arrays["left_hand_position"] = arrays["left_hand_position"] - [5.0, 0.0, 0.0]
    arrays["right_hand_position"] = np.full((FRAMES, 3), np.nan)  # it would give way to the left
    told = invoke(tmp_path, arrays).stdout
    assert f"{FRAMES} proved to be out of reach" in told


def test_an_answer_can_go_to_a_device(tmp_path: Path):
    np.savez(tmp_path / "in.npz", **recorded())
    done = CliRunner().invoke(solve, [str(tmp_path / "in.npz"), "/dev/null"])
    assert done.exit_code == 0, done.stderr
    done = CliRunner().invoke(solve, [str(tmp_path / "in.npz"), "/dev/full"])
    assert "/dev/full: cannot be written" in done.stderr


def test_there_is_help():
    done = CliRunner().invoke(solve, ["--help"])
    assert done.exit_code == 0
    for word in ("IN.npz", "OUT.npz", "--method", "--skeleton", "hand_frame", "time_s"):
        assert word in done.stdout
