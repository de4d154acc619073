"""First documents: what the tubes of a shape become, and which of them a hand could take."""

import dataclasses

import numpy as np
import pytest
from armspan.protocol.objects import Digit as DocumentDigit
from armspan.protocol.objects import (
    LengthUnit,
    Section,
    Touching,
    TubeKind,
    TubeRegion,
    read_document,
    write_document,
)
from armspan.protocol.objects import ThumbUse as DocumentThumb
from armspan.server.objects.drafting import (
    MOST_SECTIONS,
    draft_object,
    draft_sites,
    graspable,
    tube_names,
)
from armspan.server.objects.site_numbers import ways_of
from armspan.solvers.grasp.site import Part, Thumb
from armspan.solvers.hand import Digit
from armspan.solvers.meshes.units import Unit
from armspan.solvers.tubes import shape as solved


def tube(kind: solved.TubeKind, points: int = 5, closed: bool = False) -> solved.Tube:
    axis = np.linspace([0.0, 0.0, 0.0], [0.0, 0.0, 0.1], points)
    return solved.Tube(
        kind=kind, closed=closed, axis=axis, section_radii_m=np.full(points, 0.01),
        sections=tuple(np.empty((0, 3)) for _ in range(points)), radius_m=0.01, length_m=0.1,
        faces=np.arange(4, dtype=np.int32), scale_m=0.03, flatness=1.0,
        ends=(solved.TubeEnd(solved.EndKind.CAP), solved.TubeEnd(solved.EndKind.BODY, 0)),
    )  # fmt: skip


def region(radius_m: float, length_m: float, kind: TubeKind = TubeKind.HANDLE) -> TubeRegion:
    ends = ((0.0, 0.0, 0.0), (0.0, 0.0, length_m))
    return TubeRegion("bar", kind, tuple(Section(end, radius_m) for end in ends))


def test_the_document_and_the_solvers_have_the_same_words():
    assert {kind.value for kind in TubeKind} == {kind.value for kind in solved.TubeKind}
    for kind in solved.TubeKind:
        assert TubeKind(kind.value).concave == kind.concave
    assert {unit.value for unit in LengthUnit} == {unit.value for unit in Unit}
    assert [part.name.lower() for part in Part] == [word.value for word in Touching]
    assert [digit.name.lower() for digit in Digit] == [word.value for word in DocumentDigit]
    assert {thumb.name for thumb in Thumb} == {word.name for word in DocumentThumb}


def test_tubes_are_numbered_where_there_are_several_of_a_kind():
    kinds = solved.TubeKind
    shape = solved.Shape(
        (tube(kinds.HANDLE), tube(kinds.FREE), tube(kinds.HANDLE), tube(kinds.WELL)), ()
    )
    assert tube_names(shape) == ["handle-1", "bar", "handle-2", "well"]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (region(0.01, 0.1), True),
        (region(0.06, 0.3), False),  # as thick as a thigh
        (region(0.0005, 0.1), False),  # a wire
        (region(0.01, 0.01), False),  # a stub
        (region(0.01, 0.1, TubeKind.TUNNEL), False),
        (region(0.01, 0.1, TubeKind.WELL), False),
    ],
)
def test_a_site_is_only_where_a_hand_could_close(told: TubeRegion, expected: bool):
    assert graspable(told) == expected
    assert len(draft_sites((told,))) == expected


def test_a_draft_is_a_document_whose_sites_can_be_searched():
    shape = solved.Shape((tube(solved.TubeKind.PROTRUSION), tube(solved.TubeKind.WELL)), ())
    told = draft_object("thing", "thing.stl", LengthUnit.MILLIMETRE, shape)
    assert read_document(write_document(told)) == told
    assert [site.name for site in told.grasp_sites] == ["protrusion"]
    for side in told.grasp_sites[0].parameter_sets[0].hands:
        ways = list(ways_of(told, told.grasp_sites[0], side))
        assert [way.numbers.sign for way in ways] == [1, -1] * (len(ways) // 2)
        assert sum(way.numbers.max_postures for way in ways) <= 10_000


def test_a_long_axis_is_told_by_as_many_points_as_help():
    shape = solved.Shape((tube(solved.TubeKind.FREE, 5_000),), ())
    (told,) = draft_object("thing", "thing.stl", LengthUnit.METRE, shape).tubes
    assert len(told.sections) == MOST_SECTIONS
    assert told.sections[0].position_m == (0.0, 0.0, 0.0)
    assert told.sections[-1].position_m == (0.0, 0.0, 0.1)


def test_more_tubes_than_a_document_takes_are_cut():
    shape = solved.Shape((tube(solved.TubeKind.HANDLE),) * 300, ())
    told = draft_object("thing", "thing.stl", LengthUnit.METRE, shape)
    assert len(read_document(write_document(told)).tubes) == 256


def test_a_ring_stays_one():
    ring = dataclasses.replace(tube(solved.TubeKind.HANDLE), closed=True)
    (told,) = draft_object("t", "t.stl", LengthUnit.METRE, solved.Shape((ring,), ())).tubes
    assert told.closed
