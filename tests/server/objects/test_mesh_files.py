"""A mesh file is read in metres, or refused in one sentence, whatever is in it."""

import os
import struct
from pathlib import Path

import numpy as np
import pytest
from armspan.server.objects import mesh_files
from armspan.server.objects.errors import MeshFileError
from armspan.server.objects.mesh_files import MeshFile, read_mesh
from armspan.solvers.meshes.cleaning import clean
from armspan.solvers.meshes.topology import MeshError
from armspan.solvers.meshes.units import Unit

from tests.server.objects.mesh_writers import (
    FACES,
    SIDE_M,
    VERTICES,
    glb,
    obj,
    ply_binary,
    stl_binary,
    stl_text,
)


def written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def size_of(read: MeshFile) -> float:
    return float(np.ptp(read.vertices, axis=0).max())


@pytest.mark.parametrize(
    ("name", "data", "unit", "size"),
    [
        ("metres", stl_binary(), Unit.METRE, SIDE_M),
        ("millimetres", stl_binary(VERTICES * 1e3), Unit.MILLIMETRE, SIDE_M),
        ("centimetres", stl_binary(VERTICES * 1e2), Unit.CENTIMETRE, SIDE_M),
    ],
)
def test_the_unit_of_an_stl_is_guessed_and_said(
    tmp_path: Path, name: str, data: bytes, unit: Unit, size: float
):
    read = read_mesh(written(tmp_path, f"{name}.stl", data))
    assert (read.unit, read.guessed) == (unit, True)
    assert size_of(read) == pytest.approx(size, rel=1e-6)
    assert len(read.sentences) == 1
    assert f" {unit.value} " in read.sentences[0]
    assert "--unit" in read.sentences[0]


@pytest.mark.parametrize("unit", Unit)
def test_a_unit_that_is_given_is_no_guess(tmp_path: Path, unit: Unit):
    read = read_mesh(written(tmp_path, "cube.stl", stl_binary()), unit)
    assert (read.unit, read.guessed, read.sentences) == (unit, False, ())
    assert size_of(read) == pytest.approx(SIDE_M * unit.metres, rel=1e-6)


def test_gltf_is_in_metres_unless_someone_knows_better(tmp_path: Path):
    path = written(tmp_path, "cube.glb", glb())
    read = read_mesh(path)
    assert (read.unit, read.guessed, read.sentences) == (Unit.METRE, False, ())
    assert size_of(read_mesh(path, Unit.CENTIMETRE)) == pytest.approx(SIDE_M / 100.0, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "data"), [("a.obj", obj()), ("a.ply", ply_binary()), ("a.stl", stl_text())]
)
def test_files_that_need_parsing_come_through_whole(tmp_path: Path, name: str, data: bytes):
    read = read_mesh(written(tmp_path, name, data))
    cleaned = clean(read.vertices, read.faces)
    assert cleaned.mesh.watertight
    assert cleaned.mesh.areas.sum() == pytest.approx(6.0 * SIDE_M**2, rel=1e-6)
    assert read.vertices.flags.writeable
    assert read.faces.dtype == np.int32


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("an ordinary head", stl_binary()),
        ("a head that says solid", stl_binary(head=b"solid facet by hand")),
        ("bytes behind its faces", stl_binary() + b"made by hand"),
    ],
)
def test_binary_stl_is_told_from_text(tmp_path: Path, name: str, data: bytes):
    read = read_mesh(written(tmp_path, f"{name}.stl", data))
    np.testing.assert_allclose(read.vertices, VERTICES[FACES].reshape(-1, 3), rtol=1e-6)


HUGE = stl_binary()[:80] + struct.pack("<I", 0xFFFFFFFF) + stl_binary()[84:]
BAD = {
    "empty.stl": (b"", "empty"),
    "cut.stl": (stl_binary()[:-60], "holds 10"),
    "huge.stl": (HUGE, "4,294,967,295 faces, and holds 12"),
    "nothing.stl": (stl_binary()[:80] + bytes(4), "no faces"),
    "letter.stl": (b"Dear all, the scan is enclosed. " * 9, "no STL"),
    "short.stl": (b"solid", "no STL"),
    "cube.step": (b"ISO-10303-21;", "export it as STL"),
    "cube": (stl_binary(), "export it as STL"),
    "junk.obj": (b"\0\1\2\3" * 99, "no OBJ"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_no_mesh_gets_one_sentence(tmp_path: Path, name: str):
    data, word = BAD[name]
    with pytest.raises(MeshFileError, match=word) as refused:
        read_mesh(written(tmp_path, name, data))
    assert str(refused.value).startswith(name)
    assert "\n" not in str(refused.value)


def test_numbers_that_are_none_are_left_to_the_cleaning(tmp_path: Path):
    broken = VERTICES.copy()
    broken[3, 1] = np.nan
    read = read_mesh(written(tmp_path, "nan.stl", stl_binary(broken)))
    assert read.unit is Unit.METRE
    with pytest.raises(MeshError, match="not finite"):
        clean(read.vertices, read.faces)


def test_what_is_no_file_is_refused_without_opening_it(tmp_path: Path):
    with pytest.raises(MeshFileError, match="does not exist"):
        read_mesh(tmp_path / "gone.stl")
    (tmp_path / "folder.stl").mkdir()
    with pytest.raises(MeshFileError, match="is no file"):
        read_mesh(tmp_path / "folder.stl")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.stl")
        with pytest.raises(MeshFileError, match="is no file"):
            read_mesh(tmp_path / "pipe.stl")


def test_a_name_with_line_breaks_stays_one_line(tmp_path: Path):
    with pytest.raises(MeshFileError) as refused:
        read_mesh(tmp_path / "two\nlines\x1b[31m.stl")
    assert str(refused.value).isprintable()


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(mesh_files, "FILE_BYTES", 100)
    with pytest.raises(MeshFileError, match="100 are the most"):
        read_mesh(written(tmp_path, "large.stl", stl_binary()))


def test_a_file_that_takes_too_long_is_given_up(tmp_path: Path):
    with pytest.raises(MeshFileError, match=r"not read within 0\.01 s"):
        read_mesh(written(tmp_path, "slow.obj", obj()), within_s=0.01)


def test_a_reader_that_dies_is_a_sentence_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(mesh_files, "PARSER", "armspan.server.objects.no_such_module")
    with pytest.raises(MeshFileError, match="broke its reader"):
        read_mesh(written(tmp_path, "deadly.obj", obj()))


def test_a_file_that_wants_too_much_memory_is_a_sentence_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("resource")
    monkeypatch.setattr(mesh_files, "MEMORY_BYTES", 400_000_000)
    with pytest.raises(MeshFileError, match="memory"):
        read_mesh(written(tmp_path, "greedy.obj", b"v 0 0 0\n" * 12_000_000))
