"""Owns skeleton files: a person's lengths as JSON, by name, in metres."""

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
from armspan.protocol import caps
from armspan.server.commands.stream_files import StreamFileError
from armspan.server.traces.npz import shown
from armspan.solvers.body.skeleton import DEFAULT_LENGTHS, HAND_LENGTH, LENGTH_NAMES, PALM
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SKELETON_BYTES = 65_536  # far more than eleven lengths take; what is longer is cut, and no JSON
_DIGITS = 4  # a tenth of a millimetre


def read_lengths(path: Path) -> Floats:
    """Lengths (11,) of a skeleton file: JSON with any of the length names, metres.

    A name that is missing takes its default, so that a file means the same body wherever it is
    used; a palm's distance that is missing follows the hand's length.
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


def write_lengths(path: Path, lengths: Floats) -> None:
    """Write lengths (11,) as a skeleton file. Raises StreamFileError."""
    named = {
        name: round(float(length), _DIGITS)
        for name, length in zip(LENGTH_NAMES, lengths, strict=True)
    }
    try:
        path.write_text(json.dumps(named, indent=2) + "\n", encoding="utf-8")
    except OSError as failure:
        raise StreamFileError(f"{path}: cannot be written ({failure.strerror})") from failure
