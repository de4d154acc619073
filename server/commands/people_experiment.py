"""Owns the comparison of solved bodies with recorded ones: chest, elbows, calm, cost."""

import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from armspan.server.traces.arrays import Arrays
from armspan.server.traces.motion_capture import is_motion_capture, read_motion_capture
from armspan.server.traces.rotations import rotate
from armspan.solvers import MEMORY_SIZE, Method
from armspan.solvers.skeleton import EYE_HEIGHT, EYES_FORWARD, EYES_UP, NECK, SHOULDER_UP
from armspan.solvers.stream import Stream, StreamAnswer, solve_part
from armspan.solvers.targets import shifted
from armspan.solvers.trunk import heading
from numpy.typing import NDArray

Floats = NDArray[np.float64]

JUMP_M = 0.03  # beyond three times what the recorded elbow and hand did in the same frame
_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Comparison:
    """One clip: means and percentiles of how far the solved body is from the recorded one."""

    clip: str
    frames: int
    chest_mean_mm: float
    chest_p95_mm: float
    chest_yaw_median_deg: float
    chest_yaw_p90_deg: float
    chest_tilt_mean_deg: float
    elbow_median_mm: float
    elbow_mean_mm: float
    elbow_p95_mm: float
    converged: float
    reachable: float
    palm_missed_mean_mm: float
    elbow_jumps: int
    us_per_body: float
    sternum_down_fit_m: float
    """What puts the chest, on average, at its recorded height below the base of the skull."""
    eye_height_m: float
    """The eyes' height that 95 % of the frames stay below."""

    def report(self) -> dict[str, float | int | str]:
        """The fields by name."""
        return asdict(self)


@dataclass(frozen=True)
class _Recorded:
    """What the cameras saw besides the sensors, in Armspan's conventions."""

    chest: Floats  # (T, 7)
    elbows: Floats  # (T, 2, 3)


def compare(path: Path, method: Method) -> Comparison:
    """Solve a clip of motion capture from head and palms, and compare.

    Raises RecordingError if the file is no motion capture with chest and elbows.
    """
    arrays = Arrays(path)
    if not is_motion_capture(arrays):
        raise arrays.error("is no motion capture; chest_pos, elbow_pos and hand_quat are needed")
    recording = read_motion_capture(arrays)
    recorded = _recorded(arrays, recording.lengths)
    poses = recording.poses.reshape(-1, 3, 7)
    stream = Stream(
        lengths=recording.lengths,
        hands=np.ascontiguousarray(poses[:, 1:]),
        tracked=np.ascontiguousarray(recording.tracked[:, 1:]),
        heads=np.ascontiguousarray(poses[:, 0]),
        time_s=recording.time_s,
    )
    answer, taken_s = _solved(method, stream)
    good = stream.tracked & ~arrays.flags("hand_bad", len(poses), 2)
    elbow_mm = 1e3 * np.linalg.norm(answer.position[:, :, 1] - recorded.elbows, axis=-1)[good]
    chest_mm = 1e3 * np.linalg.norm(answer.chest[:, :3] - recorded.chest[:, :3], axis=1)
    yaw_deg = _yaw_between(answer.chest[:, 3:], recorded.chest[:, 3:])
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
        elbow_p95_mm=float(np.percentile(elbow_mm, 95)),
        converged=float(answer.converged[stream.tracked].mean()),
        reachable=float(answer.reachable[stream.tracked].mean()),
        palm_missed_mean_mm=float(1e3 * np.nanmean(answer.position_error_m)),
        elbow_jumps=_jumps(answer, recorded, stream),
        us_per_body=1e6 * taken_s / len(poses),
        sternum_down_fit_m=_sternum_fit(poses[:, 0], recorded.chest, recording.lengths),
        eye_height_m=float(recording.lengths[EYE_HEIGHT]),
    )


def _recorded(arrays: Arrays, lengths: Floats) -> _Recorded:
    """The trunk as our skeleton has it: its origin below the middle of both shoulders."""
    facing = np.array([-1.0, 1.0, -1.0])  # the clips face +Z, we face -Z
    shoulders = facing * arrays.floats("shoulder_pos", -1, 2, 3)
    frames = len(shoulders)
    turned_wxyz = arrays.rotations("chest_quat", frames, 4)
    rotation = turned_wxyz[:, [1, 2, 3, 0]] * np.array([-1.0, 1.0, -1.0, 1.0])
    down = rotate(rotation, np.array([0.0, -lengths[SHOULDER_UP], 0.0]))
    origin = shoulders.mean(axis=1) + down
    return _Recorded(
        chest=np.concatenate([origin, rotation], axis=1),
        elbows=facing * arrays.floats("elbow_pos", frames, 2, 3),
    )


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


def _jumps(answer: StreamAnswer, recorded: _Recorded, stream: Stream) -> int:
    def moved(points: Floats) -> Floats:
        return np.linalg.norm(np.diff(points, axis=0), axis=-1)

    own = np.maximum(moved(recorded.elbows), moved(stream.hands[..., :3]))
    return int((moved(answer.position[:, :, 1]) > JUMP_M + 3.0 * own).sum())
