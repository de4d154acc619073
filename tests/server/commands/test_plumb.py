"""``armspan plumb``: its table, JSON, document and picture, and one line for all bad input."""

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from armspan.protocol.objects import LengthUnit, TubeKind, read_document
from armspan.server.commands import main
from click.testing import CliRunner, Result

from tests.server.commands.meshes import BALL, BAR, RING, save_obj, save_stl

SCALES = ("--scales", "0.028")


def plumb(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["plumb", *map(str, arguments)], catch_exceptions=False)


def refused(*arguments: object, status: int = 1) -> str:
    done = plumb(*arguments)
    assert done.exit_code == status, done.output
    assert done.stdout == ""
    assert done.stderr.startswith("armspan: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def told(*arguments: object) -> dict[str, Any]:
    done = plumb(*arguments, "--json", "-")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_json_has_every_field_of_the_manual(tmp_path: Path):
    found = told(save_stl(tmp_path / "ring.stl", RING, 1000.0), *SCALES)
    assert {"tubes", "bodies", "graph", "seconds"} <= set(found)
    (tube,) = found["tubes"]
    assert (tube["kind"], tube["closed"]) == ("handle", True)
    assert tube["radius_m"] == pytest.approx(0.008, rel=0.03)
    assert tube["length_m"] == pytest.approx(2 * math.pi * 0.04, rel=0.02)
    assert tube["scale_m"] == 0.028
    assert len(tube["axis"]) == len(tube["section_radii_m"]) == len(tube["sections"])
    away = np.linalg.norm(np.array(tube["axis"])[:, [0, 2]], axis=1)
    np.testing.assert_allclose(away, 0.04, rtol=0.03)
    assert sorted(tube["faces"]) == list(range(found["faces"]))
    assert found["bodies"] == []
    assert found["graph"]["nodes"] == ["handle"]
    assert {edge["to"] for edge in found["graph"]["edges"]} == {"handle"}
    assert found["unit"] == "mm"
    assert found["unit_guessed"]
    assert found["seconds"] > 0.0


def test_the_table_is_for_people_and_what_was_guessed_is_said_beside_it(tmp_path: Path):
    done = plumb(save_stl(tmp_path / "bar.stl", BAR, 1000.0), *SCALES)
    lines = done.stdout.splitlines()
    assert lines[0] == "bar.stl: 1,024 faces, 24 × 174 × 24 mm"  # noqa: RUF001
    assert lines[1].split() == ["tube", "radius", "length", "sphere", "from", "to"]
    assert lines[2].split()[:2] == ["1", "bar"]
    assert lines[2].endswith("tip   tip")
    assert lines[3].startswith("1 bar, no body, in ")
    assert "mm" in done.stderr
    assert "--unit" in done.stderr
    assert "\r" not in done.output
    assert "\x1b" not in done.output


def test_a_unit_that_is_given_is_not_guessed(tmp_path: Path):
    path = save_stl(tmp_path / "bar.stl", BAR, 100.0)
    done = plumb(path, *SCALES, "--unit", "cm")
    assert done.stderr == ""
    assert "24 × 174 × 24 mm" in done.stdout  # noqa: RUF001


def test_what_is_left_out_is_said_and_faces_count_as_in_the_file(tmp_path: Path):
    vertices, faces = BAR
    speck = np.array([[0.5, 0.5, 0.5], [0.501, 0.5, 0.5], [0.5, 0.501, 0.5]])
    both = np.vstack([speck, vertices]), np.vstack([[[0, 1, 2]], faces + 3]).astype(np.int32)
    path = save_stl(tmp_path / "bar.stl", both)
    done = plumb(path, *SCALES)
    assert "1 face" in done.stderr
    assert "left out" in done.stderr
    found = told(path, *SCALES)
    assert found["left_out"]["faces"] == 1
    assert found["components"] == 2
    assert min(found["tubes"][0]["faces"]) == 1
    assert max(found["tubes"][0]["faces"]) == len(faces)


def test_a_document_is_a_smart_object_with_its_mesh_beside_it(tmp_path: Path):
    path = save_stl(tmp_path / "bar.stl", BAR, 1000.0)
    (tmp_path / "home").mkdir()
    output = tmp_path / "home" / "bar.xml"
    done = plumb(path, *SCALES, "-o", output)
    assert f"bar.stl is copied to {tmp_path / 'home' / 'bar.stl'}" in done.stderr
    read = read_document(output.read_bytes())
    (mesh,) = read.geometry
    assert (mesh.file, mesh.unit) == ("bar.stl", LengthUnit.MILLIMETRE)  # type: ignore[union-attr]
    assert (tmp_path / "home" / "bar.stl").read_bytes() == path.read_bytes()
    (tube,) = read.tubes
    assert (tube.name, tube.kind) == ("bar", TubeKind.FREE)
    assert [site.name for site in read.grasp_sites] == ["bar"]
    again = plumb(path, "--scales", "0.006", "-o", output)
    assert f"{output} was before is kept as {output}~" in again.stderr


def test_a_document_without_anything_to_grasp_says_so(tmp_path: Path):
    output = tmp_path / "ball.xml"
    done = plumb(save_stl(tmp_path / "ball.stl", BALL), *SCALES, "-o", output)
    assert "no tube at these scales, 1 body, in " in done.stdout
    assert f"{output} has no grasp site" in done.stderr
    assert read_document(output.read_bytes()).grasp_sites == ()


def test_a_picture_is_drawn(tmp_path: Path):
    picture = tmp_path / "bar.png"
    plumb(save_stl(tmp_path / "bar.stl", BAR), *SCALES, "--plot", picture)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_answer_does_not_depend_on_threads_and_is_written_to_a_file(tmp_path: Path):
    path = save_stl(tmp_path / "ring.stl", RING)
    told_twice: list[dict[str, Any]] = []
    for threads in (1, 3):
        output = tmp_path / f"{threads}.json"
        done = plumb(path, *SCALES, "--threads", threads, "--json", output)
        assert done.stdout.startswith("ring.stl")
        told_twice.append(json.loads(output.read_text()) | {"seconds": 0})
    assert told_twice[0] == told_twice[1]


@pytest.mark.parametrize(
    ("name", "payload", "words"),
    [
        ("thing.stl", b"", "empty"),
        ("thing.stl", b"this is a letter, not a mesh", "thing.stl"),
        ("thing.stl", b"\x00" * 84, "thing.stl"),
        ("thing.ply", b"ply\nformat ascii 1.0\nend_header\n", "thing.ply"),
        ("thing.glb", b"glTF\x02\x00\x00\x00\xff\xff\xff\xff", "thing.glb"),
        ("thing.obj", b"\xff\xfe\x00v 1 2 3", "thing.obj"),
        ("thing.txt", b"v 0 0 0", "export it as STL, OBJ, PLY, glTF or GLB"),
    ],
)
def test_what_is_no_mesh_is_refused_in_one_line(
    tmp_path: Path, name: str, payload: bytes, words: str
):
    path = tmp_path / name
    path.write_bytes(payload)
    assert words in refused(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path):
    assert "nowhere.stl" in refused(tmp_path / "nowhere.stl")
    (tmp_path / "folder.stl").mkdir()
    assert "folder.stl" in refused(tmp_path / "folder.stl")


def test_vertices_that_are_no_numbers_and_faces_out_of_range_are_refused(tmp_path: Path):
    corners = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"]
    broken = save_obj(tmp_path / "a.obj", ["nan 0 0", *corners[1:]], ["1 2 3", "1 3 4"])
    assert "not finite" in refused(broken)
    wild = save_obj(tmp_path / "b.obj", corners, ["1 2 3", "1 3 9"])
    assert "b.obj" in refused(wild)


def test_a_unit_mix_up_is_told(tmp_path: Path):
    path = save_stl(tmp_path / "bar.stl", BAR, 1000.0)
    assert "is 174 m long, taken in m, and spheres of up to 0.06 m" in refused(path, "--unit", "m")
    path = save_stl(tmp_path / "bar.stl", BAR, 1e5)
    assert "1,000 m" in refused(path, "--unit", "m")
    path = save_stl(tmp_path / "bar.stl", BAR)
    assert "is 0.000174 m long, taken in mm" in refused(path, "--unit", "mm")


def test_spheres_that_swallow_the_mesh_are_told(tmp_path: Path):
    path = save_stl(tmp_path / "bar.stl", BAR)
    assert "even a sphere of 2 m holds all of it" in refused(path, "--scales", "2,3")


@pytest.mark.parametrize("scales", ["0", "-0.01", "nan", "inf", "1e-9", "1000", "0.01,99"])
def test_an_absurd_radius_is_told(tmp_path: Path, scales: str):
    path = save_stl(tmp_path / "bar.stl", BAR)
    assert "--scales takes radii from 0.0005 to 5 m" in refused(path, "--scales", scales)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--scales", "thick"),
        ("--scales", "0.01,,0.02"),
        ("--scales", ",".join(["0.01"] * 40)),
        ("--unit", "furlong"),
        ("--threads", "0"),
        ("--colour", "red"),
        ("more.stl",),
    ],
)
def test_bad_use_is_status_2(tmp_path: Path, arguments: tuple[str, ...]):
    refused(save_stl(tmp_path / "bar.stl", BAR), *arguments, status=2)


def test_what_cannot_be_written_is_told_before_the_work(tmp_path: Path):
    path = save_stl(tmp_path / "bar.stl", BAR)
    for option in ("-o", "--json", "--plot"):
        assert "cannot be written" in refused(path, option, tmp_path / "nowhere" / "file")


@pytest.mark.slow
def test_a_million_faces_work(tmp_path: Path):
    turns = np.linspace(0.0, 2.0 * np.pi, 1001)[:-1]
    along = np.linspace(0.0, 0.3, 501)
    ring = np.stack([0.012 * np.cos(turns), 0.012 * np.sin(turns), 0.0 * turns], axis=1)
    vertices = (ring + np.array([0.0, 0.0, 1.0]) * along[:, None, None]).reshape(-1, 3)
    at = np.arange(1000)
    low = (1000 * np.arange(500))[:, None]
    a, b = low + at, low + (at + 1) % 1000
    faces = np.concatenate(
        [np.stack([a, b, a + 1000], axis=2), np.stack([b, b + 1000, a + 1000], axis=2)]
    ).reshape(-1, 3)
    path = save_stl(tmp_path / "pipe.stl", (vertices, faces.astype(np.int32)))
    found = told(path, "--scales", "0.028")
    assert found["faces"] == 1_000_000
    (tube,) = found["tubes"]
    assert tube["radius_m"] == pytest.approx(0.012, rel=0.03)
    assert tube["length_m"] == pytest.approx(0.3, rel=0.02)


def test_no_output_takes_the_place_of_the_mesh_or_of_another_output(tmp_path: Path):
    mesh = save_stl(tmp_path / "bar.stl", BAR)
    before = mesh.read_bytes()
    link = tmp_path / "link.json"
    link.symlink_to(mesh)
    for options in (["-o", str(mesh)], ["--json", str(link)], ["--plot", f"{tmp_path}/./bar.stl"]):
        assert "is what is read, too" in refused(mesh, *options)
    same = str(tmp_path / "same")
    assert "something else is written to" in refused(mesh, "--json", same, "--plot", same)
    assert mesh.read_bytes() == before
    assert not (tmp_path / "same").exists()


def test_a_name_that_is_too_long_is_one_line(tmp_path: Path):
    mesh = save_stl(tmp_path / "bar.stl", BAR)
    for option in ("-o", "--json", "--plot"):
        assert "cannot be written (File name too long)" in refused(mesh, option, "a" * 300)


def test_a_pipe_that_nobody_reads_keeps_nobody_waiting(tmp_path: Path):
    mesh = save_stl(tmp_path / "bar.stl", BAR)
    os.mkfifo(tmp_path / "pipe")
    for option in ("-o", "--json"):
        done = plumb(mesh, option, tmp_path / "pipe", *SCALES)
        assert done.exit_code == 1
        assert "pipe: cannot be written" in done.stderr


def test_a_link_that_leads_nowhere_yet_goes_on_leading_there(tmp_path: Path):
    mesh = save_stl(tmp_path / "bar.stl", BAR)
    link, target = tmp_path / "bar.xml", tmp_path / "later.xml"
    link.symlink_to(target)
    assert plumb(mesh, "-o", link, *SCALES).exit_code == 0
    assert link.is_symlink()
    assert read_document(target.read_bytes()).tubes
