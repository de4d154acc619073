"""Owns the checks of a recording's arrays: there, of their shape, finite, or one clear line."""

from pathlib import Path

import numpy as np
from armspan.protocol import caps
from armspan.server.traces.npz import NpzFile, shown
from armspan.server.traces.recording import UNIT_TOLERANCE, RecordingError
from numpy.typing import NDArray


class Arrays:
    """The named arrays of one NPZ file; what is asked for is there, finite and of its shape."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._arrays = NpzFile(path)

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def floats(self, name: str, *shape: int, finite: bool = True) -> NDArray[np.float64]:
        """The array ``name`` as float64; -1 in ``shape`` stands for any size."""
        array = self._get(name)
        if array.dtype.kind not in "fiu":
            raise self.error(f"{name} holds {shown(str(array.dtype))}, wanted numbers")
        wanted = len(array.shape) == len(shape) and all(
            want in (-1, have) for want, have in zip(shape, array.shape, strict=True)
        )
        if not wanted:
            text = ", ".join("T" if size < 0 else str(size) for size in shape)
            raise self.error(f"{name} has shape {array.shape}, wanted ({text})")
        with np.errstate(over="ignore"):  # a longer float's largest become infinite
            floats = array.astype(np.float64)
        if finite and not np.isfinite(floats).all():
            raise self.error(f"{name} holds a number that is not finite")
        return floats

    def rotations(self, name: str, *shape: int, finite: bool = True) -> NDArray[np.float64]:
        """The array ``name`` of unit quaternions, in whichever order, as float64."""
        array = self.floats(name, *shape, finite=finite)
        with np.errstate(over="ignore"):
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
            raise self.error(
                f"{name} is {shown(str(array.dtype))} {array.shape}, wanted booleans {shape}"
            )
        return array.astype(np.bool_)

    def text(self, name: str, default: str) -> str:
        """The string ``name``, or ``default`` if the file has none."""
        if name not in self._arrays:
            return default
        array = self._arrays[name]
        if array.size != 1 or array.dtype.kind not in "US":
            raise self.error(f"{name} is {shown(str(array.dtype))} {array.shape}, wanted one text")
        told = array.item()
        return told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told)

    def lengths(self) -> NDArray[np.float64]:
        """The person's lengths (11,), metres, inside the protocol's bounds."""
        lengths = self.floats("lengths", len(caps.LENGTHS))
        for cap, length_m in zip(caps.LENGTHS, lengths, strict=True):
            if not cap.low_m <= length_m <= cap.high_m:
                rule = f"{cap.low_m} to {cap.high_m} metres are wanted"
                raise self.error(f"lengths: {cap.name} is {length_m:g}; {rule}")
        return lengths

    def error(self, what: str) -> RecordingError:
        """An error that names this file."""
        return self._arrays.error(what)

    def _get(self, name: str) -> NDArray[np.generic]:
        if name not in self._arrays:
            held = ", ".join(sorted(self._arrays))
            raise self.error(f"has no {name}; it holds {shown(held) if held else 'nothing'}")
        return self._arrays[name]
