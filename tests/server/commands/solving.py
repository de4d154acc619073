"""Runs ``armspan solve`` on arrays, as its tests need it."""

from pathlib import Path
from typing import Any

import numpy as np
from armspan.server.commands.solve import solve
from armspan.solvers.body.poses import PoseSet, make_poses
from click.testing import CliRunner, Result

FRAMES = 40


def recorded(**changes: Any) -> dict[str, Any]:
    """A stream whose every hand can be reached; None takes an array away."""
    hands = make_poses(PoseSet.RANDOM, FRAMES, 0).hands
    arrays: dict[str, Any] = {
        "left_hand_position": hands[:, 0, :3],
        "left_hand_rotation": hands[:, 0, 3:],
        "right_hand_position": hands[:, 1, :3],
        "right_hand_rotation": hands[:, 1, 3:],
        "chest_position": np.zeros((FRAMES, 3)),
        "chest_rotation": np.tile([0.0, 0.0, 0.0, 1.0], (FRAMES, 1)),
    }
    arrays.update(changes)
    return {name: array for name, array in arrays.items() if array is not None}


def headed(**changes: Any) -> dict[str, Any]:
    """The same with a head in place of the chest, hands in front of the body."""
    spread = 0.1 * np.random.default_rng(1).normal(size=(2, FRAMES, 3))
    arrays: dict[str, Any] = {
        "chest_position": None,
        "chest_rotation": None,
        "left_hand_position": spread[0] + [-0.2, 1.15, -0.4],
        "right_hand_position": spread[1] + [0.2, 1.15, -0.4],
        "head_position": np.tile([0.0, 1.62, -0.09], (FRAMES, 1)),
        "head_rotation": np.tile([0.0, 0.0, 0.0, 1.0], (FRAMES, 1)),
    }
    return recorded(**{**arrays, **changes})


def moving(tall: float = 1.1, seconds: float = 3.0, **changes: Any) -> dict[str, Any]:
    """Head and hands of someone ``tall`` times the usual height, at 60 Hz, arms going about."""
    frames = round(60 * seconds)
    phase = np.linspace(0.0, 12.0, frames)[:, None] + [0.0, 1.0, 2.0]
    still = np.tile([0.0, 0.0, 0.0, 1.0], (frames, 1))
    arrays: dict[str, Any] = {
        "left_hand_position": tall * ([-0.2, 1.2, -0.4] + 0.15 * np.sin(phase)),
        "right_hand_position": tall * ([0.2, 1.2, -0.4] + 0.15 * np.cos(phase)),
        "left_hand_rotation": still,
        "right_hand_rotation": still,
        "head_position": np.tile([0.0, 1.62 * tall, -0.09], (frames, 1)),
        "head_rotation": still,
        "time_s": np.arange(frames) / 60.0,
    }
    return {name: array for name, array in {**arrays, **changes}.items() if array is not None}


def invoke(folder: Path, arrays: dict[str, Any], *options: str) -> Result:
    np.savez(folder / "in.npz", **arrays)
    return CliRunner().invoke(solve, [str(folder / "in.npz"), str(folder / "out.npz"), *options])


def solved(folder: Path, arrays: dict[str, Any], *options: str) -> dict[str, np.ndarray]:
    done = invoke(folder, arrays, *options)
    assert done.exit_code == 0, done.stderr
    assert done.stderr.count("\n") == ("head_position" in arrays and "lengths" not in arrays)
    assert "%" not in done.stderr  # no progress bar in a pipe
    with np.load(folder / "out.npz", allow_pickle=False) as out:
        return dict(out)


def refused(folder: Path, arrays: dict[str, Any], *options: str) -> str:
    done = invoke(folder, arrays, *options)
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not (folder / "out.npz").exists()
    return done.stderr
