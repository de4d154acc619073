"""Tests of meshes from fields: closed, outward, and where the field is zero."""

import numpy as np
from armspan.server.plots.surface_nets import surface_nets


def edges(faces: np.ndarray) -> np.ndarray:
    return np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def ball(radius_m: float, spacing_m: float) -> tuple[np.ndarray, np.ndarray]:
    origin = np.array([-0.05, -0.06, -0.07])
    grid = origin + spacing_m * np.moveaxis(np.indices((60, 70, 80)), 0, -1)
    return surface_nets(np.linalg.norm(grid, axis=-1) - radius_m, origin, spacing_m)


def test_a_ball_is_closed_and_each_edge_is_passed_once_either_way():
    _, faces = ball(0.03, 0.002)
    passed = {tuple(edge) for edge in edges(faces).tolist()}
    assert len(passed) == 3 * len(faces)
    assert all((b, a) in passed for a, b in passed)


def test_a_ball_has_its_place_size_and_outside():
    vertices, faces = ball(0.03, 0.002)
    np.testing.assert_allclose(np.linalg.norm(vertices, axis=1), 0.03, atol=4e-4)
    np.testing.assert_allclose(vertices.mean(axis=0), 0.0, atol=2e-4)
    assert abs(volume(vertices, faces) / (4.0 / 3.0 * np.pi * 0.03**3) - 1.0) < 0.02
