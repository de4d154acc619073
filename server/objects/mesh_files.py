"""Owns reading mesh files: STL, OBJ, PLY, glTF and GLB become triangles in metres.

A file may be anything at all: it is parsed in a process of its own, with bounds on memory and
time, and whatever happens there becomes one sentence here. Only binary STL is read on the spot:
its numbers lie in a row, so there is nothing to parse.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from armspan.server.objects.errors import MeshFileError
from armspan.server.objects.stl_check import read_binary_stl
from armspan.solvers.meshes.units import Unit, guess_unit

__all__ = ["FILE_BYTES", "SUFFIXES", "WITHIN_S", "MeshFile", "MeshFileError", "read_mesh"]

SUFFIXES = (".stl", ".obj", ".ply", ".gltf", ".glb")
FILE_BYTES = 300_000_000
WITHIN_S = 180.0
MEMORY_BYTES = 6 * 1024**3
PARSER = "armspan.server.objects.mesh_parser"
_IN_METRES = (".gltf", ".glb")  # says the standard
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True)
class MeshFile:
    """The triangles of a file, as they are: ``solvers.meshes.cleaning`` makes a mesh of them."""

    vertices: npt.NDArray[np.float64]
    """(V, 3) m."""
    faces: npt.NDArray[np.int32]
    """(F, 3) indices of vertices, all in range."""
    unit: Unit
    """What the file's numbers were taken for."""
    guessed: bool
    sentences: tuple[str, ...]
    """What a user should know of how it was read."""


def read_mesh(path: Path, unit: Unit | None = None, within_s: float = WITHIN_S) -> MeshFile:
    """Read a mesh file, with all its scene's meshes where the scene has them.

    Without ``unit``, glTF is in metres and other files in what makes their size likely, which the
    sentences then say. Vertices may still be NaN or far away. Raises MeshFileError, in one line
    with the file's name.
    """
    _check(path)
    vertices, faces, sentences = _parsed(path, within_s)
    guessed = unit is None and path.suffix.lower() not in _IN_METRES
    extent = _extent(vertices)
    if unit is None:
        unit = guess_unit(extent) if guessed else Unit.METRE
    if guessed:
        sentences = (*sentences, _guess(extent, unit))
    return MeshFile(vertices * unit.metres, faces, unit, guessed, sentences)


def _check(path: Path) -> None:
    if path.suffix.lower() not in SUFFIXES:
        raise MeshFileError(
            f"{path.name} is of no kind that is known, by the end of its name; export it as STL, "
            "OBJ, PLY, glTF or GLB"
        )
    try:
        if not path.is_file():
            what = "is no file" if path.exists() else "does not exist"
            raise MeshFileError(f"{path} {what}; check the path")
        size = path.stat().st_size
        with path.open("rb"):
            pass
    except OSError as failed:
        raise MeshFileError(f"{path.name} cannot be opened: {failed.strerror}") from None
    if not size:
        raise MeshFileError(f"{path.name} is empty; export it again")
    if size > FILE_BYTES:
        raise MeshFileError(
            f"{path.name} has {size:,} bytes, and {FILE_BYTES:,} are the most; reduce its polygons"
        )


def _parsed(
    path: Path, within_s: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32], tuple[str, ...]]:
    vertices = _binary_stl(path)
    if vertices is not None:
        faces = np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)
        return vertices, faces, ()
    # -P: the folder that we were started in may be anyone's, and is no place of modules.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMSPAN_")}
    command = [sys.executable, "-P", "-m", PARSER, str(path.absolute()), str(MEMORY_BYTES)]
    try:
        finished = subprocess.run(  # noqa: S603 - our own program
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=within_s,
            env=environment | _ENVIRONMENT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise MeshFileError(
            f"{path.name} was not read within {within_s:g} s; reduce its polygons, or export it "
            "as binary STL"
        ) from None
    line, _, numbers = finished.stdout.partition(b"\n")
    told = _told(line)
    if "error" in told:
        raise MeshFileError(str(told["error"]))
    if finished.returncode or "faces" not in told:
        raise MeshFileError(
            f"{path.name} broke its reader, or takes more memory than is given to it; reduce its "
            "polygons, or export it as binary STL"
        )
    split = 24 * int(told["vertices"])
    vertices = np.frombuffer(numbers, dtype="<f8", count=split // 8).reshape(-1, 3)
    faces = np.frombuffer(numbers, dtype="<i4", offset=split).reshape(-1, 3)
    return vertices.astype(np.float64), faces.astype(np.int32), tuple(told["sentences"])


def _binary_stl(path: Path) -> npt.NDArray[np.float64] | None:
    if path.suffix.lower() != ".stl":
        return None
    try:
        return read_binary_stl(path)
    except OSError as failed:
        raise MeshFileError(f"{path.name} cannot be read: {failed.strerror}") from None


def _told(line: bytes) -> dict[str, Any]:
    try:
        return dict(json.loads(line))
    except (ValueError, TypeError):
        return {}


def _extent(vertices: npt.NDArray[np.float64]) -> float:
    """The longest side of the box about all finite vertices."""
    finite = vertices[np.isfinite(vertices).all(axis=1)]
    with np.errstate(over="ignore"):
        return float(np.ptp(finite, axis=0).max()) if len(finite) else 0.0


def _guess(extent: float, unit: Unit) -> str:
    return (
        f"The file names no unit: its longest side of {extent:.4g} is taken for {extent:.4g} "
        f"{unit.value} ({1e3 * extent * unit.metres:.4g} mm); give --unit if that is wrong."
    )
