"""Owns Armspan's own part in the comparison: `robust` in a batch, and a body at a time."""

from collections.abc import Iterable
from importlib.metadata import version

import numpy as np
from armspan.solvers import DEFAULT_LENGTHS, MEMORY_SIZE, Method
from armspan.solvers.body.stream import Stream, StreamAnswer, solve_part

from tests.bench.peers.arm import Floats
from tests.bench.peers.contest import Answers, processor_s, since_s

_CHEST = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


class Armspan:
    """The default method on both arms, from scratch for every body."""

    arms = 2
    installed = True

    def __init__(self, batched: bool) -> None:
        self._batched = batched
        self.key = "armspan_batch" if batched else "armspan_single"
        self.name = "Armspan, " + ("a batch" if batched else "one call a body")
        self.version = version("armspan")

    def palm(self, arm_angles: Floats) -> None:
        """It is the one that the others are compared with."""

    def solve(self, hands: Floats) -> Answers:
        answers = Answers.empty(len(hands))
        for part in self._parts(len(hands)):
            answers.joint_angles[part], seconds = _solve(hands[part])
            answers.seconds[part] = seconds / len(hands[part])
        return answers

    def _parts(self, count: int) -> Iterable[slice]:
        if self._batched:
            return [slice(0, count)]
        return (slice(row, row + 1) for row in range(count))


def _solve(hands: Floats) -> tuple[Floats, float]:
    tracked = np.ones((len(hands), 2), np.bool_)
    chests = np.tile(_CHEST, (len(hands), 1))
    answer = StreamAnswer.empty(len(hands))
    stream = Stream(DEFAULT_LENGTHS, hands, tracked, chests=chests)
    call = solve_part(Method.ROBUST, stream, slice(None), np.zeros(MEMORY_SIZE), answer)
    began_s = processor_s()
    call()
    return answer.joint_angles, since_s(began_s)
