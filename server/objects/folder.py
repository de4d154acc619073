"""Owns smart objects as files: a document, and the meshes that stand beside it."""

import contextlib
import fcntl
import filecmp
import os
import shutil
import threading
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from armspan.protocol.objects import (
    MAX_DOCUMENT_BYTES,
    DocumentError,
    MeshFile,
    Piece,
    Pose,
    Posture,
    Problem,
    SmartObject,
    read_document,
    with_posture,
)
from armspan.server.objects.mesh_files import MeshFileError, read_mesh
from armspan.server.objects.opening import open_at_once
from armspan.server.objects.primitives import Floats, Ints, triangles
from armspan.solvers.meshes.topology import MeshError, checked_arrays
from armspan.solvers.meshes.units import Unit

LARGEST_M = 1000.0  # as far as the document's own positions reach
_BACKUP = "~"
_WRITEABLE = 0o222


class ObjectFileError(Exception):
    """A smart object's files cannot be used: which one, why, and what to do.

    ``problems`` has all that is wrong with the document; the error itself is one line.
    """

    def __init__(self, text: str, problems: tuple[Problem, ...] = ()) -> None:
        self.problems = problems
        super().__init__(text)


@dataclass(frozen=True)
class Geometry:
    """All of an object's geometry as triangles in its own frame.

    ``vertices`` (V, 3) m, ``faces`` (F, 3); ``sentences`` say what had to be guessed.
    """

    vertices: Floats
    faces: Ints
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True)
class ObjectFolder:
    """An open document: its path, its bytes, and what they tell."""

    path: Path
    payload: bytes = field(repr=False)
    told: SmartObject

    def geometry(self) -> Geometry | None:
        """Read all meshes, make all solids; None where the document has no geometry.

        Raises ObjectFileError.
        """
        vertices: list[Floats] = []
        faces: list[Ints] = []
        sentences: list[str] = []
        count = 0
        for piece in self.told.geometry:
            points, corners, said = self._triangles(piece)
            vertices.append(placed(points, piece.pose))
            faces.append(corners + np.int32(count))
            sentences += said
            count += len(points)
        if not count:
            return None
        whole = np.vstack(vertices)
        extent_m = float(np.abs(whole).max())
        if extent_m > LARGEST_M:
            raise ObjectFileError(
                f"{self.path}: its geometry reaches {extent_m:,.0f} m from its origin, and "
                f"{LARGEST_M:,.0f} m is the most; look at the units of its meshes"
            )
        return Geometry(whole, np.vstack(faces), tuple(sentences))

    def _triangles(self, piece: Piece) -> tuple[Floats, Ints, tuple[str, ...]]:
        if not isinstance(piece, MeshFile):
            return *triangles(piece), ()
        path = self.mesh_path(piece)
        try:
            read = read_mesh(path, Unit(piece.unit.value) if piece.unit else None)
            points, corners = checked_arrays(read.vertices, read.faces)
        except MeshFileError as broken:
            raise ObjectFileError(str(broken)) from broken
        except MeshError as broken:
            raise ObjectFileError(f"{path}: {broken}") from broken
        return points, corners, read.sentences

    def mesh_path(self, piece: MeshFile) -> Path:
        """Where a mesh of the document is; raises ObjectFileError unless it is in its folder.

        A link in the folder may not lead out of it, either.
        """
        folder = _real(self.path).parent
        path = folder / piece.file
        try:
            inside = path.resolve().is_relative_to(folder)
            there = path.is_file()
        except (OSError, RuntimeError):  # a ring of links
            inside, there = True, False
        if not inside:
            raise ObjectFileError(
                f"{self.path}: its mesh {piece.file} is a link out of the folder; copy it there"
            )
        if not there:
            raise ObjectFileError(
                f"{self.path}: its mesh {piece.file} is not there; put it beside the document"
            )
        return path


def open_object(path: Path) -> ObjectFolder:
    """Read a smart object. Raises ObjectFileError."""
    try:
        with path.open("rb") as file:
            payload = file.read(MAX_DOCUMENT_BYTES + 1)
    except OSError as failure:
        raise ObjectFileError(f"{path}: cannot be read ({failure.strerror})") from failure
    try:
        return ObjectFolder(path, payload, read_document(payload))
    except DocumentError as broken:
        raise ObjectFileError(f"{path}: {broken}", broken.problems) from broken


def write_object(path: Path, payload: bytes, keep: bool = True) -> Path | None:
    """Write a document, all or nothing. Raises ObjectFileError.

    With ``keep``, a document that is there already and says something else is kept under the name
    that is returned, for someone's work may be in it.
    """
    told, path = path, _real(path)  # a link goes on leading where it leads
    try:
        if path.exists() and not path.is_file():
            with open(path, "wb", opener=open_at_once) as device:  # which nothing can replace
                device.write(payload)
            return None
        kept = None
        if path.exists():
            if not path.stat().st_mode & _WRITEABLE:
                raise ObjectFileError(f"{told}: cannot be written (it is read-only)")
            if keep and path.read_bytes() != payload:
                kept = path.with_name(path.name + _BACKUP)
                shutil.copy2(path, kept)
        _replace(path, payload)
    except OSError as failure:
        raise ObjectFileError(f"{told}: cannot be written ({failure.strerror})") from failure
    return kept


def add_posture(opened: ObjectFolder, posture: Posture, output: Path) -> Path | None:
    """Write the document with a posture in it to ``output``, its meshes beside it.

    Where that is the document itself, what others wrote into it meanwhile stays. Returns and raises
    like ``write_object``; DocumentError too, if the posture's site is not there any more.
    """
    if not same_file(output, opened.path):
        bring_meshes(opened, output)
        return write_object(output, with_posture(opened.payload, posture))
    with _folder_to_oneself(_real(output).parent):
        now = open_object(opened.path)
        return write_object(output, with_posture(now.payload, posture), keep=False)


def bring_mesh(mesh: Path, document: Path) -> tuple[str, bool]:
    """Return how a document names a mesh, and whether it was copied into the document's folder.

    A mesh in the folder or below it stays where it is. Raises ObjectFileError, also where another
    file has the mesh's name already.
    """
    document = _real(document)
    if document.exists() and not document.is_file():
        return mesh.name, False  # a device has no folder of its own
    folder = document.parent
    if mesh.resolve().is_relative_to(folder):
        return mesh.resolve().relative_to(folder).as_posix(), False
    return mesh.name, _copied(mesh, document.parent / mesh.name)


def bring_meshes(opened: ObjectFolder, document: Path) -> None:
    """Copy an object's meshes to beside a document elsewhere that tells of it, too.

    Raises ObjectFileError.
    """
    for piece in opened.told.geometry:
        if isinstance(piece, MeshFile):
            _copied(opened.mesh_path(piece), _real(document).parent / piece.file)


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file."""
    return one.exists() and other.exists() and one.samefile(other)


def _real(path: Path) -> Path:
    """Where a path leads through links, whether something is there or not."""
    return Path(os.path.realpath(path))


def _replace(path: Path, payload: bytes) -> None:
    """Put a file in a file's place at once, with its mode; two that do so both write whole ones."""
    beside = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        with beside.open("xb") as file:
            file.write(payload)
        if path.exists():
            shutil.copymode(path, beside)
        beside.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _folder_to_oneself(folder: Path) -> Generator[None]:
    """Wait till nobody else changes a document in the folder."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as failure:
        raise ObjectFileError(f"{folder}: cannot be opened ({failure.strerror})") from failure
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _copied(mesh: Path, copied: Path) -> bool:
    """Whether the mesh had to be copied; the same bytes there already will do."""
    try:
        if copied.exists():
            if not filecmp.cmp(mesh, copied, shallow=False):
                raise ObjectFileError(
                    f"{copied}: is another file than {mesh}, which should be copied there; move "
                    "one of them, or choose another folder"
                )
            return False
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(mesh, copied)
    except OSError as failure:
        raise ObjectFileError(f"{copied}: cannot be written ({failure.strerror})") from failure
    return True


def placed(points: Floats, pose: Pose) -> Floats:
    """Move points (N, 3) of a piece's own frame to where the piece is in the object."""
    x, y, z, w = np.array(pose.rotation_xyzw) / np.linalg.norm(pose.rotation_xyzw)
    if w == 1.0:
        return points + np.array(pose.position_m)
    axis = np.array([x, y, z])
    turned = np.cross(axis, points)
    turned = points + 2.0 * (w * turned + np.cross(axis, turned))
    return turned + np.array(pose.position_m)
