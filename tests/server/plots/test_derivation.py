import math
from pathlib import Path

import numpy as np
import pytest
from armspan.server.plots.derivation.__main__ import main
from armspan.server.plots.derivation.arm_figure import walk
from armspan.server.plots.derivation.examples import random_pose
from armspan.server.plots.derivation.limits import feasible, holding
from armspan.server.plots.derivation.proofs import nearest_at, search
from armspan.solvers.body.goals import both_goals, own_yaw
from armspan.solvers.body.yaw_search import Reach, find_yaw, search_scratch
from click.testing import CliRunner

IN_STEPS = (263, 527, 680, 1098, 1163, 1515, 2227, 3158, 3514, 3640)
BETWEEN_STEPS = (15353, 18077)
SWIVELS = np.radians(np.linspace(-180.0, 180.0, 361))


@pytest.mark.parametrize("number", IN_STEPS + BETWEEN_STEPS)
def test_the_drawn_search_comes_to_about_the_yaw_that_the_solver_finds(number: int):
    task, plan = random_pose(number)
    goals = both_goals(task, plan.preferred)
    solved = find_yaw(
        Reach(goals, task.tracked, task.lengths), plan.preferred, plan.low, plan.high,
        search_scratch(),
    )  # fmt: skip
    drawn = search(goals, plan).yaw
    assert solved.served
    assert drawn == pytest.approx(solved.yaw, abs=math.radians(0.5))


@pytest.mark.parametrize("number", BETWEEN_STEPS)
def test_brute_force_finds_no_posture_where_the_figure_says_that_there_is_none(number: int):
    task, plan = random_pose(number)
    goals = both_goals(task, plan.preferred)
    proved = search(goals, plan).proved
    assert len(proved) > 10
    for part in proved:
        for yaw in np.linspace(part.low, part.high, 5):
            assert not feasible(goals[part.side], own_yaw(yaw, part.side), SWIVELS).any()


def test_the_drawn_walk_ends_where_the_nearest_swivel_is():
    task, plan = random_pose(527)
    goal = both_goals(task, plan.preferred)[1]
    c, s, reading = nearest_at(goal, plan.preferred)
    nearest = math.atan2(s, c)
    steps = walk(holding(goal, plan.preferred, SWIVELS, reading), 1 if nearest > 0.0 else -1)
    assert len(steps) == 2
    assert SWIVELS[steps[-1][2]] == pytest.approx(nearest, abs=math.radians(1.0))


def test_both_figures_are_written(tmp_path: Path):
    result = CliRunner().invoke(main, [str(tmp_path)])
    assert result.exit_code == 0, result.output
    for name in ("solver_circle.png", "solver_plane.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
        assert name in result.output


def test_a_folder_that_is_not_there_is_named(tmp_path: Path):
    result = CliRunner().invoke(main, [str(tmp_path / "nowhere")])
    assert result.exit_code != 0
    assert "nowhere" in result.output
