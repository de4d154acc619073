"""``armspan grasp``: postures and why there is none, rankings, documents, pictures, bad input."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from armspan.protocol.objects import (
    Capsule,
    GraspSite,
    MeshFile,
    ParameterSet,
    Pose,
    Section,
    Side,
    SmartObject,
    Span,
    Sphere,
    ThumbToward,
    TubeKind,
    TubeRegion,
    read_document,
    write_document,
)
from armspan.server.commands import main
from armspan.solvers.hand import ANGLE_LOWER, ANGLE_UPPER
from click.testing import CliRunner, Result
from scipy.spatial.transform import Rotation

from tests.server.commands.meshes import BAR, save_stl

RADIUS_M = 0.016


def bar(radius_m: float = RADIUS_M, half_m: float = 0.1, *sets: ParameterSet) -> SmartObject:
    """A bar along Y, solid, with one site."""
    ends = ((0.0, -half_m, 0.0), (0.0, half_m, 0.0))
    tube = TubeRegion("shaft", TubeKind.FREE, tuple(Section(end, radius_m) for end in ends))
    site = GraspSite("hold", "shaft", sets or (ParameterSet("power"),))
    return SmartObject("bar", geometry=(Capsule(radius_m, 2 * half_m),), tubes=(tube,),
                       grasp_sites=(site,))  # fmt: skip


AWAY = ParameterSet("away", distance_m=Span(0.3, 0.3))  # a palm from where no finger reaches


def saved(folder: Path, told: SmartObject, name: str = "bar.xml") -> Path:
    path = folder / name
    path.write_bytes(write_document(told))
    return path


def grasp(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["grasp", *map(str, arguments)], catch_exceptions=False)


def told(*arguments: object, status: int = 0) -> dict[str, Any]:
    done = grasp(*arguments, "--json", "-")
    assert done.exit_code == status, done.output
    return json.loads(done.stdout)


def refused(*arguments: object, status: int = 1) -> str:
    done = grasp(*arguments)
    assert done.exit_code == status, done.output
    assert done.stdout == ""
    assert done.stderr.startswith("armspan: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_the_json_has_every_field_of_the_manual(tmp_path: Path):
    found = told(saved(tmp_path, bar()), "--site", "hold")
    assert found["grasped"] is True
    assert found["why"] == ""
    assert 0 < found["postures_tested"] <= 10_000
    angles = np.array(found["joint_angles"])
    assert angles.shape == (20,)
    assert (angles >= ANGLE_LOWER - 1e-9).all()
    assert (angles <= ANGLE_UPPER + 1e-9).all()
    fingers = {contact["finger"] for contact in found["contacts"]}
    assert "thumb" in fingers
    assert fingers & {"index", "middle", "ring", "little"}
    assert all(-0.002 <= contact["gap_m"] <= 0.0 for contact in found["contacts"])
    assert {contact["segment"] for contact in found["contacts"]} <= {
        "metacarpal", "proximal", "middle", "distal", "palm",
    }  # fmt: skip
    assert found["milliseconds"] > 0.0
    assert found["hand_length_m"] == 0.19


def test_contacts_lie_on_the_bar_and_the_palms_place_leads_there_and_back(tmp_path: Path):
    found = told(saved(tmp_path, bar()), "--site", "hold")
    for contact in found["contacts"]:
        point = np.array(contact["point_m"])
        assert np.hypot(point[0], point[2]) == pytest.approx(RADIUS_M, abs=1e-3)
        assert np.linalg.norm(contact["normal"]) == pytest.approx(1.0)
    there, back = (np.array(found[name]) for name in ("palm_from_object", "object_from_palm"))
    turned = Rotation.from_quat(there[3:])
    np.testing.assert_allclose(turned.apply(back[:3]) + there[:3], 0.0, atol=1e-9)
    assert (turned * Rotation.from_quat(back[3:])).magnitude() < 1e-7


def test_the_left_hand_grasps_in_the_mirror(tmp_path: Path):
    path = saved(tmp_path, dataclasses.replace(bar(), geometry=()))
    right = told(path, "--site", "hold", "--hand", "right")
    left = told(path, "--site", "hold", "--hand", "left")
    np.testing.assert_allclose(left["joint_angles"], right["joint_angles"], atol=1e-9)
    assert left["hand"] == "left"


def test_hands_of_other_lengths_grasp_with_other_postures(tmp_path: Path):
    path = saved(tmp_path, bar())
    (tmp_path / "person.json").write_text('{"hand_length_m": 0.17}')
    small = told(path, "--site", "hold", "--skeleton", tmp_path / "person.json")
    large = told(path, "--site", "hold", "--hand-length", "0.21")
    assert (small["hand_length_m"], large["hand_length_m"]) == (0.17, 0.21)
    assert small["joint_angles"] != large["joint_angles"]


def test_the_lines_for_people_say_what_touches(tmp_path: Path):
    done = grasp(saved(tmp_path, bar()), "--site", "hold")
    assert done.stdout.startswith("bar.xml: a right hand 190 mm long grasps hold (power)")
    assert "\n  thumb    touches with its " in done.stdout
    assert "\n  quality  " in done.stdout
    assert done.stderr == ""


def test_that_a_hand_cannot_grasp_is_an_answer_with_status_1(tmp_path: Path):
    path = saved(tmp_path, bar(RADIUS_M, 0.1, AWAY))
    assert "a right hand 190 mm long cannot grasp hold: " in refused(path, "--site", "hold")
    assert "cannot grasp hold: " in refused(path)
    found = told(path, "--site", "hold", status=1)
    assert found["grasped"] is False
    assert found["why"]
    assert "\n" not in found["why"]
    assert len(found["joint_angles"]) == 20


@pytest.mark.parametrize("radius_m", [0.2, 2.0])
def test_no_hand_closes_round_a_column(tmp_path: Path, radius_m: float):
    path = saved(tmp_path, bar(radius_m, 0.5))
    assert "cannot grasp hold: " in refused(path, "--site", "hold")


def test_a_search_ends_when_it_has_no_postures_left(tmp_path: Path):
    either = dataclasses.replace(AWAY, thumb_toward=ThumbToward.EITHER)
    path = saved(tmp_path, bar(RADIUS_M, 0.1, either))
    assert told(path, "--site", "hold", status=1)["postures_tested"] < 10_100
    few = told(path, "--site", "hold", "--max-postures", "50", status=1)
    assert few["postures_tested"] < 150


def test_a_later_way_is_taken_where_an_earlier_one_is_none(tmp_path: Path):
    path = saved(tmp_path, bar(RADIUS_M, 0.1, AWAY, ParameterSet("power")))
    assert told(path, "--site", "hold")["parameter_set"] == "power"


def test_without_a_site_grasps_are_ranked(tmp_path: Path):
    done = grasp(saved(tmp_path, bar()), "--json", tmp_path / "all.json")
    assert "site  way    thumb to" in done.stdout
    found = json.loads((tmp_path / "all.json").read_text())
    qualities = [found["quality"], *(other["quality"] for other in found["candidates"])]
    assert len(qualities) > 2
    assert qualities == sorted(qualities, reverse=True)


def test_where_the_object_stands_counts_for_the_arm(tmp_path: Path):
    path = saved(tmp_path, bar())
    near = told(path, "--at", "0.2,1.1,-0.4")
    assert near["arm"]["reached"]
    assert len(near["arm"]["joint_angles"]) == 15
    far = told(path, "--at", "0.2,1.1,-3")
    assert not far["arm"]["reached"]
    assert far["arm"]["slack"] < -1.0


def test_an_object_without_sites_is_searched_all_over(tmp_path: Path):
    save_stl(tmp_path / "bar.stl", BAR)
    path = saved(tmp_path, SmartObject("bar", geometry=(MeshFile("bar.stl"),)))
    found = told(path)
    assert found["grasped"]
    assert found["site"] == "bar"
    done = grasp(path, "-o", path)
    assert done.exit_code == 1
    assert "has no grasp site to tell a posture of" in done.stderr


def test_an_object_with_nothing_to_close_round_says_so(tmp_path: Path):
    path = saved(tmp_path, SmartObject("ball", geometry=(Sphere(0.2),)))
    assert "has no tube that a hand could close round" in refused(path)
    found = told(path, status=1)
    assert (found["grasped"], found["joint_angles"]) == (False, [])


def test_a_site_for_the_other_hand_alone_says_so(tmp_path: Path):
    path = saved(tmp_path, bar(RADIUS_M, 0.1, ParameterSet("power", hands=(Side.LEFT,))))
    assert "for a right hand" in refused(path, "--site", "hold")
    assert told(path, "--site", "hold", "--hand", "left")["grasped"]


def test_the_posture_is_written_into_the_document(tmp_path: Path):
    path = saved(tmp_path, bar())
    before = path.read_bytes()
    found = told(path, "--site", "hold", "-o", path)
    (posture,) = read_document(path.read_bytes()).postures
    assert (posture.site, posture.parameter_set, posture.hand) == ("hold", "power", Side.RIGHT)
    np.testing.assert_allclose(posture.joint_angles_rad, found["joint_angles"], atol=1e-8)
    assert path.read_bytes().startswith(before[: before.index(b"</smart_object>")].rstrip())
    told(path, "--site", "hold", "--hand", "left", "-o", path)
    told(path, "--site", "hold", "-o", path)
    assert len(read_document(path.read_bytes()).postures) == 2
    assert not path.with_name("bar.xml~").exists()


def test_a_picture_is_drawn_also_without_geometry(tmp_path: Path):
    picture = tmp_path / "bare.png"
    bare = dataclasses.replace(bar(), geometry=())
    done = grasp(saved(tmp_path, bare), "--site", "hold", "--plot", picture)
    assert done.exit_code == 0, done.output
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_rest_of_the_object_is_in_the_way(tmp_path: Path):
    """A bar in a sphere of material: only what sticks out of it can be held."""
    wall = Sphere(0.15, Pose((0.0, -0.1, 0.0)))
    boxed = dataclasses.replace(bar(), geometry=(*bar().geometry, wall))
    free, walled = (told(saved(tmp_path, one), "--site", "hold") for one in (bar(), boxed))
    assert walled["grasped"]
    assert walled["place"]["along"] > free["place"]["along"]
    assert walled["deepest_m"] <= 0.002


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ((b"<smart_object", b"<!DOCTYPE a>\n<smart_object"), "line 2: <!DOCTYPE is refused"),
        ((b'kind="free"', b'kind="pipe"'), "line 7: kind of tube is 'pipe'"),
        ((b'radius_m="0.016"/>', b'radius_m="nan"/>'), "radius_m"),
        ((b'tube="shaft"', b'tube="stick"'), "tube 'stick', and there is none"),
        ((b"</smart_object>", b""), "is no XML"),
        (
            (b'<section position_m="0 0.1 0"', b'<section position_m="0 -0.1 0"'),
            "an axis needs two",
        ),
    ],
)
def test_a_broken_document_is_told_with_its_line(
    tmp_path: Path, change: tuple[bytes, bytes], words: str
):
    path = saved(tmp_path, bar())
    path.write_bytes(path.read_bytes().replace(*change))
    assert words in refused(path)


def test_a_mesh_that_is_not_there_is_told(tmp_path: Path):
    path = saved(tmp_path, dataclasses.replace(bar(), geometry=(MeshFile("gone.stl"),)))
    assert "gone.stl is not there" in refused(path)


def test_a_normal_along_the_axis_is_an_impossible_site(tmp_path: Path):
    (tube,) = bar().tubes
    along = dataclasses.replace(tube, normal=(0.0, 1.0, 0.0))
    path = saved(tmp_path, dataclasses.replace(bar(), tubes=(along,)))
    assert "runs along the axis" in refused(path, "--site", "hold")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--site", "grip"), "no grasp site 'grip'; it has hold"),
        (("--hand", "third"), "third"),
        (("--hand-length", "19"), "a hand of 19 m"),
        (("--hand-length", "nan"), "a hand of nan m"),
        (("--max-postures", "0"), "0"),
        (("--at", "here"), "is no place"),
        (("--at", "1,2"), "is no place"),
        (("--at", "1,nan,2"), "is no place"),
    ],
)
def test_bad_use_is_status_2(tmp_path: Path, arguments: tuple[str, ...], words: str):
    assert words in refused(saved(tmp_path, bar()), *arguments, status=2)


def test_files_that_are_not_there_or_cannot_be_written_are_told(tmp_path: Path):
    assert "nowhere.xml: cannot be read" in refused(tmp_path / "nowhere.xml")
    path = saved(tmp_path, bar())
    assert "person.json: cannot be read" in refused(path, "--skeleton", tmp_path / "person.json")
    for option in ("-o", "--json", "--plot"):
        assert "cannot be written" in refused(path, option, tmp_path / "nowhere" / "file")
