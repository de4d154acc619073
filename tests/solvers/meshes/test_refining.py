"""Splitting makes edges short, and changes neither the surface nor how it hangs together."""

import numpy as np
import pytest
from armspan.solvers.meshes.refining import split_long_edges
from armspan.solvers.meshes.topology import Mesh, MeshError, build_mesh

from tests.solvers.meshes.solids import CUBE_FACES, CUBE_VERTICES, long_rod, torus, volume_of

PLENTY = 1_000_000


def longest_of(mesh: Mesh) -> float:
    corners = mesh.vertices[mesh.faces]
    return float(np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2).max())


def ragged_patch(seed: int) -> Mesh:
    """An open mesh with triangles of very different shapes and sizes."""
    random = np.random.default_rng(seed)
    from scipy.spatial import Delaunay

    flat = random.random((60, 2)) ** 3
    points = np.column_stack((flat, random.random(60) * 0.2))
    return build_mesh(points, Delaunay(flat).simplices)


MESHES = {
    "cube": build_mesh(CUBE_VERTICES, CUBE_FACES),
    "torus": torus(around=24, across=8),
    "needles": long_rod(),
    "open": build_mesh(CUBE_VERTICES, CUBE_FACES[2:]),
    "ragged": ragged_patch(3),
}


@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("share", [0.7, 0.3, 0.05])
def test_no_edge_is_longer_and_the_surface_is_the_same(name: str, share: float):
    mesh = MESHES[name]
    longest = share * longest_of(mesh)
    fine, parents = split_long_edges(mesh, longest, PLENTY)
    assert longest_of(fine) <= longest
    assert fine.watertight == mesh.watertight
    assert volume_of(fine.vertices, fine.faces) == pytest.approx(
        volume_of(mesh.vertices, mesh.faces), rel=1e-9
    )
    by_parent = np.bincount(parents, weights=fine.areas, minlength=len(mesh.faces))
    np.testing.assert_allclose(by_parent, mesh.areas, rtol=1e-9)
    np.testing.assert_allclose(
        np.linalg.norm(fine.normals - build_mesh(fine.vertices, fine.faces).normals, axis=1),
        0.0,
        atol=1e-6,
    )


@pytest.mark.parametrize("name", MESHES)
def test_pieces_lie_in_the_face_that_they_are_pieces_of(name: str):
    mesh = MESHES[name]
    fine, parents = split_long_edges(mesh, 0.2 * longest_of(mesh), PLENTY)
    middles = fine.vertices[fine.faces].mean(axis=1)
    corners = mesh.vertices[mesh.faces[parents]]
    for edge in range(3):
        along = corners[:, (edge + 1) % 3] - corners[:, edge]
        inward = np.cross(mesh.normals[parents], along)
        assert (np.einsum("ij,ij->i", middles - corners[:, edge], inward) > 0.0).all()
    away = np.einsum("ij,ij->i", middles - corners[:, 0], mesh.normals[parents])
    np.testing.assert_allclose(away, 0.0, atol=1e-12)


@pytest.mark.parametrize("name", MESHES)
def test_the_euler_characteristic_stays(name: str):
    def euler(mesh: Mesh) -> int:
        sides = np.sort(np.stack((mesh.faces, np.roll(mesh.faces, -1, 1)), -1).reshape(-1, 2), 1)
        return len(mesh.vertices) - len(np.unique(sides, axis=0)) + len(mesh.faces)

    mesh = MESHES[name]
    assert euler(split_long_edges(mesh, 0.3 * longest_of(mesh), PLENTY)[0]) == euler(mesh)


@pytest.mark.parametrize("limit", [0, 100, 1_000, 1_234])
def test_the_limit_of_faces_holds_and_the_longest_go_first(limit: int):
    mesh = MESHES["needles"]
    part, parents = split_long_edges(mesh, 1e-3, limit)
    assert len(part.faces) <= max(limit, len(mesh.faces))
    assert len(part.faces) >= limit - 1
    assert part.watertight
    assert (np.diff(parents) >= 0).all()
    if limit > 100:
        assert longest_of(part) < 0.5


def test_a_fine_mesh_comes_back_itself():
    mesh = MESHES["torus"]
    same, parents = split_long_edges(mesh, 1.000001 * longest_of(mesh), PLENTY)
    assert same is mesh
    np.testing.assert_array_equal(parents, np.arange(len(mesh.faces)))


def test_the_same_mesh_gives_the_same_pieces():
    first, second = (split_long_edges(MESHES["ragged"], 0.01, 5_000)[0] for _ in range(2))
    np.testing.assert_array_equal(first.faces, second.faces)
    np.testing.assert_array_equal(first.vertices, second.vertices)


@pytest.mark.parametrize("longest", [0.0, -1.0, float("nan"), float("inf")])
def test_a_length_that_is_none_is_refused(longest: float):
    with pytest.raises(MeshError, match="above 0"):
        split_long_edges(MESHES["cube"], longest, PLENTY)
