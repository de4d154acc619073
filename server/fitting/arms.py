"""Owns recorded arms as the elbow model sees them: right arms in the chest's frame."""

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np
from armspan.server.traces.arrays import Arrays
from armspan.server.traces.motion_capture import is_motion_capture, read_motion_capture
from armspan.server.traces.recorded_body import RecordedBody, read_body
from armspan.server.traces.recording import Recording
from armspan.server.traces.rotations import Array, rotate
from armspan.solvers.body.skeleton import FOREARM, PALM, SHOULDER_LATERAL, SHOULDER_UP, UPPER_ARM
from numpy.typing import NDArray

Flags = NDArray[np.bool_]

_MIRROR = np.array([-1.0, 1.0, 1.0])


class Shoulders(Enum):
    """Where an arm is taken to begin, and how long it is."""

    RECORDED = "recorded"
    """At the recorded shoulder; the elbow goes round the circle that it was recorded on."""
    SKELETON = "skeleton"
    """At the skeleton's shoulder with the person's mean lengths: what a solver can know."""


@dataclass(frozen=True)
class Arms:
    """The good frames of both arms of a clip, left ones mirrored; metres, from the shoulder."""

    clip: str
    person: str
    rate_hz: float
    lengths: Array
    """(11,) of the person."""
    away: Array
    """(n, 3) shoulder to wrist."""
    hands: Array
    """(n, 3, 3): rows are the hand's X, Y and Z axes."""
    elbows: Array
    """(n, 3) shoulder to recorded elbow."""
    centres: Array
    """(n, 3) of the circle on which an elbow is placed."""
    radii: Array
    """(n,) of that circle."""

    def elbow_directions(self) -> Array:
        """Unit vectors (n, 3) across the arm in which the recorded elbow leaves its line."""
        u = self.away / np.linalg.norm(self.away, axis=1, keepdims=True)
        aside = self.elbows - np.sum(self.elbows * u, axis=1, keepdims=True) * u
        return aside / np.maximum(np.linalg.norm(aside, axis=1, keepdims=True), 1e-9)

    def errors_m(self, directions: Array) -> Array:
        """How far (n,) an elbow in these unit directions (n, 3) is from the recorded one."""
        placed = self.centres + self.radii[:, None] * directions
        return np.linalg.norm(placed - self.elbows, axis=1)


def read_arms(path: Path) -> dict[Shoulders, Arms]:
    """The arms of a motion-capture file. Raises RecordingError if it is none."""
    arrays = Arrays(path)
    if not is_motion_capture(arrays):
        raise arrays.error("is no motion capture; chest_pos, elbow_pos and hand_quat are needed")
    recording = read_motion_capture(arrays)
    body = read_body(arrays, recording.lengths)
    good = ~arrays.flags("hand_bad", len(recording.time_s), 2)
    return {shoulders: _arms(recording, body, good, shoulders) for shoulders in Shoulders}


def _arms(recording: Recording, body: RecordedBody, good: Flags, shoulders: Shoulders) -> Arms:
    lengths = recording.lengths
    palms = recording.poses.reshape(-1, 3, 7)[:, 1:]
    chest_from_world = body.chest[:, None, 3:] * np.array([-1.0, -1.0, -1.0, 1.0])

    def seen(points: Array) -> Array:
        return rotate(chest_from_world, points - body.chest[:, None, :3])

    axes = [rotate(chest_from_world, rotate(palms[..., 3:], axis)) for axis in np.eye(3)]
    wrists = seen(palms[..., :3]) + lengths[PALM] * axes[2]
    start = seen(body.shoulders)
    if shoulders is Shoulders.SKELETON:
        lateral, up = lengths[SHOULDER_LATERAL], lengths[SHOULDER_UP]
        start = np.broadcast_to(np.array([[-lateral, up, 0.0], [lateral, up, 0.0]]), start.shape)
    away = _right_arms(wrists - start, good)
    elbows = _right_arms(seen(body.elbows) - start, good)
    hands = np.stack([_right_arms(axis, good) for axis in axes], axis=1)
    hands[: good[:, 0].sum(), 0] *= -1.0  # a mirrored frame is right-handed with its X turned
    along, radii = (_own_circle if shoulders is Shoulders.RECORDED else _circle)(
        away, elbows, lengths
    )
    return Arms(
        clip=recording.name,
        person=person_of(recording),
        rate_hz=1.0 / float(np.median(np.diff(recording.time_s))),
        lengths=lengths,
        away=away,
        hands=hands,
        elbows=elbows,
        centres=away / np.linalg.norm(away, axis=1, keepdims=True) * along[:, None],
        radii=radii,
    )


def _right_arms(vectors: Array, good: Flags) -> Array:
    """The good rows of (T, 2, 3), left ones mirrored, then right ones."""
    return np.concatenate([vectors[good[:, 0], 0] * _MIRROR, vectors[good[:, 1], 1]])


def _own_circle(away: Array, elbows: Array, _: Array) -> tuple[Array, Array]:
    along = np.sum(elbows * away, axis=1) / np.linalg.norm(away, axis=1)
    square = np.sum(elbows * elbows, axis=1) - along * along
    return along, np.sqrt(np.maximum(square, 0.0))


def _circle(away: Array, _: Array, lengths: Array) -> tuple[Array, Array]:
    upper, fore = lengths[UPPER_ARM], lengths[FOREARM]
    reach = np.clip(np.linalg.norm(away, axis=1), abs(upper - fore) + 1e-6, upper + fore)
    along = (upper * upper + reach * reach - fore * fore) / (2.0 * reach)
    return along, np.sqrt(np.maximum(upper * upper - along * along, 0.0))


def person_of(recording: Recording) -> str:
    """Clips of one person share it: CMU names subjects, KTH's pair was recorded together."""
    subject = re.match(r"cmu_\d+", recording.name)
    return subject.group() if subject else recording.group or recording.name
