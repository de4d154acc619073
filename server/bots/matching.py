"""Owns the matching of snapshots with the samples behind them: which, and how late.

A snapshot says how old each avatar's sample was at the tick, in steps of 250 us. With the
receiver's clock sync this gives the sample's time within a millisecond, and the sender's log
then says which sample it was, and when exactly it left. Samples of one bot are 8 ms and more
apart, so no other is mistaken for it.
"""

import numpy as np
from armspan.server.bots.histogram import BIN_US, BINS
from armspan.server.bots.stage import LOG, PERSON_ID, SENT
from armspan.solvers.kernel import kernel
from numpy.typing import NDArray

TOLERANCE_US = 4_000.0
OLDEST_AGE_US = 1_000_000  # ages saturate at 1.02 s
MATCHED, FIRST, UNMATCHED, BACKWARDS = range(4)


@kernel
def match_samples(
    count: int,
    ids: NDArray[np.uint16],
    sample_age_us: NDArray[np.int64],
    bot_of_id: NDArray[np.int32],
    sent_us: NDArray[np.int64],
    bots: NDArray[np.int64],
    me: int,
    tick_us: float,
    received_us: float,
    newest: NDArray[np.int64],
    first_ms: NDArray[np.int64],
    synced_ms: NDArray[np.int64],
    tallies: NDArray[np.int64],
    sample_of_row: NDArray[np.int64],
) -> None:
    """Take in one snapshot at bot ``me``; all times are local monotonic microseconds.

    ``tick_us`` is the tick's time by the receiver's clock sync, ``newest`` (N,) the last sample
    seen of each bot (-1: none). Adds every first appearance to the histograms ``first_ms`` (from
    sending) and ``synced_ms`` (from the synced sample time). Adds to ``tallies`` (4,), and writes
    the sample's number, or -1, into ``sample_of_row`` (count,).
    """
    for row in range(count):
        sample_of_row[row] = -1
        bot = bot_of_id[ids[row]]
        if bot < 0 or bot == me or sample_age_us[row] >= OLDEST_AGE_US:
            continue
        expected_us = tick_us - sample_age_us[row]
        sample = _nearest(sent_us[bot], bots[bot, SENT], expected_us)
        if sample < 0:
            tallies[UNMATCHED] += 1
            continue
        sample_of_row[row] = sample
        tallies[MATCHED] += 1
        if sample < newest[bot]:
            tallies[BACKWARDS] += 1
        if sample > newest[bot]:
            newest[bot] = sample
            tallies[FIRST] += 1
            _count(first_ms, received_us - sent_us[bot, sample % LOG])
            _count(synced_ms, received_us - expected_us)


@kernel
def _nearest(log: NDArray[np.int64], sent: int, expected_us: float) -> int:
    """The number of the sample sent nearest to a time, or -1 if none was within tolerance."""
    best, best_us = -1, TOLERANCE_US
    oldest = max(0, sent - LOG + 1)  # the sender may be writing the one before
    sample = sent - 1
    while sample >= oldest:
        away_us = log[sample % LOG] - expected_us
        if abs(away_us) < best_us:
            best, best_us = sample, abs(away_us)
        if away_us < -TOLERANCE_US:
            break
        sample -= 1
    return best


@kernel
def _count(histogram: NDArray[np.int64], value_us: float) -> None:
    place = int(value_us / BIN_US)
    histogram[min(max(place, 0), BINS - 1)] += 1


def bots_by_id(bots: NDArray[np.int64]) -> NDArray[np.int32]:
    """Which bot has which person's id (65536,); -1 for people who are no bots."""
    table = np.full(65_536, -1, dtype=np.int32)
    known = np.flatnonzero(bots[:, PERSON_ID])
    table[bots[known, PERSON_ID]] = known
    return table
