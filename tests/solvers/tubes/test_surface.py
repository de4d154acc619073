"""One finds one's way on a surface: owners of vertices, edges, and the border."""

import numpy as np
import pytest
from armspan.solvers.meshes.topology import build_mesh
from armspan.solvers.tubes.surface import edge_from, is_over_face, next_open_edge, surface_of

from tests.solvers.tubes.shapes import torus
from tests.solvers.tubes.sweeps import Cap, sweep


def test_every_vertex_has_one_owner_among_its_faces():
    mesh = build_mesh(*torus(sides=9, rings=24).arrays)
    links = surface_of(mesh).links
    np.testing.assert_array_equal(links[:, :3], mesh.faces)
    np.testing.assert_array_equal(links[:, 3:6], mesh.neighbours)
    owned = [v for row in links for k, v in enumerate(row[:3]) if row[6] >> k & 1]
    assert sorted(owned) == list(range(len(mesh.vertices)))


def test_an_edge_is_found_by_where_it_starts():
    faces = np.array([[4, 7, 2]], np.int32)
    assert [edge_from(faces, 0, v) for v in (4, 7, 2)] == [0, 1, 2]


@pytest.mark.parametrize("sides", [3, 8])
def test_the_border_is_walked_round_in_one_direction(sides: int):
    tube = sweep(np.array([[0, 0, 0], [0, 0, 1.0]]), 0.1, sides, (Cap.NONE, Cap.NONE))
    mesh = build_mesh(*tube)
    surface = surface_of(mesh)
    for face, edge in np.argwhere(mesh.neighbours < 0):
        f, k, passed = int(face), int(edge), 0
        while True:
            end = mesh.faces[f, (k + 1) % 3]
            f, k = next_open_edge(surface, f, k)
            assert mesh.neighbours[f, k] < 0
            assert mesh.faces[f, k] == end
            passed += 1
            if (f, k) == (face, edge):
                break
        assert passed == sides


def test_a_foot_in_the_plane_is_in_the_face_or_not():
    surface = surface_of(build_mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    for x, y, over in ((0.2, 0.2, True), (0.6, 0.6, False), (-0.1, 0.2, False), (0.2, -0.1, False)):
        for z in (-3.0, 0.0, 2.0):
            assert is_over_face(surface, 0, x, y, z) == over
