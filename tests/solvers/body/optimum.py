"""The constrained optimum by brute force: SciPy's bounded least squares from many random starts.

Nothing of the kernels under test but the forward kinematics (which has oracles of its own). It is
slow, so its answers are kept: ``python -m tests.solvers.body.optimum`` writes ``optimum.npz`` here.
"""

from pathlib import Path

import numpy as np
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.forward import arm_angles, arm_frames
from armspan.solvers.body.poses import PoseSet, make_poses, palms_of
from armspan.solvers.body.skeleton import JOINT_LOWER, JOINT_UPPER
from armspan.solvers.body.targets import Task, make_task, twist_between
from scipy.optimize import least_squares

KEPT = Path(__file__).with_name("optimum.npz")
WEIGHT = np.array([1.0, 1.0, 1.0, 0.1, 0.1, 0.1])  # a radian of turn costs as much as 0.1 m
CHEST = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
_CASES = 40
_STARTS = 30


def task_of(hands: np.ndarray, tracked: np.ndarray) -> Task:
    return make_task(CHEST, hands, bool(tracked[0]), bool(tracked[1]), DEFAULT_LENGTHS)


def residual(joint_angles: np.ndarray, task: Task) -> np.ndarray:
    """(6,) or (12,) of the tracked hands, metres."""
    parts = []
    for side in range(2):
        if task.tracked[side]:
            palm = arm_frames(arm_angles(joint_angles, side), task.lengths)[3]
            parts.append(WEIGHT * twist_between(task.palms[side], palm))
    return np.concatenate(parts)


def missed(joint_angles: np.ndarray, task: Task) -> float:
    return float(np.linalg.norm(residual(joint_angles, task)))


def optimum(task: Task, random: np.random.Generator, starts: int = _STARTS) -> float:
    """The least that can be missed (m), the best of many local minima."""
    best = np.inf
    middle, half = 0.5 * (JOINT_LOWER + JOINT_UPPER), 0.5 * (JOINT_UPPER - JOINT_LOWER)
    for _ in range(starts):
        start = middle + random.uniform(-0.95, 0.95, 15) * half
        found = least_squares(
            residual, start, bounds=(JOINT_LOWER, JOINT_UPPER), args=(task,), x_scale=1.0,
            ftol=1e-8, xtol=1e-8, gtol=1e-10, max_nfev=150,
        )  # fmt: skip
        best = min(best, float(np.linalg.norm(found.fun)))
    return best


def kept_cases(kind: str, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The first palms (n, 2, 7) whose optimum is kept, which of them count, and that (n,), m."""
    hands, tracked = cases(kind, _CASES, 1)
    with np.load(KEPT) as kept:
        return hands[:count], tracked[:count], kept[kind][:count]


def _any_rotation(random: np.random.Generator, count: int) -> np.ndarray:
    q = random.normal(size=(count, 2, 4))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def cases(kind: str, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Palms (n, 2, 7) and which of them count (n, 2)."""
    random = np.random.default_rng(seed)
    tracked = np.ones((count, 2), np.bool_)
    angles = random.uniform(JOINT_LOWER, JOINT_UPPER, (count, 15))
    straight = np.zeros((count, 2))
    match kind:
        case "out of reach":
            return make_poses(PoseSet.UNREACHABLE, count, seed).hands, tracked
        case "one out of reach":
            tracked[np.arange(count), np.arange(count) % 2] = False
            return make_poses(PoseSet.UNREACHABLE, count, seed).hands, tracked
        case "wrists beyond limits":
            wrists = [6, 7, 13, 14]
            over = np.radians(random.uniform(10.0, 50.0, (count, 4)))
            upward = random.random((count, 4)) < 0.5
            angles[:, wrists] = np.where(
                upward, JOINT_UPPER[wrists] + over, JOINT_LOWER[wrists] - over
            )
            return palms_of(angles, straight), tracked
        case "one hand turned anyhow":
            hands = palms_of(angles, straight)
            hands[..., 3:] = _any_rotation(random, count)
            tracked[np.arange(count), np.arange(count) % 2] = False
            return hands, tracked
        case "two torsos":
            angles[:, [4, 11]] *= 0.2
            angles[:, 0] = JOINT_LOWER[0] * np.where(np.arange(count) % 2, 1.0, -1.0)
            hands = palms_of(angles, straight)
            angles[:, 0] *= -1.0
            hands[:, 1] = palms_of(angles, straight)[:, 1]
            return hands, tracked
        case "far away":
            hands = np.zeros((count, 2, 7))
            away = random.normal(size=(count, 2, 3))
            hands[..., :3] = 100.0 * away / np.linalg.norm(away, axis=-1, keepdims=True)
            hands[..., 3:] = _any_rotation(random, count)
            return hands, tracked
        case "at the shoulder":
            hands = np.zeros((count, 2, 7))
            hands[..., :3] = random.normal(scale=0.1, size=(count, 2, 3))
            hands[:, 0, 0] -= 0.18
            hands[:, 1, 0] += 0.18
            hands[..., 3:] = _any_rotation(random, count)
            return hands, tracked
    raise ValueError(kind)


KINDS = (
    "out of reach", "one out of reach", "wrists beyond limits", "one hand turned anyhow",
    "two torsos", "far away", "at the shoulder",
)  # fmt: skip


def main() -> None:
    kept = {}
    for kind in KINDS:
        hands, tracked = cases(kind, _CASES, 1)
        random = np.random.default_rng(2)
        kept[kind] = np.array(
            [optimum(task_of(*row), random) for row in zip(hands, tracked, strict=True)]
        )
    np.savez_compressed(KEPT, **kept)


if __name__ == "__main__":
    main()
