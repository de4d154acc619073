"""Owns the reading of NPZ files from anyone: plain arrays, bounded in size, or one clear line."""

import io
import math
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from armspan.server.traces.recording import RecordingError
from numpy.lib import format as npy
from numpy.typing import NDArray

MAX_BYTES = 256 * 1024 * 1024  # of the arrays that are used: far above an hour of motion
SHOWN_CHARACTERS = 60  # of a text out of a file, in an error
_SUFFIX = ".npy"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what numpy writes; others cannot be bounded
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_UNSOUND = (
    zipfile.BadZipFile, zlib.error, ValueError, EOFError, KeyError, RuntimeError, OverflowError,
    MemoryError, TypeError, SyntaxError,
)  # fmt: skip


class NpzFile(Mapping[str, NDArray[Any]]):
    """The arrays of one file by name; each is read when it is asked for, and kept.

    Raises RecordingError, one line that names the file, when it is opened or an array is asked
    for. Pickles are never loaded, and nothing is allocated on the word of a header.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._arrays: dict[str, NDArray[Any]] = {}
        self._free_bytes = MAX_BYTES
        with self._speaking_of("is no .npz archive"):
            if not stat.S_ISREG(path.stat().st_mode):
                raise self.error("is no regular file; an .npz archive is wanted")
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
        self._names = [name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)]

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._arrays:
            with self._speaking_of(f"{name} is no sound array"):
                self._arrays[name] = self._parsed(name, self._unpacked(name))
        return self._arrays[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def error(self, what: str) -> RecordingError:
        """An error that names this file."""
        return RecordingError(f"{self.path}: {what}")

    def _unpacked(self, name: str) -> bytes:
        with zipfile.ZipFile(self.path) as archive:
            entry = archive.getinfo(name + _SUFFIX)
            if entry.compress_type not in _METHODS:
                raise self.error(f"{name} is packed in another way than numpy.savez packs")
            if entry.file_size > self._free_bytes:
                raise self.error(f"{name} unpacks to more than the limit of {MAX_BYTES} bytes")
            self._free_bytes -= entry.file_size
            with archive.open(entry) as member:
                return member.read(entry.file_size)

    def _parsed(self, name: str, content: bytes) -> NDArray[Any]:
        file: IO[bytes] = io.BytesIO(content)
        read_header = _HEADERS.get(npy.read_magic(file))
        if read_header is None:
            raise ValueError("an unknown version")
        shape, is_fortran, dtype = read_header(file)
        if dtype.hasobject:
            raise self.error(f"{name} holds pickled objects; write plain arrays with numpy.savez")
        body = memoryview(content)[file.tell() :]
        if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != len(body):
            raise ValueError("a header that does not fit")
        flat = np.frombuffer(body, dtype).copy()
        return flat.reshape(shape[::-1]).T if is_fortran else flat.reshape(shape)

    def _speaking_of(self, what: str) -> "_Speaking":
        return _Speaking(self, what)


class _Speaking:
    """Turns whatever a broken file makes the libraries raise into a line about it."""

    def __init__(self, file: NpzFile, what: str) -> None:
        self._file = file
        self._what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, failure: BaseException | None, _trace: object) -> None:
        if isinstance(failure, OSError):
            reason = failure.strerror or "it is damaged"
            raise self._file.error(f"cannot be read ({reason})") from failure
        if isinstance(failure, _UNSOUND):
            line = f"{self._what}; write plain arrays with numpy.savez"
            raise self._file.error(line) from failure


def shown(told: object) -> str:
    """A value out of a file for an error: on one line, and short."""
    text = repr(told)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
