"""``armspan calibrate``: a table, a skeleton file that solve reads, one line for what is wrong."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from armspan.server.commands import main
from armspan.server.commands.calibrate import calibrate
from armspan.server.commands.skeleton_files import read_lengths
from armspan.solvers.body.calibration import CalibrationPose
from armspan.solvers.body.skeleton import LENGTH_NAMES
from click.testing import CliRunner, Result

from tests.server.commands.solving import moving


def run(folder: Path, arrays: dict[str, Any], *options: str) -> Result:
    np.savez(folder / "in.npz", **arrays)
    return CliRunner().invoke(calibrate, [str(folder / "in.npz"), *options])


def stretched(half_span_m: float = 0.85) -> dict[str, Any]:
    """A few frames of a T-pose, palms so far from the middle."""
    arrays = moving(1.0, 0.2)
    for side, sign in (("left", -1.0), ("right", 1.0)):
        at = np.tile([sign * half_span_m, 1.42, 0.0], (12, 1))
        arrays[f"{side}_hand_position"] = at
    return arrays


def test_the_table_names_every_length_and_says_where_it_is_from(tmp_path: Path):
    done = run(tmp_path, moving())
    assert done.exit_code == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0].startswith("calibrated by movement: eyes 1.78 m high")
    assert tuple(line.split()[0] for line in lines[1:]) == LENGTH_NAMES
    assert {line.split()[-1] for line in lines[1:]} == {"measured", "proportions"}


def test_the_skeleton_file_is_read_back_as_it_was_found(tmp_path: Path):
    skeleton = tmp_path / "person.json"
    done = run(tmp_path, stretched(), "-o", str(skeleton), "--pose", "t", "--json", "-")
    assert done.exit_code == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["pose"] == "t"
    assert report["frames"] == 12
    assert report["sources"]["shoulder_lateral_m"] == "measured"
    assert 0.01 < report["deviations"]["upper_arm_m"] < 0.05
    lengths = read_lengths(skeleton)
    np.testing.assert_allclose(lengths, list(report["lengths"].values()), atol=6e-5)
    assert lengths[[0, 2, 3, 4]].sum() == pytest.approx(0.85, abs=0.01)


def test_a_t_pose_needs_no_times_and_auto_finds_it(tmp_path: Path):
    arrays = stretched()
    del arrays["time_s"]
    assert run(tmp_path, arrays).stdout.startswith("calibrated by a T-pose")


def test_lengths_stay_inside_the_bounds_of_the_protocol(tmp_path: Path):
    arrays = moving()
    arrays["head_position"] = arrays["head_position"] * [1.0, 0.01, 1.0]
    done = run(tmp_path, arrays, "--json", "-")
    assert json.loads(done.stdout)["lengths"]["eye_height_m"] == 0.40


@pytest.mark.parametrize(
    ("arrays", "options", "words"),
    [
        (moving(), ["--pose", "t"], "in.npz: no frame shows a T-pose; stretch both arms"),
        (moving(head_position=None), [], "has head_rotation but no head_position"),
        (
            {
                **moving(head_position=None, head_rotation=None),
                "chest_position": np.zeros((180, 3)),
                "chest_rotation": np.tile([0, 0, 0, 1.0], (180, 1)),
            },
            [],
            "in.npz: a head is needed",
        ),
        ({name: array[:0] for name, array in moving().items()}, [], "there are no frames"),
        (moving(), ["-o", "/no/such/place.json"], "/no/such/place.json: cannot be written"),
        (moving(), ["--json", "/no/such/place.json"], "/no/such/place.json: cannot be written"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(
    tmp_path: Path, arrays: dict[str, Any], options: list[str], words: str
):
    done = run(tmp_path, arrays, *options)
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert words in done.stderr
    assert done.stdout == ""


def test_it_is_a_command_with_help():
    told = CliRunner().invoke(main, ["calibrate", "--help"])
    assert told.exit_code == 0
    for word in ("IN.npz", "--output", "auto", *(pose.value for pose in CalibrationPose)):
        assert word in told.stdout
    assert "calibrate" in CliRunner().invoke(main, ["--help"]).stdout
