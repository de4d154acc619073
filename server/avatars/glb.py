"""Owns reading binary glTF: its container, its JSON, and where an accessor's numbers lie. Pure.

Whatever is not as glTF 2.0 says raises AvatarFault; what is read here has been bounded before.
"""

import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from armspan.server.avatars.verdict import AvatarFault, Fault, broken, cap

JSON_BYTES = 4_000_000
JSON_DEPTH = 64
JSON_VALUES = 400_000
_JSON_CHUNK = 0x4E4F534A
_BIN_CHUNK = 0x004E4942
_COMPONENT_BYTES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_COUNT_MOST = 1 << 53

Object = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Glb:
    """A binary glTF file, taken apart."""

    document: Object
    binary: memoryview
    """The binary chunk; empty where there is none."""

    def listed(self, key: str) -> Sequence[Any]:
        """A list at the top of the document; empty if there is none."""
        return list_of(self.document.get(key), key)


@dataclass(frozen=True, slots=True)
class Extent:
    """Where an accessor's numbers lie in the binary chunk."""

    component: int
    width: int
    """Numbers an entry."""
    count: int
    start: int | None
    """None: all of them are zero, but for what a sparse accessor changes."""
    stride: int


def read_glb(data: bytes) -> Glb:
    """Take a file apart. Raises AvatarFault."""
    if len(data) < 20 or data[:4] != b"glTF":
        raise AvatarFault(
            Fault.NOT_GLB, "The file is no avatar; choose a file in VRM 1.0 (.vrm), made of glTF."
        )
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise broken(f"it is glTF {version} and not 2")
    if length != len(data):
        raise broken(f"it says that it has {length} bytes, and has {len(data)}")
    document, binary = _read_chunks(memoryview(data))
    if object_of(document.get("asset"), "asset").get("version") != "2.0":
        raise broken("its asset is not glTF 2.0")
    return Glb(document, binary)


def _read_chunks(data: memoryview) -> tuple[Object, memoryview]:
    document: Object | None = None
    binary = memoryview(b"")
    at = 12
    index = 0
    while at < len(data):
        if at + 8 > len(data):
            raise broken("a chunk is cut off")
        length, kind = struct.unpack_from("<II", data, at)
        at += 8
        if length % 4 or at + length > len(data):
            raise broken("a chunk is cut off")
        if (kind == _JSON_CHUNK) != (index == 0):
            raise broken("its first chunk, and no other, must be JSON")
        if index == 0:
            document = _read_json(data[at : at + length])
        elif index == 1 and kind == _BIN_CHUNK:
            binary = data[at : at + length]
        at += length
        index += 1
    if document is None:
        raise broken("it has no JSON")
    return document, binary


def _read_json(chunk: memoryview) -> Object:
    if len(chunk) > JSON_BYTES:
        cap(len(chunk), JSON_BYTES, "bytes of description")
    try:
        document = json.loads(str(chunk, "utf-8"), parse_constant=_no_number)
    except RecursionError:
        raise broken(f"its JSON is nested more than {JSON_DEPTH} deep") from None
    except ValueError:
        raise broken("its JSON cannot be read") from None
    _bound(document)
    return object_of(document, "JSON")


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number in JSON")


def _bound(document: object) -> None:
    """Numbers must be finite, and there may be so many values, nested so deep."""
    level: list[object] = [document]
    seen = 0
    for _ in range(JSON_DEPTH):
        below: list[object] = []
        for value in level:
            if isinstance(value, float) and not math.isfinite(value):
                raise broken("a number is not finite")
            if isinstance(value, dict):
                below.extend(cast(dict[str, object], value).values())
            elif isinstance(value, list):
                below.extend(cast(list[object], value))
        seen += len(below)
        cap(seen, JSON_VALUES, "values in its description")
        if not below:
            return
        level = below
    raise broken(f"its JSON is nested more than {JSON_DEPTH} deep")


def found(value: object) -> Object | None:
    """A JSON object, or None for anything else."""
    return cast(Object, value) if isinstance(value, dict) else None


def object_of(value: object, what: str) -> Object:
    """A JSON object. Raises AvatarFault."""
    read = found(value)
    if read is None:
        raise broken(f"its {what} is no object")
    return read


def list_of(value: object, what: str) -> Sequence[Any]:
    """A JSON list, empty if there is none. Raises AvatarFault."""
    if value is None:
        return ()
    if not isinstance(value, list):
        raise broken(f"its {what} are no list")
    return cast(Sequence[Any], value)


def count_of(value: object, otherwise: int) -> int:
    """A whole number from 0 up. Raises AvatarFault."""
    if value is None:
        value = otherwise
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _COUNT_MOST:
        raise broken(f"{str(value)[:40]} is no count")
    return value


def entry_of(entries: Sequence[Any], index: object, what: str) -> Object:
    """An object of a list, by its number. Raises AvatarFault."""
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(entries):
        raise broken(f"it has no {what} {str(index)[:40]}")
    return object_of(entries[index], what)


def view_of(glb: Glb, index: object) -> tuple[int, int, int]:
    """Start, length and stride (0: none) of a buffer view that lies in the file."""
    view = entry_of(glb.listed("bufferViews"), index, "buffer view")
    if count_of(view.get("buffer"), _COUNT_MOST - 1) != 0:
        raise broken("it has no second buffer")
    start, length = count_of(view.get("byteOffset"), 0), count_of(view.get("byteLength"), 0)
    if start + length > len(glb.binary):
        raise broken("a buffer view reaches beyond the file")
    return start, length, count_of(view.get("byteStride"), 0)


def extent_of(glb: Glb, index: object) -> Extent:
    """Find an accessor's numbers, and make sure that they lie in the file. Raises AvatarFault."""
    accessor = entry_of(glb.listed("accessors"), index, "accessor")
    component = count_of(accessor.get("componentType"), 0)
    kind = accessor.get("type")
    if component not in _COMPONENT_BYTES or not isinstance(kind, str) or kind not in _WIDTHS:
        raise broken("an accessor has no known type")
    width = _WIDTHS[kind]
    count = count_of(accessor.get("count"), _COUNT_MOST)
    size = _COMPONENT_BYTES[component] * width
    if accessor.get("sparse") is not None:
        _check_sparse(glb, object_of(accessor["sparse"], "sparse accessor"), count, size)
    if accessor.get("bufferView") is None:
        return Extent(component, width, count, None, size)
    begin, length, stride = view_of(glb, accessor["bufferView"])
    stride = stride or size
    within = count_of(accessor.get("byteOffset"), 0)
    if stride < size or within + _span(count, stride, size) > length:
        raise broken("an accessor reaches beyond its buffer")
    return Extent(component, width, count, begin + within, stride)


def _check_sparse(glb: Glb, sparse: Object, count: int, size: int) -> None:
    """What is changed must be there, and be no more than there is."""
    changed = count_of(sparse.get("count"), _COUNT_MOST)
    if changed > count:
        raise broken("a sparse accessor changes more than there is")
    indices = object_of(sparse.get("indices"), "sparse accessor's indices")
    index_bytes = _COMPONENT_BYTES.get(count_of(indices.get("componentType"), 0), 0)
    if not index_bytes:
        raise broken("a sparse accessor's indices have no known type")
    values = object_of(sparse.get("values"), "sparse accessor's values")
    for part, bytes_each in ((indices, index_bytes), (values, size)):
        _, length, _ = view_of(glb, part.get("bufferView"))
        if count_of(part.get("byteOffset"), 0) + changed * bytes_each > length:
            raise broken("a sparse accessor reaches beyond its buffer")


def _span(count: int, stride: int, size: int) -> int:
    return 0 if count == 0 else (count - 1) * stride + size
