"""``armspan bench people``: solved bodies against recorded ones, whose truth is known here."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from armspan.server.commands.bench_ik import bench
from click.testing import CliRunner

from tests.server.recorded_clip import write_clip


def compared(clip: Path, *options: str) -> dict[str, Any]:
    done = CliRunner().invoke(bench, ["people", str(clip), "--json", "-", *options])
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_people_are_compared_with_what_was_recorded(tmp_path: Path):
    write_clip(tmp_path / "walk.npz")
    told = compared(tmp_path / "walk.npz")
    assert (told["method"], told["chest"], told["lengths"]) == ("robust", "found", "recorded")
    (clip,) = told["clips"]
    assert clip["clip"] == "walk"
    assert clip["frames"] == 60
    assert clip["chest_mean_mm"] < 20
    assert clip["chest_yaw_median_deg"] < 1
    assert clip["elbow_median_mm"] <= clip["elbow_p90_mm"] <= clip["elbow_p95_mm"]
    assert clip["elbow_mean_mm"] < 120
    assert clip["converged"] > 0.99
    assert clip["in_limits"] > 0.99
    assert clip["pops"] == 0
    assert clip["pop_worst"] < 1.0
    assert clip["pop_steps"] == 2 * 44  # half a second at 90 Hz
    assert told["mean"]["elbow_p90_mm"] == told["median"]["elbow_p90_mm"] == clip["elbow_p90_mm"]


def test_a_chest_that_is_given_is_where_it_was_recorded(tmp_path: Path):
    write_clip(tmp_path / "turn.npz", turn_rad=0.6)
    given = compared(tmp_path / "turn.npz", "--chest", "given")["clips"][0]
    found = compared(tmp_path / "turn.npz")["clips"][0]
    assert given["chest_mean_mm"] < 1e-6
    assert given["chest_yaw_p90_deg"] < 1e-4
    assert found["chest_yaw_p90_deg"] > 3.0
    assert given["elbow_median_mm"] < found["elbow_median_mm"] + 5.0
    assert given["pops"] == 0


@pytest.mark.parametrize("lengths", ["calibrated", "default", "recorded"])
def test_it_can_be_solved_with_other_lengths(tmp_path: Path, lengths: str):
    write_clip(tmp_path / "walk.npz")  # of someone with the default ones
    clip = compared(tmp_path / "walk.npz", "--lengths", lengths)["clips"][0]
    assert clip["converged"] > 0.99
    assert clip["elbow_mean_mm"] < 120


def test_the_table_has_a_line_for_each_clip_and_two_for_all(tmp_path: Path):
    for name in ("walk", "turn"):
        write_clip(tmp_path / f"{name}.npz")
    done = CliRunner().invoke(
        bench, ["people", str(tmp_path / "walk.npz"), str(tmp_path / "turn.npz")]
    )
    firsts = [line.split()[0] for line in done.stdout.splitlines()[1:]]
    assert firsts == ["walk", "turn", "mean", "median"]


def test_a_file_that_is_no_motion_capture_is_refused(tmp_path: Path):
    np.savez(tmp_path / "other.npz", x=1.0)
    for name in ("other.npz", "none.npz"):
        done = CliRunner().invoke(bench, ["people", str(tmp_path / name)])
        assert done.exit_code == 1
        assert done.stderr.count("\n") == 1
        assert name in done.stderr


def test_a_result_that_cannot_be_written_is_told_before_the_work(tmp_path: Path):
    nowhere = tmp_path / "no" / "result.json"
    done = CliRunner().invoke(bench, ["people", "nothing.npz", "--json", str(nowhere)])
    assert done.exit_code == 1
    assert "result.json: cannot be written" in done.stderr
