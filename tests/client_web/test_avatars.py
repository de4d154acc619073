"""Checks the shipped avatars as files: what VRM 1.0, the page and their licence ask of them."""

import json
import struct
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

FOLDER = Path(__file__).parents[2] / "client_web" / "public" / "avatars"
LISTED = json.loads((FOLDER / "avatars.json").read_text())["avatars"]
NAMES = [avatar["name"] for avatar in LISTED]
FILES = [file for avatar in LISTED for file in avatar["files"]]
MOST_TRIANGLES = (12_000, 3_700, 900)
MOST_BYTES = (600_000, 200_000, 80_000)
# 99 of 100 points of a level lie this near to the finest level's surface, and the other way round.
FORM_KEPT_M = (0.0, 0.010, 0.035)
FACING_OUTWARD = (0.98, 0.96, 0.90)
FINGERS = ("Index", "Middle", "Ring", "Little")
BONES = (
    ["hips", "spine", "chest", "upperChest", "neck", "head", "leftEye", "rightEye"]
    + [
        f"{side}{part}"
        for side in ("left", "right")
        for part in (
            *("Shoulder", "UpperArm", "LowerArm", "Hand"),
            *("UpperLeg", "LowerLeg", "Foot", "Toes"),
            *("ThumbMetacarpal", "ThumbProximal", "ThumbDistal"),
            *(f"{f}{p}" for f in FINGERS for p in ("Proximal", "Intermediate", "Distal")),
        )
    ]
)  # fmt: skip
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TYPES = {5121: "<u1", 5123: "<u2", 5126: "<f4"}


class Model:
    """One avatar file, taken apart without any glTF library."""

    def __init__(self, file: str) -> None:
        data = (FOLDER / file).read_bytes()
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON"
        self.text = data[20 : 20 + size].decode()
        self.document: dict[str, Any] = json.loads(self.text)
        binary, kind = struct.unpack_from("<I4s", data, 20 + size)
        assert (kind, 28 + size + binary) == (b"BIN\0", length)
        self.binary = data[28 + size :]
        self.vrm = self.document["extensions"]["VRMC_vrm"]
        (self.mesh,) = self.document["meshes"]
        (self.primitive,) = self.mesh["primitives"]

    def read(self, accessor: int) -> NDArray[Any]:
        """An accessor's values, one row an element; normalised ones as fractions."""
        found = self.document["accessors"][accessor]
        view = self.document["bufferViews"][found["bufferView"]]
        assert "byteStride" not in view
        width = WIDTHS[found["type"]]
        kind = TYPES[found["componentType"]]
        count = found["count"] * width
        values = np.frombuffer(self.binary, kind, count, view["byteOffset"]).reshape(-1, width)
        return values / np.iinfo(kind).max if found.get("normalized") else values

    def column(self, name: str) -> NDArray[Any]:
        return self.read(self.primitive["attributes"][name])

    @property
    def triangles(self) -> NDArray[Any]:
        return self.read(self.primitive["indices"]).reshape(-1, 3).astype(np.int64)

    @property
    def joints(self) -> list[str]:
        (skin,) = self.document["skins"]
        return [self.document["nodes"][node]["name"] for node in skin["joints"]]

    def heads(self) -> dict[str, NDArray[Any]]:
        """Where each bone turns, in the model's frame."""
        nodes = self.document["nodes"]
        parent = {c: n for n, node in enumerate(nodes) for c in node.get("children", [])}
        places: dict[str, NDArray[Any]] = {}
        for number, node in enumerate(nodes):
            place, at = np.zeros(3), number
            while True:
                place = place + nodes[at].get("translation", (0, 0, 0))
                if at not in parent:
                    break
                at = parent[at]
            places[node["name"]] = place
        return places

    def samples(self, count: int) -> NDArray[Any]:
        """Points spread evenly over the surface, the same every time."""
        points = self.column("POSITION").astype(np.float64)
        a, b, c = (points[self.triangles[:, corner]] for corner in range(3))
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        chance = np.random.default_rng(5)
        chosen = chance.choice(len(area), count, p=area / area.sum())
        u, v = chance.random((2, count, 1))
        u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
        return a[chosen] + u * (b - a)[chosen] + v * (c - a)[chosen]


@cache
def model(file: str) -> Model:
    return Model(file)


def far(points: NDArray[Any], other: Model, share: float) -> float:
    """How far this share of the points is from another model's surface, at most; metres."""
    corners = other.column("POSITION").astype(np.float64)[other.triangles]
    return float(np.quantile([_distance(point, corners) for point in points], share))


def _distance(point: NDArray[Any], corners: NDArray[Any]) -> float:
    """From a point to the nearest of some triangles (m, 3, 3): to their planes or their sides."""
    a = corners[:, 0]
    u, v = corners[:, 1] - a, corners[:, 2] - a
    normal = np.cross(u, v)
    size = (normal**2).sum(1)
    flat = size > 1e-22  # a sliver has no plane, only sides
    size = np.where(flat, size, 1.0)
    to = point - a
    s = (np.cross(to, v) * normal).sum(1) / size
    t = (np.cross(u, to) * normal).sum(1) / size
    over = flat & (s >= 0) & (t >= 0) & (s + t <= 1)
    plane = np.abs((to * normal).sum(1)) / np.sqrt(size)
    nearest = plane[over].min(initial=np.inf)
    for corner in range(3):
        start = corners[:, corner]
        side = corners[:, (corner + 1) % 3] - start
        along = ((point - start) * side).sum(1) / np.maximum((side**2).sum(1), 1e-30)
        foot = start + np.clip(along, 0, 1)[:, None] * side
        nearest = min(nearest, float(np.sqrt(((point - foot) ** 2).sum(1).min())))
    return nearest


def test_there_are_three_people_at_three_levels():
    assert len(NAMES) == len(set(NAMES)) == 3
    for avatar in LISTED:
        assert avatar["files"] == [f"{avatar['name']}.{level}.vrm" for level in range(3)]
        assert avatar["title"]
    assert {path.name for path in FOLDER.glob("*.vrm")} == set(FILES)


@pytest.mark.parametrize("avatar", LISTED, ids=NAMES)
@pytest.mark.parametrize("level", range(3))
def test_a_level_is_as_small_as_promised_and_as_listed(avatar: dict[str, Any], level: int):
    file = avatar["files"][level]
    assert len(model(file).triangles) == avatar["triangles"][level] <= MOST_TRIANGLES[level]
    assert (FOLDER / file).stat().st_size <= MOST_BYTES[level]


@pytest.mark.parametrize("file", FILES)
def test_every_humanoid_bone_is_there_and_named_in_one_order(file: str):
    found = model(file)
    nodes = found.document["nodes"]
    bones = {
        name: nodes[at["node"]]["name"] for name, at in found.vrm["humanoid"]["humanBones"].items()
    }
    assert bones == {name: name for name in BONES}
    assert sorted(found.joints) == sorted(BONES)
    assert found.joints == model(FILES[0]).joints
    assert all("rotation" not in node and "scale" not in node for node in nodes)


@pytest.mark.parametrize("file", FILES)
def test_the_skeleton_binds_where_the_bones_are(file: str):
    found = model(file)
    heads = found.heads()
    (skin,) = found.document["skins"]
    for name, inverse in zip(found.joints, found.read(skin["inverseBindMatrices"]), strict=True):
        np.testing.assert_allclose(inverse.reshape(4, 4)[:3, :3], np.eye(3))
        np.testing.assert_allclose(inverse[12:15], -heads[name], atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_levels_of_a_person_share_one_skeleton(name: str):
    first, *others = (model(f"{name}.{level}.vrm").heads() for level in range(3))
    for other in others:
        assert list(first) == list(other)
        np.testing.assert_array_equal(list(first.values()), list(other.values()))


@pytest.mark.parametrize("name", NAMES)
def test_the_body_stands_in_a_t_pose_facing_forward(name: str):
    heads = model(f"{name}.0.vrm").heads()
    for side, sign in (("left", 1), ("right", -1)):
        arm = [
            "UpperArm",
            "LowerArm",
            "Hand",
            "MiddleProximal",
            "MiddleIntermediate",
            "MiddleDistal",
        ]
        chain = np.diff([heads[f"{side}{part}"] for part in arm], axis=0)
        chain /= np.linalg.norm(chain, axis=1, keepdims=True)
        np.testing.assert_allclose(chain, np.tile([sign, 0, 0], (len(chain), 1)), atol=0.02)
        leg = heads[f"{side}Foot"] - heads[f"{side}UpperLeg"]
        np.testing.assert_allclose(leg / np.linalg.norm(leg), [0, -1, 0], atol=1e-4)
        thumb = heads[f"{side}ThumbDistal"] - heads[f"{side}ThumbProximal"]
        np.testing.assert_allclose(
            thumb / np.linalg.norm(thumb), [sign * 0.7071, 0, 0.7071], atol=1e-3
        )
        # Toes and eyes are before what they belong to, the palm is below the back of the hand.
        assert heads[f"{side}Toes"][2] > heads[f"{side}Foot"][2] + 0.05
        assert heads[f"{side}Eye"][2] > heads["head"][2] + 0.05
        assert heads[f"{side}IndexProximal"][2] > heads[f"{side}LittleProximal"][2] + 0.03


@pytest.mark.parametrize("file", FILES)
def test_feet_are_on_the_floor_and_the_body_has_a_persons_size(file: str):
    points = model(file).column("POSITION")
    assert abs(points[:, 1].min()) < 0.002
    assert 1.5 < points[:, 1].max() < 2.0
    np.testing.assert_allclose(points[:, 0].min(), -points[:, 0].max(), atol=0.03)


@pytest.mark.parametrize("file", FILES)
def test_weights_are_whole_and_joints_exist(file: str):
    found = model(file)
    weights, joints = found.column("WEIGHTS_0"), found.column("JOINTS_0")
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-12)
    assert joints.max() < len(found.joints)
    assert not joints[weights == 0].any()


@pytest.mark.parametrize("file", FILES)
def test_columns_are_sound(file: str):
    found = model(file)
    points, triangles = found.column("POSITION"), found.triangles
    assert triangles.max() < len(points) < 65_535
    assert sorted(np.unique(triangles)) == list(range(len(points)))
    np.testing.assert_allclose(np.linalg.norm(found.column("NORMAL"), axis=1), 1, atol=1e-4)
    tint = found.column("_TINT")[:, 0]
    assert set(np.unique(tint)) == {0, 1}
    assert 0.05 < tint.mean() < 0.6
    colours = found.column("COLOR_0")
    assert (colours[:, 3] == 1).all()
    assert len(np.unique(np.round(colours, 2), axis=0)) > 20


@pytest.mark.parametrize("file", FILES)
def test_surfaces_face_outward(file: str):
    found = model(file)
    points = found.column("POSITION").astype(np.float64)
    a, b, c = (points[found.triangles[:, corner]] for corner in range(3))
    flat = np.cross(b - a, c - a)
    smooth = found.column("NORMAL")[found.triangles].mean(1)
    agreeing = np.linalg.norm(flat, axis=1)[(flat * smooth).sum(1) > 0].sum()
    assert agreeing / np.linalg.norm(flat, axis=1).sum() > FACING_OUTWARD[int(file.split(".")[1])]


@pytest.mark.parametrize("file", FILES)
def test_nothing_is_fetched_from_elsewhere(file: str):
    document = model(file).document
    assert all("uri" not in buffer for buffer in document["buffers"])
    assert not document.get("images")
    assert document["extensionsUsed"] == ["VRMC_vrm"]


@pytest.mark.parametrize("file", FILES)
def test_the_file_says_that_it_is_free(file: str):
    meta = model(file).vrm["meta"]
    assert meta["otherLicenseUrl"] == "https://creativecommons.org/publicdomain/zero/1.0/"
    assert meta["licenseUrl"] == "https://vrm.dev/licenses/1.0/"
    assert meta["authors"]
    assert meta["allowRedistribution"] is True
    assert meta["modification"] == "allowModificationRedistribution"
    assert meta["commercialUsage"] == "corporation"


@pytest.mark.parametrize("avatar", LISTED, ids=NAMES)
def test_the_measures_for_drawing_are_those_of_the_model(avatar: dict[str, Any]):
    found = model(avatar["files"][0])
    heads, points = found.heads(), found.column("POSITION").astype(np.float64)
    eyes = (heads["leftEye"] + heads["rightEye"]) / 2
    np.testing.assert_allclose(heads["head"] + avatar["eyesInHead"], eyes, atol=2e-5)
    weights = np.zeros((len(points), len(found.joints)))
    np.add.at(
        weights,
        (np.arange(len(points))[:, None], found.column("JOINTS_0")),
        found.column("WEIGHTS_0"),
    )
    for side, sign in (("left", 1), ("right", -1)):
        hand = heads[f"{side}Hand"]
        reach = sign * (sign * points[:, 0]).max()
        assert abs(abs(reach - hand[0]) - avatar["handLength"]) < 0.004
        palm = hand + avatar[f"{side}PalmInHand"]
        near = np.hypot(points[:, 0] - palm[0], points[:, 2] - palm[2]) < 0.018
        assert near.sum() >= 6
        assert points[near, 1].min() < palm[1] - 0.008
        assert points[near, 1].max() > palm[1] + 0.008
        # The flesh around the palm's centre goes with the hand and nothing else.
        assert weights[near, found.joints.index(f"{side}Hand")].min() > 0.99
    assert found.document["extras"] == {key: avatar[key] for key in found.document["extras"]}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("level", [1, 2])
def test_coarse_levels_keep_the_form(name: str, level: int):
    fine, coarse = model(f"{name}.0.vrm"), model(f"{name}.{level}.vrm")
    assert far(fine.samples(150), coarse, 0.99) < FORM_KEPT_M[level]
    assert far(coarse.samples(150), fine, 0.99) < FORM_KEPT_M[level]


@pytest.mark.parametrize("name", NAMES)
def test_coarse_levels_keep_the_colours(name: str):
    shades = []
    for level in range(3):
        found = model(f"{name}.{level}.vrm")
        points = found.column("POSITION").astype(np.float64)
        a, b, c = (points[found.triangles[:, corner]] for corner in range(3))
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1, keepdims=True)
        colour = found.column("COLOR_0")[found.triangles, :3].mean(1)
        shades.append((colour * area).sum(0) / area.sum())
    np.testing.assert_allclose(shades[1:], [shades[0]] * 2, rtol=0.15)
