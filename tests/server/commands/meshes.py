"""Owns mesh files for the commands: solids of a few thousand triangles, saved as programs do."""

import struct
from pathlib import Path

import numpy as np
from armspan.protocol.objects import Capsule, Torus
from armspan.server.objects.primitives import Floats, Ints, triangles

Triangles = tuple[Floats, Ints]

RING = triangles(Torus(0.04, 0.008), 64)
BAR = triangles(Capsule(0.012, 0.15), 32)
BALL = triangles(Capsule(0.05, 0.001), 24)


def save_stl(path: Path, mesh: Triangles, factor: float = 1.0) -> Path:
    """Write a binary STL, a soup of triangles, in a unit of which ``factor`` are a metre."""
    vertices, faces = mesh
    record = np.zeros(len(faces), np.dtype([("normal", "<3f4"), ("at", "<9f4"), ("more", "<u2")]))
    record["at"] = (factor * vertices)[faces].reshape(-1, 9)
    path.write_bytes(b"\0" * 80 + struct.pack("<I", len(faces)) + record.tobytes())
    return path


def save_obj(path: Path, vertices: list[str], faces: list[str]) -> Path:
    """Write an OBJ of lines as they are, sound or not."""
    lines = [f"v {vertex}" for vertex in vertices] + [f"f {face}" for face in faces]
    path.write_text("\n".join(lines) + "\n")
    return path
