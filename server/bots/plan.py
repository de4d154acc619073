"""Owns what a run of bots is asked to do, as it travels to each of its processes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from armspan.server.bots.casting import Part, cast_random, cast_recordings
from armspan.server.client import Trust
from armspan.server.traces import read_recording

BOTS_PER_PROCESS = 30  # one core carries about twice as many at 60 Hz


@dataclass(frozen=True)
class Plan:
    """Everything that a run needs to know."""

    url: str
    session: str
    count: int
    key: str | None = None
    poses: int = 1000
    seed: int = 0
    rate_hz: float = 60.0
    jitter_s: float = 0.002
    seconds: float | None = None  # None: until it is interrupted
    recordings: tuple[Path, ...] = ()  # none: random poses
    give_up_s: float = 30.0
    trust: Trust | None = None  # None: the system's authorities

    def cast(self) -> list[Part]:
        """Who plays what. Raises RecordingError for a file that is none."""
        if not self.recordings:
            return cast_random(self.count, self.poses, self.seed)
        people = [read_recording(path) for path in self.recordings]
        return cast_recordings(self.count, people, self.seed)

    def troupes(self, cores: int) -> list[Sequence[int]]:
        """Which bots run in which process: few processes, and never more than ``cores``."""
        wanted = -(-self.count // BOTS_PER_PROCESS)
        processes = max(1, min(wanted, cores))
        return [range(first, self.count, processes) for first in range(processes)]
