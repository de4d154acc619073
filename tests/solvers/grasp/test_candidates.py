"""Candidates of a whole object: different holds, none inside it, the best first."""

import math
from itertools import pairwise

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS, Side
from armspan.solvers.grasp.candidates import find_candidates, parts_of, sites_of
from armspan.solvers.grasp.quality import grasp_quality
from armspan.solvers.grasp.reach import Room, arm_reaches, palms_in_room
from armspan.solvers.grasp.site import DigitState, GraspSite, Span
from armspan.solvers.grasp.solid import make_solid
from armspan.solvers.hand import make_hand
from armspan.solvers.tubes.shape import EndKind, Shape, Tube, TubeEnd, TubeKind
from scipy.spatial.transform import Rotation

from tests.solvers.drawing import COMPILED
from tests.solvers.meshes.solids import CUBE_FACES, CUBE_VERTICES, long_rod

RADIUS_M, LENGTH_M = 0.014, 0.24
RIGHT, LEFT = make_hand(0.19, Side.RIGHT), make_hand(0.19, Side.LEFT)
AXIS = np.linspace(0.0, LENGTH_M, 9)[:, None] * np.array([0.0, 0.0, 1.0])
compiled = pytest.mark.skipif(not COMPILED, reason="a field takes minutes interpreted")


def rod_site(**spans) -> GraspSite:
    return GraspSite(AXIS, np.full(len(AXIS), RADIUS_M), **spans)


def solid_of(*meshes):
    before = np.cumsum([0] + [len(vertices) for vertices, _ in meshes])
    faces = np.concatenate([mesh[1] + before[at] for at, mesh in enumerate(meshes)])
    return make_solid(np.concatenate([mesh[0] for mesh in meshes]), faces.astype(np.int32))


def rod() -> tuple[np.ndarray, np.ndarray]:
    mesh = long_rod(24, RADIUS_M, LENGTH_M)
    return mesh.vertices, mesh.faces


def slab(low, high) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.array(low), np.array(high)
    return low + CUBE_VERTICES * (high - low), CUBE_FACES


def poses(found) -> np.ndarray:
    return np.array([candidate.grasp.object_from_palm for candidate in found.ranked])


def test_parts_fill_a_site_without_gaps():
    parts = parts_of(rod_site(), RIGHT)
    alongs = sorted({(part.along.low, part.along.high) for part in parts})
    arounds = sorted({(part.around.low, part.around.high) for part in parts})
    assert len(parts) == len(alongs) * len(arounds)
    assert (len(alongs), len(arounds)) == (5, 8)
    for bounds, low, high in ((alongs, 0.0, LENGTH_M), (arounds, -math.pi, math.pi)):
        assert bounds[0][0] == pytest.approx(low)
        assert bounds[-1][1] == pytest.approx(high)
        assert all(one[1] == other[0] for one, other in pairwise(bounds))


def test_what_a_designer_fixed_stays_fixed():
    site = rod_site(along=Span(0.1, 0.1), around=Span(0.2, 0.3), sign=-1)
    (part,) = parts_of(site, RIGHT)
    assert (part.along, part.around, part.sign) == (site.along, site.around, -1)


def test_the_tubes_of_a_shape_are_sites_and_its_tunnels_are_not():
    ends = (TubeEnd(EndKind.CAP), TubeEnd(EndKind.CAP))
    radii = np.full(len(AXIS), RADIUS_M)

    def tube(kind: TubeKind) -> Tube:
        return Tube(
            kind=kind, closed=False, axis=AXIS, section_radii_m=radii, sections=(),
            radius_m=RADIUS_M, length_m=LENGTH_M, faces=np.empty(0, np.int32), scale_m=0.028,
            flatness=1.0, ends=ends,
        )  # fmt: skip

    sites = sites_of(Shape((tube(TubeKind.TUNNEL), tube(TubeKind.FREE)), ()))
    assert [site.sign for site in sites] == [1, -1]
    assert find_candidates([], [RIGHT]).ranked == ()


@compiled
def test_holds_of_a_rod_are_ranked_and_different_and_stay_out_of_it():
    solid = solid_of(rod())
    told = []
    found = find_candidates(
        [rod_site()], [RIGHT], solid, most=8, on_progress=lambda share, _: told.append(share)
    )
    assert len(found.ranked) == 8
    assert found.searched == 40
    assert told == sorted(told)
    assert told[-1] == 1.0
    worths = [candidate.worth for candidate in found.ranked]
    assert worths == sorted(worths, reverse=True)
    assert worths[0] > 0.02  # force closure
    middle = found.ranked[0].grasp.place.along
    assert abs(middle - 0.5 * LENGTH_M) < 0.5 * 0.19  # about the centre of mass
    for candidate in found.ranked:
        grasp = candidate.grasp
        assert grasp.deepest_m <= candidate.part.tolerance_m + 1e-6
        assert grasp.digits[0] == DigitState.TOUCHES
        assert candidate.quality == grasp_quality(grasp.contacts, solid.centre, solid.size_m)
    here = poses(found)
    for row, one in enumerate(here):
        for other in here[:row]:
            turned = (Rotation.from_quat(one[3:]).inv() * Rotation.from_quat(other[3:])).magnitude()
            assert np.linalg.norm(one[:3] - other[:3]) > 0.02 or turned > math.radians(25.0)


@compiled
def test_what_touches_beside_the_tube_holds_nothing():
    """A rod on a wall: fingers that come down on the wall count neither for wrap nor quality."""
    wall = slab([-0.3, -RADIUS_M - 0.02, -0.1], [0.3, -RADIUS_M - 0.001, LENGTH_M + 0.1])
    solid = solid_of(rod(), wall)
    found = find_candidates([rod_site(around=Span(-0.3, 0.3))], [RIGHT], solid, most=50)
    beside = 0
    for candidate in found.ranked:
        contacts = candidate.grasp.contacts
        off = [contact for contact in contacts if not contact.on_tube]
        beside += len(off)
        for contact in contacts:
            away = np.linalg.norm(contact.point[:2])
            assert contact.on_tube == (away <= 1.5 * RADIUS_M + candidate.part.tolerance_m)
        kept = [contact for contact in contacts if contact.on_tube]
        assert candidate.quality == grasp_quality(kept, solid.centre, solid.size_m)
        touching = sum(state == DigitState.TOUCHES for state in candidate.grasp.digits)
        assert candidate.wrap <= touching / 5.0 - len({one.finger for one in off}) / 5.0 + 1e-12
    assert beside > 0
    worths = [candidate.worth for candidate in found.ranked]
    assert worths == sorted(worths, reverse=True)


@compiled
def test_the_number_of_threads_changes_nothing():
    solid, site = solid_of(rod()), rod_site(along=Span(0.05, 0.15))
    alone, three = (find_candidates([site], [RIGHT], solid, threads=count) for count in (1, 3))
    np.testing.assert_array_equal(poses(alone), poses(three))
    assert [one.quality for one in alone.ranked] == [one.quality for one in three.ranked]


@compiled
def test_hands_do_not_reach_into_what_is_beside_the_tube():
    """A wall close to one side leaves the holds whose knuckles are on the other side."""
    wall = slab([RADIUS_M + 0.004, -0.3, -0.1], [0.3, 0.3, LENGTH_M + 0.1])
    found = find_candidates([rod_site()], [RIGHT], solid_of(rod(), wall), most=50)
    free = find_candidates([rod_site()], [RIGHT], solid_of(rod()), most=50)
    assert 0 <= len(found.ranked) < len(free.ranked)
    assert all(pose[0] < RADIUS_M for pose in poses(found))
    other = slab([-0.3, -0.3, -0.1], [-RADIUS_M - 0.004, 0.3, LENGTH_M + 0.1])
    nothing = find_candidates([rod_site()], [RIGHT], solid_of(rod(), wall, other))
    assert nothing.ranked == ()
    assert nothing.missed is not None
    assert nothing.missed.why


@compiled
def test_the_arm_decides_between_holds_that_are_as_good():
    """A rod that lies across, before the person: the left hand has its left part more easily."""
    lying = Rotation.from_euler("y", 90.0, degrees=True)  # its axis to the right
    start = np.array([-0.5 * LENGTH_M, 1.1, -0.4])
    room = Room(DEFAULT_LENGTHS, np.concatenate((start, lying.as_quat())))
    sites = [rod_site(sign=sign) for sign in (1, -1)]
    found = find_candidates(sites, [LEFT, RIGHT], solid_of(rod()), room=room, most=30)
    assert found.ranked[0].reached
    reached = [candidate.reached for candidate in found.ranked]
    assert reached == sorted(reached, reverse=True)
    worths = [candidate.worth for candidate in found.ranked if candidate.reached]
    assert worths == sorted(worths, reverse=True)
    for candidate in found.ranked[:5]:
        palms = palms_in_room(room, candidate.grasp.object_from_palm[None])
        again = arm_reaches(DEFAULT_LENGTHS, candidate.hand.side, palms)[0]
        assert candidate.reach.slack == again.slack
    far = Room(DEFAULT_LENGTHS, np.array([0.0, 1.1, -3.0, 0.0, 0.0, 0.0, 1.0]))
    away = find_candidates([rod_site(along=Span(0.1, 0.1))], [RIGHT], room=far)
    assert away.ranked
    assert not any(candidate.reached for candidate in away.ranked)
