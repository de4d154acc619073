"""Owns what is looked at in a glTF file before it is parsed: counts, buffers, compression."""

import json
import struct
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, cast
from urllib.parse import unquote

from armspan.server.objects.errors import MeshFileError

_JSON_BYTES = 32_000_000
_NUMBERS_MOST = 64_000_000
"""Entries of all accessors together: a few bytes of JSON may ask for any memory."""
_PLACED_MOST = 100_000
"""Meshes that nodes place: one mesh may be every node's."""
_DATA_HEAD = 200
"""Characters in which an address that holds its own data says so."""
_COMPRESSED = (
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "EXT_mesh_gpu_instancing",
)

_Object = Mapping[str, Any]


def checked_gltf(data: bytes, path: Path) -> bytes:
    """Take the bytes of a .gltf or .glb file, or say why not. Raises MeshFileError."""
    document = _document_of(data, path)
    version = str(_object(document.get("asset"), path).get("version", ""))
    if not version.startswith("2."):
        raise MeshFileError(
            f"{path.name} is glTF {version[:8] or 'without a version'}, and 2.0 is known; export "
            "it as glTF 2.0"
        )
    _check_extensions(document, path)
    _check_counts(document, path)
    for buffer in _objects(document, "buffers", path):
        if "uri" in buffer:
            _check_buffer(buffer["uri"], path)
    return data


def _document_of(data: bytes, path: Path) -> _Object:
    text = data
    if path.suffix.lower() == ".glb":
        if len(data) < 20 or data[:4] != b"glTF":
            raise MeshFileError(f"{path.name} is no GLB, though its name ends so; export it as one")
        version, length, json_length, kind = struct.unpack_from("<IIII", data, 4)
        if version != 2:
            raise MeshFileError(
                f"{path.name} is glTF {version}, and 2.0 is known; export it as glTF 2.0"
            )
        if length > len(data) or 20 + json_length > len(data) or kind != 0x4E4F534A:
            raise MeshFileError(
                f"{path.name} says that it has {length:,} bytes, and has {len(data):,}: it is cut "
                "off or damaged; export it again"
            )
        text = data[20 : 20 + json_length]
    if len(text) > _JSON_BYTES and path.suffix.lower() == ".glb":
        raise _damaged(path, f"its description has {len(text):,} bytes")
    try:
        document = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise _damaged(path, "its description is no JSON") from None
    return _object(document, path)


def _check_extensions(document: _Object, path: Path) -> None:
    used = [*_list(document, "extensionsUsed", path), *_list(document, "extensionsRequired", path)]
    for name in _COMPRESSED:
        if name in used:
            raise MeshFileError(
                f"{path.name} uses {name}, which is not read; export it without compression or "
                "instancing"
            )


def _check_counts(document: _Object, path: Path) -> None:
    total = 0
    for accessor in _objects(document, "accessors", path):
        count = accessor.get("count")
        if not isinstance(count, int) or count < 0:
            raise _damaged(path, "a count in it is no number")
        total += count
    if total > _NUMBERS_MOST:
        raise MeshFileError(
            f"{path.name} says that it has {total:,} vertices and indices, and {_NUMBERS_MOST:,} "
            "are the most that is taken; reduce its polygons"
        )
    nodes = _objects(document, "nodes", path)
    if len(nodes) > _PLACED_MOST:
        raise MeshFileError(
            f"{path.name} has {len(nodes):,} nodes, and {_PLACED_MOST:,} are the most; join its "
            "meshes"
        )
    _check_tree(nodes, path)


def _check_tree(nodes: list[_Object], path: Path) -> None:
    """A node has one parent at most, and is not within itself: glTF's rule."""
    parents = [-1] * len(nodes)
    for index, node in enumerate(nodes):
        for child in _list(node, "children", path):
            if not isinstance(child, int) or not 0 <= child < len(nodes) or parents[child] != -1:
                raise _damaged(path, "its nodes form no trees")
            parents[child] = index
    roots = [index for index, parent in enumerate(parents) if parent == -1]
    reached = 0
    while roots:
        reached += 1
        roots.extend(_list(nodes[roots.pop()], "children", path))
    if reached != len(nodes):
        raise _damaged(path, "a node of it is within itself")


def _check_buffer(uri: object, path: Path) -> None:
    """Buffers lie in the file, or beside or below it; nothing is fetched, and nothing climbs."""
    if not isinstance(uri, str):
        raise _damaged(path, "a buffer's place is no text")
    if uri.startswith("data:"):
        if ";base64," not in uri[:_DATA_HEAD]:
            raise _damaged(path, "numbers inside it are not written as base64")
        return
    place = PurePosixPath(unquote(uri))
    outside = (
        place.is_absolute()
        or ".." in place.parts
        or ":" in uri
        or "\\" in unquote(uri)
        or "\0" in unquote(uri)
        or "base64," in uri
    )
    file = path.parent / place
    if outside or not file.resolve().is_relative_to(path.parent.resolve()):
        raise MeshFileError(
            f"{path.name} keeps its numbers outside its folder ({uri[:60]!r}), which is not read; "
            "export it as one .glb file"
        )
    if place.suffix.lower() not in (".bin", ".glbin") or not file.is_file():
        raise MeshFileError(
            f"{path.name} keeps its numbers in {uri[:60]!r}, which is no .bin file beside it; copy "
            "it there, or export one .glb file"
        )


def _damaged(path: Path, what: str) -> MeshFileError:
    return MeshFileError(f"{path.name} is no sound glTF file: {what}; export it again")


def _object(value: object, path: Path) -> _Object:
    if not isinstance(value, dict):
        raise _damaged(path, "an object is missing in it")
    return cast(_Object, value)


def _list(document: _Object, key: str, path: Path) -> list[Any]:
    value = document.get(key, [])
    if not isinstance(value, list):
        raise _damaged(path, f"its {key} are no list")
    return cast("list[Any]", value)


def _objects(document: _Object, key: str, path: Path) -> list[_Object]:
    return [_object(entry, path) for entry in _list(document, key, path)]
