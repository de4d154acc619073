"""Faces turn the same way, and all of them outwards."""

import numpy as np
import pytest
from armspan.solvers.meshes.cleaning import clean
from armspan.solvers.meshes.topology import build_mesh

from tests.solvers.meshes.solids import (
    checked,
    cube,
    moved,
    soup_of,
    torus_arrays,
)


@pytest.mark.parametrize("name", ["some turned", "all turned", "soup, some turned", "open"])
@pytest.mark.parametrize("seed", range(3))
def test_all_faces_look_outwards(name: str, seed: int):
    vertices, faces = torus_arrays()
    vertices = moved(vertices, seed)
    outwards = build_mesh(vertices, faces).normals
    if name == "open":  # a quarter is missing
        kept = np.flatnonzero((faces < 36 * 16).all(axis=1))
        faces, outwards = faces[kept], outwards[kept]
    turned = np.random.default_rng(seed).random(len(faces)) < (1.0 if name == "all turned" else 0.4)
    faces = np.where(turned[:, None], faces[:, ::-1], faces)
    if name == "soup, some turned":
        vertices, faces = soup_of(vertices, faces)
    cleaned = checked(clean(vertices, faces))
    assert cleaned.report.flipped == turned.sum()
    np.testing.assert_allclose(cleaned.mesh.normals, outwards, atol=1e-9)


def test_a_bowl_with_a_wide_mouth_still_looks_outwards():
    """Its signed volume about the origin would say the opposite, far from the origin."""
    vertices, faces = cube()
    bowl = faces[(vertices[faces][:, :, 2] < 1.0).any(axis=1)]
    for offset in ((0.0, 0.0, 0.0), (0.0, 0.0, 50.0), (0.0, 0.0, -50.0)):
        cleaned = checked(clean(vertices + offset, bowl[:, ::-1]))
        assert cleaned.report.flipped == len(bowl)
        assert (cleaned.report.holes, cleaned.report.edges_open) == (1, 4)


def test_a_sheet_keeps_the_side_that_most_of_it_has():
    x, y = (a.ravel() for a in np.meshgrid(range(6), range(6)))
    points = np.stack((x, y, 0 * x), 1).astype(float)
    here = np.flatnonzero((x < 5) & (y < 5))
    faces = np.concatenate(
        (np.stack((here, here + 1, here + 7), 1), np.stack((here, here + 7, here + 6), 1))
    )
    faces[:9] = faces[:9, ::-1]
    cleaned = checked(clean(points, faces))
    assert cleaned.report.flipped == 9
    assert (cleaned.mesh.normals[:, 2] > 0.99).all()


def test_a_one_sided_strip_is_cut():
    count = 24
    angle = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    across = 0.3 * np.stack(
        (np.cos(angle / 2) * np.cos(angle), np.cos(angle / 2) * np.sin(angle), np.sin(angle / 2)), 1
    )
    middle = np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), 1)
    points = np.concatenate((middle + across, middle - across))
    i = np.arange(count)
    j = (i + 1) % count
    near, far = np.where(j == 0, count, j), np.where(j == 0, 0, count + j)
    faces = np.concatenate((np.stack((i, near, far), 1), np.stack((i, far, count + i), 1)))
    cleaned = checked(clean(points, faces))
    assert cleaned.report.edges_cut == 1
    assert cleaned.report.holes == 1
    assert len(cleaned.mesh.faces) == 2 * count
    assert len(cleaned.mesh.vertices) == 2 * count + 2
