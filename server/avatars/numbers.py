"""Owns the numbers inside an avatar's meshes: finite, of this world, and no index beyond its list.

Indices beyond their lists make a page fail in every frame, and a point at infinity hides a scene.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from armspan.server.avatars.glb import Extent, Glb, entry_of, extent_of, list_of, object_of
from armspan.server.avatars.verdict import AvatarFault, Fault, cap
from numpy.typing import NDArray

FAR_M = 100.0
_PLACES = {"translation": 3, "rotation": 4, "scale": 3, "matrix": 16}
_PLACE_MOST = 1_000.0
ENTRIES = 20_000_000
"""Of all accessors together: those without a buffer view cost a file nothing."""
_DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_MAT4 = 16


def check_numbers(glb: Glb) -> None:
    """Raises AvatarFault for numbers that are missing, not finite, or point nowhere."""
    for node in glb.listed("nodes"):
        _check_place(node)
    entries = 0
    extents: list[Extent] = []
    for index in range(len(glb.listed("accessors"))):
        try:
            extent = extent_of(glb, index)
        except AvatarFault as fault:
            raise _refused(fault.words.removeprefix("The file is broken: ")) from None
        extents.append(extent)
        entries += extent.count
        cap(entries, ENTRIES, "entries of data")
    for extent in extents:
        if extent.component == 5126 and not np.isfinite(_values(glb, extent)).all():
            raise _refused("a number is not finite")
    for mesh in glb.listed("meshes"):
        for primitive in list_of(mesh.get("primitives"), "primitives"):
            _check_primitive(glb, extents, primitive)
    _check_skinning(glb, extents)


def _check_place(node: Mapping[str, Any]) -> None:
    for key, length in _PLACES.items():
        if node.get(key) is None:
            continue
        values = list_of(node[key], key)
        sound = len(values) == length and all(
            isinstance(v, int | float) and abs(v) <= _PLACE_MOST for v in values
        )
        if not sound:
            raise _refused(f"a node's {key} is not {length} numbers up to {_PLACE_MOST:g}")


def _check_primitive(glb: Glb, extents: list[Extent], primitive: Mapping[str, Any]) -> None:
    attributes = object_of(primitive.get("attributes"), "attributes")
    place = _extent(glb, extents, attributes["POSITION"])
    targets = [
        object_of(t, "morph target") for t in list_of(primitive.get("targets"), "morph targets")
    ]
    for group in (attributes, *targets):
        for accessor in group.values():
            if _extent(glb, extents, accessor).count != place.count:
                raise _refused("a mesh has not as many of everything as it has vertices")
    if place.component == 5126 and place.count and np.abs(_values(glb, place)).max() > FAR_M:
        raise _refused(f"a vertex is more than {FAR_M:g} m away")
    if primitive.get("indices") is not None:
        indices = _extent(glb, extents, primitive["indices"])
        if indices.component not in (5121, 5123, 5125) or indices.width != 1:
            raise _refused("a mesh's indices are no whole numbers")
        if indices.count and _highest(glb, indices) >= place.count:
            raise _refused("a mesh names vertices that it does not have")


def _check_skinning(glb: Glb, extents: list[Extent]) -> None:
    """Every joint that a vertex names must be in the skin that its mesh is drawn with."""
    for node in glb.listed("nodes"):
        if node.get("mesh") is None or node.get("skin") is None:
            continue
        skin = entry_of(glb.listed("skins"), node["skin"], "skin")
        joints = len(list_of(skin.get("joints"), "joints"))
        if skin.get("inverseBindMatrices") is not None:
            matrices = _extent(glb, extents, skin["inverseBindMatrices"])
            if matrices.count < joints or matrices.width != _MAT4 or matrices.component != 5126:
                raise _refused("a skin has not one matrix for each joint")
        mesh = entry_of(glb.listed("meshes"), node["mesh"], "mesh")
        for primitive in list_of(mesh.get("primitives"), "primitives"):
            for name, accessor in primitive["attributes"].items():
                if name.startswith("JOINTS_"):
                    named = _extent(glb, extents, accessor)
                    if named.component not in (5121, 5123) or named.width != 4:
                        raise _refused("a mesh's joints are no whole numbers")
                    if named.count and _highest(glb, named) >= joints:
                        raise _refused("a mesh names joints that its skin does not have")


def _extent(glb: Glb, extents: list[Extent], accessor: Any) -> Extent:
    entry_of(glb.listed("accessors"), accessor, "accessor")
    return extents[int(accessor)]


def _values(glb: Glb, extent: Extent) -> NDArray[Any]:
    """(count, width) of a file's own numbers, not copied; zeros where it stores none.

    What sparse accessors change is looked at as the buffer views that it is in.
    """
    dtype: np.dtype[Any] = np.dtype(_DTYPES[extent.component])
    if extent.start is None or not extent.count:
        return np.ndarray((1, extent.width), dtype, buffer=bytes(extent.width * dtype.itemsize))
    return np.ndarray(
        (extent.count, extent.width),
        dtype,
        buffer=glb.binary,
        offset=extent.start,
        strides=(extent.stride, dtype.itemsize),
    )


def _highest(glb: Glb, extent: Extent) -> int:
    return int(_values(glb, extent).max())


def _refused(words: str) -> AvatarFault:
    words = words.removesuffix(" Export it again as a VRM 1.0 file.").rstrip(".")
    return AvatarFault(
        Fault.ACCESSORS,
        f"The avatar's data do not fit its file: {words}. Export it again as a VRM 1.0 file.",
    )
