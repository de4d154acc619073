"""Faces without height go, and nothing comes apart for it."""

import numpy as np
import pytest
from armspan.solvers.meshes.cleaning import clean

from tests.solvers.meshes.solids import (
    checked,
    cube,
    torus_arrays,
    volume_of,
)


def test_a_corner_on_a_side_of_its_own_face_opens_nothing():
    """A face with its three corners in a line cannot just go: its neighbours would come apart."""
    vertices, faces = cube()
    vertices = np.concatenate((vertices, [[0.5, 0.5, 0.0]]))  # on the diagonal of face z = 0
    # The side 0-6 of face (0, 2, 6) gets corner 8, and a flat face closes what that opens.
    faces = np.array([f for f in faces.tolist() if f != [0, 2, 6]])
    faces = np.concatenate((faces, [[0, 2, 8], [2, 6, 8], [0, 8, 6]]))
    cleaned = checked(clean(vertices, faces))
    assert cleaned.mesh.watertight
    assert cleaned.report.faces_degenerate == 1
    assert len(cleaned.mesh.faces) == 14
    assert cleaned.mesh.areas.min() > 0.2
    assert cleaned.mesh.areas.sum() == pytest.approx(6.0)


@pytest.mark.parametrize("seed", range(5))
def test_needles_that_close_gaps_are_taken_up(seed: int):
    """Put a corner on the side of one face, and close what that opens with a flat face."""
    random = np.random.default_rng(seed)
    vertices, faces = torus_arrays(around=24, across=10)
    spoilt = faces.tolist()
    points = vertices.tolist()
    for face in random.choice(len(faces), 40, replace=False):
        a, b, c = spoilt[face]
        corner = len(points)
        points.append((0.7 * vertices[a] + 0.3 * vertices[b]).tolist())
        spoilt[face] = [a, corner, c]
        spoilt += [[corner, b, c], [a, b, corner]]
    spoilt_vertices = np.array(points)
    cleaned = checked(clean(spoilt_vertices, np.array(spoilt)))
    assert cleaned.mesh.watertight
    assert cleaned.report.faces_degenerate == 40
    assert len(cleaned.mesh.faces) == len(faces) + 80
    assert cleaned.mesh.areas.min() > 0.01 * np.median(cleaned.mesh.areas)
    volume = volume_of(vertices, faces)
    assert volume_of(cleaned.mesh.vertices, cleaned.mesh.faces) == pytest.approx(volume, rel=1e-9)
