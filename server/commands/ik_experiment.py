"""Owns the experiment of the 2001 paper: a set of poses, solved, counted and timed."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from armspan.solvers import DEFAULT_LENGTHS, MEMORY_SIZE, Method, Side
from armspan.solvers.luciano import MOST_ITERATIONS
from armspan.solvers.poses import PoseSet, make_poses, path_between
from armspan.solvers.stream import Stream, StreamAnswer, solve_part, solve_stream
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PAPER_ITERATIONS = 13  # "most frequently in fewer than 13 iterations"
JUMP_M = 0.05  # an elbow that goes so far in one frame has jumped
STEP_M = 0.02  # the furthest that elbow, wrist and palm of the original go in one frame
_PATH_POSES = 200
_TIMED_RUNS = 5  # the best counts: what else the machine does only ever adds


@dataclass(frozen=True)
class Result:
    """What came of one set of poses."""

    method: Method
    kind: PoseSet
    arms: int
    seed: int
    solved: NDArray[np.bool_]
    """(n,) bodies with every tracked hand within 1 mm and 1 degree."""
    in_limits: NDArray[np.bool_]
    """(n,) bodies with every angle of every tracked arm inside its limits."""
    iterations: NDArray[np.int32]
    """(n,) Newton steps a body took; MOST_ITERATIONS + 1: the 2001 method gave up."""
    missed_m: Floats
    """(n,) the worse hand's distance from its sensor."""
    missed_rad: Floats
    batched_us: float
    """Microseconds of the processor a body, when all are solved in one call."""
    single_us: Floats
    """(n,) microseconds of a call that solves one body."""
    jumps: int
    """Elbow jumps on a way through the poses."""
    path_frames: int

    @property
    def counted(self) -> NDArray[np.int32]:
        """Iterations of the solved bodies (of all, where none was solved)."""
        return self.iterations[self.solved] if self.solved.any() else self.iterations

    def report(self) -> dict[str, Any]:
        """The machine-readable result; fractions are of bodies, 0 to 1."""
        counted = self.counted
        return {
            "method": self.method.name.lower(),
            "poses": len(self.solved),
            "set": self.kind.value,
            "arms": self.arms,
            "seed": self.seed,
            "solved": float(self.solved.mean()),
            "in_limits": float(self.in_limits.mean()),
            "solved_in_limits": float((self.solved & self.in_limits).mean()),
            "iterations": {
                "mode": int(np.bincount(counted).argmax()),
                "median": float(np.median(counted)),
                "p99": float(np.percentile(counted, 99)),
                "under_13": float((self.solved & (self.iterations < PAPER_ITERATIONS)).mean()),
                "most": MOST_ITERATIONS if self.method is Method.LUCIANO else int(counted.max()),
            },
            "us_per_body": {
                "batched": self.batched_us,
                "single": float(np.median(self.single_us)),
                "p99": float(np.percentile(self.single_us, 99)),
            },
            "missed_m": _spread(self.missed_m),
            "missed_rad": _spread(self.missed_rad),
            "elbow_jumps": self.jumps,
            "elbow_path_frames": self.path_frames,
        }


def _spread(values: Floats) -> dict[str, float]:
    return {
        "median": float(np.median(values)),
        "p99": float(np.percentile(values, 99)),
        "largest": float(values.max()),
    }


def run_experiment(
    method: Method, kind: PoseSet, arms: int, poses: int, seed: int
) -> Iterator[Result | float]:
    """Run it; yields the share done (0 to 1) as it goes, and the result last."""
    made = make_poses(kind, poses, seed)
    sides = [Side.RIGHT] if arms == 1 else [Side.LEFT, Side.RIGHT]
    stream = _stream(made.hands, sides)
    answer = solve_stream(method, stream)  # compiles, too
    batched_s = [
        _timed(method, stream, slice(0, poses), time.thread_time) for _ in range(_TIMED_RUNS)
    ]
    yield 0.1
    single_s = np.full(poses, np.inf)
    for run in range(_TIMED_RUNS):
        for row in range(poses):
            single_s[row] = min(single_s[row], _timed(method, stream, slice(row, row + 1)))
        yield 0.1 + 0.4 * (run + 1) / _TIMED_RUNS
    path = _stream(path_between(make_poses(kind, min(poses, _PATH_POSES), seed), STEP_M), sides)
    elbows = solve_stream(method, path).position[:, sides, 1]
    moved = np.linalg.norm(np.diff(elbows, axis=0), axis=-1)
    yield 1.0
    yield Result(
        method=method,
        kind=kind,
        arms=arms,
        seed=seed,
        solved=np.logical_and.reduce(answer.converged[:, sides], axis=1),
        in_limits=np.logical_and.reduce(answer.in_limits[:, sides], axis=1),
        iterations=answer.iterations[:, sides].max(axis=1),
        missed_m=answer.position_error_m[:, sides].max(axis=1),
        missed_rad=answer.rotation_error_rad[:, sides].max(axis=1),
        batched_us=1e6 * min(batched_s) / poses,
        single_us=1e6 * single_s,
        jumps=int((moved > JUMP_M).sum()),
        path_frames=len(elbows),
    )


def _stream(hands: Floats, sides: list[Side]) -> Stream:
    tracked = np.zeros((len(hands), 2), np.bool_)
    tracked[:, sides] = True
    chests = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], (len(hands), 1))
    return Stream(DEFAULT_LENGTHS, hands, tracked, chests=chests)


def _timed(
    method: Method, stream: Stream, part: slice, clock: Callable[[], float] = time.perf_counter
) -> float:
    answer = StreamAnswer.empty(len(stream.hands[part]))
    rows = Stream(
        stream.lengths, stream.hands[part], stream.tracked[part],
        chests=None if stream.chests is None else stream.chests[part],
    )  # fmt: skip
    call = solve_part(method, rows, slice(None), np.zeros(MEMORY_SIZE), answer)
    started_s = clock()
    call()
    return clock() - started_s
