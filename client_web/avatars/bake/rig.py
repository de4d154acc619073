"""Owns the skeleton: MakeHuman's game rig under VRM 1.0's bone names, with eyes added."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from client_web.avatars.bake.arrays import Floats
from client_web.avatars.bake.basemesh import BaseMesh
from client_web.avatars.bake.source import Source

SIDES = (("l", "left"), ("r", "right"))
FINGERS = (("index", "Index"), ("middle", "Middle"), ("ring", "Ring"), ("pinky", "Little"))
PHALANGES = ("Proximal", "Intermediate", "Distal")
THUMB = ("Metacarpal", "Proximal", "Distal")
TRUNK = {
    "pelvis": "hips",
    "spine_01": "spine",
    "spine_02": "chest",
    "spine_03": "upperChest",
    "neck_01": "neck",
    "head": "head",
}
LIMBS = {
    "clavicle": "Shoulder",
    "upperarm": "UpperArm",
    "lowerarm": "LowerArm",
    "hand": "Hand",
    "thigh": "UpperLeg",
    "calf": "LowerLeg",
    "foot": "Foot",
    "ball": "Toes",
}


def vrm_names() -> dict[str, str]:
    """The game rig's bone names -> VRM's, in the order of the baked skeletons."""
    names = dict(TRUNK)
    for letter, side in SIDES:
        names |= {f"{theirs}_{letter}": side + ours for theirs, ours in LIMBS.items()}
        for number, part in enumerate(THUMB, 1):
            names[f"thumb_0{number}_{letter}"] = f"{side}Thumb{part}"
        for theirs, ours in FINGERS:
            for number, part in enumerate(PHALANGES, 1):
                names[f"{theirs}_0{number}_{letter}"] = side + ours + part
    return names


@dataclass
class Skeleton:
    """Bones in order, parents first. Every bone's frame is parallel to the model's."""

    names: list[str]
    parents: list[int]  # -1 for the root
    heads: Floats  # (bones, 3) metres: where each bone turns
    tails: Floats  # (bones, 3) metres

    def index(self, name: str) -> int:
        return self.names.index(name)

    def head(self, name: str) -> Floats:
        return self.heads[self.index(name)]

    def tail(self, name: str) -> Floats:
        return self.tails[self.index(name)]


def read_skeleton(source: Source, base: BaseMesh, vertices: Floats) -> Skeleton:
    """Fit the game rig to a shaped body (n, 3) and add the eyes' bones."""
    rig: dict[str, Any] = source.document("rigs/standard/rig.game_engine.json")
    rig = rig.get("bones", rig)

    def place(end: dict[str, Any]) -> Floats:
        match end["strategy"]:
            case "CUBE":
                return vertices[base.members(end["cube_name"])].mean(0)
            case "VERTEX":
                return vertices[end["vertex_index"]]
            case "MEAN":
                return vertices[end["vertex_indices"]].mean(0)
            case other:
                raise ValueError(f"the rig places a bone by {other!r}, which is not known here")

    ours = vrm_names()
    names = list(ours.values())
    parents: list[int] = []
    heads: list[Floats] = []
    tails: list[Floats] = []
    for theirs in ours:
        bone = rig[theirs]
        parent = ours.get(bone.get("parent", ""))
        parents.append(-1 if parent is None else names.index(parent))
        heads.append(place(bone["head"]))
        tails.append(place(bone["tail"]))
    for letter, side in SIDES:
        centre = vertices[base.members(f"helper-{letter}-eye")].mean(0)
        names.append(f"{side}Eye")
        parents.append(names.index("head"))
        heads.append(centre)
        tails.append(centre + np.array([0.0, 0.0, 0.02]))
    if any(parent >= bone for bone, parent in enumerate(parents)):
        raise ValueError("the rig lists a bone before its parent")
    return Skeleton(names, parents, np.array(heads), np.array(tails))


def read_weights(source: Source, base: BaseMesh, skeleton: Skeleton) -> Floats:
    """How much each bone moves each vertex (n, bones), rows summing to 1."""
    weights = np.zeros((len(base.vertices), len(skeleton.names)))
    ours = vrm_names()
    listed = source.document("rigs/standard/weights.game_engine.json")["weights"]
    for theirs, entries in listed.items():
        if theirs in ours:
            bone = skeleton.index(ours[theirs])
            for vertex, share in entries:
                weights[int(vertex), bone] += share
    for letter, side in SIDES:
        eye = base.members(f"helper-{letter}-eye")
        weights[eye] = 0.0
        weights[eye, skeleton.index(f"{side}Eye")] = 1.0
    weights[weights.sum(1) == 0, skeleton.index("head")] = 1.0  # lashes, teeth, hair
    return weights / weights.sum(1, keepdims=True)
