"""Packs scans into the small files under ``meshes/``: the same faces, corners to a few microns.

    python tests/golden/write_scans.py FOLDER_OF_STL_FILES

Equal corners become one vertex, whose coordinates are counted in 65535ths of the largest extent
(3 to 5 microns); nothing is repaired, so what is broken in a scan stays broken.
"""

import sys
from pathlib import Path

import numpy as np
import trimesh

NAMES = ("019_pitcher_base", "025_mug", "037_scissors", "048_hammer")
_STEPS = 65535


def pack(source: Path, target: Path) -> None:
    """Write the mesh of an STL file as arrays: vertices uint16, low, step_m, faces uint16."""
    mesh = trimesh.load(source, process=False)
    vertices, index = np.unique(np.asarray(mesh.vertices), axis=0, return_inverse=True)
    assert len(vertices) <= _STEPS
    faces = index.reshape(-1)[np.asarray(mesh.faces)].astype(np.uint16)
    low = vertices.min(axis=0)
    step_m = float(np.ptp(vertices, axis=0).max()) / _STEPS
    counted = np.round((vertices - low) / step_m).astype(np.uint16)
    np.savez_compressed(target, vertices=counted, low=low, step_m=step_m, faces=faces)


if __name__ == "__main__":
    for name in NAMES:
        pack(Path(sys.argv[1]) / f"{name}.stl", Path(__file__).parent / "meshes" / f"{name}.npz")
