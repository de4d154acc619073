"""What is asked of a person's avatar: the golden cases, and what the server asks beyond them."""

import base64
import json
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from armspan.server.avatars.amounts import BINDS
from armspan.server.avatars.check import PIXELS, check_avatar
from armspan.server.avatars.glb import JSON_DEPTH, JSON_VALUES
from armspan.server.avatars.images import image_size
from armspan.server.avatars.verdict import AvatarFault, Fault

from tests.golden.write_avatar_cases import glb, smallest

ROOT = Path(__file__).parents[3]
CASES: list[dict[str, Any]] = json.loads((ROOT / "tests/golden/avatars/cases.json").read_text())
SHIPPED = sorted((ROOT / "client_web/public/avatars").glob("*.vrm"))
Json = dict[str, Any]
Change = Callable[[Json, bytearray], None]


def fault_of(data: bytes) -> AvatarFault | None:
    try:
        check_avatar(data)
    except AvatarFault as fault:
        return fault
    return None


def changed(change: Change) -> bytes:
    document, binary = smallest()
    change(document, binary)
    return glb(document, binary)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_an_avatar_is_judged_as_pages_judge_it(case: Json):
    data = base64.b64decode(case["glb"]).ljust(case["pad_to"] or 0, b"\0")
    fault = fault_of(data)
    assert (None if fault is None else fault.fault) == case["fault"]
    if fault is not None:
        assert fault.words.endswith(".")
        assert any(step in fault.words for step in ("; ", "Export it again")), fault.words


def test_every_fault_is_found_in_some_case():
    assert {case["fault"] for case in CASES} == {None, *Fault}


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.name)
def test_the_avatars_that_come_along_pass(file: Path):
    assert fault_of(file.read_bytes()) is None


def one_for_all_targets(document: Json, _binary: bytearray) -> None:
    document["accessors"][0]["count"] = 100_000
    document["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": 0}] * 200


def one_mesh_for_all_nodes(document: Json, _binary: bytearray) -> None:
    document["accessors"][0]["count"] = 10_000
    document["nodes"] += [{"mesh": 0} for _ in range(30)]


def one_picture_for_all_textures(document: Json, binary: bytearray) -> None:
    picture = document["bufferViews"][document["images"][0]["bufferView"]]
    struct.pack_into(">II", binary, picture["byteOffset"] + 16, 4096, 4096)
    document["samplers"] = [{} for _ in range(10)]
    document["textures"] = [{"source": 0, "sampler": n} for n in range(10)]


def many_springs(document: Json, _binary: bytearray) -> None:
    joints = [{"node": 0}] * 2_000
    document["extensions"]["VRMC_springBone"] = {"springs": [{"joints": joints}]}


def many_values(document: Json, _binary: bytearray) -> None:
    document["extras"] = [0] * (JSON_VALUES + 1)


def instances(document: Json, _binary: bytearray) -> None:
    document["extensionsRequired"] = ["EXT_mesh_gpu_instancing"]


def instances_that_are_not_listed(document: Json, _binary: bytearray) -> None:
    body = document["nodes"][-1]
    body["extensions"] = {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0}}}


def one_picture_for_all_textures_in_webp(document: Json, binary: bytearray) -> None:
    one_picture_for_all_textures(document, binary)
    document["textures"] = [
        {"sampler": n, "extensions": {"EXT_texture_webp": {"source": 0}}} for n in range(10)
    ]


def a_texture_of_no_picture(document: Json, _binary: bytearray) -> None:
    document["textures"][0]["extensions"] = {"EXT_texture_avif": {"source": 9}}


def a_light(document: Json, _binary: bytearray) -> None:
    document["nodes"][0]["extensions"] = {"KHR_lights_punctual": {"light": 0}}


def many_changes_in_an_expression(document: Json, _binary: bytearray) -> None:
    binds = [{"node": 15, "index": 0, "weight": 1}] * (BINDS + 1)
    vrm = document["extensions"]["VRMC_vrm"]
    vrm["expressions"] = {"custom": {"wink": {"morphTargetBinds": binds}}}


def an_infinite_vertex(document: Json, binary: bytearray) -> None:
    view = document["bufferViews"][document["accessors"][0]["bufferView"]]
    struct.pack_into("<f", binary, view["byteOffset"], float("inf"))


def a_far_vertex(document: Json, binary: bytearray) -> None:
    view = document["bufferViews"][document["accessors"][0]["bufferView"]]
    struct.pack_into("<f", binary, view["byteOffset"], 1e6)


def an_index_beyond(document: Json, binary: bytearray) -> None:
    indices = document["accessors"][document["meshes"][0]["primitives"][0]["indices"]]
    view = document["bufferViews"][indices["bufferView"]]
    struct.pack_into("<H", binary, view["byteOffset"], 3)


def a_joint_beyond(document: Json, _binary: bytearray) -> None:
    document["skins"][0]["joints"] = [0]


def fewer_weights_than_vertices(document: Json, _binary: bytearray) -> None:
    attributes = document["meshes"][0]["primitives"][0]["attributes"]
    document["accessors"][attributes["WEIGHTS_0"]]["count"] = 2


def a_node_beyond_the_world(document: Json, _binary: bytearray) -> None:
    document["nodes"][0]["translation"] = [0, 1e30, 0]


def a_child_that_is_none(document: Json, _binary: bytearray) -> None:
    document["nodes"][0]["children"] = [999]


def a_joint_that_is_no_node(document: Json, _binary: bytearray) -> None:
    document["skins"][0]["joints"] = [-1]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (one_for_all_targets, Fault.TOO_MUCH),
        (one_mesh_for_all_nodes, Fault.TOO_MUCH),
        (one_picture_for_all_textures, Fault.IMAGES),
        (many_springs, Fault.TOO_MUCH),
        (many_values, Fault.TOO_MUCH),
        (instances, Fault.OUTSIDE),
        (instances_that_are_not_listed, Fault.OUTSIDE),
        (one_picture_for_all_textures_in_webp, Fault.IMAGES),
        (a_texture_of_no_picture, Fault.NOT_GLB),
        (a_light, Fault.TOO_MUCH),
        (many_changes_in_an_expression, Fault.TOO_MUCH),
        (an_infinite_vertex, Fault.ACCESSORS),
        (a_far_vertex, Fault.ACCESSORS),
        (an_index_beyond, Fault.ACCESSORS),
        (a_joint_beyond, Fault.ACCESSORS),
        (fewer_weights_than_vertices, Fault.ACCESSORS),
        (a_node_beyond_the_world, Fault.ACCESSORS),
        (a_child_that_is_none, Fault.NOT_GLB),
        (a_joint_that_is_no_node, Fault.NOT_GLB),
    ],
)
def test_what_would_harm_a_page_is_refused(change: Change, fault: Fault):
    found = fault_of(changed(change))
    assert found is not None
    assert found.fault is fault, found.words


def with_json(text: str) -> bytes:
    chunk = text.encode() + b" " * (-len(text) % 4)
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(chunk), len(chunk), 0x4E4F534A) + chunk


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 900 + "0" + "}" * 900,
        '{"a":' * (JSON_DEPTH + 2) + "0" + "}" * (JSON_DEPTH + 2),
        '{"a": NaN}',
        '{"a": 1e999}',
        '{"a": ' + "9" * 5_000 + "}",
        "[]",
        "7",
        '{"asset": {"version": "2.0"}, "nodes": {"0": {}}}',
    ],
)
def test_json_that_is_more_than_it_seems_is_refused(text: str):
    found = fault_of(with_json(text))
    assert found is not None
    assert found.fault in (Fault.NOT_GLB, Fault.NOT_VRM)


def test_whatever_its_bytes_are_the_check_itself_never_fails():
    sound = glb(*smallest())
    chance = random.Random(7)
    refused = 0
    for turn in range(2_000):
        data = bytearray(sound[: chance.randrange(len(sound))] if turn % 3 == 0 else sound)
        for _ in range(1 + turn % 4):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        refused += fault_of(bytes(data)) is not None
    assert refused > 700


def test_whatever_its_json_says_the_check_itself_never_fails():
    chance = random.Random(11)
    odd: list[Any] = [None, True, -1, 1.5, 1 << 60, "x", [], {}, [None], {"node": -1}]

    def disturb(value: Any) -> Any:
        if chance.random() < 0.02:
            return chance.choice(odd)
        if isinstance(value, dict):
            return {key: disturb(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [disturb(inner) for inner in value]
        return value

    refused = 0
    for _ in range(600):
        document, binary = smallest()
        disturbed = {key: disturb(inner) for key, inner in document.items()}
        refused += fault_of(glb(disturbed, binary)) is not None
    assert refused > 300


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\2\0\0\0\1\0", (512, 256)),
        (bytes.fromhex("ffd8ffe000040102ffffc2000b08010002000300 00".replace(" ", "")), (512, 256)),
        (b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\0\2\0\1", (512, 256)),
        (
            b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f"
            + (511 | 255 << 14).to_bytes(4, "little")
            + bytes(5),
            (512, 256),
        ),
        (b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\xff\1\0\xff\0\0", (512, 256)),
        (b"GIF89a" + bytes(60), None),
        (b"\xff\xd8\xff\xe0\0\xc8", None),
        (b"", None),
    ],
)
def test_an_images_size_is_read_from_its_header(data: bytes, size: tuple[int, int] | None):
    assert image_size(data) == size


def test_pictures_are_bounded_together():
    assert PIXELS < 5 * 4096 * 4096
