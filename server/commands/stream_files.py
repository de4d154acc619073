"""Owns the files of ``armspan solve``: reads recorded streams, writes answers.

A file may come from anyone, so nothing in it is trusted: pickles are refused, and every array is
checked before a solver sees it. Errors name the array and the row, the rule, and the next step.
"""

import io
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from armspan.protocol import caps
from armspan.server.traces.arrays import Arrays
from armspan.server.traces.npz import NpzFile, shown
from armspan.server.traces.recording import RecordingError, check_duration
from armspan.solvers.body.skeleton import (
    EYES_FORWARD,
    EYES_UP,
    JOINT_NAMES,
    LENGTH_NAMES,
)
from armspan.solvers.body.stream import Stream, StreamAnswer
from armspan.solvers.body.targets import HandFrame, palms_from_hands, shifted
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SIDES = ("left", "right")
_HEAD_FRAMES = ("eyes", "skull_base")
_LEAST_NORM = 1e-9  # a quaternion shorter than this has no direction


class StreamFileError(RecordingError):
    """A file cannot be used; the message says why, and what would do."""


@dataclass(frozen=True)
class RecordedStream:
    """What a file holds over T frames, before a person's lengths place palms and eyes."""

    hands: Floats
    """(T, 2, 7) in their frame."""
    hand_frame: HandFrame
    tracked: NDArray[np.bool_]
    """(T, 2): which hands have a pose."""
    heads: Floats | None
    """(T, 7); None where the chest is given."""
    at_skull_base: bool
    """Whether heads are given there, and not between the eyes."""
    chests: Floats | None
    """(T, 7)"""
    time_s: Floats | None
    """(T,) if the frames are one motion."""
    lengths: Floats | None
    """(11,) of the person, where the file has them."""

    def stream(self, lengths: Floats) -> Stream:
        """The stream of someone with these lengths (11,): hands as palms, heads as eyes."""
        heads = self.heads
        if heads is not None and self.at_skull_base:
            heads = shifted(heads, (0.0, lengths[EYES_UP], -lengths[EYES_FORWARD]))
        palms = palms_from_hands(self.hands, self.hand_frame, lengths)
        return Stream(lengths, palms, self.tracked, heads, self.chests, self.time_s)

    @property
    def duration_s(self) -> float:
        """From the first frame to the last; 0 if the frames are no motion."""
        times = self.time_s
        return float(times[-1] - times[0]) if times is not None and len(times) else 0.0


def read_recorded_stream(path: Path) -> RecordedStream:
    """The stream that a file holds, rotations normalised.

    A hand whose row has a NaN, or that has no arrays at all, is not tracked. Raises RecordingError.
    """
    arrays = _Arrays(path)
    lengths = Arrays(path).lengths() if arrays.has_lengths() else None
    frames = arrays.frames()
    hands = np.zeros((frames, 2, 7))
    hands[..., 6] = 1.0
    tracked = np.zeros((frames, 2), np.bool_)
    for side, name in enumerate(_SIDES):
        if arrays.has_pose(f"{name}_hand"):
            hands[:, side], tracked[:, side] = arrays.poses(f"{name}_hand", may_be_lost=True)
    frame = HandFrame[arrays.word("hand_frame", [f.name.lower() for f in HandFrame]).upper()]
    heads = chests = None
    at_skull_base = False
    if arrays.has_pose("chest"):
        chests, _ = arrays.poses("chest", may_be_lost=False)
    elif arrays.has_pose("head"):
        heads, _ = arrays.poses("head", may_be_lost=False)
        at_skull_base = arrays.word("head_frame", _HEAD_FRAMES) == "skull_base"
    else:
        raise arrays.error(
            "has neither chest_position and chest_rotation nor head_position and head_rotation; "
            "give either pair"
        )
    times = arrays.times()
    return RecordedStream(hands, frame, tracked, heads, at_skull_base, chests, times, lengths)


class _Arrays:
    """The arrays of one file, checked as they are taken."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._arrays = NpzFile(path)

    def error(self, text: str) -> StreamFileError:
        return StreamFileError(f"{self._path}: {text}")

    def has_lengths(self) -> bool:
        """Whether the file says how long the person's limbs are."""
        return "lengths" in self._arrays

    def has_pose(self, name: str) -> bool:
        """Whether both arrays of a pose are there; one alone is an error."""
        parts = [f"{name}_{part}" for part in ("position", "rotation")]
        missing = [part for part in parts if part not in self._arrays]
        if len(missing) == 1:
            (there,) = set(parts) - set(missing)
            raise self.error(f"has {there} but no {missing[0]}; give both or neither")
        return not missing

    def frames(self) -> int:
        """How many frames the file has, by the first pose in it."""
        for name in ("left_hand", "right_hand", "chest", "head"):
            if f"{name}_position" in self._arrays and self._arrays[f"{name}_position"].ndim:
                return len(self._arrays[f"{name}_position"])
        return 0

    def poses(self, name: str, may_be_lost: bool) -> tuple[Floats, NDArray[np.bool_]]:
        """Poses (T, 7) with unit rotations, and which rows hold one."""
        position = self._rows(f"{name}_position", 3)
        rotation = self._rows(f"{name}_rotation", 4)
        there = np.logical_not(np.isnan(np.hstack([position, rotation])).any(axis=1))
        if not may_be_lost and not there.all():
            part = position if np.isnan(position).any() else rotation
            row = int(np.flatnonzero(np.isnan(part).any(axis=1))[0])
            which = "position" if part is position else "rotation"
            raise self.error(f"{name}_{which} row {row} is NaN; only hands may be missing")
        self._check(f"{name}_position", position, ~(np.abs(position) <= caps.COORDINATE_M), there,
                    f"coordinates within {caps.COORDINATE_M:g} metres are wanted")  # fmt: skip
        self._check(f"{name}_rotation", rotation, np.isinf(rotation), there,
                    "finite numbers are wanted")  # fmt: skip
        largest = np.abs(rotation).max(axis=1, keepdims=True, initial=0.0)
        self._check(f"{name}_rotation", rotation, largest < _LEAST_NORM, there,
                    "a quaternion that is not zero is wanted")  # fmt: skip
        poses = np.zeros((len(position), 7))
        poses[:, 6] = 1.0
        scaled = rotation[there] / largest[there]  # no square can overflow
        poses[there, :3] = position[there]
        poses[there, 3:] = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
        return poses, there

    def _check(self, name: str, rows: Floats, wrong: NDArray[np.bool_], there: NDArray[np.bool_],
               rule: str) -> None:  # fmt: skip
        bad = np.flatnonzero(wrong.any(axis=1) & there)
        if len(bad):
            raise self.error(f"{name} row {bad[0]} is {rows[bad[0]].tolist()}; {rule}")

    def _rows(self, name: str, width: int) -> Floats:
        return self._floats(name, (self.frames(), width))

    def _floats(self, name: str, shape: tuple[int, ...]) -> Floats:
        array = self._arrays[name]
        if array.dtype.kind not in "fiu":
            raise self.error(f"{name} is of type {shown(str(array.dtype))}; float64 is wanted")
        if array.shape != shape:
            raise self.error(f"{name} has the shape {array.shape}; {shape} is wanted here")
        with np.errstate(over="ignore"):  # a longer float's largest become infinite
            return np.ascontiguousarray(array, dtype=np.float64)

    def times(self) -> Floats | None:
        """(T,) seconds if the frames are one motion."""
        if "time_s" not in self._arrays:
            return None
        times = self._floats("time_s", (self.frames(),))
        late = np.flatnonzero(~np.isfinite(times))
        if not len(late):
            late = np.flatnonzero(times[1:] < times[:-1]) + 1
        if len(late):
            raise self.error(f"time_s row {late[0]} is {times[late[0]]}; seconds must ascend")
        check_duration(str(self._path), times)
        return times

    def word(self, name: str, known: list[str] | tuple[str, ...]) -> str:
        """A string out of ``known``, by default the first."""
        if name not in self._arrays:
            return known[0]
        array = self._arrays[name]
        if array.size != 1:
            raise self.error(f"{name} has the shape {array.shape}; one text is wanted")
        told: Any = array.item()
        told = told.decode("utf-8", "replace") if isinstance(told, bytes) else told
        if told not in known:
            raise self.error(f"{name} is {shown(told)}; one of {', '.join(known)} is wanted")
        return str(told)


def write_answer(path: Path, answer: StreamAnswer, lengths: Floats) -> None:
    """Write the answer, all or nothing: a file that is there already stays until it is whole.

    ``lengths`` (11,) are those that were solved with.
    """
    arrays = answer_arrays(answer, lengths)
    try:
        if path.exists() and not path.is_file():
            whole = io.BytesIO()  # a device cannot be sought in, as the archive's writer does
            np.savez(whole, **arrays)
            path.write_bytes(whole.getvalue())
            return
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
            written = Path(file.name)
            try:
                np.savez(file, **arrays)
                file.flush()
                written.chmod(0o666 & ~_umask())
                written.replace(path)
            except BaseException:
                written.unlink(missing_ok=True)
                raise
    except OSError as failure:
        raise StreamFileError(f"{path}: cannot be written ({failure.strerror})") from failure


def _umask() -> int:
    now = os.umask(0)
    os.umask(now)
    return now


def answer_arrays(answer: StreamAnswer, lengths: Floats) -> dict[str, Any]:
    """The arrays of an answer by the names of its file."""
    arrays: dict[str, Any] = {
        "lengths": lengths,
        "length_names": np.array(LENGTH_NAMES),
        "joint_names": np.array(JOINT_NAMES),
        "joint_angles": answer.joint_angles,
        "converged": answer.converged,
        "in_limits": answer.in_limits,
        "reachable": answer.reachable,
        "iterations": answer.iterations,
        "position_error_m": answer.position_error_m,
        "rotation_error_rad": answer.rotation_error_rad,
        "chest_position": answer.chest[:, :3],
        "chest_rotation": answer.chest[:, 3:],
        "palm_rotation": answer.rotation[:, :, 2],
    }
    for index, name in enumerate(("shoulder", "elbow", "wrist", "palm")):
        arrays[f"{name}_position"] = answer.position[:, :, index]
    return arrays
