"""Owns who plays what: every bot's motion, place, size, clock and name, from one seed.

Every process of a run works the cast out for itself, so all of them know what each bot sends
at each moment.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from armspan.protocol import Lengths, caps, clean_name
from armspan.protocol.errors import clip_utf8
from armspan.server.bots.motion import Motion, Place, sample_motion
from armspan.server.bots.places import places
from armspan.server.bots.random_motion import random_motion
from armspan.server.bots.replay import motion_of
from armspan.server.traces import Recording
from armspan.server.traces.rotations import rotate
from numpy.typing import NDArray

SIZES = (0.92, 1.08)  # of random people, against the 50th percentile
CLOCKS_US = 2**40  # senders' clocks start anywhere in the first two weeks of a machine's life


@dataclass(frozen=True)
class Part:
    """What one bot plays."""

    name: str
    motion: Motion
    place: Place
    scale: float
    start_s: float  # into the motion
    phase: float  # of its clock's ticks, in periods
    clock_us: int  # its clock's reading when the machine's monotonic time is 0

    @property
    def lengths(self) -> Lengths:
        """The person's lengths, as hello tells them: within the protocol's bounds."""
        row = self.motion.lengths * self.scale
        bounded = [
            min(max(float(length_m), cap.low_m), cap.high_m)
            for length_m, cap in zip(row, caps.LENGTHS, strict=True)
        ]
        return Lengths.from_row(bounded)

    def pose(self, elapsed_s: float, out: NDArray[np.float64]) -> int:
        """Write the sensors (21,) at a time since the run's beginning; returns tracked bits."""
        return sample_motion(self.motion, self.start_s + elapsed_s, self.place, self.scale, out)


def cast_random(count: int, poses: int, seed: int) -> list[Part]:
    """``count`` people of different sizes, spread evenly along one loop of random poses."""
    motion = random_motion(poses, seed)
    random = np.random.default_rng([seed, 1])
    parts: list[Part] = []
    for index, place in enumerate(places(count)):
        parts.append(
            Part(
                name=f"Bot {index + 1}",
                motion=motion,
                place=place,
                scale=float(random.uniform(*SIZES)),
                start_s=motion.period_s * index / count,
                phase=float(random.uniform()),
                clock_us=int(random.integers(CLOCKS_US)),
            )
        )
    return parts


def cast_recordings(count: int, recordings: Sequence[Recording], seed: int) -> list[Part]:
    """``count`` people who play ``recordings`` in turn, again from the first after the last.

    Recordings of one group, dealt in the same turn, keep their common world and clock. Alone,
    a person is turned so as to look at the middle of the room.
    """
    random = np.random.default_rng([seed, 2])
    dealt = [(index // len(recordings), index % len(recordings)) for index in range(count)]
    units: dict[tuple[int, str], list[int]] = {}
    for turn, which in dealt:
        together = recordings[which].group or f"alone {which}"
        units.setdefault((turn, together), []).append(which)
    parts: dict[tuple[int, int], Part] = {}
    for (unit, members), place in zip(units.items(), places(len(units)), strict=True):
        centre = np.mean([_middle(recordings[which]) for which in members], axis=0)
        turned = 0.0 if len(members) > 1 else _heading(recordings[members[0]])
        at = Place(place.x_m, place.z_m, place.yaw_rad - turned)
        start_s = float(random.uniform(0, 3600)) if unit[0] else 0.0
        for which in members:
            parts[unit[0], which] = Part(
                name=_name(recordings[which], unit[0]),
                motion=motion_of(recordings[which], centre),
                place=at,
                scale=1.0,
                start_s=start_s,
                phase=float(random.uniform()),
                clock_us=int(random.integers(CLOCKS_US)),
            )
    return [parts[key] for key in dealt]


def _middle(recording: Recording) -> NDArray[np.float64]:
    """Where the person's head is on average, from above: x, z."""
    return recording.poses[:, [0, 2]].mean(axis=0)


def _heading(recording: Recording) -> float:
    """The yaw of where the person looks on average."""
    forward = rotate(recording.poses[:, 3:7], np.array([0.0, 0.0, -1.0])).mean(axis=0)
    return math.atan2(-forward[0], -forward[2])


def _name(recording: Recording, turn: int) -> str:
    number = f" {turn + 1}" if turn else ""
    words = clean_name(recording.name.replace("_", " ")).capitalize() or "Somebody"
    return clip_utf8(words, caps.NAME_BYTES - len(number)).rstrip() + number
