"""Reading smart objects: what a document means, and one clear line for all that is none."""

import re
import time

import pytest
from armspan.protocol.objects import (
    MAX_DOCUMENT_BYTES,
    NAMESPACE,
    DocumentError,
    ParameterSet,
    Problem,
    Side,
    Span,
    TubeKind,
    read_document,
    schema_bytes,
    write_document,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.protocol.objects.examples import SITES, TUBE, TUBES, WHOLE, document


def refusal(payload: bytes) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        read_document(payload)
    for problem in caught.value.problems:
        assert "\n" not in problem.message
        assert problem.message.isprintable()
        assert len(problem.message) < 300
        assert NAMESPACE + "}" not in problem.message
    return caught.value


def problems_of(payload: bytes) -> tuple[Problem, ...]:
    """What is wrong with a document that may be sound."""
    try:
        read_document(payload)
    except DocumentError as error:
        return error.problems
    return ()


def test_what_is_left_out_takes_its_default():
    read = read_document(document(TUBES + SITES))
    assert read.grasp_sites[0].parameter_sets == (ParameterSet("usual"),)
    assert read.tubes[0].kind is TubeKind.HANDLE
    assert not read.tubes[0].closed
    assert read.mass is None
    assert read.geometry == read.postures == read.extension == ()


def test_a_span_may_be_one_number_or_two_and_lists_any_order():
    way = '<parameter_set name="a" along_m="0.1" around_rad=" -1  2 " hands="right left"/>'
    sites = f'<grasp_sites><grasp_site name="g" tube="bar">{way}</grasp_site></grasp_sites>'
    (read,) = read_document(document(TUBES + sites)).grasp_sites[0].parameter_sets
    assert read.along_m == Span(0.1, 0.1)
    assert read.around_rad == Span(-1.0, 2.0)
    assert read.hands == (Side.LEFT, Side.RIGHT)


def test_the_parts_of_an_object_may_stand_in_any_order():
    assert read_document(document(SITES + TUBES)) == read_document(document(TUBES + SITES))


def test_a_prefix_a_byte_order_mark_and_an_editors_hints_change_nothing():
    hints = (
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        f'xsi:schemaLocation="{NAMESPACE} smart_object.xsd"'
    )
    plain = read_document(document(TUBES))
    assert read_document(b"\xef\xbb\xbf" + document(TUBES, f'name="thing" {hints}')) == plain
    prefixed = document(TUBES).replace(b"xmlns=", b"xmlns:o=")
    prefixed = re.sub(rb"<(/?)(\w)", rb"<\1o:\2", prefixed)
    assert read_document(prefixed) == plain


def test_the_schemas_location_in_a_document_is_never_opened(tmp_path):
    """libxml2 would load it, and could be sent anywhere with it."""
    other = tmp_path / "other.xsd"
    other.write_bytes(schema_bytes().replace(b'value="handle"', b'value="anything"'))
    hints = (
        'name="thing" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        f'xmlns:n="urn:n" xsi:schemaLocation="urn:n {other} {NAMESPACE} {other}"'
    )
    wrong = TUBE.replace('"handle"', '"anything"')
    assert "anything" in str(refusal(document(f"<tubes>{wrong}</tubes>", hints)))


@pytest.mark.parametrize(
    ("inside", "line", "words"),
    [
        ("<wheels/>", 2, "wheels does not belong here"),
        ("<tubes/>", 2, "tubes is not complete; tube is wanted in it"),
        (f"{TUBES}\n{TUBES}", 3, "tubes does not belong here, or only once"),
        ("some words", 1, "smart_object holds text; only elements belong there"),
        (TUBES.replace('"handle"', '"pipe"'), 2,
         "kind of tube is 'pipe'; one of handle, protrusion, free, tunnel, well is wanted"),
        (TUBES.replace('radius_m="0.01"', 'radius_m="25"', 1), 2,
         "radius_m of section is '25'; at most 10 is allowed"),
        (TUBES.replace('radius_m="0.01"', 'radius_m="0"', 1), 2,
         "radius_m of section is '0'; more than 0 is wanted"),
        (TUBES.replace('radius_m="0.01"', 'radius_m="thin"', 1), 2,
         "radius_m of section is 'thin'; numbers are wanted"),
        (TUBES.replace('radius_m="0.01"', "", 1), 2, "section is missing 'radius_m'"),
        (TUBES.replace('radius_m="0.01"', 'radius_m="0.01" colour="red"', 1), 2,
         "colour of section is not known here"),
        (TUBES.replace('"0 0 0"', '"0 0"'), 2, "position_m of section has 2 numbers; 3 are wanted"),
        (TUBES.replace('"0 0 0"', '"0 NaN 0"'), 2, "position_m of section is 'NaN'"),
        (TUBES.replace('"0 0 0"', '"0 -INF 0"'), 2, "position_m of section is '-INF'"),
        (TUBES.replace('"bar"', '"a bar"'), 2, "name of tube is 'a bar'; up to 64 letters of"),
        (f"<tubes>{TUBE}\n{TUBE}</tubes>", 3, "tube is called 'bar' as another is"),
        (TUBES + SITES.replace('tube="bar"', 'tube="rod"'), 2,
         "grasp_site is for tube 'rod', and there is none"),
        (TUBES + SITES.replace('name="usual"', 'name="usual" hands=""'), 2,
         "hands of parameter_set is empty"),
        (TUBES + SITES.replace('name="usual"', 'name="usual" fingers="thumb toe"'), 2,
         "fingers of parameter_set is 'toe'; one of thumb, index, middle, ring, little is wanted"),
        (TUBES + SITES.replace('name="usual"', 'name="usual" fingers="thumb"'), 2,
         "only the thumb"),
        (TUBES + SITES.replace('name="usual"', 'name="usual" max_postures="1.5"'), 2,
         "max_postures of parameter_set is '1.5'; a whole number is wanted"),
        (TUBES + SITES.replace('name="usual"', 'name="usual" along_m="2 1"'), 2,
         "along_m is a span of 2 1; put its lower end first"),
        (TUBES.replace('kind="handle"', 'kind="handle" closed="perhaps"'), 2,
         "closed of tube is 'perhaps'; true or false is wanted"),
        (TUBES.replace('kind="handle"', 'kind="handle" closed="true"'), 2, "a ring needs three"),
        (TUBES.replace("0.1", "0"), 2, "1 different points; an axis needs two"),
        (TUBES.replace('kind="handle"', 'kind="handle" normal="0 0 0"'), 2,
         "a direction is wanted"),
        ('<geometry><sphere radius_m="1" rotation_xyzw="0 0 0 2"/></geometry>', 2,
         "rotation_xyzw has the length 2; a unit quaternion x y z w is wanted"),
        ('<geometry>\n<torus radius_m="1" tube_radius_m="2"/></geometry>', 3,
         "runs through itself"),
        ('<geometry><mesh file="a.stl" unit="km"/></geometry>', 2, "one of m, cm, mm, inch"),
        ("<extension><tube/></extension>", 2,
         "tube does not belong here; elements of other namespaces does"),
    ],
)  # fmt: skip
def test_each_mistake_is_told_with_its_line(inside: str, line: int, words: str):
    first = refusal(document(inside)).problems[0]
    assert first.line == line
    assert words in first.message


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../mug.stl", "a/../../b.stl", "C:/mug.stl", "C:mug.stl", "a\\b.stl", "./a.stl",
     "a//b.stl", "a/", "http://example.org/a.stl", "file:///a.stl", "~/a.stl", "", ".", "..",
     "a\x7f.stl", "a|b.stl", "x" * 300, "\u202ea.stl"],
)  # fmt: skip
def test_a_path_that_could_leave_the_folder_is_refused(path: str):
    mesh = f'<geometry><mesh file="{path}"/></geometry>'
    assert "file" in str(refusal(document(mesh)))


def test_every_mistake_is_listed_in_the_order_of_lines():
    wrong = TUBES.replace('"handle"', '"pipe"').replace('radius_m="0.01"', 'radius_m="0"')
    wrong = wrong.replace("<section", "\n<section")
    error = refusal(document(wrong))
    assert [problem.line for problem in error.problems] == [2, 3, 4]
    assert str(error).startswith("line 2: kind of tube is 'pipe'")
    assert str(error).endswith("(and 2 more)")


def test_mistakes_that_the_schema_cannot_see_are_all_listed_too():
    ways = '\n<parameter_set name="a" along_m="2 1"/>\n<parameter_set name="b" tilt_rad="1 0"/>'
    sites = f'<grasp_sites><grasp_site name="g" tube="bar">{ways}</grasp_site></grasp_sites>'
    error = refusal(document(TUBES + sites))
    assert [problem.line for problem in error.problems] == [3, 4]


def test_a_posture_for_a_way_that_is_not_there_is_refused():
    told = write_document(WHOLE).replace(b'parameter_set="pinch"', b'parameter_set="punch"')
    assert "parameter set 'punch'" in str(refusal(told))


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        (b"", "the document is empty"),
        (b" \n", "the document is empty"),
        (b"hello", "is no XML"),
        (b"solid mug\nendsolid", "is no XML"),
        (b"\x00\xff\x80" * 9, "is no UTF-8"),
        (document().decode().encode("utf-16"), "is no UTF-8"),
        (document()[:-5], "line 3: is no XML"),
        (document("<a>&undefined;</a>"), "is no XML"),
        (b"<svg/>", "the root is 'svg' of no namespace; <smart_object xmlns="),
        (document().replace(b"object:1", b"object:2"),
         "is of version '2', and this program reads 1"),
        (document().replace(b"smart_object ", b"tube ").replace(b"smart_object>", b"tube>"),
         "tube' is no root; smart_object is"),
        (b"x" * (MAX_DOCUMENT_BYTES + 1), "more than 4,194,304 bytes"),
        (document("<!-- -->" + "<a>" * 40 + "</a>" * 40), "elements are more than 32 deep"),
        (document("<a>" * 5000 + "</a>" * 5000), "is no XML"),
    ],
)  # fmt: skip
def test_what_is_no_smart_object_is_told_in_one_line(payload: bytes, words: str):
    assert words in str(refusal(payload))


BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 20))


@pytest.mark.parametrize(
    "before",
    [
        f'<!DOCTYPE smart_object [<!ENTITY e0 "ha">{BOMB}]>',
        '<!DOCTYPE smart_object SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE smart_object [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x">%x;]>',
        "<!DOCTYPE smart_object>",
    ],
)
def test_a_document_type_is_refused_before_anything_in_it_happens(before: str):
    began_s = time.perf_counter()
    error = refusal(b'<?xml version="1.0"?>\n' + before.encode() + document("&e19;"))
    assert str(error) == "line 2: <!DOCTYPE is refused; leave the document type out"
    assert time.perf_counter() - began_s < 0.5


@pytest.mark.parametrize("encoding", ["utf-7", "ISO-8859-1", "utf-16", "no-such"])
def test_another_encoding_is_refused_and_cannot_hide_a_document_type(encoding: str):
    hidden = "+ADwAIQ-DOCTYPE a+AD4-" if encoding == "utf-7" else ""
    told = f"<?xml version='1.0' encoding='{encoding}'?>{hidden}\n".encode() + document(TUBES)
    assert str(refusal(told)) == (
        f"line 1: says that its encoding is '{encoding}'; UTF-8 is wanted, and said"
    )


def test_a_name_without_an_end_makes_no_message_without_an_end():
    error = refusal(document(f"<{'n' * 20_000}/>"))
    assert str(error).startswith(f"line 2: {'n' * 60}… does not belong here")


def test_words_of_a_newer_revision_are_told_to_be_such():
    error = refusal(document("<parts/>", 'name="thing" revision="9"'))
    assert "revision is 9, and this program knows 1" in error.problems[0].message
    assert "parts does not belong here" in error.problems[1].message


def test_a_newer_revision_that_uses_no_new_word_is_read():
    newer = read_document(document(TUBES, 'name="thing" revision="9"'))
    assert newer == read_document(document(TUBES))


@pytest.mark.parametrize(
    "inside",
    [
        "<tubes>" + TUBE * 30_000 + "</tubes>",
        "<extension>" + '<b xmlns="urn:x"/>' * 200_000 + "</extension>",
        TUBES.replace('"bar"', '"' + "x" * 4_000_000 + '"'),
        '<geometry><mesh file="' + "x/" * 1_000_000 + '"/></geometry>',
        TUBES.replace('"0 0 0"', '"' + "1 " * 1_000_000 + '"'),
        TUBES.replace('name="bar"', " ".join(f'a{n}="1"' for n in range(100_000))),
    ],
    ids=["tubes", "extension", "name", "path", "numbers", "attributes"],
)
def test_the_largest_documents_end_soon(inside: str):
    began_s = time.perf_counter()
    problems = problems_of(document(inside))
    assert all(len(problem.message) < 400 for problem in problems)
    assert len(problems) <= 21
    assert time.perf_counter() - began_s < 20.0


@settings(deadline=None, max_examples=300)
@given(data=st.data())
def test_bytes_that_are_changed_at_random_raise_only_document_errors(data: st.DataObject):
    changed = bytearray(write_document(WHOLE))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(changed) - 1))
        if data.draw(st.booleans()):
            changed[place] = data.draw(st.integers(0, 255))
        else:
            del changed[place : place + data.draw(st.integers(1, 40))]
    assert all(problem.message.isprintable() for problem in problems_of(bytes(changed)))
