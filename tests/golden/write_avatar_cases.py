"""Owns the golden cases of avatars' files: what the page and the server both take or refuse.

    python -m tests.golden.write_avatar_cases

writes `avatars/cases.json`: a list of `{"name", "glb", "pad_to", "fault"}`. `glb` is the file in
base64; where `pad_to` is not null, zero bytes are appended up to that length. `fault` is null for a
file that is taken, else the first thing that is wrong with it, in the order of FAULTS.
"""

import base64
import copy
import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

FAULTS = (
    "too-large",
    "not-glb",
    "not-vrm",
    "outside",
    "bones",
    "too-much",
    "images",
    "accessors",
)
CASES = Path(__file__).parent / "avatars" / "cases.json"
REQUIRED = [
    "hips",
    "spine",
    "head",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "rightUpperArm",
    "rightLowerArm",
    "rightHand",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "rightUpperLeg",
    "rightLowerLeg",
    "rightFoot",
]
PARENTS = {
    "spine": "hips",
    "head": "spine",
    "leftUpperArm": "spine",
    "leftLowerArm": "leftUpperArm",
    "leftHand": "leftLowerArm",
    "rightUpperArm": "spine",
    "rightLowerArm": "rightUpperArm",
    "rightHand": "rightLowerArm",
    "leftUpperLeg": "hips",
    "leftLowerLeg": "leftUpperLeg",
    "leftFoot": "leftLowerLeg",
    "rightUpperLeg": "hips",
    "rightLowerLeg": "rightUpperLeg",
    "rightFoot": "rightLowerLeg",
}
# From the parent, metres; VRM 1.0 faces +Z, so a person's left is +X.
OFFSETS = {
    "hips": (0, 0.9, 0),
    "spine": (0, 0.3, 0),
    "head": (0, 0.3, 0),
    "UpperArm": (0.18, 0.2, 0),
    "LowerArm": (0.28, 0, 0),
    "Hand": (0.25, 0, 0),
    "UpperLeg": (0.1, -0.05, 0),
    "LowerLeg": (0, -0.4, 0),
    "Foot": (0, -0.38, 0),
}
Json = dict[str, Any]
Change = Callable[[Json, bytearray], None]


def _png(width: int, height: int) -> bytes:
    """A picture of this size; black where that is small, else only its header."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * (height + width * height)) if width < 64 else b""
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    )


def _append(document: Json, binary: bytearray, payload: bytes) -> int:
    """Add a buffer view; its index."""
    binary.extend(b"\0" * (-len(binary) % 4))
    views = document["bufferViews"]
    views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(payload)})
    binary.extend(payload)
    return len(views) - 1


def _accessor(document: Json, view: int | None, component: int, count: int, kind: str) -> int:
    entry: Json = {"componentType": component, "count": count, "type": kind}
    if view is not None:
        entry["bufferView"] = view
    document["accessors"].append(entry)
    return len(document["accessors"]) - 1


def smallest() -> tuple[Json, bytearray]:
    """A VRM with the bones that are asked for, one triangle and one picture."""
    nodes: list[Json] = []
    for name in REQUIRED:
        kind = name.removeprefix("left").removeprefix("right")
        x, y, z = OFFSETS[kind]
        nodes.append({"name": name, "translation": [-x if name.startswith("right") else x, y, z]})
    for child, parent in PARENTS.items():
        nodes[REQUIRED.index(parent)].setdefault("children", []).append(REQUIRED.index(child))
    bones = {name: {"node": index} for index, name in enumerate(REQUIRED)}
    document: Json = {
        "asset": {"version": "2.0", "generator": "Armspan's golden cases"},
        "extensionsUsed": ["VRMC_vrm"],
        "extensions": {
            "VRMC_vrm": {
                "specVersion": "1.0",
                "meta": {
                    "name": "Smallest",
                    "authors": ["Armspan"],
                    "licenseUrl": "https://vrm.dev/licenses/1.0/",
                },
                "humanoid": {"humanBones": bones},
            }
        },
        "scene": 0,
        "scenes": [{"nodes": [0, len(nodes)]}],
        "nodes": nodes,
        "accessors": [],
        "bufferViews": [],
        "skins": [{"joints": list(range(len(nodes)))}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}],
    }
    binary = bytearray()
    corners = struct.pack("<9f", 0, 1.4, 0, 0.1, 1.4, 0, 0, 1.5, 0)
    place = _accessor(document, _append(document, binary, corners), 5126, 3, "VEC3")
    document["accessors"][place] |= {"min": [0, 1.4, 0], "max": [0.1, 1.5, 0]}
    uv = _accessor(document, _append(document, binary, bytes(24)), 5126, 3, "VEC2")
    spine = REQUIRED.index("spine")
    joints = bytes([spine, 0, 0, 0] * 3)
    joint = _accessor(document, _append(document, binary, joints), 5121, 3, "VEC4")
    weights = struct.pack("<12f", *(1, 0, 0, 0) * 3)
    weight = _accessor(document, _append(document, binary, weights), 5126, 3, "VEC4")
    order = _accessor(
        document, _append(document, binary, struct.pack("<3H", 0, 1, 2)), 5123, 3, "SCALAR"
    )
    attributes = {"POSITION": place, "TEXCOORD_0": uv, "JOINTS_0": joint, "WEIGHTS_0": weight}
    primitive = {"attributes": attributes, "indices": order, "material": 0}
    document["meshes"] = [{"primitives": [primitive]}]
    nodes.append({"name": "body", "mesh": 0, "skin": 0})
    picture = _append(document, binary, _png(2, 2))
    document["images"] = [{"bufferView": picture, "mimeType": "image/png"}]
    return document, binary


def glb(document: Json, binary: bytes) -> bytes:
    """The two as one file."""
    padded = bytes(binary) + b"\0" * (-len(binary) % 4)
    document = {**document, "buffers": document.get("buffers", [{"byteLength": len(padded)}])}
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    length = 28 + len(text) + len(padded)
    head = struct.pack("<4sII", b"glTF", 2, length) + struct.pack("<I4s", len(text), b"JSON")
    return head + text + struct.pack("<I4s", len(padded), b"BIN\0") + padded


def _changed(change: Change) -> bytes:
    document, binary = smallest()
    document = copy.deepcopy(document)
    change(document, binary)
    return glb(document, binary)


def _vrm(document: Json) -> Json:
    return document["extensions"]["VRMC_vrm"]


def _without(bone: str) -> Change:
    return lambda document, _: _vrm(document)["humanoid"]["humanBones"].pop(bone)


def _set(path: list[str | int], value: Any) -> Change:
    def change(document: Json, _: bytearray) -> None:
        at: Any = document
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value

    return change


def _picture(width: int, height: int) -> Change:
    def change(document: Json, binary: bytearray) -> None:
        view = _append(document, binary, _png(width, height))
        document["images"][0]["bufferView"] = view

    return change


def _many_pictures(document: Json, binary: bytearray) -> None:
    view = _append(document, binary, _png(4096, 4096))
    document["images"] = [{"bufferView": view, "mimeType": "image/png"} for _ in range(5)]


def _no_picture(document: Json, binary: bytearray) -> None:
    document["images"][0]["bufferView"] = _append(document, binary, b"GIF89a" + bytes(60))


def _webp(width: int, height: int) -> Change:
    """A picture in WebP, extended: its header alone."""

    def change(document: Json, binary: bytearray) -> None:
        sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
        head = b"VP8X" + struct.pack("<II", 10, 0) + sizes
        data = b"RIFF" + struct.pack("<I", 4 + len(head)) + b"WEBP" + head
        document["images"][0] = {
            "bufferView": _append(document, binary, data),
            "mimeType": "image/webp",
        }

    return change


def _shared_targets(document: Json, _: bytearray) -> None:
    """Parts of one mesh that have the same expressions, as most avatars' faces do."""
    part = document["meshes"][0]["primitives"][0]
    part["targets"] = [{"POSITION": 0}] * 300
    document["meshes"][0]["primitives"] = [part, copy.deepcopy(part)]


def _sparse(document: Json, binary: bytearray) -> None:
    """A morph target as exporters write it: zero but for one vertex."""
    index = _append(document, binary, struct.pack("<H", 1))
    value = _append(document, binary, struct.pack("<3f", 0, 0.01, 0))
    target = _accessor(document, None, 5126, 3, "VEC3")
    document["accessors"][target] |= {
        "sparse": {
            "count": 1,
            "indices": {"bufferView": index, "componentType": 5123},
            "values": {"bufferView": value},
        },
        "min": [0, 0, 0],
        "max": [0, 0.01, 0],
    }
    document["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": target}]


def _sparse_beyond(document: Json, binary: bytearray) -> None:
    _sparse(document, binary)
    document["accessors"][-1]["sparse"]["count"] = 4


def _zeros(document: Json, _: bytearray) -> None:
    _accessor(document, None, 5126, 30_000_000, "VEC4")


def _circle(document: Json, _: bytearray) -> None:
    document["nodes"][REQUIRED.index("leftHand")]["children"] = [REQUIRED.index("spine")]


def _many_nodes(document: Json, _: bytearray) -> None:
    document["nodes"] += [{} for _ in range(2048)]


def _deep(document: Json, _: bytearray) -> None:
    first = len(document["nodes"])
    document["nodes"] += [{"children": [first + step + 1]} for step in range(220)] + [{}]


def _old(document: Json, _: bytearray) -> None:
    document["extensions"] = {"VRM": {"specVersion": "0.0"}}


def cases() -> list[Json]:
    """All cases, each with the fault it must be given."""
    sound = glb(*smallest())
    images: list[str | int] = ["images", 0]
    listed: list[tuple[str, bytes, str | None]] = [
        ("the smallest avatar", sound, None),
        ("a morph target with a sparse accessor", _changed(_sparse), None),
        ("a picture of 4096 by 1", _changed(_picture(4096, 1)), None),
        ("a picture in WebP", _changed(_webp(512, 256)), None),
        ("parts of a mesh with the same expressions", _changed(_shared_targets), None),
        ("nothing at all", b"", "not-glb"),
        ("text", b"<!doctype html><title>no avatar here</title>", "not-glb"),
        ("a file that is cut off", sound[:-40], "not-glb"),
        ("a file with something behind its end", sound + bytes(4), "not-glb"),
        ("glTF 1", sound[:4] + struct.pack("<I", 1) + sound[8:], "not-glb"),
        ("broken JSON", sound.replace(b'{"asset"', b'{,asset"', 1), "not-glb"),
        ("a model that is no avatar", _changed(_set(["extensions"], {})), "not-vrm"),
        ("VRM 0.x", _changed(_old), "not-vrm"),
        (
            "a later VRM",
            _changed(_set(["extensions", "VRMC_vrm", "specVersion"], "2.0")),
            "not-vrm",
        ),
        (
            "a picture at an address",
            _changed(_set([*images, "uri"], "https://example.org/a.png")),
            "outside",
        ),
        (
            "a picture in the text",
            _changed(_set([*images, "uri"], "data:image/png;base64,AA==")),
            "outside",
        ),
        (
            "a buffer at an address",
            _changed(_set(["buffers"], [{"byteLength": 4, "uri": "a.bin"}])),
            "outside",
        ),
        (
            "compressed meshes",
            _changed(_set(["extensionsUsed"], ["VRMC_vrm", "KHR_draco_mesh_compression"])),
            "outside",
        ),
        ("no head", _changed(_without("head")), "bones"),
        ("no bones", _changed(_set(["extensions", "VRMC_vrm", "humanoid"], {})), "bones"),
        (
            "a bone that is no node",
            _changed(
                _set(["extensions", "VRMC_vrm", "humanoid", "humanBones", "head", "node"], 999)
            ),
            "bones",
        ),
        (
            "two bones that are one node",
            _changed(_set(["extensions", "VRMC_vrm", "humanoid", "humanBones", "head", "node"], 0)),
            "bones",
        ),
        ("nodes in a circle", _changed(_circle), "not-glb"),
        ("more nodes than can be shown", _changed(_many_nodes), "too-much"),
        ("nodes nested too deeply", _changed(_deep), "too-much"),
        (
            "more vertices than can be shown",
            _changed(_set(["accessors", 0, "count"], 200_001)),
            "too-much",
        ),
        (
            "more morph targets than can be shown",
            _changed(_set(["meshes", 0, "primitives", 0, "targets"], [{}] * 513)),
            "too-much",
        ),
        (
            "a mesh without vertices",
            _changed(_set(["meshes", 0, "primitives", 0], {"attributes": {}})),
            "not-glb",
        ),
        ("zeros without end", _changed(_zeros), "too-much"),
        ("a picture as large as a wall", _changed(_picture(16384, 16384)), "images"),
        ("a picture in WebP as large as a wall", _changed(_webp(16384, 16384)), "images"),
        ("many large pictures", _changed(_many_pictures), "images"),
        ("a picture of another kind", _changed(_no_picture), "images"),
        ("a picture that is nowhere", _changed(_set([*images, "bufferView"], 99)), "images"),
        (
            "vertices beyond the file",
            _changed(_set(["accessors", 0, "byteOffset"], 4096)),
            "accessors",
        ),
        (
            "a view beyond the file",
            _changed(_set(["bufferViews", 0, "byteLength"], 1 << 20)),
            "accessors",
        ),
        ("a stride of nothing", _changed(_set(["bufferViews", 0, "byteStride"], 1)), "accessors"),
        ("more changed than there is", _changed(_sparse_beyond), "accessors"),
    ]
    result = [
        {"name": name, "glb": base64.b64encode(data).decode(), "pad_to": None, "fault": fault}
        for name, data, fault in listed
    ]
    sound64 = base64.b64encode(sound).decode()
    result.append(
        {"name": "more than 20 MB", "glb": sound64, "pad_to": 20_000_001, "fault": "too-large"}
    )
    return result


def main() -> None:
    """Write the cases."""
    CASES.parent.mkdir(exist_ok=True)
    CASES.write_text(json.dumps(cases(), indent=1) + "\n")


if __name__ == "__main__":
    main()
