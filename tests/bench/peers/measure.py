"""Owns the comparison: the same targets for all, in turns, judged by one forward kinematics."""

import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from armspan.solvers import DEFAULT_LENGTHS, Side, forward_kinematics
from armspan.solvers.body.poses import PoseSet, make_poses
from armspan.solvers.body.skeleton import JOINT_LOWER, JOINT_UPPER
from numpy.typing import NDArray

from tests.bench.peers import arm
from tests.bench.peers.arm import Floats
from tests.bench.peers.compiled import Pinocchio
from tests.bench.peers.contest import (
    SOLVED_M,
    SOLVED_RAD,
    Answers,
    Contestant,
    MissingError,
)
from tests.bench.peers.installed import Optik, TracIk
from tests.bench.peers.ours import Armspan

SETS = (PoseSet.RANDOM, PoseSet.STRETCHED)
TURN = 100  # bodies that one solver solves before the next one takes its turn
ROUNDS = 3  # a pose's time is the median of its rounds
PLACED_M = 1e-9  # how well a peer's kinematics must agree with ours
RELIABLE = 0.99  # solved inside the limits, of each set: who counts as a peer that respects them
WANTED_RATIO = 40.0
_ROUNDING_RAD = 1e-9
_CHEST = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
_MAKERS: tuple[Callable[[], Contestant], ...] = (
    lambda: Armspan(batched=True),
    lambda: Armspan(batched=False),
    lambda: Optik("speed"),
    lambda: Optik("quality"),
    TracIk,
    lambda: Pinocchio(restarts=False),
    lambda: Pinocchio(restarts=True),
)


@dataclass(frozen=True)
class Judgement:
    """How n answers of one solver stand."""

    missed_m: Floats
    missed_rad: Floats
    inside: NDArray[np.bool_]

    def solved(self, looser: float = 1.0) -> NDArray[np.bool_]:
        """Within 0.1 mm and 0.1 degrees (or so many times that), inside the limits."""
        near = (self.missed_m <= looser * SOLVED_M) & (self.missed_rad <= looser * SOLVED_RAD)
        return near & self.inside


def compare(poses: int, seeds: list[int]) -> dict[str, Any]:
    """Measure all that are installed; see docs/performance.md for what the figures mean."""
    contestants, missing = _present()
    told: dict[str, Any] = {
        "poses": poses,
        "seeds": seeds,
        "python": platform.python_version(),
        "missing": missing,
        "solvers": {
            each.key: {
                "name": each.name,
                "version": each.version,
                "arms": each.arms,
                "installed": each.installed,
            }
            for each in contestants
        },
    }
    with _one_core():
        for kind in SETS:
            hands = [make_poses(kind, poses, seed).hands for seed in seeds]
            for key, figures in _measure(contestants, hands).items():
                told["solvers"][key][kind.value] = figures
    return told | _ratios(told["solvers"])


def _present() -> tuple[list[Contestant], list[str]]:
    """Who takes part, each of the peers checked; and what is missing."""
    found: list[Contestant] = []
    missing: list[str] = []
    for make in _MAKERS:
        try:
            contestant = make()
        except MissingError as error:
            if str(error) not in missing:
                missing.append(str(error))
            continue
        check_kinematics(contestant)
        found.append(contestant)
    return found, missing


def check_kinematics(contestant: Contestant) -> None:
    """Raise ValueError unless the peer's arm is ours."""
    random = np.random.default_rng(0)
    for _ in range(50):
        angles = random.uniform(arm.LOWER, arm.UPPER)
        theirs = contestant.palm(angles)
        if theirs is None:
            return
        apart = float(np.abs(theirs - arm.palm(angles)).max())
        if not apart <= PLACED_M:
            raise ValueError(
                f"{contestant.name} places the palm {apart:g} from where Armspan does, more than "
                f"{PLACED_M:g}: the chain of tests/bench/peers/arm.py is not the skeleton's"
            )


@contextmanager
def _one_core() -> Iterator[None]:
    """Hold this thread, and those it starts, on one core, so that all figures are a core's."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _measure(contestants: list[Contestant], hands: list[Floats]) -> dict[str, dict[str, Any]]:
    """All solvers on poses (n, 2, 7) of each seed."""
    everything = np.concatenate(hands)
    blocks = [everything[at : at + TURN] for at in range(0, len(everything), TURN)]
    rounds: dict[str, list[list[Answers]]] = {each.key: [] for each in contestants}
    for contestant in contestants:
        contestant.solve(blocks[0])  # compiles, fills caches
    for _ in range(ROUNDS):
        for each in contestants:
            rounds[each.key].append([])
        for block in blocks:
            for each in contestants:
                rounds[each.key][-1].append(each.solve(block))
    told: dict[str, dict[str, Any]] = {}
    for each in contestants:
        angles = np.concatenate([answers.joint_angles for answers in rounds[each.key][0]])
        times = np.array(
            [np.concatenate([answers.seconds for answers in turn]) for turn in rounds[each.key]]
        )
        told[each.key] = _figures(judge(each, angles, everything), times, len(hands))
    return told


def judge(contestant: Contestant, joint_angles: Floats, hands: Floats) -> Judgement:
    """Where angles (n, 15) put the hands that the solver was asked for, and the limits."""
    sides = list(Side) if contestant.arms == 2 else [Side.RIGHT]
    missed_m, missed_rad = np.full((2, len(hands)), np.inf)
    inside = (joint_angles >= JOINT_LOWER - _ROUNDING_RAD).all(axis=1)
    inside &= (joint_angles <= JOINT_UPPER + _ROUNDING_RAD).all(axis=1)
    for row in np.flatnonzero(np.isfinite(joint_angles).all(axis=1)):
        frames = forward_kinematics(DEFAULT_LENGTHS, _CHEST, joint_angles[row])
        apart = frames.position[sides, 3] - hands[row, sides, :3]
        missed_m[row] = np.linalg.norm(apart, axis=1).max()
        missed_rad[row] = _turn(frames.rotation[sides, 2], hands[row, sides, 3:]).max()
    return Judgement(missed_m, missed_rad, inside)


def _turn(here: Floats, there: Floats) -> Floats:
    """Angles (k,) between rotations (k, 4); exact for small ones, where a cosine is not."""
    there = there * np.where((here * there).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
    return 4.0 * np.arcsin(np.minimum(0.5 * np.linalg.norm(here - there, axis=1), 1.0))


def _figures(judged: Judgement, times_s: Floats, seeds: int) -> dict[str, Any]:
    """One solver's figures on one set; ``times_s`` (rounds, n)."""
    us = 1e6 * np.median(times_s, axis=0)
    solved = judged.solved()
    return {
        "solved": float(solved.mean()),
        "unsolved": int((~solved).sum()),
        "solved_by_seed": [float(part.mean()) for part in np.split(solved, seeds)],
        "solved_1mm_1deg": float(judged.solved(10.0).mean()),
        "in_limits": float(judged.inside.mean()),
        "us": {
            "mean": float(us.mean()),
            "median": float(np.median(us)),
            "p99": float(np.percentile(us, 99)),
        },
    }


def _ratios(solvers: dict[str, Any]) -> dict[str, Any]:
    """How much longer one arm takes a peer than both arms take us in a batch, by mean times."""
    ours_us = _mean_us(solvers["armspan_batch"])
    ratios = {key: _mean_us(each) / ours_us for key, each in solvers.items() if each["arms"] == 1}
    reliable = {
        key: ratio
        for key, ratio in ratios.items()
        if min(solvers[key][kind.value]["solved"] for kind in SETS) >= RELIABLE
    }
    installed = {key: ratio for key, ratio in reliable.items() if solvers[key]["installed"]}
    return {"ratios": ratios, "best_peer": _least(installed), "best_loop": _least(reliable)}


def _mean_us(solver: dict[str, Any]) -> float:
    return float(np.mean([solver[kind.value]["us"]["mean"] for kind in SETS]))


def _least(ratios: dict[str, float]) -> dict[str, Any] | None:
    if not ratios:
        return None
    key = min(ratios, key=lambda each: ratios[each])
    return {"solver": key, "ratio": ratios[key]}
