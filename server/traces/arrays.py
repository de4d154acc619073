"""Owns the reading of NPZ files that may be anything: named arrays, checked, or one clear line."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from armspan.server.traces.recording import UNIT_TOLERANCE, RecordingError
from numpy.typing import NDArray

MAX_BYTES = 256 * 1024 * 1024  # far above an hour of motion; a bomb is refused before it unpacks


class Arrays:
    """The named arrays of one NPZ file; what is asked for is there, finite and of its shape."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._arrays = _load(path)

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def floats(self, name: str, *shape: int, finite: bool = True) -> NDArray[np.float64]:
        """The array ``name`` as float64; -1 in ``shape`` stands for any size."""
        array = self._get(name)
        if array.dtype.kind not in "fiu":
            raise self.error(f"{name} holds {array.dtype}, wanted numbers")
        wanted = len(array.shape) == len(shape) and all(
            want in (-1, have) for want, have in zip(shape, array.shape, strict=True)
        )
        if not wanted:
            text = ", ".join("T" if size < 0 else str(size) for size in shape)
            raise self.error(f"{name} has shape {array.shape}, wanted ({text})")
        if finite and not np.isfinite(array).all():
            raise self.error(f"{name} holds a number that is not finite")
        return array.astype(np.float64)

    def rotations(self, name: str, *shape: int, finite: bool = True) -> NDArray[np.float64]:
        """The array ``name`` of unit quaternions, in whichever order, as float64."""
        array = self.floats(name, *shape, finite=finite)
        norm = np.linalg.norm(array, axis=-1)
        wrong = np.flatnonzero(np.abs(norm - 1.0).ravel() > UNIT_TOLERANCE)  # NaN is not wrong here
        if len(wrong):
            at, length = wrong[0], norm.flat[wrong[0]]
            raise self.error(f"{name}, row {at}, has length {length:.3f}; rotations must be unit")
        return array

    def flags(self, name: str, *shape: int) -> NDArray[np.bool_]:
        """The array ``name`` as booleans."""
        array = self._get(name)
        if array.shape != shape or array.dtype.kind not in "biu":
            raise self.error(f"{name} is {array.dtype} {array.shape}, wanted booleans {shape}")
        return array.astype(np.bool_)

    def text(self, name: str, default: str) -> str:
        """The string ``name``, or ``default`` if the file has none."""
        return str(self._arrays[name]) if name in self._arrays else default

    def error(self, what: str) -> RecordingError:
        """An error that names this file."""
        return RecordingError(f"{self.path}: {what}")

    def _get(self, name: str) -> NDArray[np.generic]:
        if name not in self._arrays:
            held = ", ".join(sorted(self._arrays)) or "nothing"
            raise self.error(f"has no {name}; it holds {held}")
        return self._arrays[name]


def _load(path: Path) -> dict[str, NDArray[np.generic]]:
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > MAX_BYTES:
            raise RecordingError(f"{path}: unpacks to {unpacked} bytes, the limit is {MAX_BYTES}")
        load: Callable[..., dict[str, NDArray[np.generic]]] = np.load
        return dict(load(path, allow_pickle=False))
    except OSError as failure:
        raise RecordingError(f"{path}: cannot be read ({failure.strerror})") from failure
    except (zipfile.BadZipFile, ValueError, EOFError, KeyError) as failure:
        raise RecordingError(f"{path}: is not an NPZ file of plain arrays ({failure})") from failure
