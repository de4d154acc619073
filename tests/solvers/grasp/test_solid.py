"""An object as grasps see it: its centre of mass and its size."""

import numpy as np
import pytest
from armspan.solvers.grasp.site import GraspSite
from armspan.solvers.grasp.solid import Solid, centre_of, make_solid
from armspan.solvers.meshes.field import field_distance

from tests.solvers.meshes.solids import CUBE_FACES, CUBE_VERTICES, torus_arrays

SHIFT = np.array([0.3, -0.2, 5.0])


def pyramid() -> tuple[np.ndarray, np.ndarray]:
    """A square pyramid, 4 m high: its centre is a quarter of the way up."""
    points = np.array([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0], [0, 0, 4]], float)
    sides = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [0, 2, 1], [0, 3, 2]]
    return points, np.array(sides)


def test_the_centre_of_mass_is_that_of_the_volume():
    points, faces = pyramid()
    np.testing.assert_allclose(
        centre_of(points + SHIFT, faces), SHIFT + np.array([0, 0, 1]), atol=1e-12
    )
    vertices, around = torus_arrays()
    np.testing.assert_allclose(centre_of(vertices + SHIFT, around), SHIFT, atol=1e-12)


def test_a_sheet_has_the_centre_of_its_area():
    sheet = np.array([[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0], [5.0, 5, 5]])
    np.testing.assert_allclose(centre_of(sheet, np.array([[0, 1, 2], [0, 2, 3]])), [1, 0.5, 0])


def test_a_solid_has_the_same_centre_wherever_its_vertices_crowd():
    points, faces = pyramid()
    crowded = np.concatenate((points, np.tile([0.9, 0.9, 0.1], (50, 1))))
    np.testing.assert_allclose(centre_of(crowded, faces), [0, 0, 1], atol=1e-12)


def test_a_few_lost_faces_move_the_centre_a_little():
    vertices, faces = torus_arrays()
    assert np.linalg.norm(centre_of(vertices, faces[:-20])) < 0.002


def test_the_size_is_that_of_the_farthest_point():
    solid = make_solid(0.1 * CUBE_VERTICES, CUBE_FACES.astype(np.int32))
    np.testing.assert_allclose(solid.centre, 0.05)
    assert solid.size_m == pytest.approx(0.05 * np.sqrt(3.0))
    assert field_distance(solid.field, 0.05, 0.05, 0.08) < 0.0
    weighted = make_solid(0.1 * CUBE_VERTICES, CUBE_FACES.astype(np.int32), centre=np.zeros(3))
    assert weighted.size_m == pytest.approx(0.1 * np.sqrt(3.0))


def test_a_tube_alone_has_its_own_centre_and_size():
    site = GraspSite(np.array([[0, 0, 0], [0, 0, 0.4]]), np.array([0.03, 0.03]))
    solid = Solid.of_tube(site)
    np.testing.assert_allclose(solid.centre, [0, 0, 0.2])
    assert solid.size_m == pytest.approx(np.hypot(0.2, 0.03))
