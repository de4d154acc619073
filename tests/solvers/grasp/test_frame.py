"""Frames along tubes: without twist, closed where the tube is, and moved with the object."""

import math

import numpy as np
import pytest
from armspan.solvers.grasp.frame import inverse_pose, make_axis, palm_axes, pose_of, section_at
from armspan.solvers.grasp.site import GraspError, GraspSite
from armspan.solvers.quaternion import quat_axes, quat_rotate

X, Y, Z = np.eye(3)


def ring(radius=0.05, count=48, height=0.0) -> np.ndarray:
    turns = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
    z = height * np.sin(2.0 * turns)
    return np.stack([radius * np.cos(turns), radius * np.sin(turns), z], axis=1)


def helix(count=200) -> np.ndarray:
    turns = np.linspace(0.0, 6.0, count)
    return np.stack([0.05 * np.cos(turns), 0.05 * np.sin(turns), 0.02 * turns], axis=1)


def site(points, **settings) -> GraspSite:
    return GraspSite(points, np.full(len(points), 0.01), **settings)


def test_the_normal_of_a_planar_arc_keeps_its_place_to_the_bend():
    axis = make_axis(site(ring(), closed=True, normal=X))
    np.testing.assert_allclose(axis.normals, axis.points / 0.05, atol=1e-9)


def test_a_helix_carries_its_normal_without_twist():
    """Against the closed form: the frame turns back by the torsion times the arc length."""
    axis = make_axis(site(helix(), normal=-X))
    a, b = 0.05, 0.02
    torsion = b / (a * a + b * b)
    for i in (20, 100, 180):
        out = -axis.points[i] * [1.0, 1.0, 0.0] / a  # Frenet's normal
        out -= axis.tangents[i] * (out @ axis.tangents[i])
        out /= np.linalg.norm(out)
        turn = math.atan2(np.cross(out, axis.normals[i]) @ axis.tangents[i], out @ axis.normals[i])
        expected = -torsion * axis.arc[i]
        assert math.remainder(turn - expected, 2.0 * math.pi) == pytest.approx(0.0, abs=2e-3)


def test_a_closed_tube_ends_in_the_frame_it_began_with():
    axis = make_axis(site(ring(height=0.02), closed=True))
    np.testing.assert_allclose(axis.normals[-1], axis.normals[0], atol=1e-9)
    here, there = section_at(axis, 0.03), section_at(axis, 0.03 - 2.0 * axis.length_m)
    for a, b in zip(here, there, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


@pytest.mark.parametrize("closed", [True, False])
def test_sections_have_unit_perpendicular_frames(closed):
    axis = make_axis(site(ring(height=0.02) if closed else helix(30), closed=closed))
    for s in np.linspace(-0.01, axis.length_m + 0.01, 23):
        _, tangent, normal, radius = section_at(axis, float(s))
        assert np.dot(tangent, normal) == pytest.approx(0.0, abs=1e-12)
        assert np.linalg.norm(tangent) == pytest.approx(1.0)
        assert np.linalg.norm(normal) == pytest.approx(1.0)
        assert radius == pytest.approx(0.01)


def test_a_bent_tube_chooses_the_outside_and_a_straight_one_up():
    half = ring()[:25]
    axis = make_axis(site(half))
    np.testing.assert_allclose(axis.normals[12], Y, atol=1e-6)
    straight = make_axis(site(np.array([0.0 * X, 0.2 * X])))
    np.testing.assert_allclose(straight.normals, [Y, Y], atol=1e-12)
    steep = make_axis(site(np.array([0.0 * Y, 0.2 * Y])))
    np.testing.assert_allclose(steep.normals, [Z, Z], atol=1e-12)


def test_points_that_are_repeated_change_nothing():
    points = helix(20)
    plain, doubled = make_axis(site(points)), make_axis(site(np.repeat(points, 2, axis=0)))
    for a, b in zip(plain, doubled, strict=True):
        np.testing.assert_array_equal(a, b)


def test_points_that_are_nearly_repeated_make_no_directions_of_their_own():
    points = np.array(
        [0.0 * X, 1e-300 * Y, 0.1 * X, 0.1 * X + 1e-12 * Y, 0.2 * X - 1e-11 * Z, 0.2 * X]
    )
    axis = make_axis(site(points, normal=Y))
    np.testing.assert_array_equal(axis.points[[0, -1]], points[[0, -1]])
    np.testing.assert_allclose(axis.tangents, [X, X, X], atol=1e-9)
    np.testing.assert_allclose(axis.normals, [Y, Y, Y], atol=1e-9)


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1e200])
def test_a_normal_is_a_direction_whatever_its_length(size):
    points = np.array([0.0 * X, 0.2 * X])
    np.testing.assert_array_equal(make_axis(site(points, normal=size * Y)).normals, [Y, Y])


def test_a_normal_along_the_axis_is_refused():
    with pytest.raises(GraspError, match="runs along the axis"):
        make_axis(site(np.array([0.0 * X, 0.2 * X]), normal=X))


def test_a_right_palm_has_its_back_outward_and_its_thumb_along():
    x, y, z = palm_axes(tuple(Z), tuple(Y), 1.0, 1.0, (0.0, 0.0, 0.0))
    np.testing.assert_allclose([x, y, z], [-Z, Y, np.cross(-Z, Y)], atol=1e-15)
    x, y, z = palm_axes(tuple(Z), tuple(Y), -1.0, -1.0, (0.2, -0.1, 0.3))
    assert np.linalg.det([x, y, z]) == pytest.approx(-1.0)


def test_turns_are_about_the_hands_own_axes():
    for turn, axis in (
        ((0.3, 0.0, 0.0), Y),
        ((0.0, 0.3, 0.0), X),
        ((0.0, 0.0, 0.3), -Z),
    ):
        columns = np.array(palm_axes(tuple(-X), tuple(Y), 1.0, 1.0, turn)).T
        np.testing.assert_allclose(columns @ axis, axis, atol=1e-15)
        assert np.trace(columns) == pytest.approx(1.0 + 2.0 * math.cos(0.3))
        other = np.roll(np.abs(axis), 1)
        assert np.cross(other, columns @ other) @ axis == pytest.approx(math.sin(0.3))


def test_poses_and_axes_say_the_same():
    source = np.random.default_rng(0)
    for _ in range(50):
        q = source.normal(size=4) * source.integers(0, 2, 4) + [0, 0, 1e-9, 1e-9]
        q /= np.linalg.norm(q)
        origin = source.normal(size=3)
        pose = pose_of(origin, *(np.array(column) for column in quat_axes(tuple(q))))
        assert abs(pose[3:] @ q) == pytest.approx(1.0)
        back = inverse_pose(pose)
        home = np.array(quat_rotate(tuple(back[3:]), tuple(origin))) + back[:3]
        np.testing.assert_allclose(home, 0.0, atol=1e-12)
