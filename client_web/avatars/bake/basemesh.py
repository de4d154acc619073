"""Owns the base mesh as MakeHuman draws it: vertices, quads by group, and masks at vertices."""

from dataclasses import dataclass, field

import numpy as np

from client_web.avatars.bake.arrays import Floats, Indices
from client_web.avatars.bake.source import Source


@dataclass
class BaseMesh:
    """MakeHuman's hm08: Y up, facing +Z, its left at +X, decimetres."""

    vertices: Floats  # (n, 3)
    texture: Floats  # (t, 2), v upward
    quads: dict[str, Indices]  # group -> (f, 4) vertices
    texture_quads: dict[str, Indices]  # group -> (f, 4) texture vertices
    ranges: dict[str, list[list[int]]]  # group -> [[first, last]]
    _members: dict[str, Indices] = field(default_factory=dict[str, Indices])

    def members(self, group: str) -> Indices:
        """The vertices of a group."""
        if group not in self._members:
            spans = [np.arange(first, last + 1) for first, last in self.ranges[group]]
            self._members[group] = np.concatenate(spans)
        return self._members[group]

    def sample(self, picture: Floats, group: str = "body") -> Floats:
        """A mask's value at every vertex (n,), the mean over a vertex's places in the texture."""
        corners = self.quads[group].ravel()
        places = self.texture[self.texture_quads[group].ravel()]
        rows, columns = picture.shape
        row = np.clip(((1 - places[:, 1]) * rows).astype(int), 0, rows - 1)
        column = np.clip((places[:, 0] * columns).astype(int), 0, columns - 1)
        total = np.bincount(corners, picture[row, column], len(self.vertices))
        return total / np.maximum(np.bincount(corners, minlength=len(self.vertices)), 1)


def read_base_mesh(source: Source) -> BaseMesh:
    """Read the base mesh; every face of it has four corners (a triangle repeats its last)."""
    vertices: list[list[float]] = []
    texture: list[list[float]] = []
    quads: dict[str, list[list[int]]] = {}
    texture_quads: dict[str, list[list[int]]] = {}
    group = ""
    for line in source.text("3dobjs/base.obj").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "v":
            vertices.append([float(number) for number in rest.split()[:3]])
        elif kind == "vt":
            texture.append([float(number) for number in rest.split()[:2]])
        elif kind == "g":
            group = rest.strip()
        elif kind == "f":
            corners = [corner.split("/") for corner in rest.split()]
            corners = (corners + corners[-1:])[:4]
            quads.setdefault(group, []).append([int(corner[0]) - 1 for corner in corners])
            texture_quads.setdefault(group, []).append([int(corner[1]) - 1 for corner in corners])
    return BaseMesh(
        vertices=np.array(vertices),
        texture=np.array(texture),
        quads={name: np.array(faces) for name, faces in quads.items()},
        texture_quads={name: np.array(faces) for name, faces in texture_quads.items()},
        ranges=source.document("mesh_metadata/basemesh_vertex_groups.json"),
    )
