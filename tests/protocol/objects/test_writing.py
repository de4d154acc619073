"""Writing smart objects: round trips, stable texts, and postures put into others' documents."""

import dataclasses
import math

import pytest
from armspan.protocol.objects import (
    DocumentError,
    GraspSite,
    Mass,
    ParameterSet,
    Pose,
    Section,
    Side,
    SmartObject,
    Span,
    Sphere,
    TubeKind,
    TubeRegion,
    read_document,
    with_posture,
    write_document,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.protocol.objects.examples import POSTURE, SITES, TUBES, WHOLE, document

NUMBERS = st.floats(-1000.0, 1000.0)
RADII = st.floats(1e-300, 10.0)
HOLD = dataclasses.replace(POSTURE, site="hold", parameter_set="usual", contacts=())


def test_reading_what_was_written_gives_an_equal_object_and_the_same_text():
    written = write_document(WHOLE)
    assert read_document(written) == WHOLE
    assert write_document(read_document(written)) == written


@settings(deadline=None, max_examples=100)
@given(
    points=st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=3, max_size=5, unique=True),
    radius_m=RADII,
    ends=st.tuples(NUMBERS, NUMBERS),
    angles=st.tuples(*(20 * [NUMBERS])),
)
def test_every_number_comes_back_as_it_was(
    points: list[tuple[float, float, float]],
    radius_m: float,
    ends: tuple[float, float],
    angles: tuple[float, ...],
):
    tube = TubeRegion("t", TubeKind.FREE, tuple(Section(p, radius_m) for p in points), closed=True)
    way = ParameterSet("w", along_m=Span(min(ends), max(ends)))
    posture = dataclasses.replace(
        POSTURE, site="s", parameter_set="w", joint_angles_rad=angles, quality=ends[0]
    )
    told = SmartObject("t", "", None, (), (tube,), (GraspSite("s", "t", (way,)),), (posture,))
    assert read_document(write_document(told)) == told


def test_a_written_document_reads_well():
    text = write_document(WHOLE).decode()
    assert '    <mesh file="meshes/mug with a space.stl" unit="mm"/>\n' in text
    assert '      <section position_m="0 0.3333333333333333 1e-07" radius_m="0.011"/>\n' in text
    assert '      <parameter_set name="usual" thumb="closed" thumb_toward="end"' in text
    assert text.endswith("</smart_object>\n")


@pytest.mark.parametrize(
    "told",
    [
        SmartObject(""),
        SmartObject("x" * 65),
        SmartObject("heavy", mass=Mass(-1.0)),
        SmartObject("huge", geometry=(Sphere(1e9),)),
        SmartObject("broken", geometry=(Sphere(math.nan),)),
        SmartObject("none", geometry=(Sphere(1.0),) * 65),
    ],
)
def test_what_no_reader_would_take_is_not_written(told: SmartObject):
    with pytest.raises(DocumentError):
        write_document(told)


def test_a_posture_is_put_in_and_every_other_byte_stays():
    before = (
        b'<?xml version="1.0"?>\n<!-- mine -->\n<smart_object xmlns="urn:armspan:smart-object:1"\n'
        b'    name="thing"\n    revision="1"  >\n' + (TUBES + SITES).encode() + b"<!-- last -->"
    )
    after = b"</smart_object  >\n<!-- bye -->\n"
    changed = with_posture(before + after, HOLD)
    assert changed.startswith(before + b"\n  <postures>\n    <posture site=")
    assert changed.endswith(b"</posture>\n  </postures>\n" + after)
    assert read_document(changed).postures == (HOLD,)


def test_a_posture_replaces_that_of_the_same_hand_and_stands_beside_others():
    told = with_posture(document(TUBES + SITES), HOLD)
    assert with_posture(told, HOLD) == told
    right = dataclasses.replace(HOLD, hand=Side.RIGHT)
    larger = dataclasses.replace(HOLD, hand_length_m=0.2)
    both = with_posture(with_posture(told, right), larger)
    assert read_document(both).postures == (HOLD, right, larger)
    newer = dataclasses.replace(right, quality=0.5, palm_from_object=Pose((9.0, 9.0, 9.0)))
    again = with_posture(both, newer)
    assert read_document(again).postures == (HOLD, newer, larger)
    assert len(again.splitlines()) == len(both.splitlines())


def test_a_document_with_prefixes_and_windows_lines_takes_a_posture_too():
    told = document(TUBES + SITES).decode().replace("xmlns=", "xmlns:o=")
    for name in (
        "smart_object",
        "tubes",
        "tube ",
        "section",
        "grasp_site",
        "parameter_set",
        "tube>",
    ):
        told = told.replace(f"<{name}", f"<o:{name}").replace(f"</{name}", f"</o:{name}")
    windows = b"\xef\xbb\xbf" + told.replace("\n", "\r\n").encode()
    changed = with_posture(with_posture(windows, HOLD), dataclasses.replace(HOLD, quality=0.25))
    (kept,) = read_document(changed).postures
    assert kept.quality == 0.25
    assert b"\n" not in changed.replace(b"\r\n", b"")


def test_a_posture_for_an_unknown_site_is_refused():
    with pytest.raises(DocumentError, match="grasp site 'handle', and there is none"):
        with_posture(document(TUBES + SITES), POSTURE)


@pytest.mark.parametrize("text", ["control\x01", "two\nlines", "\ud800"])
def test_a_name_that_xml_cannot_hold_is_refused(text: str):
    with pytest.raises(DocumentError, match="cannot be printed"):
        SmartObject(text)
