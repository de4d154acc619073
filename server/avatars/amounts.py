"""Owns how much an avatar may ask of whoever draws it. Pure.

A file of 20 MB can ask for far more than it holds: one accessor may be every morph target's, one
mesh every node's, one picture every texture's. So what is drawn is counted, not what is stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from armspan.server.avatars.glb import Glb, Object, count_of, entry_of, found, list_of, object_of
from armspan.server.avatars.verdict import AvatarFault, Fault, broken, cap

NODES = 2_048
DEPTH = 200
LISTED = {
    "nodes": (NODES, "nodes"),
    "meshes": (256, "meshes"),
    "materials": (128, "materials"),
    "textures": (64, "textures"),
    "images": (64, "images"),
    "accessors": (8_192, "accessors"),
    "skins": (128, "skins"),
    "bufferViews": (16_384, "buffer views"),
    "animations": (64, "animations"),
    "samplers": (64, "samplers"),
    "scenes": (16, "scenes"),
}
PRIMITIVES = 512
VERTICES = 200_000
INDICES = 900_000
MORPH_TARGETS = 512
MORPHED_VERTICES = 8_000_000
"""Of all morph targets together: a graphics card is given this many rows of 32 bytes."""
SKIN_JOINTS = 4_096
SPRING_JOINTS = 1_024
COLLIDERS = 512
CHANNELS = 4_096
BINDS = 8_192
_BINDS = ("morphTargetBinds", "materialColorBinds", "textureTransformBinds")
_LIGHTS = "KHR_lights_punctual"


@dataclass(slots=True)
class Amounts:
    """Of one mesh, or of all that is drawn."""

    primitives: int = 0
    vertices: int = 0
    indices: int = 0
    targets: int = 0
    morphed: int = 0

    def add(self, other: "Amounts") -> None:
        """Add another's."""
        self.primitives += other.primitives
        self.vertices += other.vertices
        self.indices += other.indices
        self.targets += other.targets
        self.morphed += other.morphed

    def check(self) -> None:
        """Raises AvatarFault."""
        cap(self.primitives, PRIMITIVES, "mesh parts", "join those that share a material")
        cap(self.vertices, VERTICES, "vertices", "reduce its polygons")
        cap(self.indices, INDICES, "corners of triangles", "reduce its polygons")
        cap(self.targets, MORPH_TARGETS, "morph targets", "remove expressions that are not used")
        cap(self.morphed, MORPHED_VERTICES, "vertices in morph targets", "morph fewer vertices")


def check_amounts(glb: Glb, vrm: Object, springs: Object | None) -> None:
    """Raises AvatarFault for more of anything than can be shown."""
    for key, (most, what) in LISTED.items():
        cap(len(glb.listed(key)), most, what)
    meshes = [_amounts_of(glb, mesh) for mesh in glb.listed("meshes")]
    stored, drawn = Amounts(), Amounts()
    for mesh in meshes:
        stored.add(mesh)
    stored.check()
    for node in glb.listed("nodes"):
        if node.get("mesh") is not None:
            entry_of(glb.listed("meshes"), node["mesh"], "mesh")
            drawn.add(meshes[int(node["mesh"])])
            drawn.check()
    _check_skins(glb)
    _check_lights(glb)
    _check_expressions(object_of(vrm.get("expressions") or {}, "expressions"))
    channels = (len(list_of(each.get("channels"), "channels")) for each in _animations(glb))
    cap(sum(channels), CHANNELS, "animation channels", "remove its animations")
    if springs is not None:
        _check_springs(springs)


def _amounts_of(glb: Glb, mesh: Any) -> Amounts:
    amounts = Amounts()
    for entry in list_of(object_of(mesh, "mesh").get("primitives"), "primitives"):
        primitive = object_of(entry, "primitive")
        attributes = object_of(primitive.get("attributes"), "attributes")
        vertices = _entries(glb, attributes.get("POSITION"))
        targets = list_of(primitive.get("targets"), "targets")
        amounts.primitives += 1
        amounts.vertices += vertices
        if primitive.get("indices") is not None:
            amounts.indices += _entries(glb, primitive["indices"])
        amounts.targets = max(amounts.targets, len(targets))
        amounts.morphed += vertices * len(targets)
    return amounts


def _entries(glb: Glb, accessor: object) -> int:
    if accessor is None:
        raise broken("a mesh has no vertices")
    return count_of(entry_of(glb.listed("accessors"), accessor, "accessor").get("count"), 0)


def _check_skins(glb: Glb) -> None:
    nodes = glb.listed("nodes")
    joints = 0
    for entry in glb.listed("skins"):
        listed = list_of(object_of(entry, "skin").get("joints"), "joints")
        joints += len(listed)
        cap(joints, SKIN_JOINTS, "joints in its skins", "remove bones that are not used")
        for joint in listed:
            entry_of(nodes, joint, "node")
    for node in nodes:
        if node.get("skin") is not None:
            entry_of(glb.listed("skins"), node["skin"], "skin")


def _check_lights(glb: Glb) -> None:
    """A light shines on everyone, and each costs every material of the whole scene."""
    lights = sum(_LIGHTS in (found(node.get("extensions")) or {}) for node in glb.listed("nodes"))
    if lights:
        raise AvatarFault(
            Fault.TOO_MUCH,
            f"The avatar has {lights:,} lights, which would shine on everyone; remove them and "
            "export it again.",
        )


def _check_expressions(expressions: Object) -> None:
    """What an expression changes is changed by everyone's page in every frame."""
    binds = 0
    for group in ("preset", "custom"):
        held = object_of(expressions.get(group) or {}, "expressions")
        for expression in held.values():
            each = object_of(expression, "expression")
            binds += sum(len(list_of(each.get(key), key)) for key in _BINDS)
            cap(binds, BINDS, "changes in its expressions", "remove those that are not used")


def _animations(glb: Glb) -> Sequence[Object]:
    return [object_of(entry, "animation") for entry in glb.listed("animations")]


def _check_springs(springs: Object) -> None:
    """Each joint and collider is worked out by everyone's page in every frame."""
    joints = sum(
        len(list_of(object_of(each, "spring").get("joints"), "joints"))
        for each in list_of(springs.get("springs"), "springs")
    )
    cap(joints, SPRING_JOINTS, "spring joints", "remove some of its springs")
    colliders = len(list_of(springs.get("colliders"), "colliders"))
    cap(colliders, COLLIDERS, "spring colliders", "remove some of them")
    cap(len(list_of(springs.get("colliderGroups"), "groups")), COLLIDERS, "collider groups")


def check_trees(nodes: Sequence[Any]) -> None:
    """Nodes must form trees: one with two parents, or within itself, would never end."""
    parents = [-1] * len(nodes)
    for index, entry in enumerate(nodes):
        for child in list_of(object_of(entry, "node").get("children"), "children"):
            entry_of(nodes, child, "node")
            if parents[child] != -1:
                raise broken("its nodes do not form trees")
            parents[child] = index
    # Depths grow from the roots; whoever hangs on no root is in a circle.
    depths = [0 if parent == -1 else -1 for parent in parents]
    below = [index for index, depth in enumerate(depths) if depth == 0]
    deepest = 0
    while below:
        deepest += 1
        below = [
            child for index in below for child in list_of(nodes[index].get("children"), "children")
        ]
        for child in below:
            depths[child] = deepest
    if -1 in depths:
        raise broken("its nodes do not form trees")
    cap(deepest - 1, DEPTH, "nodes within each other", "remove parents that hold nothing")
