"""From a document's words to the solvers' numbers, and from a grasp back to words."""

import dataclasses

import numpy as np
import pytest
from armspan.protocol.objects import (
    Digit,
    HandSegment,
    ParameterSet,
    Side,
    SmartObject,
    Span,
    ThumbToward,
    ThumbUse,
    Touching,
    TubeKind,
    read_document,
    write_document,
)
from armspan.server.objects.site_numbers import (
    numbers_of,
    posture_of,
    segment_of,
    touching_of,
    ways_of,
)
from armspan.solvers.grasp.site import (
    Contact,
    DigitState,
    Grasp,
    GraspError,
    Part,
    Place,
    Segment,
    Thumb,
)
from armspan.solvers.grasp.site import Span as NumberSpan

from tests.protocol.objects.examples import WHOLE


def told_with(*sets: ParameterSet) -> SmartObject:
    site = dataclasses.replace(WHOLE.grasp_sites[0], parameter_sets=sets)
    return dataclasses.replace(WHOLE, grasp_sites=(site,), postures=())


def test_every_parameter_reaches_the_search():
    numbers = numbers_of(WHOLE.tube("handle"), WHOLE.grasp_sites[0].parameter_sets[1], -1)
    np.testing.assert_array_equal(numbers.points, [[0.0, 0.0, 0.0], [0.0, 1.0 / 3.0, 1e-7]])
    np.testing.assert_array_equal(numbers.radii, [0.01, 0.011])
    np.testing.assert_array_equal(np.array(numbers.normal), [1.0, 0.0, 0.0])
    assert not numbers.closed
    assert numbers.sign == -1
    assert numbers.along == NumberSpan(0.02, 0.05)
    assert numbers.around == NumberSpan(-1.0, 1.0)
    assert numbers.distance == NumberSpan(0.0, 0.004)
    assert numbers.forward == NumberSpan(0.01, 0.02)
    assert numbers.tilt == NumberSpan(0.0, 0.0)
    assert numbers.pitch == NumberSpan(-0.1, 0.1)
    assert numbers.roll == NumberSpan(0.2, 0.2)
    assert numbers.spread == NumberSpan(0.0, 0.1)
    assert numbers.tolerance_m == 0.0015
    assert numbers.thumb is Thumb.ON_THE_SIDE
    assert numbers.fingers == (True, True, True, False, False)
    assert numbers.max_postures == 500


@pytest.mark.parametrize("kind", [TubeKind.TUNNEL, TubeKind.WELL])
def test_a_site_on_a_hole_is_refused(kind):
    tubes = tuple(dataclasses.replace(tube, kind=kind) for tube in WHOLE.tubes)
    told = dataclasses.replace(WHOLE, tubes=tubes)
    with pytest.raises(GraspError, match=f"a {kind.value}, which no hand closes round"):
        list(ways_of(told, told.grasp_sites[0], Side.RIGHT))


def test_what_the_document_leaves_open_the_search_chooses():
    numbers = numbers_of(WHOLE.tube("handle"), ParameterSet("usual"), 1)
    assert numbers.along is numbers.around is numbers.tilt is numbers.spread is None
    assert numbers.thumb is Thumb.CLOSED


def test_a_thumb_that_takes_no_part_is_unused():
    fingers = (Digit.INDEX, Digit.MIDDLE)
    assert numbers_of(WHOLE.tube("handle"), ParameterSet("hook", fingers=fingers), 1).thumb is (
        Thumb.UNUSED
    )


def test_ways_come_in_the_documents_order_and_share_the_postures_of_their_set():
    told = told_with(
        ParameterSet("first", thumb_toward=ThumbToward.START, max_postures=7),
        ParameterSet("left", hands=(Side.LEFT,)),
        ParameterSet("second", thumb_toward=ThumbToward.EITHER, max_postures=1),
    )
    ways = [
        (way.parameter_set.name, way.numbers.sign, way.numbers.max_postures)
        for way in ways_of(told, told.grasp_sites[0], Side.RIGHT)
    ]
    assert ways == [("first", -1, 7), ("second", 1, 1), ("second", -1, 1)]


def test_a_ring_is_a_ring_to_the_search():
    assert numbers_of(WHOLE.tube("rim"), ParameterSet("usual"), 1).closed


@pytest.mark.parametrize(
    ("finger", "segment", "words"),
    [
        (Part.THUMB, Segment.FIRST, (Touching.THUMB, HandSegment.METACARPAL)),
        (Part.THUMB, Segment.SECOND, (Touching.THUMB, HandSegment.PROXIMAL)),
        (Part.THUMB, Segment.THIRD, (Touching.THUMB, HandSegment.DISTAL)),
        (Part.LITTLE, Segment.FIRST, (Touching.LITTLE, HandSegment.PROXIMAL)),
        (Part.INDEX, Segment.SECOND, (Touching.INDEX, HandSegment.MIDDLE)),
        (Part.PALM, Segment.FIRST, (Touching.PALM, HandSegment.PALM)),
    ],
)
def test_bones_have_their_own_names(
    finger: Part, segment: Segment, words: tuple[Touching, HandSegment]
):
    contact = Contact(finger, segment, 0.0, np.zeros(3), np.array([0.0, 1.0, 0.0]))
    assert (touching_of(contact), segment_of(contact)) == words


def test_a_grasp_becomes_a_posture_that_a_document_keeps():
    told = told_with(ParameterSet("usual", thumb=ThumbUse.CLOSED, along_m=Span(0.0, 0.1)))
    (way,) = ways_of(told, told.grasp_sites[0], Side.LEFT)
    pose = np.array([0.1, 0.2, 0.3, 0.0, 0.6, 0.0, 0.8])
    grasp = Grasp(
        grasped=True, why="", postures_tested=9, joint_angles=np.arange(20.0) / 7.0,
        palm_from_object=pose, object_from_palm=pose, place=Place(*[0.0] * 7),
        digits=(DigitState.TOUCHES,) * 5, deepest_m=0.0,
        contacts=(Contact(Part.THUMB, Segment.THIRD, -1e-3, pose[:3], np.array([0.0, 1.0, 0.0])),),
    )  # fmt: skip
    posture = posture_of(way, Side.LEFT, 0.18, grasp, 0.25)
    assert posture.palm_from_object.position_m == (0.1, 0.2, 0.3)
    assert posture.palm_from_object.rotation_xyzw == (0.0, 0.6, 0.0, 0.8)
    np.testing.assert_allclose(posture.joint_angles_rad, grasp.joint_angles, atol=1e-9)
    kept = dataclasses.replace(told, postures=(posture,))
    assert read_document(write_document(kept)).postures == (posture,)
