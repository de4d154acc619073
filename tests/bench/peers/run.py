"""Owns the program: measures, and draws if asked to."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bench.peers.measure import compare
from tests.bench.peers.picture import draw

POSES = 1000
SEEDS = (0, 1, 2)


def run(
    poses: int = POSES, seeds: Sequence[int] = SEEDS, plot: str | None = None
) -> dict[str, Any]:
    """Measure, and tell; with ``plot`` write the picture there."""
    told = compare(poses, list(seeds))
    if plot is not None:
        draw(told, Path(plot))
    return told
