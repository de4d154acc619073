"""Samples are spread evenly, on both sides of a wall, and are not made where no tube can be."""

import numpy as np
import pytest
from armspan.solvers.meshes.topology import Mesh, build_mesh
from armspan.solvers.tubes import samples as module
from armspan.solvers.tubes.samples import SPACING, Samples, sample_surface
from scipy.spatial import cKDTree

from tests.solvers.tubes.changes import mirrored, moved
from tests.solvers.tubes.shapes import torus
from tests.solvers.tubes.solids import arrays_of, block
from tests.solvers.tubes.sweeps import Cap, sweep

RADIUS_M = 0.02


def meshes() -> dict[str, Mesh]:
    thin = sweep(np.array([[0, 0, 0], [0, 0, 0.1]]), 0.01, 24, (Cap.FAN, Cap.FAN))
    return {
        "small triangles": build_mesh(*torus(sides=48, rings=160).arrays),
        "about as large as the spacing": build_mesh(*torus(sides=10, rings=40).arrays),
        "long and thin": build_mesh(*thin),
    }


@pytest.mark.parametrize("name", meshes())
def test_they_are_neither_near_nor_far_apart(name: str):
    mesh = meshes()[name]
    samples = sample_surface(mesh, RADIUS_M)
    tree = cKDTree(samples.points)
    for a, b in tree.query_pairs(SPACING * RADIUS_M * (1.0 - 1e-9)):
        assert mesh.normals[samples.faces[a]] @ mesh.normals[samples.faces[b]] <= 0.0
    middles = mesh.vertices[mesh.faces].mean(axis=1)
    far, _ = tree.query(middles)
    assert far.max() < 1.5 * SPACING * RADIUS_M
    assert 0.5 < len(samples.points) * (SPACING * RADIUS_M) ** 2 / mesh.areas.sum() < 1.5


@pytest.mark.parametrize("name", meshes())
def test_they_lie_on_their_faces(name: str):
    mesh = meshes()[name]
    samples = sample_surface(mesh, RADIUS_M)
    corners = mesh.vertices[mesh.faces[samples.faces]]
    edges = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)
    for point, corner, edge in zip(samples.points, corners[:, 0], edges, strict=True):
        (u, v), left, _, _ = np.linalg.lstsq(edge, point - corner, rcond=None)
        assert min(u, v, 1.0 - u - v) > 0.0
        assert left.sum() < 1e-18
    assert (np.diff(samples.faces) >= 0).all()


def test_both_sides_of_a_thin_wall_have_theirs():
    mesh = build_mesh(*arrays_of(block((0.1, 0.1, 0.001)).refine_to_length(0.01)))
    samples = sample_surface(mesh, RADIUS_M)
    up = mesh.normals[samples.faces][:, 2]
    assert (up > 0.5).sum() == pytest.approx((up < -0.5).sum(), rel=0.1)


def test_faces_wider_than_any_tube_of_that_scale_have_none():
    vertices, faces = arrays_of(block((1.0, 0.9, 0.8)))
    assert len(sample_surface(build_mesh(vertices, faces), RADIUS_M).points) == 0
    vertices, faces = arrays_of(block((1.0, 0.02, 0.02)))
    assert len(sample_surface(build_mesh(vertices, faces), RADIUS_M).points) > 500


def test_faces_that_are_taken_have_none():
    mesh = meshes()["small triangles"]
    taken = mesh.vertices[mesh.faces].mean(axis=1)[:, 0] > 0.0
    samples = sample_surface(mesh, RADIUS_M, taken)
    assert not taken[samples.faces].any()
    assert len(samples.points) > 0
    assert len(sample_surface(mesh, RADIUS_M, np.ones_like(taken)).points) == 0


def test_an_absurd_radius_makes_no_absurd_number(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MAX_SAMPLES", 500)
    needle = build_mesh([[0, 0, 0], [1, 0, 0], [0.5, 1e-9, 0]], [[0, 1, 2]])
    for radius in (1e-6, 1e-9):
        assert 100 < len(sample_surface(needle, radius).points) <= 1000
    assert len(sample_surface(needle, 1e-300).points) == 0  # wider than a sphere of that size
    for radius in (1e3, 1e9, 1e300):
        assert (
            len(sample_surface(meshes()["long and thin"], radius).points) <= 8
        )  # one a side, at most


def test_motion_and_mirror_keep_the_samples():
    arrays = torus(sides=10, rings=40).arrays
    before = sample_surface(build_mesh(*arrays), RADIUS_M)
    for changed, undo in (
        (mirrored(arrays), lambda samples: samples.points * (-1.0, 1.0, 1.0)),
        (moved(arrays, seed=3), lambda samples: _moved_back(arrays, samples)),
    ):
        after = sample_surface(build_mesh(*changed), RADIUS_M)
        np.testing.assert_array_equal(before.faces, after.faces)
        np.testing.assert_allclose(before.points, undo(after), atol=1e-12)


def _moved_back(arrays: tuple[np.ndarray, np.ndarray], samples: Samples) -> np.ndarray:
    there = moved(arrays, seed=3)[0]
    frame = np.linalg.lstsq(np.c_[there, np.ones(len(there))], arrays[0], rcond=None)[0]
    return np.c_[samples.points, np.ones(len(samples.points))] @ frame
