"""Owns what a solver must do to take part: place a palm, solve targets, and time each solve."""

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from armspan.solvers import JOINT_NAMES

from tests.bench.peers.arm import Floats

SOLVED_M = 1e-4
SOLVED_RAD = float(np.radians(0.1))


class MissingError(Exception):
    """A solver cannot take part; says what is missing, in one line."""


@dataclass(frozen=True)
class Answers:
    """What came of n targets."""

    joint_angles: Floats
    """(n, 15) rad; NaN where the solver gave none. Those who solve one arm fill the right one."""
    seconds: Floats
    """(n,) of the processor, by ``processor_s``."""

    @classmethod
    def empty(cls, count: int) -> "Answers":
        return cls(np.full((count, len(JOINT_NAMES)), np.nan), np.zeros(count))


class Contestant(Protocol):
    """One solver with one choice of settings."""

    key: str
    """In JSON."""
    name: str
    """For people."""
    arms: int
    """How many it solves at once."""
    version: str
    installed: bool
    """Whether people can install it as it is measured here."""

    def palm(self, arm_angles: Floats) -> Floats | None:
        """(4, 4) its palm at angles (8,); None for our own solver."""
        ...

    def solve(self, hands: Floats) -> Answers:
        """Solve palms (n, 2, 7), one after the other."""
        ...


def processor_s() -> float:
    """The processor's time of this process, all threads: what neighbours do does not count."""
    return time.process_time()


# What reading the clock adds to an interval: as much as a tenth of the quickest solves.
CLOCK_S = float(np.median(np.diff([processor_s() for _ in range(2000)])))


def since_s(began_s: float) -> float:
    """The processor's time since a reading."""
    return processor_s() - began_s - CLOCK_S
