"""Owns the file format: one mesh, one skin and VRM 1.0's extension as a binary glTF."""

import json
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from client_web.avatars.bake.arrays import Floats, Indices
from client_web.avatars.bake.mesh import Mesh
from client_web.avatars.bake.rig import Skeleton

FLOAT, U16, U8 = 5126, 5123, 5121
VERTICES, TRIANGLES = 34962, 34963
GENERATOR = "Armspan's avatar bake"


@dataclass
class Buffer:
    """The binary chunk, with the views and accessors that say what is in it."""

    data: bytearray = field(default_factory=bytearray)
    views: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    accessors: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def view(self, values: NDArray[Any], target: int | None = None) -> int:
        self.data.extend(bytes(-len(self.data) % 4))
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": values.nbytes}
        self.views.append(view if target is None else view | {"target": target})
        self.data.extend(values.tobytes())
        return len(self.views) - 1

    def add(self, values: NDArray[Any], component: int, shape: str, **more: Any) -> int:
        """An accessor over a view of its own; a ``target`` among ``more`` goes to the view."""
        view = self.view(values, more.pop("target", None))
        accessor = {"bufferView": view, "componentType": component, "count": len(values)}
        self.accessors.append(accessor | {"type": shape} | more)
        return len(self.accessors) - 1


def bounds(values: NDArray[Any]) -> dict[str, Any]:
    return {"min": values.min(0).tolist(), "max": values.max(0).tolist()}


def four_bones(weights: Floats) -> tuple[Indices, Indices]:
    """The four strongest bones of each vertex (n, 4), and their shares: 255 in all."""
    bones = np.argsort(-weights, axis=1, kind="stable")[:, :4]
    shares = np.take_along_axis(weights, bones, axis=1)
    exact = shares / shares.sum(1, keepdims=True) * 255
    whole = np.floor(exact).astype(np.int64)
    missing = 255 - whole.sum(1)
    rank = np.argsort(np.argsort(whole - exact, axis=1, kind="stable"), axis=1, kind="stable")
    whole += rank < missing[:, None]
    return np.where(whole > 0, bones, 0), whole


def primitive(buffer: Buffer, mesh: Mesh) -> dict[str, Any]:
    """Write the mesh's columns and triangles."""
    columns = mesh.columns
    points = np.ascontiguousarray(columns["point"], "<f4")
    bones, shares = four_bones(columns["weights"])
    colour = np.ones((len(points), 4))
    colour[:, :3] = np.clip(columns["colour"], 0, 1)

    def add(values: NDArray[Any], component: int, shape: str, **more: Any) -> int:
        return buffer.add(values, component, shape, target=VERTICES, **more)

    attributes = {
        "POSITION": add(points, FLOAT, "VEC3", **bounds(points)),
        "NORMAL": add(columns["normal"].astype("<f4"), FLOAT, "VEC3"),
        "COLOR_0": add(np.round(colour * 65535).astype("<u2"), U16, "VEC4", normalized=True),
        "JOINTS_0": add(bones.astype("u1"), U8, "VEC4"),
        "WEIGHTS_0": add(shares.astype("u1"), U8, "VEC4", normalized=True),
        # As floats: a byte would be padded to the same four bytes, and then be interleaved.
        "_TINT": add(columns["tint"][:, 0].astype("<f4"), FLOAT, "SCALAR"),
    }
    indices = mesh.triangles.ravel().astype("<u2")
    return {
        "attributes": attributes,
        "indices": buffer.add(indices, U16, "SCALAR", target=TRIANGLES),
        "material": 0,
        "mode": 4,
    }


def nodes_of(skeleton: Skeleton) -> list[dict[str, Any]]:
    """The bones as nodes, without any rotation: frames are parallel to the model's."""
    nodes: list[dict[str, Any]] = []
    for bone, (name, parent) in enumerate(zip(skeleton.names, skeleton.parents, strict=True)):
        origin = skeleton.heads[parent] if parent >= 0 else np.zeros(3)
        node: dict[str, Any] = {"name": name}
        node["translation"] = np.float32(skeleton.heads[bone] - origin).tolist()
        children = [child for child, above in enumerate(skeleton.parents) if above == bone]
        nodes.append(node | ({"children": children} if children else {}))
    return nodes


def write_vrm(
    mesh: Mesh, skeleton: Skeleton, meta: dict[str, Any], extras: dict[str, Any]
) -> bytes:
    """The model as a VRM 1.0 file. Columns needed: point, normal, colour, tint, weights."""
    buffer = Buffer()
    shape = primitive(buffer, mesh)
    bones = len(skeleton.names)
    inverse = np.tile(np.eye(4), (bones, 1, 1))
    inverse[:, 3, :3] = -skeleton.heads  # column-major: a row here is a column there
    matrices = buffer.add(inverse.reshape(bones, 16).astype("<f4"), FLOAT, "MAT4")
    nodes = nodes_of(skeleton)
    nodes.append({"name": "body", "mesh": 0, "skin": 0})
    document = {
        "asset": {"version": "2.0", "generator": GENERATOR},
        "extensionsUsed": ["VRMC_vrm"],
        "extensions": {"VRMC_vrm": vrm_extension(skeleton, meta)},
        "extras": extras,
        "scene": 0,
        "scenes": [{"nodes": [0, bones]}],
        "nodes": nodes,
        "meshes": [{"name": "body", "primitives": [shape]}],
        "skins": [{"joints": list(range(bones)), "inverseBindMatrices": matrices, "skeleton": 0}],
        "materials": [
            {
                "name": "body",
                "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.75},
            }
        ],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": len(buffer.data) + -len(buffer.data) % 4}],
    }
    return packed(document, bytes(buffer.data))


def vrm_extension(skeleton: Skeleton, meta: dict[str, Any]) -> dict[str, Any]:
    """VRMC_vrm: who made it, which node is which bone, and how the eyes look."""
    gaze = {"inputMaxValue": 90.0, "outputScale": 10.0}
    sides = ("HorizontalInner", "HorizontalOuter", "VerticalDown", "VerticalUp")
    eyes = (skeleton.head("leftEye") + skeleton.head("rightEye")) / 2 - skeleton.head("head")
    return {
        "specVersion": "1.0",
        "meta": meta,
        "humanoid": {
            "humanBones": {name: {"node": bone} for bone, name in enumerate(skeleton.names)}
        },
        "lookAt": {
            "type": "bone",
            "offsetFromHeadBone": np.float32(eyes).tolist(),
            **{f"rangeMap{side}": gaze for side in sides},
        },
    }


def packed(document: dict[str, Any], data: bytes) -> bytes:
    """A binary glTF of a JSON document and one buffer."""
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    data += bytes(-len(data) % 4)
    header = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data))
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    return header + chunks + struct.pack("<I4s", len(data), b"BIN\0") + data
