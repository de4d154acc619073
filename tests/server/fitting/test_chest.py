"""The fit of trunks' habits: it finds habits that are there, and is judged on those left out."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from armspan.server.commands.fit import fit
from armspan.server.fitting.chest_fit import HELD, error_of, fit_habits, study_trunks
from armspan.server.fitting.trunks import Trunks, read_trunks
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.trunk import HABITS, Habits
from click.testing import CliRunner
from scipy.spatial.transform import Rotation

from tests.server.recorded_clip import write_clip


def habitual(habits: Habits, seed: int, person: str = "one") -> Trunks:
    """Heads and hands at random, and the trunks of someone with just these habits."""
    rng = np.random.default_rng(seed)
    frames = 120
    look = rng.uniform([-60, -50, -15], [60, 30, 15], (frames, 3))
    heads = np.hstack(
        [
            rng.uniform([-1, 1.2, -1], [1, 1.62, 1], (frames, 3)),
            Rotation.from_euler("yxz", look, degrees=True).as_quat(),
        ]
    )
    hands = np.empty((frames, 2, 7))
    hands[..., :3] = heads[:, None, :3] + 0.25 * rng.normal(size=(frames, 2, 3))
    hands[:, 0, :3] += Rotation.from_quat(heads[:, 3:]).apply([-0.25, -0.4, -0.3])
    hands[:, 1, :3] += Rotation.from_quat(heads[:, 3:]).apply([0.25, -0.4, -0.3])
    hands[..., 3:] = Rotation.random(2 * frames, rng=rng).as_quat().reshape(frames, 2, 4)
    tracked = np.ones((frames, 2), np.bool_)
    empty = np.zeros((frames, 7))
    clip = Trunks(
        f"{person}-{seed}", person, DEFAULT_LENGTHS.copy(), heads, hands, tracked, empty,
        np.zeros((frames, 2, 3)),
    )  # fmt: skip
    chests = clip.found(habits)
    return replace(clip, chests=chests, shoulders=clip.shoulders_of(chests))


OTHER = HABITS._replace(turn_aside=0.5, lean_bent=0.5, lean_aside_turn=0.05)


def test_habits_that_are_there_are_found():
    clips = [habitual(OTHER, seed) for seed in (1, 2)]
    found = fit_habits(clips, HABITS)
    for name in ("turn_aside", "lean_bent", "lean_aside_turn"):
        assert getattr(found, name) == pytest.approx(getattr(OTHER, name), abs=0.05)
    assert error_of(clips[0], found).shoulder_mean_mm < 3.0
    assert error_of(clips[0], HABITS).shoulder_mean_mm > 10.0


def test_what_is_chosen_is_not_fitted():
    found = fit_habits([habitual(OTHER._replace(lean_look=0.6), 1)], HABITS)
    assert {name: getattr(found, name) for name in HELD} == {"lean_look": HABITS.lean_look}


def test_each_is_judged_without_their_own_frames():
    """One whose habits are others' profits from their own frames alone."""
    clips = [
        habitual(HABITS, 1, "one"), habitual(HABITS, 2, "two"), habitual(OTHER, 3, "three"),
        habitual(OTHER, 4, "three"),
    ]  # fmt: skip
    study = study_trunks(clips)
    errors = study.clips[2].errors
    assert errors["person"].shoulder_mean_mm > errors["clip"].shoulder_mean_mm
    assert errors["clip"].shoulder_mean_mm > errors["fitted"].shoulder_mean_mm
    assert errors["person"].shoulder_mean_mm == pytest.approx(
        errors["shipped"].shoulder_mean_mm, abs=2.0
    )


def test_the_command_prints_habits_and_errors(tmp_path: Path):
    paths = [str(tmp_path / f"{name}.npz") for name in ("walk", "turn")]
    for path, turn_rad in zip(paths, (0.0, 0.5), strict=True):
        write_clip(Path(path), turn_rad=turn_rad)
    done = CliRunner().invoke(fit, ["chest", *paths])
    assert done.exit_code == 0, done.stderr
    lines = [line.split()[0] for line in done.stdout.splitlines()]
    assert tuple(lines) == (*Habits._fields, "shipped", "walk", "turn", "mean")
    told = json.loads(CliRunner().invoke(fit, ["chest", *paths, "--json", "-"]).stdout)
    assert set(told["habits"]) == set(Habits._fields)
    assert set(told["mean"]) == {"shipped", "fitted", "clip", "person", "alone"}
    shoulders = {name: error["shoulder_mean_mm"] for name, error in told["mean"].items()}
    assert shoulders["fitted"] <= shoulders["shipped"]


def test_recorded_shoulders_are_the_skeletons_on_the_recorded_chest(tmp_path: Path):
    write_clip(tmp_path / "turn.npz", turn_rad=0.5)
    clip = read_trunks(tmp_path / "turn.npz")
    np.testing.assert_allclose(clip.shoulders_of(clip.chests), clip.shoulders, atol=1e-9)


def test_bad_use_is_told_in_one_line(tmp_path: Path):
    write_clip(tmp_path / "walk.npz")
    np.savez(tmp_path / "other.npz", x=1.0)
    walk, other = str(tmp_path / "walk.npz"), str(tmp_path / "other.npz")
    assert CliRunner().invoke(fit, ["chest", walk]).exit_code == 2
    done = CliRunner().invoke(fit, ["chest", walk, other])
    assert done.exit_code == 1
    assert "other.npz: is no motion capture" in done.stderr
