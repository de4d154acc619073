"""A mesh knows its neighbours, its normals, and refuses what is none."""

import numpy as np
import pytest
from armspan.solvers.meshes.topology import OPEN, MeshError, build_mesh

from tests.solvers.meshes.solids import CUBE_FACES, CUBE_VERTICES


def test_neighbours_lie_across_the_edge_that_they_are_named_for():
    mesh = build_mesh(CUBE_VERTICES, CUBE_FACES)
    assert mesh.watertight
    for face, row in enumerate(mesh.neighbours):
        for edge, other in enumerate(row):
            start, end = mesh.faces[face, edge], mesh.faces[face, (edge + 1) % 3]
            back = list(mesh.neighbours[other]).index(face)
            assert (mesh.faces[other, back], mesh.faces[other, (back + 1) % 3]) == (end, start)


def test_normals_point_outwards_and_areas_add_up():
    mesh = build_mesh(CUBE_VERTICES, CUBE_FACES)
    middles = mesh.vertices[mesh.faces].mean(axis=1) - 0.5
    assert (np.einsum("ij,ij->i", middles, mesh.normals) > 0.2).all()
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0)
    assert mesh.areas.sum() == pytest.approx(6.0)


def test_an_edge_of_one_face_is_open():
    mesh = build_mesh(CUBE_VERTICES, CUBE_FACES[1:])
    assert not mesh.watertight
    assert (mesh.neighbours == OPEN).sum() == 3


def test_arrays_have_the_types_that_kernels_are_compiled_for():
    mesh = build_mesh(CUBE_VERTICES.astype(np.float32), CUBE_FACES.tolist())
    for array, kind in ((mesh.vertices, "float64"), (mesh.faces, "int32")):
        assert array.flags.c_contiguous
        assert array.dtype == kind
    assert mesh.neighbours.dtype == np.int32
    assert mesh.normals.dtype == mesh.areas.dtype == np.float64


BAD = {
    "empty": ([], [], "empty"),
    "no faces": (CUBE_VERTICES, [], "empty"),
    "not a number": ([[0, 0, 0], [1, 0, 0], [0, np.nan, 0]], [[0, 1, 2]], "vertex 2"),
    "infinite": ([[0, 0, 0], [1, np.inf, 0], [0, 1, 0]], [[0, 1, 2]], "vertex 1"),
    "an index too large": (CUBE_VERTICES, [[0, 1, 8]], "vertex 8"),
    "an index below zero": (CUBE_VERTICES, [[0, 1, -1]], "vertex -1"),
    "quads": (CUBE_VERTICES, [[0, 1, 2, 3]], "rows of three"),
    "ragged": (CUBE_VERTICES, [[0, 1, 2], [0, 1]], "rows"),
    "faces of fractions": (CUBE_VERTICES, [[0.0, 1.0, 2.5]], "whole numbers"),
    "words": (CUBE_VERTICES, [["a", "b", "c"]], "rows of three"),
    "a vertex twice": (CUBE_VERTICES, [[0, 1, 1]], "twice"),
    "three faces at an edge": (CUBE_VERTICES, [[0, 1, 2], [1, 0, 4], [0, 1, 7]], "more than two"),
    "turned opposite ways": (CUBE_VERTICES, [[0, 1, 2], [0, 1, 4]], "opposite"),
    "no area": ([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]], "no area"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_mesh_is_refused_in_one_line(name: str):
    vertices, faces, word = BAD[name]
    with pytest.raises(MeshError, match=word) as refused:
        build_mesh(vertices, faces)
    assert "\n" not in str(refused.value)
