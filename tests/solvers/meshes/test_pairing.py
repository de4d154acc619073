"""Where more than two faces meet at an edge, solids stay whole."""

import numpy as np
import pytest
from armspan.solvers.meshes.cleaning import clean

from tests.solvers.meshes.solids import (
    checked,
    cube,
    joined,
)


def test_solids_that_touch_along_an_edge_stay_two():
    cleaned = checked(clean(*joined(cube(), cube(1.2, (1.0, 1.0, 0.0)))))
    # Their edges differ in length, so nothing is shared; with equal edges one is.
    assert cleaned.report.edges_non_manifold == 0
    cleaned = checked(clean(*joined(cube(), cube(1.0, (1.0, 1.0, 0.0)))))
    assert cleaned.report.edges_non_manifold == 1
    assert cleaned.report.components == 2
    assert cleaned.mesh.watertight


def test_a_flap_on_a_solid_is_left_out():
    vertices, faces = cube()
    vertices = np.concatenate((vertices, [[-1.0, -1.0, 0.5], [-1.0, -2.0, 0.5]]))
    flap = [[0, 1, 8], [0, 8, 9]]  # nearly in the plane that halves the corner of the cube
    cleaned = checked(clean(vertices, np.concatenate((faces, flap))))
    assert cleaned.report.edges_non_manifold == 1
    assert cleaned.report.faces_left_out == 2
    assert cleaned.mesh.watertight
    assert cleaned.mesh.areas.sum() == pytest.approx(6.0)


def test_two_sheets_that_cross_run_on_straight():
    points = np.array(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 2], [0, 0, -2]], dtype=float
    )
    faces = np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4], [1, 0, 5]])
    cleaned = checked(clean(points, faces))
    assert cleaned.report.components == 2
    np.testing.assert_array_equal(cleaned.face_of, [2, 3])
