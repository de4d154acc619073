"""Distance fields: held to closed forms, to brute force, and to what a hand may ask of them."""

import numpy as np
import pytest
from armspan.solvers.meshes.field import (
    capsule_depth,
    field_distance,
    field_normal,
    free_field,
    is_deeper,
    segment_depth,
)
from armspan.solvers.meshes.measuring import build_field
from armspan.solvers.meshes.topology import MeshError
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from tests.solvers.drawing import COMPILED
from tests.solvers.meshes.solids import CUBE_FACES, CUBE_VERTICES, torus_arrays
from tests.solvers.tubes.scans import scan

RING_M, TUBE_M = 0.05, 0.014
compiled = pytest.mark.skipif(not COMPILED, reason="a field takes minutes interpreted")


def cube(side_m: float, middle=(0.0, 0.0, 0.0)) -> tuple[np.ndarray, np.ndarray]:
    return (CUBE_VERTICES - 0.5) * side_m + np.asarray(middle), CUBE_FACES.astype(np.int32)


def together(*meshes) -> tuple[np.ndarray, np.ndarray]:
    before = np.cumsum([0] + [len(vertices) for vertices, _ in meshes])
    faces = [mesh[1] + before[at] for at, mesh in enumerate(meshes)]
    return np.concatenate([mesh[0] for mesh in meshes]), np.concatenate(faces).astype(np.int32)


def ring(around: int = 96, across: int = 32) -> tuple[np.ndarray, np.ndarray]:
    vertices, faces = torus_arrays(RING_M, TUBE_M, around, across)
    return vertices, faces.astype(np.int32)


def from_ring(points: np.ndarray) -> np.ndarray:
    return np.hypot(np.hypot(points[..., 0], points[..., 1]) - RING_M, points[..., 2]) - TUBE_M


def from_cube(points: np.ndarray, side_m: float) -> np.ndarray:
    beyond = np.abs(points) - 0.5 * side_m
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=-1)
    return outside + np.minimum(beyond.max(axis=-1), 0.0)


def distances(field, points: np.ndarray) -> np.ndarray:
    return np.array([field_distance(field, *point) for point in points])


def near_ring(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (count, 3)) * (0.08, 0.08, 0.03)


def test_a_coarse_field_of_a_cube_is_right_at_its_nodes():  # small enough to run interpreted
    field = build_field(*cube(1.0), spacing_m=0.25, band_m=0.05)
    step = field.step_m
    for i, j, k in np.random.default_rng(0).integers(0, 8, (30, 3)):
        place = field.origin + step * np.array([i, j, k])
        true = from_cube(place, 1.0)
        assert field.bricks[0, i, j, k] == pytest.approx(true, abs=1e-6)
        assert field_distance(field, *place) == pytest.approx(true, abs=1e-6)


@compiled
def test_the_distance_is_that_of_a_torus():
    field = build_field(*ring())
    points = near_ring(4000)
    true = from_ring(points)
    off = distances(field, points) - true
    contact = (true > -0.006) & (true < 0.012)  # where the axes of touching fingers are
    assert np.abs(off[contact]).max() < 0.0004  # of which 0.0001 are the mesh's chords
    assert np.abs(off).max() < 0.0025  # far inside, where all sides are as near
    assert (np.sign(off + true) == np.sign(true))[np.abs(true) > 0.0004].all()


@compiled
def test_edges_are_rounded_off_by_less_than_a_fifth_of_a_step():
    field = build_field(*cube(0.08))
    points = np.random.default_rng(1).uniform(-0.05, 0.05, (4000, 3))
    off = distances(field, points) - from_cube(points, 0.08)
    near = np.abs(from_cube(points, 0.08)) < 0.003
    assert np.abs(off[near]).max() < 0.25 * field.step_m
    assert np.percentile(np.abs(off[near]), 90) < 0.05 * field.step_m


@compiled
def test_solids_that_overlap_are_one():
    field = build_field(*together(cube(0.06), cube(0.06, (0.03, 0.01, 0.0))))
    assert field_distance(field, 0.015, 0.005, 0.0) < 0.0  # in both: wound twice round
    assert field_distance(field, -0.02, 0.0, 0.0) < 0.0
    assert field_distance(field, 0.05, 0.01, 0.0) < 0.0
    assert field_distance(field, -0.04, 0.0, 0.0) > 0.0


@compiled
def test_a_hollow_is_outside():
    outer, inner = cube(0.1), cube(0.06)
    field = build_field(*together(outer, (inner[0], inner[1][:, ::-1])))
    assert field_distance(field, 0.0, 0.0, 0.0) == pytest.approx(0.03, abs=0.003)
    assert field_distance(field, 0.036, 0.0, 0.0) == pytest.approx(-0.006, abs=1e-4)


@compiled
@pytest.mark.parametrize("gone", [0.02, 0.1, 0.25])
def test_holes_of_a_scan_do_not_turn_inside_out(gone):
    vertices, faces = ring()
    rng = np.random.default_rng(7)
    middle = vertices[faces].mean(axis=1)
    holes = vertices[rng.integers(len(vertices), size=round(60 * gone))]  # patches, 8 mm across
    patches = np.linalg.norm(middle[:, None] - holes, axis=2).min(axis=1) < 0.004
    specks = rng.random(len(faces)) < 0.5 * gone
    field = build_field(vertices, np.ascontiguousarray(faces[~(patches | specks)]))
    points = near_ring(4000, seed=8)
    true = from_ring(points)
    clear = np.abs(true) > 0.002
    wrong = (distances(field, points) < 0.0) != (true < 0.0)
    assert wrong[clear].mean() < 0.002
    assert not wrong[np.abs(true) > 0.006].any()


@compiled
def test_a_cup_without_its_lid_is_closed_by_its_rim():
    vertices, faces = cube(0.08)
    lid = (vertices[faces][:, :, 1] > 0.039).all(axis=1)
    assert lid.sum() == 2
    field = build_field(vertices, np.ascontiguousarray(faces[~lid]))
    assert field_distance(field, 0.0, 0.0, 0.0) < -0.03
    assert field_distance(field, 0.0, 0.025, 0.0) < 0.0  # under the missing lid
    assert field_distance(field, 0.0, 0.06, 0.0) > 0.0
    assert field_distance(field, 0.05, 0.045, 0.0) > 0.0


def exact_winding(vertices: np.ndarray, faces: np.ndarray, point: np.ndarray) -> float:
    """The sum of all solid angles over 4 pi (Van Oosterom & Strackee 1983)."""
    a, b, c = np.moveaxis(vertices[faces] - point, 1, 0)
    la, lb, lc = (np.linalg.norm(corner, axis=1) for corner in (a, b, c))
    dot = np.einsum
    below = la * lb * lc + dot("fk,fk->f", a, b) * lc
    below += dot("fk,fk->f", b, c) * la + dot("fk,fk->f", c, a) * lb
    volume = dot("fk,fk->f", a, np.cross(b, c))
    return float(np.arctan2(volume, below).sum() / (2.0 * np.pi))


@compiled
@pytest.mark.parametrize("name", ["025_mug", "019_pitcher_base", "037_scissors", "048_hammer"])
def test_scans_as_broken_as_they_are_have_their_insides(name):
    vertices, faces = scan(name)
    field = build_field(vertices, faces, spacing_m=0.003)
    rng = np.random.default_rng(9)
    near = vertices[rng.integers(len(vertices), size=300)] + rng.normal(size=(300, 3)) * 0.006
    distance = distances(field, near)
    clear = np.abs(distance) > 0.002
    inside = np.array([exact_winding(vertices, faces, point) for point in near]) > 0.5
    assert 15 < inside[clear].sum() < 0.7 * clear.sum()
    np.testing.assert_array_equal(distance[clear] < 0.0, inside[clear])


@compiled
def test_a_field_moves_with_its_mesh():
    vertices, faces = ring()
    turn, shift = Rotation.from_rotvec([0.4, -1.1, 0.7]), np.array([0.3, -2.0, 11.0])
    here, there = build_field(vertices, faces), build_field(turn.apply(vertices) + shift, faces)
    points = near_ring(1500, seed=3)
    true = from_ring(points)
    near = (true > -0.006) & (true < 0.012)
    moved = distances(there, turn.apply(points) + shift)
    assert np.abs(moved - distances(here, points))[near].max() < 0.0005


@compiled
def test_the_number_of_threads_changes_nothing():
    alone, three = (build_field(*ring(24, 8), threads=threads) for threads in (1, 3))
    for one, other in zip(alone, three, strict=True):
        np.testing.assert_array_equal(one, other)


@compiled
def test_a_huge_object_costs_a_longer_step_and_a_region_of_it_does_not():
    huge = cube(40.0)
    whole = build_field(*huge)
    assert whole.step_m > 0.02
    assert whole.coarse.nbytes + whole.bricks.nbytes + whole.brick_of.nbytes < 40e6
    assert field_distance(whole, 0.0, 0.0, 0.0) < -10.0
    at_a_face = np.array([20.0, 1.0, 2.0])
    part = build_field(*huge, low=at_a_face - 0.2, high=at_a_face + 0.2)
    assert part.step_m == 0.002
    assert field_distance(part, 20.007, 1.003, 2.0) == pytest.approx(0.007, abs=1e-5)
    assert field_distance(part, 19.99, 1.003, 2.0) == pytest.approx(-0.01, abs=1e-5)


@compiled
def test_a_region_that_the_mesh_is_not_in_is_free():
    field = build_field(*cube(0.1), low=np.full(3, 0.5), high=np.full(3, 0.9))
    assert field_distance(field, 0.7, 0.7, 0.7) > 0.01


def test_a_mesh_without_faces_is_refused():
    with pytest.raises(MeshError, match="face"):
        build_field(np.zeros((3, 3)), np.empty((0, 3), np.int32))


def test_nothing_is_anywhere_near_in_a_free_field():
    assert field_distance(free_field(), 0.3, -5.0, 1e9) == 10.0
    assert segment_depth(free_field(), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.01, 0.0) == (0.0, 0.0)


def test_no_place_is_outside_of_memory():
    field = build_field(*cube(1.0), spacing_m=0.25, band_m=0.05)
    for place in (np.nan, np.inf, -np.inf, 1e300):
        assert np.isfinite(field_distance(field, place, 0.1, place))


@compiled
def test_the_normal_points_out():
    field = build_field(*ring())
    for angle in np.linspace(0.0, 6.0, 13):
        radial = np.array([np.cos(0.7) * np.cos(angle), np.cos(0.7) * np.sin(angle), np.sin(0.7)])
        middle = RING_M * np.array([np.cos(angle), np.sin(angle), 0.0])
        normal = field_normal(field, *(middle + TUBE_M * radial))
        assert np.dot(normal, radial) > 0.98
    assert field_normal(free_field(), 0.5, 0.5, 0.5) == (0.0, 0.0, 0.0)


RING = build_field(*ring(48, 16)) if COMPILED else free_field()


@compiled
@given(
    a=st.tuples(*[st.floats(-0.08, 0.08)] * 3),
    b=st.tuples(*[st.floats(-0.08, 0.08)] * 3),
    radius=st.floats(0.003, 0.015),
    least=st.floats(-0.02, 0.01),
)
def test_a_capsules_depth_is_that_of_many_balls_on_its_axis(a, b, radius, least):
    shares = np.linspace(0.0, 1.0, 401)[:, None]
    axis = np.array(a) + shares * (np.array(b) - np.array(a))
    deepest = radius - distances(RING, axis).min()
    depth = capsule_depth(RING, np.array([*a, *b, radius]))
    # An interpolated distance may change half as fast again as a true one, at worst.
    assert deepest - 0.5 * RING.step_m < depth <= deepest + 0.0002
    floored, place = segment_depth(RING, a, b, radius, least)
    assert floored == pytest.approx(max(depth, least), abs=0.5 * RING.step_m)
    assert floored >= least
    if floored > least:
        there = np.array(a) + place * (np.array(b) - np.array(a))
        assert radius - field_distance(RING, *there) == pytest.approx(floored, abs=1e-6)
    if abs(deepest - least) > 0.5 * RING.step_m:
        assert is_deeper(RING, a, b, radius, least) == (deepest > least)
