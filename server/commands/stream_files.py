"""Owns the files of ``armspan solve``: reads recorded streams and skeletons, writes answers.

A file may come from anyone, so nothing in it is trusted: pickles are refused, and every array is
checked before a solver sees it. Errors name the array and the row, the rule, and the next step.
"""

import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any, cast

import numpy as np
from armspan.protocol import caps
from armspan.server.traces.arrays import Arrays
from armspan.server.traces.npz import NpzFile, shown
from armspan.server.traces.recording import RecordingError, check_duration
from armspan.solvers.skeleton import (
    DEFAULT_LENGTHS,
    EYES_FORWARD,
    EYES_UP,
    HAND_LENGTH,
    JOINT_NAMES,
    LENGTH_NAMES,
    PALM,
)
from armspan.solvers.stream import Stream, StreamAnswer
from armspan.solvers.targets import HandFrame, palms_from_hands, shifted
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SIDES = ("left", "right")
_HEAD_FRAMES = ("eyes", "skull_base")
_SKELETON_BYTES = 65_536  # far more than eleven lengths take; what is longer is cut, and no JSON
_LEAST_NORM = 1e-9  # a quaternion shorter than this has no direction


class StreamFileError(RecordingError):
    """A file cannot be used; the message says why, and what would do."""


def read_lengths(path: Path) -> Floats:
    """Lengths (11,) of a skeleton file: JSON with any of the length names, metres.

    A palm's distance that is not given follows the hand's length.
    """
    try:
        with path.open("rb") as file:
            told: Any = json.loads(file.read(_SKELETON_BYTES))
    except OSError as failure:
        raise StreamFileError(f"{path}: cannot be read ({failure.strerror})") from failure
    except (ValueError, RecursionError) as failure:
        raise StreamFileError(f"{path}: is not JSON ({failure}); write an object") from failure
    if not isinstance(told, dict):
        raise StreamFileError(f'{path}: holds no object; write {{"upper_arm_m": 0.3}}, say')
    given = cast("dict[str, object]", told)
    for name in given:
        if name not in LENGTH_NAMES:
            raise StreamFileError(
                f"{path}: {shown(name)} is no length; known: {', '.join(LENGTH_NAMES)}"
            )
    lengths = DEFAULT_LENGTHS.copy()
    for index, cap in enumerate(caps.LENGTHS):
        if cap.name in given:
            lengths[index] = _length(path, cap, given[cap.name])
    if "palm_m" not in given:
        lengths[PALM] *= lengths[HAND_LENGTH] / DEFAULT_LENGTHS[HAND_LENGTH]
    return lengths


def _length(path: Path, cap: caps.LengthCap, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise StreamFileError(f"{path}: {cap.name} is {shown(value)}; a number of metres is wanted")
    if not cap.low_m <= value <= cap.high_m:
        raise StreamFileError(
            f"{path}: {cap.name} is {shown(value)}; {cap.low_m} to {cap.high_m} metres are wanted"
        )
    return float(value)


def read_stream(path: Path, lengths: Floats | None) -> Stream:
    """The stream that a file holds, hands as palms and heads as eyes, rotations normalised.

    A hand whose row has a NaN, or that has no arrays at all, is not tracked. Without ``lengths``
    (11,) the file's own are used, or the defaults. Raises RecordingError.
    """
    arrays = _Arrays(path)
    if lengths is None:
        lengths = Arrays(path).lengths() if arrays.has_lengths() else DEFAULT_LENGTHS.copy()
    frames = arrays.frames()
    hands = np.zeros((frames, 2, 7))
    hands[..., 6] = 1.0
    tracked = np.zeros((frames, 2), np.bool_)
    for side, name in enumerate(_SIDES):
        if arrays.has_pose(f"{name}_hand"):
            hands[:, side], tracked[:, side] = arrays.poses(f"{name}_hand", may_be_lost=True)
    frame = HandFrame[arrays.word("hand_frame", [f.name.lower() for f in HandFrame]).upper()]
    heads = chests = None
    if arrays.has_pose("chest"):
        chests, _ = arrays.poses("chest", may_be_lost=False)
    elif arrays.has_pose("head"):
        heads, _ = arrays.poses("head", may_be_lost=False)
        if arrays.word("head_frame", _HEAD_FRAMES) == "skull_base":
            heads = shifted(heads, (0.0, lengths[EYES_UP], -lengths[EYES_FORWARD]))
    else:
        raise arrays.error(
            "has neither chest_position and chest_rotation nor head_position and head_rotation; "
            "give either pair"
        )
    palms = palms_from_hands(hands, frame, lengths)
    return Stream(lengths, palms, tracked, heads, chests, arrays.times())


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


def write_answer(path: Path, answer: StreamAnswer) -> None:
    """Write the answer, all or nothing: a file that is there already stays until it is whole."""
    arrays = answer_arrays(answer)
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


def answer_arrays(answer: StreamAnswer) -> dict[str, Any]:
    """The arrays of an answer by the names of its file."""
    arrays: dict[str, Any] = {
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
