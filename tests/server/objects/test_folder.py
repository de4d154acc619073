"""Object folders: documents with their meshes, and files that lead elsewhere."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from armspan.protocol.objects import (
    Box,
    LengthUnit,
    MeshFile,
    Pose,
    SmartObject,
    Sphere,
    write_document,
)
from armspan.server.objects.folder import (
    ObjectFileError,
    bring_mesh,
    bring_meshes,
    open_object,
    placed,
    write_object,
)
from scipy.spatial.transform import Rotation

TRIANGLE = "v 0 0 0\nv 100 0 0\nv 0 200 0\nf 1 2 3\n"


def saved(folder: Path, told: SmartObject, name: str = "thing.xml") -> Path:
    path = folder / name
    path.write_bytes(write_document(told))
    return path


def refused(path: Path) -> str:
    with pytest.raises(ObjectFileError) as caught:
        open_object(path).geometry()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_geometry_is_all_pieces_where_they_are_in_metres(tmp_path: Path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "flap.obj").write_text(TRIANGLE)
    turned = Pose((1.0, 2.0, 3.0), (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)))
    told = SmartObject(
        "thing",
        geometry=(MeshFile("parts/flap.obj", LengthUnit.MILLIMETRE, turned), Box((1.0, 1.0, 1.0))),
    )
    read = open_object(saved(tmp_path, told)).geometry()
    assert read is not None
    corners = {tuple(np.round(corner, 9)) for corner in read.vertices[read.faces[0]]}
    assert corners == {(1.0, 2.0, 3.0), (1.0, 2.1, 3.0), (0.8, 2.0, 3.0)}
    assert len(read.faces) == 1 + 12
    np.testing.assert_allclose(np.abs(read.vertices[read.faces[1:]]), 0.5)


def test_an_object_without_geometry_has_none(tmp_path: Path):
    assert open_object(saved(tmp_path, SmartObject("thing"))).geometry() is None


def test_a_unit_that_is_not_told_is_guessed_and_said(tmp_path: Path):
    (tmp_path / "flap.obj").write_text(TRIANGLE)
    told = SmartObject("thing", geometry=(MeshFile("flap.obj"),))
    read = open_object(saved(tmp_path, told)).geometry()
    assert read is not None
    assert "mm" in " ".join(read.sentences)
    assert np.ptp(read.vertices, axis=0).max() == pytest.approx(0.2)


def test_placing_turns_and_moves_as_other_libraries_do():
    generator = np.random.default_rng(1)
    points = generator.normal(size=(20, 3))
    rotation = Rotation.random(random_state=2)
    x, y, z, w = (float(part) for part in rotation.as_quat())
    moved = placed(points, Pose((1.0, 2.0, 3.0), (x, y, z, w)))
    np.testing.assert_allclose(
        moved, rotation.apply(points) + np.array([1.0, 2.0, 3.0]), atol=1e-12
    )


def test_a_document_that_cannot_be_used_is_told_with_file_and_line(tmp_path: Path):
    path = tmp_path / "thing.xml"
    assert refused(path).startswith(f"{path}: cannot be read (No such file")
    assert "Is a directory" in refused(tmp_path)
    path.write_text("<smart_object>\n")
    assert refused(path).startswith(f"{path}: line ")


def test_a_mesh_that_is_missing_or_broken_is_told(tmp_path: Path):
    told = SmartObject("thing", geometry=(MeshFile("part.obj"),))
    path = saved(tmp_path, told)
    assert "its mesh part.obj is not there" in refused(path)
    (tmp_path / "part.obj").write_text("nothing at all\n")
    assert "part.obj" in refused(path)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path):
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.mkdir()
    outer.mkdir()
    (outer / "flap.obj").write_text(TRIANGLE)
    (inner / "flap.obj").symlink_to(outer / "flap.obj")
    (inner / "down").symlink_to(outer)
    (inner / "ring.obj").symlink_to(inner / "ring.obj")
    for file in ("flap.obj", "down/flap.obj"):
        told = SmartObject("thing", geometry=(MeshFile(file),))
        assert "is a link out of the folder" in refused(saved(inner, told))
    assert refused(saved(inner, SmartObject("thing", geometry=(MeshFile("ring.obj"),))))


def test_geometry_far_beyond_any_room_is_refused(tmp_path: Path):
    told = SmartObject("thing", geometry=(Sphere(10.0, Pose((999.0, 0.0, 0.0))),))
    assert "reaches 1,009 m from its origin" in refused(saved(tmp_path, told))


def test_a_document_that_is_replaced_is_kept(tmp_path: Path):
    path = tmp_path / "thing.xml"
    assert write_object(path, b"one") is None
    assert write_object(path, b"one") is None
    kept = write_object(path, b"two")
    assert kept == tmp_path / "thing.xml~"
    assert (path.read_bytes(), kept.read_bytes()) == (b"two", b"one")
    assert write_object(path, b"three", keep=False) is None
    assert sorted(file.name for file in tmp_path.iterdir()) == ["thing.xml", "thing.xml~"]


def test_a_document_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path):
    with pytest.raises(ObjectFileError, match="cannot be written"):
        write_object(tmp_path / "nowhere" / "thing.xml", b"one")
    assert write_object(Path("/dev/null"), b"one") is None
    assert not list(tmp_path.iterdir())


def test_a_mesh_from_elsewhere_is_copied_once(tmp_path: Path):
    home, away = tmp_path / "home", tmp_path / "away"
    (home / "parts").mkdir(parents=True)
    away.mkdir()
    for mesh in (home / "parts" / "flap.obj", away / "other.obj"):
        mesh.write_text(TRIANGLE)
    document = home / "thing.xml"
    assert bring_mesh(home / "parts" / "flap.obj", document) == ("parts/flap.obj", False)
    assert bring_mesh(away / "other.obj", Path("/dev/null")) == ("other.obj", False)
    assert bring_mesh(away / "other.obj", document) == ("other.obj", True)
    assert bring_mesh(away / "other.obj", document) == ("other.obj", False)
    (away / "other.obj").write_text(TRIANGLE + "# changed\n")
    with pytest.raises(ObjectFileError, match="is another file"):
        bring_mesh(away / "other.obj", document)


def test_meshes_follow_a_document_that_is_written_elsewhere(tmp_path: Path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "flap.obj").write_text(TRIANGLE)
    told = SmartObject("thing", geometry=(MeshFile("parts/flap.obj"), Sphere(1.0)))
    opened = open_object(saved(tmp_path, told))
    (tmp_path / "new").mkdir()
    bring_meshes(opened, tmp_path / "new" / "thing.xml")
    assert (tmp_path / "new" / "parts" / "flap.obj").read_text() == TRIANGLE


def test_a_link_to_a_document_stands_for_the_document_in_its_own_folder(tmp_path: Path):
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    link = elsewhere / "link.xml"
    link.symlink_to(home / "bar.xml")
    mesh = tmp_path / "bar.stl"
    mesh.write_bytes(b"some mesh")
    assert bring_mesh(mesh, link) == ("bar.stl", True)
    assert (home / "bar.stl").read_bytes() == b"some mesh"
    write_object(link, b"one")
    assert write_object(link, b"two") == home / "bar.xml~"
    assert (home / "bar.xml").read_bytes() == b"two"
    assert link.is_symlink()
    assert [path.name for path in elsewhere.iterdir()] == ["link.xml"]


def test_writers_at_once_leave_one_whole_document(tmp_path: Path):
    path = tmp_path / "thing.xml"
    payloads = [bytes([letter]) * 300_000 for letter in b"ab"]

    def write(payload: bytes) -> None:
        for _ in range(40):
            write_object(path, payload, keep=False)

    write(payloads[0])
    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(write, payload) for payload in payloads]
        while not all(writer.done() for writer in writers):
            assert path.read_bytes() in payloads
        for writer in writers:
            writer.result()
    assert list(tmp_path.iterdir()) == [path]


def test_a_read_only_document_stays_and_a_mode_is_kept(tmp_path: Path):
    path = tmp_path / "thing.xml"
    path.write_bytes(b"one")
    path.chmod(0o640)
    write_object(path, b"two")
    assert path.stat().st_mode & 0o777 == 0o640
    path.chmod(0o444)
    with pytest.raises(ObjectFileError, match="it is read-only"):
        write_object(path, b"three")
    assert path.read_bytes() == b"two"
