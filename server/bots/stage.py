"""Owns the memory that all processes of a run share: what was sent when, and how far they are."""

import ctypes
from dataclasses import dataclass, field
from multiprocessing.context import SpawnContext
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

LOG = 256  # samples a bot's log holds: over 4 s at 60 Hz; snapshots tell ages up to 1 s
_WORDS: Final = 8  # 64-bit words for the run as a whole, before those of each bot
_PER_BOT: Final = 4
STOP, BEGIN_US, END_US, EPOCH_US = range(4)
PERSON_ID, CONNECTED, SENT, SNAPSHOTS = range(_PER_BOT)


@dataclass
class Stage:
    """The shared memory of a run of ``count`` bots; times are this machine's monotonic us.

    ``run`` (8,): STOP is not 0 when all should end; BEGIN_US to END_US is measured (0: not yet
    known); EPOCH_US is the run's beginning. ``bots`` (N, 4): PERSON_ID (0: unknown), CONNECTED,
    SENT (samples sent so far), SNAPSHOTS (received so far). ``sent_us`` (N, 256): when each bot
    sent its last samples; sample k stands at k % 256, and is written before SENT counts it.
    """

    count: int
    memory: Any  # from `shared_words`
    run: NDArray[np.int64] = field(init=False)
    bots: NDArray[np.int64] = field(init=False)
    sent_us: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        words = np.frombuffer(self.memory, dtype=np.int64)
        logs = _WORDS + self.count * _PER_BOT
        self.run = words[:_WORDS]
        self.bots = words[_WORDS:logs].reshape(self.count, _PER_BOT)
        self.sent_us = words[logs:].reshape(self.count, LOG)


def shared_words(context: SpawnContext, count: int) -> Any:
    """Memory for the stage of ``count`` bots, all zero, for processes of ``context``."""
    return context.RawArray(ctypes.c_int64, _WORDS + count * (_PER_BOT + LOG))
