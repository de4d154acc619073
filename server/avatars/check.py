"""Owns what is asked of a person's own VRM before anyone is shown it. Pure.

A sound GLB with everything inside, the bones of a human, and no more of anything than a page can
draw for a whole session. The web client asks the same before it loads one; what the server asks
beyond that (``amounts.py``, ``numbers.py``) keeps harm from pages.
"""

from collections.abc import Sequence
from typing import Any, TypeGuard, cast

from armspan.server.avatars.amounts import check_amounts, check_trees
from armspan.server.avatars.glb import (
    Glb,
    Object,
    count_of,
    entry_of,
    found,
    list_of,
    object_of,
    read_glb,
    view_of,
)
from armspan.server.avatars.images import image_size
from armspan.server.avatars.numbers import check_numbers
from armspan.server.avatars.verdict import FILE_BYTES, AvatarFault, Fault

REQUIRED_BONES = (
    "hips",
    "spine",
    "head",
    *(
        side + limb
        for side in ("left", "right")
        for limb in ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot")
    ),
)
IMAGE_BYTES = 12_000_000
IMAGE_PIXELS = 4_096
PIXELS = 64_000_000
"""Of all images together, and of all textures made of them, decoded."""
_REFUSED_EXTENSIONS = (
    # They hold more than the file says, fetch, or draw a mesh as often as they like.
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_texture_basisu",
    "EXT_mesh_gpu_instancing",
    "MSFT_lod",
)
_TEXTURE_EXTENSIONS = ("EXT_texture_webp", "EXT_texture_avif")


def check_avatar(data: bytes) -> None:
    """Take the bytes of a VRM 1.0 file, or say why not. Raises AvatarFault."""
    if len(data) > FILE_BYTES:
        raise too_large(len(data), FILE_BYTES)
    glb = read_glb(data)
    vrm = _vrm_of(glb)
    _check_outside(glb)
    _check_bones(glb, vrm)
    extensions = object_of(glb.document.get("extensions"), "extensions")
    springs = extensions.get("VRMC_springBone")
    check_amounts(glb, vrm, None if springs is None else object_of(springs, "VRMC_springBone"))
    _check_images(glb)
    check_numbers(glb)


def too_large(size_bytes: int, most_bytes: int) -> AvatarFault:
    """What is said of a file that is too large."""
    return AvatarFault(
        Fault.TOO_LARGE,
        f"The avatar's file has {size_bytes:,} bytes, and at most {most_bytes:,} are taken; make "
        "its pictures smaller or reduce its polygons.",
    )


def _vrm_of(glb: Glb) -> Object:
    held = found(glb.document.get("extensions")) or {}
    vrm = found(held.get("VRMC_vrm"))
    if vrm is not None:
        version = vrm.get("specVersion")
        if version == "1.0":
            return vrm
        raise AvatarFault(
            Fault.NOT_VRM,
            f"The avatar is of VRM version {str(version)[:20]!r}, and 1.0 is known here; save it "
            "as VRM 1.0.",
        )
    if "VRM" in held:
        raise AvatarFault(
            Fault.NOT_VRM,
            "The avatar is a VRM 0.x file, and VRM 1.0 is needed; open it in VRoid Studio, in "
            "Blender with the VRM add-on, or in Unity with UniVRM, and export it as VRM 1.0.",
        )
    raise AvatarFault(
        Fault.NOT_VRM,
        "The file is a 3D model, but no avatar: it has no VRMC_vrm; export it as VRM 1.0.",
    )


def _check_outside(glb: Glb) -> None:
    """Everything must be in the file: a page fetches nothing because an avatar says so."""
    for key in ("buffers", "images"):
        for entry in glb.listed(key):
            if "uri" in (found(entry) or {}):
                raise AvatarFault(
                    Fault.OUTSIDE,
                    f"The avatar's {key} must lie inside the file, and one is at an address; "
                    "export it as one .vrm file.",
                )
    if len(glb.listed("buffers")) > 1:
        raise AvatarFault(
            Fault.OUTSIDE,
            f"The avatar's file has {len(glb.listed('buffers'))} buffers, and one holds all of it "
            "in a .vrm file; export it as such.",
        )
    listed = (*glb.listed("extensionsUsed"), *glb.listed("extensionsRequired"))
    for name in (*listed, *_extensions_in(glb.document)):
        if name in _REFUSED_EXTENSIONS:
            raise AvatarFault(
                Fault.OUTSIDE,
                f"The avatar uses {name}, which is not taken; export it without compression "
                "or instancing.",
            )


def _extensions_in(document: Object) -> set[str]:
    """What is used anywhere: pages act upon it whether or not the file lists it."""
    names: set[str] = set()
    left: list[object] = [document]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            held = cast(dict[str, object], value)
            names.update(found(held.get("extensions")) or ())
            left.extend(held.values())
        elif isinstance(value, list):
            left.extend(cast(list[object], value))
    return names


def _check_bones(glb: Glb, vrm: Object) -> None:
    nodes = glb.listed("nodes")
    bones = found((found(vrm.get("humanoid")) or {}).get("humanBones"))
    if bones is None:
        raise AvatarFault(
            Fault.BONES, "The avatar has no humanoid bones; export it as a VRM 1.0 humanoid."
        )
    taken: set[int] = set()
    for name, bone in bones.items():
        node = (found(bone) or {}).get("node")
        if not _is_index(node, nodes) or node in taken:
            raise AvatarFault(
                Fault.BONES,
                f"The avatar's bone {name[:40]} is no node of its own; assign its bones and "
                "export it again.",
            )
        taken.add(node)
    for name in REQUIRED_BONES:
        if name not in bones:
            raise AvatarFault(
                Fault.BONES,
                f"The avatar has no bone {name}, which every humanoid of VRM 1.0 has; assign it "
                "and export it again.",
            )
    check_trees(nodes)
    for scene in glb.listed("scenes"):
        for node in list_of(object_of(scene, "scene").get("nodes"), "nodes"):
            entry_of(nodes, node, "node")


def _is_index(index: object, entries: Sequence[Any]) -> TypeGuard[int]:
    """Whether this names an object of the list."""
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(entries):
        return False
    return found(entries[index]) is not None


def _check_images(glb: Glb) -> None:
    pixels = [_pixels_of(glb, image) for image in glb.listed("images")]
    _cap_pixels(sum(pixels), "images")
    made: set[tuple[object, object]] = set()  # a texture is one copy for each way of sampling
    for entry in glb.listed("textures"):
        texture = object_of(entry, "texture")
        sampler = count_of(texture.get("sampler"), 0)
        for source in _sources_of(texture):
            entry_of(glb.listed("images"), source, "image")
            made.add((source, sampler))
    _cap_pixels(sum(pixels[source] for source, _ in made if isinstance(source, int)), "textures")


def _sources_of(texture: Object) -> list[object]:
    """The images that a texture names: its own, and those of extensions to its formats."""
    extensions = found(texture.get("extensions")) or {}
    holders = (texture, *(found(extensions.get(name)) or {} for name in _TEXTURE_EXTENSIONS))
    return [held["source"] for held in holders if held.get("source") is not None]


def _cap_pixels(pixels: int, what: str) -> None:
    if pixels > PIXELS:
        raise AvatarFault(
            Fault.IMAGES,
            f"The {what} of the avatar have {pixels / 1e6:,.0f} million pixels together, and at "
            f"most {PIXELS / 1e6:.0f} million are taken; make them smaller.",
        )


def _pixels_of(glb: Glb, entry: Any) -> int:
    image = object_of(entry, "image")
    view = image.get("bufferView")
    if not _is_index(view, glb.listed("bufferViews")):
        raise AvatarFault(
            Fault.IMAGES, "An image of the avatar is not in its file; export it as one .vrm file."
        )
    start, length, _ = view_of(glb, view)
    if length > IMAGE_BYTES:
        raise AvatarFault(
            Fault.IMAGES,
            f"An image of the avatar has {length / 1e6:,.1f} MB, and at most "
            f"{IMAGE_BYTES / 1e6:.0f} MB are taken; make it smaller.",
        )
    size = image_size(glb.binary[start : start + length])
    if size is None:
        raise AvatarFault(
            Fault.IMAGES,
            "An image of the avatar is neither PNG, JPEG nor WebP; save it as one of those.",
        )
    if max(size) > IMAGE_PIXELS or min(size) < 1:
        raise AvatarFault(
            Fault.IMAGES,
            f"An image of the avatar is {size[0]} by {size[1]} pixels, and at most {IMAGE_PIXELS} "
            f"by {IMAGE_PIXELS} are taken; make it smaller.",
        )
    return size[0] * size[1]
