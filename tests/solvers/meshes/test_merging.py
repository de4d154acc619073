"""Vertices at one place, or almost, become one, wherever that place is."""

import numpy as np
import pytest
from armspan.solvers.meshes.cleaning import clean
from armspan.solvers.meshes.merging import merge_vertices

from tests.solvers.meshes.solids import (
    checked,
    moved,
    soup_of,
    torus_arrays,
)


def test_corners_at_the_same_place_become_one():
    vertices, faces = torus_arrays()
    cleaned = checked(clean(*soup_of(vertices, faces)))
    assert cleaned.mesh.watertight
    assert len(cleaned.mesh.vertices) == len(vertices)
    assert cleaned.report.vertices_merged == faces.size - len(vertices)


@pytest.mark.parametrize("seed", range(3))
def test_corners_almost_at_the_same_place_become_one(seed: int):
    """Half a tolerance of noise, in any position against the cells that they are looked up in."""
    vertices, faces = torus_arrays()
    corners, soup = soup_of(moved(vertices, seed), faces)
    noise = np.random.default_rng(seed).uniform(-1.0, 1.0, corners.shape)
    cleaned = checked(clean(corners + 1.2e-8 * noise, soup))
    assert cleaned.mesh.watertight
    assert len(cleaned.mesh.vertices) == len(vertices)


def test_a_chain_of_near_vertices_does_not_run_away():
    """Each is within the tolerance of the next, and yet nothing moves by more than it."""
    line = np.zeros((1_000, 3))
    line[:, 0] = np.arange(1_000) * 0.4
    leaders = merge_vertices(line, 1.0)
    assert np.abs(line[leaders] - line).max() <= 1.0
    assert (leaders[leaders] == leaders).all()
    assert len(np.unique(leaders)) > 150


@pytest.mark.parametrize("seed", range(3))
def test_leaders_are_those_of_a_search_over_all(seed: int):
    points = np.random.default_rng(seed).random((400, 3))
    kept: list[int] = []
    leaders = merge_vertices(points, 0.08)
    for index, point in enumerate(points):
        away = np.linalg.norm(points[kept] - point, axis=1) if kept else np.array([])
        if len(away) and away.min() < 0.08:
            assert leaders[index] == kept[int(away.argmin())]
        else:
            assert leaders[index] == index
            kept.append(index)
    assert 50 < len(kept) < 390
