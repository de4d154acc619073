"""Owns telling STL files apart: binary, text, cut off, or none at all; and reading binary ones."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
from armspan.server.objects.errors import MeshFileError

FACES_MOST = 4_000_000
"""In a file of any kind: about as much as the memory of an ordinary computer cleans."""
_HEAD_BYTES, _FACE_BYTES = 84, 50
_FACE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_LOOKED_AT = 4_096  # bytes in which a text file shows what it is


def read_binary_stl(path: Path) -> npt.NDArray[np.float64] | None:
    """Return the corners (3 F, 3) of a binary STL in the file's unit, or None if it is none.

    Raises MeshFileError for one that is cut off or too large, OSError as it comes.
    """
    with path.open("rb") as file:
        start = file.read(_LOOKED_AT)
        size = file.seek(0, 2)
        if len(start) < _HEAD_BYTES:
            return None
        count = int.from_bytes(start[80:84], "little")
        length = _HEAD_BYTES + _FACE_BYTES * count
        # A binary head may say solid, too, but then its length is right.
        if length != size and (_is_text(start) or b"\0" not in start):
            return None
        _check_count(path, count, (size - _HEAD_BYTES) // _FACE_BYTES)
        file.seek(_HEAD_BYTES)
        faces = np.frombuffer(file.read(_FACE_BYTES * count), dtype=_FACE)
    return faces["corners"].reshape(-1, 3).astype(np.float64)


def _check_count(path: Path, count: int, held: int) -> None:
    if count > held:
        raise MeshFileError(
            f"{path.name} says that it has {count:,} faces, and holds {held:,}: it is cut off or "
            "no STL; export it again"
        )
    if count > FACES_MOST:
        raise MeshFileError(
            f"{path.name} has {count:,} faces, and {FACES_MOST:,} are the most; reduce its polygons"
        )
    if not count:
        raise MeshFileError(f"{path.name} has no faces in it; export the object as a mesh")


def checked_stl(data: bytes, path: Path) -> bytes:
    """Take an STL in text, or say why not. Raises MeshFileError."""
    if not _is_text(data[:_LOOKED_AT]):
        raise MeshFileError(f"{path.name} is no STL, though its name ends so; export it as one")
    if b"endsolid" not in data[-_LOOKED_AT:].lower():
        raise MeshFileError(
            f"{path.name} is cut off: an STL in text ends with endsolid; export it again"
        )
    return data


def _is_text(start: bytes) -> bool:
    words = start.lower()
    return words.lstrip().startswith(b"solid") and (b"facet" in words or b"endsolid" in words)
