"""``armspan bench calibration``: errors of calibrated lengths on a body whose truth is known."""

import json
from pathlib import Path

import numpy as np
from armspan.server.commands.bench_ik import bench
from click.testing import CliRunner

from tests.server.recorded_clip import write_clip


def test_errors_are_reported_for_windows_and_the_whole(tmp_path: Path):
    write_clip(tmp_path / "walk.npz", frames=480)
    done = CliRunner().invoke(bench, ["calibration", str(tmp_path / "walk.npz"), "--json", "-"])
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["judged"] == ["eyes", "shoulder", "upper_arm", "forearm", "arm"]
    (clip,) = told["clips"]
    assert clip["windows"] == 3  # of two seconds in four, each amid the one before
    assert clip["default"] == [0.0] * 5  # the body is the default one
    assert max(np.abs(clip["height"])) < 0.2
    assert max(np.abs(clip["whole"])) < 20.0
    assert clip["whole"][4] == np.round(clip["whole"][2] + clip["whole"][3], 1)
    assert told["mean_size_mm"]["whole"] == np.abs(clip["whole"]).tolist()


def test_the_table_has_a_line_for_the_clip_and_one_for_each_way(tmp_path: Path):
    write_clip(tmp_path / "walk.npz")  # shorter than a window: the whole is the only one
    done = CliRunner().invoke(bench, ["calibration", str(tmp_path / "walk.npz")])
    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == [
        "walk", "default", "by", "two-second", "whole",
    ]  # fmt: skip


def test_other_files_are_refused_in_one_line(tmp_path: Path):
    np.savez(tmp_path / "other.npz", x=1.0)
    done = CliRunner().invoke(bench, ["calibration", str(tmp_path / "other.npz")])
    assert done.exit_code == 1
    assert "other.npz: is no motion capture" in done.stderr
