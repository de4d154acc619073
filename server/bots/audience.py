"""Owns what the bots of one process see: every snapshot checked, counted and timed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from armspan.server.bots.casting import Part
from armspan.server.bots.checking import deviation
from armspan.server.bots.histogram import new_histogram
from armspan.server.bots.matching import bots_by_id, match_samples
from armspan.server.bots.stage import BEGIN_US, END_US, EPOCH_US, LOG, SNAPSHOTS, Stage
from armspan.server.client import SessionClock, SnapshotFrame
from armspan.server.wire import SnapshotArrays
from numpy.typing import NDArray

IDS_EVERY_US = 500_000
CHECK_EVERY_US = 1_000_000
CHECKED_ROWS = 4


@dataclass
class Sights:
    """What was seen between the run's BEGIN_US and END_US, summed over a process's bots."""

    first_ms: NDArray[np.int64] = field(default_factory=new_histogram)
    synced_ms: NDArray[np.int64] = field(default_factory=new_histogram)
    tallies: NDArray[np.int64] = field(default_factory=lambda: np.zeros(4, dtype=np.int64))
    snapshots: dict[int, int] = field(default_factory=dict[int, int])  # by bot
    payload_bytes: int = 0
    avatars: int = 0
    palms_m: list[float] = field(default_factory=list[float])
    checked: int = 0
    errors: Counter[str] = field(default_factory=Counter[str])


class Audience:
    """The eyes of one process: ``take`` is called with every snapshot of each of its bots."""

    def __init__(self, stage: Stage, parts: Sequence[Part]) -> None:
        self.sights = Sights()
        self._unmeasured = Sights()  # takes what falls outside the measured time
        self._stage = stage
        self.parts = parts
        self._arrays = SnapshotArrays()
        self._sample_of_row = np.empty(self._arrays.capacity, dtype=np.int64)
        self._newest = np.full((len(parts), len(parts)), -1, dtype=np.int64)
        self._ticks: dict[int, int] = {}
        self._bot_of_id = bots_by_id(stage.bots)
        self._ids_due_us = 0
        self._check_due_us = dict.fromkeys(range(len(parts)), 0)

    def forget(self, bot: int) -> None:
        """Bot ``bot`` has a new connection: its ticks may begin anywhere."""
        self._ticks.pop(bot, None)

    def take(self, bot: int, frame: SnapshotFrame, clock: SessionClock) -> None:
        """Take in a snapshot that ``bot`` received. Raises BrokenServer if it is broken."""
        arrays, stage = self._arrays, self._stage
        count = frame.unpack(arrays)
        stage.bots[bot, SNAPSHOTS] += 1
        self._check_tick(bot, arrays.tick)
        if not clock.synchronised:
            return
        if frame.received_us >= self._ids_due_us:
            self._bot_of_id = bots_by_id(stage.bots)
            self._ids_due_us = frame.received_us + IDS_EVERY_US
        measured = self._is_measured(frame.received_us)
        sights = self.sights if measured else self._unmeasured
        self._match(bot, count, frame.received_us, clock, sights)
        sights.snapshots[bot] = sights.snapshots.get(bot, 0) + 1
        sights.payload_bytes += len(frame.payload)
        sights.avatars += count
        if measured and frame.received_us >= self._check_due_us[bot]:
            self._check_due_us[bot] = frame.received_us + CHECK_EVERY_US
            self._check_poses(bot, count)

    def _match(
        self, bot: int, count: int, received_us: int, clock: SessionClock, sights: Sights
    ) -> None:
        """Find the sample behind each avatar of the snapshot that was just unpacked."""
        match_samples(
            count,
            self._arrays.ids,
            self._arrays.sample_age_us,
            self._bot_of_id,
            self._stage.sent_us,
            self._stage.bots,
            bot,
            self._arrays.session_time_us - clock.offset_us,
            received_us,
            self._newest[bot],
            sights.first_ms,
            sights.synced_ms,
            sights.tallies,
            self._sample_of_row,
        )

    def _is_measured(self, received_us: int) -> bool:
        begin_us, end_us = self._stage.run[BEGIN_US], self._stage.run[END_US]
        begun = begin_us != 0 and begin_us <= received_us
        return bool(begun and (end_us == 0 or received_us < end_us))

    def _check_tick(self, bot: int, tick: int) -> None:
        before = self._ticks.get(bot)
        self._ticks[bot] = tick
        if before is not None and not 0 < (tick - before) % 2**32 < 2**31:
            self.sights.errors[f"a snapshot of tick {tick} came after tick {before}"] += 1

    def _check_poses(self, bot: int, count: int) -> None:
        """Compare a few avatars, other ones each time, with what their bots sent."""
        stage, arrays = self._stage, self._arrays
        matched = np.flatnonzero(self._sample_of_row[:count] >= 0)
        if not len(matched):
            return
        turn = int(stage.bots[bot, SNAPSHOTS])
        for step in range(min(CHECKED_ROWS, len(matched))):
            row = int(matched[(turn + bot + step) % len(matched)])
            other = int(self._bot_of_id[arrays.ids[row]])
            sent_us = int(stage.sent_us[other, self._sample_of_row[row] % LOG])
            elapsed_s = (sent_us - int(stage.run[EPOCH_US])) / 1e6
            found = deviation(arrays, row, self.parts[other], elapsed_s)
            self.sights.checked += 1
            self.sights.palms_m.extend(found.palms_m)
            if found.wrong:
                self.sights.errors["a head came back elsewhere than it was sent"] += 1
