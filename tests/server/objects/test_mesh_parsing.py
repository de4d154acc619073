"""Every kind of mesh file gives the same cube, and no broken one more than a sentence."""

import contextlib
import json
import struct
from pathlib import Path

import numpy as np
import pytest
from armspan.server.objects.errors import MeshFileError
from armspan.server.objects.mesh_parsing import Triangles, parse_mesh
from armspan.solvers.meshes.cleaning import clean

from tests.server.objects.mesh_writers import (
    FACES,
    QUADS,
    SIDE_M,
    VERTICES,
    glb,
    gltf,
    gltf_document,
    gltf_numbers,
    obj,
    ply_binary,
    ply_head,
    ply_text,
    stl_text,
)

SOUND = {
    "text.stl": stl_text(),
    "capitals.STL": stl_text().upper(),
    "two solids.stl": stl_text("a") + stl_text("b"),
    "plain.obj": obj(),
    "with normals.obj": obj(corner="{0}//1"),
    "with everything.obj": obj(corner="{0}/1/1"),
    "counted from the end.obj": obj(FACES - 9),
    "quads.obj": obj(QUADS),
    "with returns.obj": obj().replace(b"\n", b"\r\n"),
    "text.ply": ply_text(),
    "quads in text.ply": ply_text(QUADS),
    "little.ply": ply_binary("<"),
    "big.ply": ply_binary(">"),
    "quads.ply": ply_binary("<", QUADS),
    "plain.glb": glb(),
    "inline.gltf": gltf(gltf_document()),
    "no scene.gltf": gltf(
        {k: v for k, v in gltf_document().items() if k not in ("scene", "scenes", "nodes")}
    ),
}


def parsed(folder: Path, name: str, data: bytes) -> Triangles:
    path = folder / name
    path.write_bytes(data)
    return parse_mesh(path)


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_file_gives_its_cube(tmp_path: Path, name: str):
    cleaned = clean(*_arrays(parsed(tmp_path, name, SOUND[name])))
    assert cleaned.mesh.watertight
    assert cleaned.report.flipped == 0
    assert len(cleaned.mesh.faces) == 12
    np.testing.assert_allclose(cleaned.mesh.areas.sum(), 6.0 * SIDE_M**2, rtol=1e-6)
    np.testing.assert_allclose(cleaned.mesh.vertices.max(axis=0), SIDE_M, rtol=1e-6)


def _arrays(read: Triangles) -> tuple[np.ndarray, np.ndarray]:
    return read.vertices, read.faces


def test_a_face_of_many_corners_becomes_triangles(tmp_path: Path):
    angle = np.linspace(0.0, 2.0 * np.pi, 7, endpoint=False)
    lines = [f"v {np.cos(a):.9f} {np.sin(a):.9f} 0" for a in angle]
    data = "\n".join([*lines, "f 1 2 3 4 5 6 7\n"]).encode()
    cleaned = clean(*_arrays(parsed(tmp_path, "heptagon.obj", data)))
    assert len(cleaned.mesh.faces) == 5
    assert cleaned.mesh.areas.sum() == pytest.approx(3.5 * np.sin(2.0 * np.pi / 7.0), rel=1e-6)
    assert (cleaned.mesh.normals[:, 2] > 0.99).all()


def test_nodes_place_their_meshes(tmp_path: Path):
    """Moved, turned about z by 90 degrees, scaled, mirrored, and one within another."""
    turn = [0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]
    document = gltf_document(
        scenes=[{"nodes": [0, 2, 3]}],
        nodes=[
            {"translation": [1.0, 0.0, 0.0], "children": [1]},
            {"mesh": 0, "rotation": turn},
            {"mesh": 0, "scale": [-1.0, 1.0, 1.0], "translation": [0.0, 5.0, 0.0]},
            {"mesh": 0, "matrix": [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 9, 1]},
        ],
    )
    read = parsed(tmp_path, "placed.gltf", gltf(document))
    assert "3 meshes" in read.sentences[0]
    boxes = sorted(
        (part.min(axis=0).round(6).tolist(), part.max(axis=0).round(6).tolist())
        for part in read.vertices.reshape(3, 8, 3)
    )
    assert boxes == [
        ([-0.1, 5.0, 0.0], [0.0, 5.1, 0.1]),
        ([0.0, 0.0, 9.0], [0.2, 0.2, 9.2]),
        ([0.9, 0.0, 0.0], [1.0, 0.1, 0.1]),
    ]
    a, b, c = (read.vertices[read.faces[:, k]] for k in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)).reshape(3, -1).sum(axis=1) / 6.0
    np.testing.assert_allclose(sorted(volumes), [0.001, 0.001, 0.008], rtol=1e-5)


def test_a_buffer_beside_the_file_is_read(tmp_path: Path):
    (tmp_path / "numbers of it.bin").write_bytes(gltf_numbers())
    data = gltf(gltf_document(uri="numbers%20of%20it.bin"))
    assert len(parsed(tmp_path, "two.gltf", data).faces) == 12


def _with(key: str, index: int, **changes: object) -> dict[str, object]:
    document = json.loads(json.dumps(gltf_document()))
    document[key][index] |= changes
    return document


def _junk(data: bytes, seed: int) -> bytes:
    random = np.random.default_rng(seed)
    spoilt = bytearray(data)
    for place in random.integers(0, len(data), 12):
        spoilt[place] = int(random.integers(0, 256))
    return bytes(spoilt)


RING = [{"mesh": 0, "children": [1]}, {"children": [0]}]
BAD: dict[str, tuple[str, bytes, str]] = {
    "text named .stl": ("a.stl", b"Dear all,\nplease find the scan enclosed.\n" * 9, "no STL"),
    "a page named .stl": ("a.stl", b"<!doctype html><html>not found</html>", "no STL"),
    "text cut off": ("a.stl", stl_text()[:700], "cut off"),
    "text without faces": ("a.stl", b"solid nothing\nendsolid nothing\n", "no triangles"),
    "text with junk": ("a.stl", stl_text().replace(b"vertex 0.1", b"vertex ?", 1), "no sound"),
    "a corner too few": ("a.stl", stl_text().replace(b"  vertex 0 0 0\n", b"", 1), "no sound"),
    "an obj that is none": ("a.obj", b"\x89PNG\r\n\x1a\n\0\0\0", "no OBJ"),
    "an obj of words": ("a.obj", b"very nice\n", "no OBJ"),
    "an obj of points": ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\n", "no triangles"),
    "a face out of range": ("a.obj", obj([[0, 1, 99]]), "a.obj"),
    "a face of words": ("a.obj", obj().replace(b"f 1 2 4", b"f one two four"), "a.obj"),
    "a vertex of words": ("a.obj", obj().replace(b"v 0 0 0.1", b"v a b c"), "a.obj"),
    "a ply that is none": ("a.ply", b"solid cube\n", "no PLY"),
    "a ply cut off": ("a.ply", ply_binary()[:-20], "a.ply"),
    "a text ply cut off": ("a.ply", ply_text()[:-60], "a.ply"),
    "a ply of all vertices": ("a.ply", ply_head("ascii", vertices=10**12), "too short"),
    "a ply of minus one": ("a.ply", ply_head("ascii", vertices=-1), "no number"),
    "a ply face out of range": ("a.ply", ply_binary("<", [[0, 1, 99]]), "vertex 99"),
    "a ply of points": ("a.ply", ply_head("ascii", 1, 0) + b"0 0 0\n", "no triangles"),
    "junk after a ply head": ("a.ply", ply_head("ascii") + b"x y z\n" * 20, "no sound"),
    "a glb that is none": ("a.glb", b"GLB" * 20, "no GLB"),
    "a glb cut off": ("a.glb", glb()[:-40], "cut off"),
    "a glb that is longer": ("a.glb", glb(length=0xFFFFFFF0), "cut off"),
    "a glb with a huge chunk": (
        "a.glb", glb()[:12] + struct.pack("<I", 0xFFFFFFF0) + glb()[16:], "cut off"
    ),
    "glTF 1": ("a.gltf", gltf(gltf_document(asset={"version": "1.0"})), "glTF 1.0"),
    "no json": ("a.gltf", b"{'single': quotes}", "no JSON"),
    "deep json": ("a.gltf", b"[" * 100_000, "no JSON"),
    "a list": ("a.gltf", b"[]", "no sound glTF"),
    "no asset": ("a.gltf", b"{}", "no sound glTF"),
    "a huge count": ("a.gltf", gltf(_with("accessors", 0, count=10**12)), "reduce its polygons"),
    "a wrong count": ("a.gltf", gltf(_with("accessors", 0, count=9)), "no sound glTF"),
    "a count of words": ("a.gltf", gltf(_with("accessors", 0, count="many")), "no number"),
    "numbers of no kind": ("a.gltf", gltf(gltf_document(uri="data:,1,2,3")), "base64"),
    "an index out of range": (
        "a.gltf", gltf(_with("accessors", 1, byteOffset=0, bufferView=0)), "a.gltf"
    ),
    "a buffer on the root": ("a.gltf", gltf(gltf_document(uri="/etc/passwd")), "outside"),
    "a buffer that climbs": ("a.gltf", gltf(gltf_document(uri="../secret.bin")), "outside"),
    "a buffer that hides it": ("a.gltf", gltf(gltf_document(uri="..%2Fsecret.bin")), "outside"),
    "a buffer at an address": (
        "a.gltf", gltf(gltf_document(uri="https://example.com/a.bin")), "outside"
    ),
    "a buffer on a drive": ("a.gltf", gltf(gltf_document(uri="C:\\a.bin")), "outside"),
    "a buffer that is missing": ("a.gltf", gltf(gltf_document(uri="gone.bin")), "beside it"),
    "a buffer of another kind": ("a.gltf", gltf(gltf_document(uri="a.gltf")), "beside it"),
    "a buffer with no place": ("a.gltf", gltf(gltf_document(buffers=[{"uri": 3}])), "no text"),
    "compressed": (
        "a.gltf",
        gltf(gltf_document(extensionsUsed=["KHR_draco_mesh_compression"])),
        "without compression",
    ),
    "a node within itself": ("a.gltf", gltf(gltf_document(nodes=RING)), "within itself"),
    "a node with two parents": (
        "a.gltf",
        gltf(gltf_document(nodes=[{"children": [2]}, {"children": [2]}, {"mesh": 0}])),
        "trees",
    ),
    "a child that is none": ("a.gltf", gltf(gltf_document(nodes=[{"children": [7]}])), "trees"),
    "a scene of nothing": ("a.gltf", gltf(gltf_document(meshes=[], nodes=[{}])), "no triangles"),
    "children that are no list": ("a.gltf", gltf(gltf_document(nodes=[{"children": 3}])), "list"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_broken_file_gets_one_sentence(tmp_path: Path, name: str):
    file, data, word = BAD[name]
    with pytest.raises(MeshFileError, match=word) as refused:
        parsed(tmp_path, file, data)
    text = str(refused.value)
    assert text.startswith(file)
    assert "\n" not in text
    assert len(text) < 250


@pytest.mark.parametrize("name", [name for name in SOUND if not name.startswith("two")])
@pytest.mark.parametrize("seed", range(8))
def test_spoilt_bytes_and_cut_ends_never_surprise(tmp_path: Path, name: str, seed: int):
    data = SOUND[name]
    for spoilt in (_junk(data, seed), data[: len(data) * (seed + 1) // 10]):
        (tmp_path / name).write_bytes(spoilt)
        with contextlib.suppress(MeshFileError):
            read = parse_mesh(tmp_path / name)
            assert read.faces.max() < len(read.vertices)
            assert read.faces.min() >= 0


def test_a_link_does_not_lead_out_of_the_folder(tmp_path: Path):
    (tmp_path / "secret.bin").write_bytes(gltf_numbers())
    folder = tmp_path / "object"
    folder.mkdir()
    (folder / "a.bin").symlink_to(tmp_path / "secret.bin")
    with pytest.raises(MeshFileError, match="outside"):
        parsed(folder, "a.gltf", gltf(gltf_document(uri="a.bin")))


def test_materials_and_pictures_are_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    opened: list[str] = []
    real = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: (opened.append(self.name), real(self))[1])
    (tmp_path / "elsewhere.mtl").write_text("newmtl a\nmap_Kd picture.png\n")
    parsed(tmp_path, "a.obj", obj().replace(b"../../elsewhere", b"elsewhere"))
    document = gltf_document(
        images=[{"uri": "picture.png"}],
        textures=[{"source": 0}],
        materials=[{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
    )
    parsed(tmp_path, "a.gltf", gltf(document))
    assert opened == ["a.obj", "a.gltf"]


def test_one_mesh_at_very_many_nodes_is_refused(tmp_path: Path):
    count = 400
    document = gltf_document(scenes=[{"nodes": list(range(count))}], nodes=[{"mesh": 0}] * count)
    path = tmp_path / "many.gltf"
    path.write_bytes(gltf(document))
    from armspan.server.objects import mesh_parsing

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mesh_parsing, "FACES_MOST", 120)
        with pytest.raises(MeshFileError, match="120 faces"):
            parse_mesh(path)


def test_the_vertices_are_those_of_the_file(tmp_path: Path):
    read = parsed(tmp_path, "a.ply", ply_binary())
    np.testing.assert_allclose(read.vertices, VERTICES, rtol=1e-6)
    np.testing.assert_array_equal(read.faces, FACES)
