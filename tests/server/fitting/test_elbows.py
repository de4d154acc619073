"""``armspan fit elbows``: finds a planted model, judges on what it has not seen."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest
from armspan.server.commands.fit import fit as fit_command
from armspan.server.fitting.arms import Arms, Shoulders, read_arms
from armspan.server.fitting.elbow_fit import (
    fit,
    predicted_directions,
    resting_directions,
    rows_of,
    split,
    terms_of,
)
from armspan.server.traces.motion_capture import OURS_FROM_T_POSE
from armspan.server.traces.recording import RecordingError
from armspan.server.traces.rotations import multiply, rotate
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.elbow import TERMS, elbow_direction
from armspan.solvers.body.elbow_coefficients import PLACE, TURN
from armspan.solvers.body.skeleton import FOREARM, SHOULDER_LATERAL, SHOULDER_UP, UPPER_ARM
from click.testing import CliRunner
from scipy.spatial.transform import Rotation

SHIPPED = np.concatenate([PLACE.ravel(), TURN[np.triu_indices(len(TURN))]])
MIRROR = np.array([-1.0, 1.0, 1.0])


def planted_arms(count: int, seed: int, coefficients: np.ndarray) -> Arms:
    """Arms anywhere ahead whose elbows are where a model with these coefficients has them."""
    random = np.random.default_rng(seed)
    upper, fore = DEFAULT_LENGTHS[UPPER_ARM], DEFAULT_LENGTHS[FOREARM]
    away = random.uniform((-0.3, -0.4, -0.4), (0.3, 0.3, -0.1), (count, 3))
    reach = np.linalg.norm(away, axis=1)
    away, reach = away[reach < 0.53], reach[reach < 0.53]
    along = (upper**2 + reach**2 - fore**2) / (2 * reach)
    hands = Rotation.random(len(away), random).as_matrix().transpose(0, 2, 1)
    radii = np.sqrt(upper**2 - along**2)
    centres = away / reach[:, None] * along[:, None]
    bare = Arms(
        f"planted_{seed}", f"person_{seed}", 30.0, np.array(DEFAULT_LENGTHS), away, hands,
        np.zeros_like(away), centres, radii,
    )  # fmt: skip
    elbows = centres + radii[:, None] * predicted_directions(bare, coefficients)
    return Arms(
        bare.clip, bare.person, 30.0, bare.lengths, away, hands, elbows, centres, radii
    )  # fmt: skip


def write_clip(path: Path, arms: Arms, *, swapped: bool = False, frames: int = 200) -> None:
    """A motion-capture file (+Y up, facing +Z, wxyz) of two people's worth of planted arms.

    Its left arm is the mirror image of the first half of ``arms``, its right arm the second half;
    ``swapped`` gives the mirror image of that person.
    """
    random = np.random.default_rng(3)
    halves = (slice(frames, 2 * frames), slice(0, frames))
    left, right = halves if swapped else halves[::-1]
    shoulder = np.array([DEFAULT_LENGTHS[SHOULDER_LATERAL], DEFAULT_LENGTHS[SHOULDER_UP], 0.0])
    turn = Rotation.random(frames, random).as_quat()
    if swapped:
        turn = turn * np.array([1.0, -1.0, -1.0, 1.0])
    place = np.array([0.0, 1.3, 0.0])

    def world(points: np.ndarray) -> np.ndarray:
        return rotate(turn, points) + place

    def both(points: np.ndarray) -> np.ndarray:
        mirrored = (shoulder + points[left]) * MIRROR
        return np.stack([world(mirrored), world(shoulder + points[right])], axis=1)

    def theirs(points: np.ndarray) -> np.ndarray:
        return points * np.array([-1.0, 1.0, -1.0])

    def theirs_turned(rotation: np.ndarray) -> np.ndarray:
        return (rotation * np.array([-1.0, 1.0, -1.0, 1.0]))[..., [3, 0, 1, 2]]

    hands = Rotation.from_matrix(arms.hands.transpose(0, 2, 1)).as_quat()
    in_chest = [hands[left] * np.array([1.0, -1.0, -1.0, 1.0]), hands[right]]
    undone = OURS_FROM_T_POSE * np.array([-1.0, -1.0, -1.0, 1.0])
    palms = [multiply(multiply(turn, in_chest[side]), undone[side]) for side in range(2)]
    np.savez(
        path,
        fps=30.0,
        head_pos=theirs(world(np.tile([0.0, 0.2, 0.0], (frames, 1)))),
        head_quat=theirs_turned(turn),
        hand_pos=theirs(both(arms.away)),
        hand_quat=theirs_turned(np.stack(palms, axis=1)),
        elbow_pos=theirs(both(arms.elbows)),
        shoulder_pos=theirs(both(np.zeros_like(arms.away))),
        chest_pos=theirs(world(np.zeros((frames, 3)))),
        chest_quat=theirs_turned(turn),
        hand_bad=np.zeros((frames, 2), np.bool_),
        upper_arm=np.full(2, DEFAULT_LENGTHS[UPPER_ARM]),
        forearm=np.full(2, DEFAULT_LENGTHS[FOREARM]),
        shoulder_half_width=DEFAULT_LENGTHS[SHOULDER_LATERAL],
    )


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("clips")
    paths = [folder / f"cmu_0{i}_0{i}.npz" for i in (1, 2, 3)]
    for seed, path in enumerate(paths):
        write_clip(path, planted_arms(600, seed, SHIPPED))
    return paths


def test_the_terms_and_the_shipped_coefficients_are_the_solvers_model():
    arms = planted_arms(50, 9, SHIPPED)
    for direction, away, hand in zip(
        predicted_directions(arms, SHIPPED), arms.away, arms.hands, strict=True
    ):
        axes = [tuple(axis) for axis in hand]
        wanted = elbow_direction(tuple(away), *axes, arms.lengths)
        np.testing.assert_allclose(direction, wanted, atol=1e-12)
    assert terms_of(arms.away, arms.hands, arms.lengths).shape == (len(arms.away), TERMS)


def test_coefficients_split_as_the_module_holds_them():
    place, turn = split(SHIPPED)
    assert np.array_equal(place, PLACE)
    assert np.array_equal(turn, TURN)


def test_a_planted_model_is_found_on_arms_that_were_not_fitted():
    strong = 2.0 * SHIPPED
    random = np.random.default_rng(0)
    rows = [rows_of(planted_arms(1500, seed, strong), random) for seed in range(3)]
    unseen = planted_arms(500, 77, strong)
    off_mm = 1e3 * unseen.errors_m(predicted_directions(unseen, fit(rows)))
    resting_mm = 1e3 * unseen.errors_m(resting_directions(unseen.away))
    assert np.median(resting_mm) > 30
    assert np.median(off_mm) < 0.2 * np.median(resting_mm)


def test_a_few_absurd_elbows_change_the_fit_little():
    random = np.random.default_rng(0)
    arms = planted_arms(1500, 5, SHIPPED)
    elbows = arms.elbows.copy()
    elbows[::25] = 2.0 * arms.centres[::25] - elbows[::25]  # on the circle's other side
    spoilt = Arms(
        arms.clip, arms.person, 30.0, arms.lengths, arms.away, arms.hands, elbows,
        arms.centres, arms.radii,
    )  # fmt: skip
    unseen = planted_arms(500, 78, SHIPPED)
    errors = [
        np.median(unseen.errors_m(predicted_directions(unseen, fit([rows_of(seen, random)]))))
        for seen in (arms, spoilt)
    ]
    assert errors[1] < errors[0] + 0.01


def test_where_nobody_was_recorded_the_elbow_is_nearly_at_rest():
    ahead = planted_arms(1500, 6, 2.0 * SHIPPED)
    coefficients = fit([rows_of(ahead, np.random.default_rng(0))])
    away = np.random.default_rng(1).uniform((-0.2, -0.3, 0.1), (0.4, 0.4, 0.4), (300, 3))
    behind = Arms(
        "behind", "behind", 30.0, ahead.lengths, away, ahead.hands[:300], away, away,
        np.zeros(300),
    )  # fmt: skip
    cosine = np.sum(predicted_directions(behind, coefficients) * resting_directions(away), axis=1)
    assert np.degrees(np.arccos(np.clip(np.median(cosine), -1, 1))) < 45


def test_a_file_gives_the_arms_that_were_written_to_it(clips: list[Path]):
    wanted = planted_arms(600, 0, SHIPPED)
    found = read_arms(clips[0])
    for shoulders in Shoulders:
        arms = found[shoulders]
        assert arms.person == "cmu_01"
        np.testing.assert_allclose(arms.away, wanted.away[:400], atol=1e-9)
        np.testing.assert_allclose(arms.hands, wanted.hands[:400], atol=1e-9)
        np.testing.assert_allclose(arms.elbows, wanted.elbows[:400], atol=1e-9)
        np.testing.assert_allclose(arms.radii, wanted.radii[:400], atol=1e-6)
        assert arms.errors_m(arms.elbow_directions()).max() < 1e-6


def test_the_mirror_image_of_a_person_has_the_same_right_arms(tmp_path: Path, clips: list[Path]):
    mirrored = tmp_path / "mirrored.npz"
    write_clip(mirrored, planted_arms(600, 0, SHIPPED), swapped=True)
    one = read_arms(clips[0])[Shoulders.SKELETON]
    other = read_arms(mirrored)[Shoulders.SKELETON]
    for name in ("away", "hands", "elbows"):
        there_and_back = np.roll(getattr(other, name), 200, axis=0)
        np.testing.assert_allclose(getattr(one, name), there_and_back, atol=1e-9)


def test_the_command_prints_a_table_and_writes_a_module(tmp_path: Path, clips: list[Path]):
    module, told, picture = (tmp_path / name for name in ("out.py", "out.json", "out.png"))
    done = CliRunner().invoke(
        fit_command,
        ["elbows", *map(str, clips), "-o", str(module), "--json", str(told), "--plot",
         str(picture)],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "median over clips" in done.stdout
    assert done.stdout.count("cmu_0") == 3
    report = json.loads(told.read_text())
    for clip in report["clips"]:
        assert clip["errors"]["model recorded"]["median_mm"] < (
            0.5 * clip["errors"]["constant recorded"]["median_mm"]
        )
    place, turn = split(np.array(report["coefficients"]))
    written = runpy.run_path(str(module))
    np.testing.assert_allclose(written["PLACE"], place, atol=5.1e-5)
    np.testing.assert_allclose(written["TURN"], turn, atol=5.1e-5)
    assert max(len(line) for line in module.read_text().splitlines()) <= 100
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_same_clips_give_the_same_numbers(clips: list[Path]):
    def told() -> str:
        done = CliRunner().invoke(fit_command, ["elbows", *map(str, clips), "--json", "-"])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert told() == told()


def test_one_clip_is_too_few_to_judge_by(clips: list[Path]):
    done = CliRunner().invoke(fit_command, ["elbows", str(clips[0])])
    assert done.exit_code == 2
    assert "two clips at least" in done.stderr


def test_a_file_that_is_no_motion_capture_ends_with_one_line(tmp_path: Path, clips: list[Path]):
    other = tmp_path / "other.npz"
    np.savez(other, t=np.zeros(3))
    with pytest.raises(RecordingError):
        read_arms(other)
    done = CliRunner().invoke(fit_command, ["elbows", str(clips[0]), str(other)])
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert "no motion capture" in done.stderr
