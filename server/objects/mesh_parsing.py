"""Owns parsing a mesh file with trimesh, and what is looked at before trimesh is let near it.

It may take any time, any memory, and fail in any way: ``mesh_files.py`` runs it in a process of
its own (``mesh_parser.py``).
"""

import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt
import trimesh
from armspan.server.objects.errors import MeshFileError
from armspan.server.objects.gltf_check import checked_gltf
from armspan.server.objects.stl_check import FACES_MOST, checked_stl
from trimesh.resolvers import Resolver

VERTICES_MOST = 3 * FACES_MOST
_LOOKED_AT = 4_096  # bytes in which a text file shows what it is


@dataclass(frozen=True, slots=True)
class Triangles:
    """All triangles of a file in one list, in the file's unit, and what to say of it."""

    vertices: npt.NDArray[np.float64]
    faces: npt.NDArray[np.int32]
    sentences: tuple[str, ...] = ()


def parse_mesh(path: Path) -> Triangles:
    """Parse the file; its ending says what it is. Raises MeshFileError, whatever is in it."""
    checked, name = CHECKS[path.suffix.lower()]
    try:
        scene = _scene_of(path, checked)
        return _triangles_of(scene, path.name)
    except MeshFileError:
        raise
    except MemoryError:
        raise MeshFileError(
            f"{path.name} takes more memory to read than is given to it; reduce its polygons"
        ) from None
    except OSError as failed:
        raise MeshFileError(
            f"{path.name} cannot be read: {failed.strerror or 'a part of it is missing'}"
        ) from None
    except Exception:  # trimesh promises nothing of what it raises
        raise MeshFileError(
            f"{path.name} is no sound {name} file: it is damaged or cut off; export it again"
        ) from None


def _scene_of(path: Path, check: Callable[[bytes, Path], bytes]) -> Any:
    data = check(path.read_bytes(), path)
    with warnings.catch_warnings():
        # numpy warns when text ends a list of numbers early, and returns what it has till then.
        warnings.simplefilter("error", DeprecationWarning)
        return cast("Any", trimesh).load_scene(
            io.BytesIO(data),
            file_type=path.suffix.lower()[1:],
            resolver=_Beside(path.parent),
            process=False,
            skip_materials=True,
        )


class _Beside(Resolver):
    """Gives trimesh the buffers that a glTF file has checked, and no other file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> bytes:
        if not key.lower().endswith((".bin", ".glbin")):
            raise FileNotFoundError(key)
        return (self._folder / unquote(key)).read_bytes()

    def write(self, name: str, data: object) -> None:
        raise NotImplementedError

    def namespaced(self, namespace: str) -> "_Beside":
        return self

    def keys(self) -> tuple[str, ...]:
        return ()


def _triangles_of(scene: Any, name: str) -> Triangles:
    """Put all meshes of the scene where its nodes have them, into one list of triangles."""
    vertices: list[npt.NDArray[np.float64]] = []
    faces: list[npt.NDArray[np.int64]] = []
    first, meant = 0, 0
    for matrix, geometry in _placed(scene):
        if not isinstance(geometry, trimesh.Trimesh):
            continue
        points = np.asarray(geometry.vertices, dtype=np.float64)
        corners = np.asarray(geometry.faces, dtype=np.int64)
        _check_corners(corners, len(points), name)
        meant += len(corners)
        if meant > FACES_MOST or first + len(points) > VERTICES_MOST:
            raise MeshFileError(
                f"{name} has more than {FACES_MOST:,} faces, the most that are taken; reduce its "
                "polygons"
            )
        points = points @ matrix[:3, :3].T + matrix[:3, 3]
        mirrored = np.linalg.det(matrix[:3, :3]) < 0.0
        vertices.append(points)
        faces.append(first + (corners[:, ::-1] if mirrored else corners))
        first += len(points)
    if not meant:
        raise MeshFileError(
            f"{name} has no triangles in it; export the object as a mesh, not as points or curves"
        )
    sentences = (f"All {len(faces):,} meshes of its scene are read as one.",)
    return Triangles(
        np.concatenate(vertices),
        np.concatenate(faces).astype(np.int32),
        sentences if len(faces) > 1 else (),
    )


def _placed(scene: Any) -> list[tuple[npt.NDArray[np.float64], Any]]:
    """Return every geometry with its place in the world; without a scene graph it has none."""
    nodes = scene.graph.nodes_geometry
    if not len(nodes):
        return [(np.eye(4), geometry) for geometry in scene.geometry.values()]
    placed: list[tuple[npt.NDArray[np.float64], Any]] = []
    for node in nodes:
        matrix, name = scene.graph[node]
        placed.append((np.asarray(matrix, dtype=np.float64), scene.geometry[name]))
    return placed


def _check_corners(corners: npt.NDArray[np.int64], count: int, name: str) -> None:
    if not len(corners):
        return
    low, high = int(corners.min()), int(corners.max())
    if low < 0 or high >= count:
        raise MeshFileError(
            f"{name} has a face at vertex {low if low < 0 else high:,}, and there are {count:,} "
            "(counted from 0): it is damaged, so export it again"
        )


def _checked_obj(data: bytes, path: Path) -> bytes:
    if b"\0" in data[:_LOOKED_AT] or not any(
        line.startswith((b"v ", b"v\t")) for line in _lines(data)
    ):
        raise MeshFileError(f"{path.name} is no OBJ: it has no vertices in it; export it as one")
    return data


def _lines(data: bytes) -> Any:
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        yield data[start : min(end, start + 8)].lstrip()
        start = end + 1


def _checked_ply(data: bytes, path: Path) -> bytes:
    """Refuse counts that cannot be in the file: memory is set aside for them before reading."""
    end = data[: 64 * _LOOKED_AT].find(b"end_header")
    if not data.startswith(b"ply") or end < 0:
        raise MeshFileError(f"{path.name} is no PLY, though its name ends so; export it as one")
    words = [line.split() for line in data[:end].split(b"\n")]
    counts = [row[2] for row in words if len(row) == 3 and row[0] == b"element"]
    if not all(count.isdigit() and len(count) < 20 for count in counts):
        raise MeshFileError(f"{path.name} has a count that is no number; export it again")
    claimed = sum(map(int, counts))
    # In text every entry has a line of its own; in binary it has one byte, or more.
    in_text = any(row[:2] == [b"format", b"ascii"] for row in words)
    held = data.count(b"\n", end) if in_text else len(data) - end
    if claimed > held:
        raise MeshFileError(
            f"{path.name} says that it has {claimed:,} vertices and faces, and is too short for "
            "that: it is cut off or damaged; export it again"
        )
    return data


CHECKS: dict[str, tuple[Callable[[bytes, Path], bytes], str]] = {
    ".stl": (checked_stl, "STL"),
    ".obj": (_checked_obj, "OBJ"),
    ".ply": (_checked_ply, "PLY"),
    ".gltf": (checked_gltf, "glTF"),
    ".glb": (checked_gltf, "glTF"),
}
