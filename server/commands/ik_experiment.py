"""Owns the experiment of the 2001 paper: a set of poses, solved, counted and timed."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from armspan.solvers import DEFAULT_LENGTHS, MEMORY_SIZE, Method, Side
from armspan.solvers.body.continuity import RATE_HZ, Pops, count_pops
from armspan.solvers.body.luciano import MOST_ITERATIONS
from armspan.solvers.body.poses import PoseSet, make_poses, path_between
from armspan.solvers.body.skeleton import FOREARM, UPPER_ARM
from armspan.solvers.body.stream import Stream, StreamAnswer, solve_part, solve_stream
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PAPER_ITERATIONS = 13  # "most frequently in fewer than 13 iterations"
STEP_M = 0.02  # the furthest that elbow, wrist and palm of the original go in one frame
_PATH_POSES = 200
_TIMED_RUNS = 5  # the best counts: what else the machine does only ever adds
_ARM_M = float(DEFAULT_LENGTHS[UPPER_ARM] + DEFAULT_LENGTHS[FOREARM])


@dataclass(frozen=True)
class Tolerance:
    """How near a hand must come to count as solved."""

    metres: float
    radians: float

    def __str__(self) -> str:
        return f"{1e3 * self.metres:g} mm and {math.degrees(self.radians):g}°"


PAPER = Tolerance(1e-3, math.radians(1.0))
STRICT = Tolerance(1e-4, math.radians(0.1))


@dataclass(frozen=True)
class Calm:
    """What moved further than it should on ways through the poses, at 90 Hz."""

    elbow_jumps: int
    """Steps in which an elbow popped."""
    pops: int
    """Steps in which an elbow or a bone of the arm did."""
    steps: int
    """Steps judged; every arm has its own."""
    worst: float
    """The largest share of what was allowed."""
    frames: int


@dataclass(frozen=True)
class Result:
    """What came of one method on its poses, of all seeds together."""

    method: Method
    kind: PoseSet
    arms: int
    seeds: Sequence[int]
    in_limits: NDArray[np.bool_]
    """(n,) bodies with every angle of every tracked arm inside its limits."""
    certified: NDArray[np.bool_]
    """(n,) bodies of which some tracked hand was told to be out of reach."""
    iterations: NDArray[np.int32]
    """(n,) Newton steps a body took; MOST_ITERATIONS + 1: the 2001 method gave up."""
    missed_m: Floats
    """(n,) the worse hand's distance from its sensor."""
    missed_rad: Floats
    batched_us: float
    """Microseconds of the processor a body, when all are solved in one call."""
    single_us: Floats
    """(n,) microseconds of a call that solves one body."""
    calm: Calm

    @property
    def solved(self) -> NDArray[np.bool_]:
        """(n,) bodies with every tracked hand within the 1 mm and 1 degree of the paper."""
        return self.within(PAPER)

    def within(self, tolerance: Tolerance) -> NDArray[np.bool_]:
        """(n,) bodies with every tracked hand so near to its sensor."""
        near = self.missed_m <= tolerance.metres
        return near & (self.missed_rad <= tolerance.radians)

    @property
    def counted(self) -> NDArray[np.int32]:
        """Iterations of the solved bodies (of all, where none was solved)."""
        return self.iterations[self.solved] if self.solved.any() else self.iterations

    def report(self, tolerance: Tolerance = PAPER) -> dict[str, Any]:
        """The machine-readable result; fractions are of bodies, 0 to 1."""
        counted, strict = self.counted, self.within(STRICT)
        within = self.within(tolerance)
        return {
            "method": self.method.name.lower(),
            "poses": len(self.solved),
            "set": self.kind.value,
            "arms": self.arms,
            "seed": self.seeds[0],
            "seeds": list(self.seeds),
            "solved": float(self.solved.mean()),
            "solved_strict": float(strict.mean()),
            "in_limits": float(self.in_limits.mean()),
            "solved_in_limits": float((self.solved & self.in_limits).mean()),
            "solved_strict_in_limits": float((strict & self.in_limits).mean()),
            "certified": float(self.certified.mean()),
            "tolerance_m": tolerance.metres,
            "tolerance_rad": tolerance.radians,
            "within_tolerance": float(within.mean()),
            "within_tolerance_in_limits": float((within & self.in_limits).mean()),
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
            "elbow_jumps": self.calm.elbow_jumps,
            "elbow_path_frames": self.calm.frames,
            "pops": self.calm.pops,
            "pop_steps": self.calm.steps,
            "worst_pop": self.calm.worst,
        }


def _spread(values: Floats) -> dict[str, float]:
    return {
        "median": float(np.median(values)),
        "p99": float(np.percentile(values, 99)),
        "largest": float(values.max()),
    }


def run_experiment(
    method: Method, kind: PoseSet, arms: int, poses: int, seeds: Sequence[int]
) -> Iterator[Result | float]:
    """Run it; yields the share done (0 to 1) as it goes, and the result last.

    ``poses`` of each seed.
    """
    sides = [Side.RIGHT] if arms == 1 else [Side.LEFT, Side.RIGHT]
    stream = _stream(np.concatenate([make_poses(kind, poses, s).hands for s in seeds]), sides)
    bodies = len(stream.hands)
    answer = solve_stream(method, stream)  # compiles, too
    batched_s = [
        _timed(method, stream, slice(0, bodies), time.thread_time) for _ in range(_TIMED_RUNS)
    ]
    yield 0.1
    single_s = np.full(bodies, np.inf)
    for run in range(_TIMED_RUNS):
        for row in range(bodies):
            single_s[row] = min(single_s[row], _timed(method, stream, slice(row, row + 1)))
        yield 0.1 + 0.4 * (run + 1) / _TIMED_RUNS
    calm: list[Calm] = []
    for seed in seeds:
        calm.append(_calm(method, kind, min(poses, _PATH_POSES), seed, sides))
        yield 0.5 + 0.5 * len(calm) / len(seeds)
    yield Result(
        method=method,
        kind=kind,
        arms=arms,
        seeds=seeds,
        in_limits=np.logical_and.reduce(answer.in_limits[:, sides], axis=1),
        certified=~np.logical_and.reduce(answer.reachable[:, sides], axis=1),
        iterations=answer.iterations[:, sides].max(axis=1),
        missed_m=answer.position_error_m[:, sides].max(axis=1),
        missed_rad=answer.rotation_error_rad[:, sides].max(axis=1),
        batched_us=1e6 * min(batched_s) / bodies,
        single_us=1e6 * single_s,
        calm=Calm(
            elbow_jumps=sum(each.elbow_jumps for each in calm),
            pops=sum(each.pops for each in calm),
            steps=sum(each.steps for each in calm),
            worst=max(each.worst for each in calm),
            frames=sum(each.frames for each in calm),
        ),
    )


def _calm(method: Method, kind: PoseSet, poses: int, seed: int, sides: list[Side]) -> Calm:
    """Solve a way through the poses as one motion, and count what pops."""
    stream = _stream(path_between(make_poses(kind, poses, seed), STEP_M), sides, moving=True)
    answer = solve_stream(method, stream)
    elbows, still = answer.position[:, :, 1], np.zeros((len(stream.hands), 2, 1, 4))
    still[..., 3] = 1.0  # bones that never turn: what is left are the elbows' pops
    arms = _pops(stream, elbows, answer.rotation)
    return Calm(
        elbow_jumps=_pops(stream, elbows, still).number,
        pops=arms.number,
        steps=arms.steps,
        worst=arms.worst,
        frames=len(stream.hands),
    )


def _pops(stream: Stream, elbows: Floats, bones: Floats) -> Pops:
    return count_pops(elbows, bones, stream.hands, _ARM_M, stream.tracked)


def _stream(hands: Floats, sides: list[Side], moving: bool = False) -> Stream:
    tracked = np.zeros((len(hands), 2), np.bool_)
    tracked[:, sides] = True
    chests = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], (len(hands), 1))
    time_s = np.arange(len(hands)) / RATE_HZ if moving else None
    return Stream(DEFAULT_LENGTHS, hands, tracked, chests=chests, time_s=time_s)


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
