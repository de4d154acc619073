"""Writes small mesh files of every kind, sound ones and broken ones."""

import base64
import json
import struct
from typing import Any

import numpy as np

from tests.solvers.meshes.solids import CUBE_FACES, CUBE_VERTICES

SIDE_M = 0.1
VERTICES = CUBE_VERTICES * SIDE_M
FACES = CUBE_FACES
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def stl_binary(vertices: np.ndarray = VERTICES, head: bytes = b"by hand") -> bytes:
    faces = b"".join(struct.pack("<12fH", 0, 0, 0, *vertices[face].ravel(), 0) for face in FACES)
    return head.ljust(80, b"\0") + struct.pack("<I", len(FACES)) + faces


def stl_text(name: str = "cube", vertices: np.ndarray = VERTICES) -> bytes:
    lines = [f"solid {name}"]
    for face in FACES:
        lines += ["facet normal 0 0 0", " outer loop"]
        lines += ["  vertex {:.9g} {:.9g} {:.9g}".format(*vertices[v]) for v in face]
        lines += [" endloop", "endfacet"]
    return "\n".join([*lines, f"endsolid {name}\n"]).encode()


def obj(faces: Any = FACES, corner: str = "{}") -> bytes:
    """The corner's pattern gets the vertex's number, counted from 1."""
    lines = ["# by hand", "mtllib ../../elsewhere.mtl", "o cube", "vt 0 0", "vn 0 0 1"]
    lines += ["v {:.9g} {:.9g} {:.9g}".format(*v) for v in VERTICES]
    lines += ["f " + " ".join(corner.format(v + 1) for v in face) for face in faces]
    return "\n".join(lines).encode() + b"\n"


def ply_head(kind: str, vertices: int = 8, faces: int = 12) -> bytes:
    return (
        f"ply\nformat {kind} 1.0\ncomment by hand\nelement vertex {vertices}\n"
        "property float x\nproperty float y\nproperty float z\n"
        f"element face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
    ).encode()


def ply_text(faces: Any = FACES) -> bytes:
    rows = ["{:.9g} {:.9g} {:.9g}".format(*v) for v in VERTICES]
    rows += [" ".join(map(str, (len(face), *face))) for face in faces]
    return ply_head("ascii", faces=len(faces)) + "\n".join(rows).encode() + b"\n"


def ply_binary(order: str = "<", faces: Any = FACES) -> bytes:
    kind = "binary_little_endian" if order == "<" else "binary_big_endian"
    rows = [struct.pack(f"{order}3f", *v) for v in VERTICES]
    rows += [struct.pack(f"{order}B{len(face)}i", len(face), *face) for face in faces]
    return ply_head(kind, faces=len(faces)) + b"".join(rows)


def gltf_document(uri: str | None = None, **changes: Any) -> dict[str, Any]:
    """One cube, placed by one node; the buffer inline unless it has another place."""
    binary = gltf_numbers()
    if uri is None:
        uri = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
    buffer = {"byteLength": len(binary)} | ({"uri": uri} if uri else {})
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3",
             "min": [0, 0, 0], "max": [SIDE_M] * 3},
            {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 96},
            {"buffer": 0, "byteOffset": 96, "byteLength": 72},
        ],
        "buffers": [buffer],
    } | changes  # fmt: skip


def gltf_numbers() -> bytes:
    return VERTICES.astype("<f4").tobytes() + FACES.astype("<u2").tobytes()


def gltf(document: dict[str, Any]) -> bytes:
    return json.dumps(document).encode()


def glb(document: dict[str, Any] | None = None, length: int | None = None) -> bytes:
    text = json.dumps(document or gltf_document(uri="")).encode()
    text += b" " * (-len(text) % 4)
    binary = gltf_numbers()
    total = 12 + 8 + len(text) + 8 + len(binary)
    return (
        b"glTF"
        + struct.pack("<II", 2, total if length is None else length)
        + struct.pack("<II", len(text), 0x4E4F534A)
        + text
        + struct.pack("<II", len(binary), 0x004E4942)
        + binary
    )
