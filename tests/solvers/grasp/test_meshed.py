"""Grasps beside a mesh: a tube alone, and one with a body that leaves little room."""

import math

import numpy as np
import pytest
from armspan.solvers.body.skeleton import Side
from armspan.solvers.grasp import DigitState, GraspSite, Span, search_grasp
from armspan.solvers.hand import Hand, make_hand
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.field import DistanceField, field_distance
from armspan.solvers.meshes.measuring import build_field
from armspan.solvers.quaternion import quat_rotate
from numba import config

pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="a field is long without compiled code")
FIELD_M = 4e-4  # what is lost between the field's nodes, and between looks at it


def cylinder(radius, low, high, centre=(0.0, 0.0), count=48):
    """A closed cylinder along X: vertices and faces."""
    turns = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
    ring = np.stack([0.0 * turns, np.cos(turns), np.sin(turns)], axis=1) * radius
    ring += [0.0, *centre]
    left, right = [low, 0.0, 0.0], [high, 0.0, 0.0]
    vertices = np.vstack([ring + left, ring + right, [[low, *centre]], [[high, *centre]]])
    a = np.arange(count)
    b = (a + 1) % count
    ends = np.full(count, 2 * count)
    faces = [(a, b, a + count), (b, b + count, a + count), (ends, b, a)]
    faces.append((ends + 1, a + count, b + count))
    return vertices, np.vstack([np.stack(part, axis=1) for part in faces]).astype(np.int32)


def joined(*solids):
    starts = np.cumsum([0] + [len(vertices) for vertices, _ in solids])
    faces = [part + start for (_, part), start in zip(solids, starts[:-1], strict=True)]
    return np.vstack([vertices for vertices, _ in solids]), np.vstack(faces).astype(np.int32)


@kernel
def least_distance(field: DistanceField, points) -> float:
    least = 1.0
    for row in range(points.shape[0]):
        least = min(least, field_distance(field, points[row, 0], points[row, 1], points[row, 2]))
    return least


def deepest(field: DistanceField, hand: Hand, grasp) -> float:
    shares = np.linspace(0.0, 1.0, 33)[:, None]
    depth = 0.0
    for row in hand.capsules(grasp.joint_angles):
        local = row[:3] + shares * (row[3:6] - row[:3])
        turn = tuple(grasp.object_from_palm[3:])
        points = np.array([quat_rotate(turn, tuple(p)) for p in local])
        depth = max(depth, row[6] - least_distance(field, points + grasp.object_from_palm[:3]))
    return depth


def tube_site(radius, **settings) -> GraspSite:
    points = np.array([[-0.12, 0.0, 0.0], [0.12, 0.0, 0.0]])
    return GraspSite(points, np.full(2, radius), normal=np.array([0.0, 1.0, 0.0]), **settings)


@pytest.mark.parametrize("side", Side)
def test_a_tubes_own_mesh_changes_little(side):
    site, hand = tube_site(0.015), make_hand(0.19, side)
    field = build_field(*cylinder(0.015, -0.12, 0.12))
    alone, meshed = search_grasp(site, hand), search_grasp(site, hand, field)
    assert alone.grasped
    assert meshed.grasped
    np.testing.assert_allclose(meshed.joint_angles, alone.joint_angles, atol=0.15)
    assert deepest(field, hand, meshed) < site.tolerance_m + FIELD_M
    assert meshed.deepest_m == pytest.approx(deepest(field, hand, meshed), abs=FIELD_M)


def test_nothing_goes_into_a_body_beside_the_tube():
    """A handle before a wall: fingers go through between them, or the answer is no."""
    hand = make_hand(0.18, Side.RIGHT)
    answers = []
    for gap in (0.008, 0.045):
        wall = cylinder(0.045, -0.1, 0.1, centre=(-(0.008 + gap + 0.045), 0.0))
        field = build_field(*joined(cylinder(0.008, -0.12, 0.12), wall))
        site = tube_site(0.008, around=Span(-0.6, 0.6))
        grasp = search_grasp(site, hand, field)
        answers.append(grasp.grasped)
        if grasp.grasped:
            assert deepest(field, hand, grasp) < site.tolerance_m + FIELD_M
            assert grasp.digits.count(DigitState.TOUCHES) >= 2
        else:
            assert grasp.why
    assert answers[1]


def test_a_tube_deep_in_a_body_is_out_of_reach():
    hand = make_hand(0.18, Side.LEFT)
    field = build_field(*cylinder(0.1, -0.12, 0.12))
    grasp = search_grasp(tube_site(0.01), hand, field)
    assert not grasp.grasped
    assert grasp.why
