"""``armspan bench``: the fields of the manual, the paper's claim, and pictures."""

import json
import math
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from armspan.server.commands import bench_ik
from armspan.server.commands.bench_ik import bench
from armspan.solvers import Method
from click.testing import CliRunner


def report(*options: str) -> dict[str, Any]:
    done = CliRunner().invoke(bench, ["ik", "--json", "-", *options])
    assert done.exit_code == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_the_report_has_the_fields_of_the_manual():
    told = report("--poses", "50", "--seed", "3")
    assert told["method"] == "robust"
    assert told["poses"] == 50
    assert set(told["iterations"]) >= {"mode", "median", "p99", "under_13"}
    assert set(told["us_per_body"]) >= {"batched", "single", "p99"}
    assert all(cost > 0 for cost in told["us_per_body"].values())
    assert isinstance(told["elbow_jumps"], int)
    assert told["set"] == "random"


def test_robust_solves_inside_the_limits():
    """Required are 80 % of bodies."""
    told = report("--poses", "500")
    assert told["solved"] >= 0.99
    assert told["in_limits"] == 1.0
    assert told["solved_in_limits"] >= 0.99
    assert report("--poses", "300", "--set", "stretched")["solved_in_limits"] >= 0.99


def test_the_unreachable_set_is_not_solved_and_stays_inside_the_limits():
    told = report("--poses", "100", "--set", "unreachable")
    assert told["solved"] == 0.0
    assert told["in_limits"] == 1.0
    assert told["missed_m"]["median"] > 0.03


def test_the_papers_histogram_one_arm_converges_most_often_in_under_13_iterations():
    told = report("--method", "luciano", "--arms", "one")
    assert told["poses"] == 1000
    assert told["iterations"]["mode"] < 13
    assert told["iterations"]["under_13"] > 0.7
    assert told["solved"] > 0.99


def test_two_averaged_arms_are_reported_as_they_are():
    one = report("--method", "luciano", "--arms", "one", "--poses", "100")
    two = report("--method", "luciano", "--arms", "two", "--poses", "100")
    assert two["iterations"]["median"] > one["iterations"]["median"]
    assert two["solved"] < one["solved"]


def test_a_seed_gives_the_same_poses_again():
    same = ("solved", "in_limits", "iterations", "elbow_jumps")
    here, again = report("--poses", "60", "--seed", "8"), report("--poses", "60", "--seed", "8")
    assert all(here[field] == again[field] for field in same)


def test_strict_is_a_tenth_of_the_papers_tolerance_and_the_summary_says_which():
    told = report("--poses", "200", "--method", "luciano", "--arms", "one")
    assert told["solved"] == told["within_tolerance"] > told["solved_strict"] > 0.0
    assert told["tolerance_m"] == 1e-3
    assert report("--poses", "20")["tolerance_m"] == 1e-4
    told = report("--poses", "200", "--method", "luciano", "--arms", "one", "--tolerance", "3,2")
    assert told["within_tolerance"] >= told["solved"]
    assert told["tolerance_rad"] == pytest.approx(math.radians(2.0))
    words = CliRunner().invoke(bench, ["ik", "--poses", "20", "--tolerance", "paper"]).stdout
    assert "to 1 mm and 1°" in words
    assert "to 0.1 mm and 0.1°" in CliRunner().invoke(bench, ["ik", "--poses", "20"]).stdout


def test_seeds_are_counted_together():
    one, two = report("--poses", "30", "--seed", "4"), report("--poses", "30", "--seed", "5")
    both = report("--poses", "30", "--seed", "4", "--seeds", "2")
    assert both["poses"] == 60
    assert both["seeds"] == [4, 5]
    for field in ("elbow_path_frames", "elbow_jumps", "pops", "pop_steps"):
        assert both[field] == one[field] + two[field]
    assert both["solved"] == 0.5 * (one["solved"] + two["solved"])


def test_what_is_out_of_reach_is_told_and_nothing_else():
    assert report("--poses", "50", "--set", "unreachable")["certified"] == 1.0
    assert report("--poses", "50", "--set", "stretched")["certified"] == 0.0


def size_of_png(path: Path) -> tuple[int, int]:
    content = path.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", content[16:24])


@pytest.mark.parametrize(
    "options",
    [("--method", "robust"), ("--method", "luciano"), ("--set", "unreachable"), ("--arms", "one")],
)
def test_both_histograms_are_drawn(tmp_path: Path, options: tuple[str, ...]):
    picture = tmp_path / "ik.png"
    done = CliRunner().invoke(
        bench,
        ["ik", "--poses", "40", "--plot", str(picture), "--json", str(tmp_path / "r"), *options],
    )
    assert done.exit_code == 0, done.stderr
    assert "solved" in done.stdout
    width, height = size_of_png(picture)
    assert width > 2 * height
    assert json.loads((tmp_path / "r").read_text())["poses"] == 40


def test_two_arms_are_compared_over_all_methods_in_one_picture(tmp_path: Path):
    picture = tmp_path / "ik.png"
    told = report("--poses", "30", "--plot", str(picture))
    width, height = size_of_png(picture)
    assert height < width < 2 * height
    assert told["method"] == "robust"
    others = [method.name.lower() for method in Method if method is not Method.ROBUST]
    assert sorted(told["compared"]) == sorted(others)
    assert told["compared"]["luciano"]["iterations"]["median"] > 13


def test_what_cannot_be_written_is_told_in_one_line(tmp_path: Path):
    for option in ("--plot", "--json"):
        there = tmp_path / "none" / "x"
        done = CliRunner().invoke(bench, ["ik", "--poses", "5", option, str(there)])
        assert done.exit_code == 1
        assert done.stderr.count("\n") == 1
        assert f"{there}: cannot be written" in done.stderr


def test_a_file_that_cannot_be_written_is_told_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def never(*_: object) -> None:
        raise AssertionError("the experiment ran")

    monkeypatch.setattr(bench_ik, "run_experiment", never)
    for option in ("--plot", "--json"):
        done = CliRunner().invoke(bench, ["ik", option, str(tmp_path / "none" / "x")])
        assert done.exit_code == 1
        assert "cannot be written" in done.stderr
    done = CliRunner().invoke(bench, ["ik", "--plot", str(tmp_path / "h.txt")])
    assert done.exit_code == 2
    assert "name it .png" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_full_device_is_told_in_one_line():
    run = "from armspan.server.commands.output import say; say('a' * 10)"
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-c", run], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr.startswith(b"armspan: standard output: cannot be written")
    assert done.stderr.count(b"\n") == 1


def test_the_summary_does_not_contradict_itself():
    told = CliRunner().invoke(bench, ["ik", "--poses", "20", "--set", "unreachable"]).stdout
    assert "under 13" not in told
    assert "none is solved" in told
    told = CliRunner().invoke(bench, ["ik", "--poses", "20"]).stdout
    assert "solved in under 13: 100.0% of bodies" in told
    assert "frames of 2 arms" in told


@pytest.mark.parametrize(
    "options",
    [
        ("--poses", "0"),
        ("--arms", "three"),
        ("--set", "odd"),
        ("--method", "guess"),
        ("--seeds", "0"),
        ("--tolerance", "loose"),
        ("--tolerance", "1"),
        ("--tolerance", "0,1"),
        ("--tolerance", "nan,1"),
    ],
)
def test_bad_use_is_status_2(options: tuple[str, ...]):
    assert CliRunner().invoke(bench, ["ik", *options]).exit_code == 2
