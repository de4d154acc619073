"""Owns the comparison of solved bodies with recorded ones: chest, elbows, calm, cost."""

import time
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path

import numpy as np
from armspan.server.traces.arrays import Arrays
from armspan.server.traces.motion_capture import is_motion_capture, read_motion_capture
from armspan.server.traces.recorded_body import RecordedBody, read_body
from armspan.server.traces.recording import Recording
from armspan.server.traces.resampling import resample
from armspan.server.traces.rotations import rotate, unrolled
from armspan.solvers import DEFAULT_LENGTHS, MEMORY_SIZE, Method
from armspan.solvers.body.calibration import calibrate
from armspan.solvers.body.continuity import RATE_HZ, Pops, count_pops
from armspan.solvers.body.skeleton import (
    EYE_HEIGHT,
    EYES_FORWARD,
    EYES_UP,
    FOREARM,
    NECK,
    UPPER_ARM,
)
from armspan.solvers.body.stream import Stream, StreamAnswer, solve_part, solve_stream
from armspan.solvers.body.targets import shifted
from armspan.solvers.body.trunk import heading
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_UP = np.array([0.0, 1.0, 0.0])


class Chest(Enum):
    """What the solver is told about the trunk."""

    FOUND = "found"
    """Nothing: it is found from head and hands."""
    GIVEN = "given"
    """Its recorded pose."""


class Lengths(Enum):
    """Whose lengths are solved with."""

    RECORDED = "recorded"
    """The person's, as far as the recording has them."""
    CALIBRATED = "calibrated"
    """Those that head and hands of the whole clip tell."""
    DEFAULT = "default"


@dataclass(frozen=True)
class Comparison:
    """One clip: how far the solved body is from the recorded one.

    Elbows are judged where the hand is tracked and the recording calls it good; a share is of 1.
    """

    clip: str
    frames: int
    chest_mean_mm: float
    """Distance of the chest's origin; the recorded one is below the middle of both shoulders."""
    chest_p95_mm: float
    chest_yaw_median_deg: float
    """Between the two trunks' headings."""
    chest_yaw_p90_deg: float
    chest_tilt_mean_deg: float
    """Between the two trunks' up."""
    elbow_median_mm: float
    elbow_mean_mm: float
    elbow_p90_mm: float
    elbow_p95_mm: float
    converged: float
    """Share of tracked hands within 1 mm and 1 degree."""
    in_limits: float
    """Share of tracked hands whose arm's angles are all inside their limits."""
    reachable: float
    palm_missed_mean_mm: float
    pops: int
    """Steps of one arm that ``count_pops`` calls pops, the clip brought to 90 Hz."""
    pop_steps: int
    """Steps that were judged."""
    pop_worst: float
    """The largest share of what was allowed in a step."""
    us_per_body: float
    sternum_down_fit_m: float
    """What puts the chest, on average, at its recorded height below the base of the skull."""
    eye_height_m: float
    """The eyes' height that 95 % of the frames stay below."""

    def report(self) -> dict[str, float | int | str]:
        """The fields by name."""
        return asdict(self)


def compare(
    path: Path, method: Method, chest: Chest = Chest.FOUND, lengths: Lengths = Lengths.RECORDED
) -> Comparison:
    """Solve a clip of motion capture, and compare.

    Raises RecordingError if the file is no motion capture with chest and elbows.
    """
    arrays = Arrays(path)
    if not is_motion_capture(arrays):
        raise arrays.error("is no motion capture; chest_pos, elbow_pos and hand_quat are needed")
    recording = read_motion_capture(arrays)
    recorded = read_body(arrays, recording.lengths)
    poses = recording.poses.reshape(-1, 3, 7)
    own = _lengths(recording, lengths)
    stream = _stream(recording, own, recorded.chest if chest is Chest.GIVEN else None)
    answer, taken_s = _solved(method, stream)
    good = stream.tracked & ~arrays.flags("hand_bad", len(poses), 2)
    elbow_mm = 1e3 * np.linalg.norm(answer.position[:, :, 1] - recorded.elbows, axis=-1)[good]
    chest_mm = 1e3 * np.linalg.norm(answer.chest[:, :3] - recorded.chest[:, :3], axis=1)
    yaw_deg = _yaw_between(answer.chest[:, 3:], recorded.chest[:, 3:])
    pops = _pops(method, recording, own, recorded if chest is Chest.GIVEN else None)
    return Comparison(
        clip=recording.name,
        frames=len(poses),
        chest_mean_mm=float(chest_mm.mean()),
        chest_p95_mm=float(np.percentile(chest_mm, 95)),
        chest_yaw_median_deg=float(np.median(yaw_deg)),
        chest_yaw_p90_deg=float(np.percentile(yaw_deg, 90)),
        chest_tilt_mean_deg=float(_tilt_between(answer.chest, recorded.chest).mean()),
        elbow_median_mm=float(np.median(elbow_mm)),
        elbow_mean_mm=float(elbow_mm.mean()),
        elbow_p90_mm=float(np.percentile(elbow_mm, 90)),
        elbow_p95_mm=float(np.percentile(elbow_mm, 95)),
        converged=float(answer.converged[stream.tracked].mean()),
        in_limits=float(answer.in_limits[stream.tracked].mean()),
        reachable=float(answer.reachable[stream.tracked].mean()),
        palm_missed_mean_mm=float(1e3 * np.nanmean(answer.position_error_m)),
        pops=pops.number,
        pop_steps=pops.steps,
        pop_worst=pops.worst,
        us_per_body=1e6 * taken_s / len(poses),
        sternum_down_fit_m=_sternum_fit(poses[:, 0], recorded.chest, recording.lengths),
        eye_height_m=float(recording.lengths[EYE_HEIGHT]),
    )


def _lengths(recording: Recording, lengths: Lengths) -> Floats:
    if lengths is Lengths.RECORDED:
        return recording.lengths
    if lengths is Lengths.DEFAULT:
        return DEFAULT_LENGTHS.copy()
    poses = recording.poses.reshape(-1, 3, 7)
    return calibrate(poses[:, 0], poses[:, 1:], recording.tracked[:, 1:]).lengths


def _stream(recording: Recording, lengths: Floats, chests: Floats | None) -> Stream:
    poses = recording.poses.reshape(-1, 3, 7)
    return Stream(
        lengths=lengths,
        hands=np.ascontiguousarray(poses[:, 1:]),
        tracked=np.ascontiguousarray(recording.tracked[:, 1:]),
        heads=None if chests is not None else np.ascontiguousarray(poses[:, 0]),
        chests=chests,
        time_s=recording.time_s,
    )


def _pops(
    method: Method, recording: Recording, lengths: Floats, given: RecordedBody | None
) -> Pops:
    """Pops of the clip brought to 90 Hz and solved there."""
    even = resample(recording, RATE_HZ)
    chests = None if given is None else _at_times(recording.time_s, given.chest, even.time_s)
    stream = _stream(even, lengths, chests)
    answer = solve_stream(method, stream)
    arm_m = float(lengths[UPPER_ARM] + lengths[FOREARM])
    return count_pops(
        answer.position[:, :, 1], answer.rotation, stream.hands, arm_m, stream.tracked
    )


def _at_times(known_s: Floats, poses: Floats, elapsed_s: Floats) -> Floats:
    """Poses (M, 7) at times from the start, rotations along the chord."""
    columns = np.concatenate([poses[:, :3], unrolled(poses[:, 3:])], axis=1)
    found = np.empty((len(elapsed_s), 7))
    for column in range(7):
        found[:, column] = np.interp(elapsed_s, known_s - known_s[0], columns[:, column])
    found[:, 3:] /= np.linalg.norm(found[:, 3:], axis=1, keepdims=True)
    return found


def _solved(method: Method, stream: Stream) -> tuple[StreamAnswer, float]:
    """The answer, and the seconds of the processor that it took (the better of two runs)."""
    everything, taken_s = slice(None), np.inf
    answer = StreamAnswer.empty(len(stream.hands))
    for _ in range(2):
        call = solve_part(method, stream, everything, np.zeros(MEMORY_SIZE), answer)
        started_s = time.thread_time()
        call()
        taken_s = min(taken_s, time.thread_time() - started_s)
    return answer, float(taken_s)


def _sternum_fit(heads: Floats, chests: Floats, lengths: Floats) -> float:
    """The chest's origin below the base of the neck, given the neck's length and its bisector."""
    skulls = shifted(heads, (0.0, -lengths[EYES_UP], lengths[EYES_FORWARD]))[:, :3]
    trunk_up, head_up = rotate(chests[:, 3:], _UP), rotate(heads[:, 3:], _UP)
    along = trunk_up + head_up
    neck = lengths[NECK] * along / np.linalg.norm(along, axis=1, keepdims=True)
    return float(np.sum((skulls - neck - chests[:, :3]) * trunk_up, axis=1).mean())


def _yaw_between(a: Floats, b: Floats) -> Floats:
    """Degrees between where two trunks face (T, 4)."""
    ahead = np.array([[heading(tuple(q.tolist())) for q in rotations] for rotations in (a, b)])
    cosine = np.sum(ahead[0] * ahead[1], axis=1)
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _tilt_between(a: Floats, b: Floats) -> Floats:
    cosine = np.sum(rotate(a[:, 3:], _UP) * rotate(b[:, 3:], _UP), axis=1)
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
