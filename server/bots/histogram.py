"""Owns histograms of milliseconds: they add up over bots and processes, and give percentiles."""

import numpy as np
from numpy.typing import NDArray

BIN_US = 20
BINS = 25_000  # 0.5 s; what is slower counts there


def new_histogram() -> NDArray[np.int64]:
    """An empty histogram (25000,) of 20-us bins."""
    return np.zeros(BINS, dtype=np.int64)


def percentile_ms(histogram: NDArray[np.int64], share: float) -> float | None:
    """The value that ``share`` (0 to 1) of the counted ones do not exceed; None if none are."""
    total = int(histogram.sum())
    if not total:
        return None
    reached = np.searchsorted(np.cumsum(histogram), share * total)
    return float((min(int(reached), BINS - 1) + 0.5) * BIN_US / 1000)
