"""Owns reading the packed scans under tests/golden/meshes."""

from pathlib import Path

import numpy as np

from tests.solvers.tubes.sweeps import MeshArrays

_FOLDER = Path(__file__).parents[2] / "golden" / "meshes"


def scan(name: str) -> MeshArrays:
    """Vertices (V, 3) m and faces (F, 3) of a scan, as broken as it was."""
    with np.load(_FOLDER / f"{name}.npz") as packed:
        vertices = packed["low"] + packed["step_m"] * packed["vertices"].astype(np.float64)
        return vertices, packed["faces"].astype(np.int32)
