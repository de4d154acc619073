"""The tree of boxes: the nearest triangle and the winding number, held to brute force."""

import numpy as np
import pytest
from armspan.solvers.meshes.box_tree import build_tree, nearest, nearest_on_triangle, winding

from tests.solvers.meshes.solids import CUBE_FACES, CUBE_VERTICES, torus_arrays

CUBE = CUBE_FACES.astype(np.int32)


def scan(across: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """A torus with a tenth of its faces gone."""
    vertices, faces = torus_arrays(0.05, 0.015, 12, across)
    kept = np.random.default_rng(5).random(len(faces)) > 0.1
    return vertices, np.ascontiguousarray(faces[kept], np.int32)


def exact_winding(vertices: np.ndarray, faces: np.ndarray, point: np.ndarray) -> float:
    """The sum of all solid angles over 4 pi, written otherwise than the kernel's."""
    total = 0.0
    for corners in vertices[faces] - point:
        a, b, c = (corner / np.linalg.norm(corner) for corner in corners)
        total += 2.0 * np.angle(1.0 + a @ b + b @ c + c @ a + 1j * np.linalg.det([a, b, c]))
    return total / (4.0 * np.pi)


def sampled_distance(corners: np.ndarray, point: np.ndarray, steps: int = 60) -> float:
    """The least distance to many points of a triangle: never less than the true one."""
    u, v = np.meshgrid(*[np.linspace(0.0, 1.0, steps)] * 2)
    u, v = np.where(u + v > 1.0, 1.0 - u, u).ravel(), np.where(u + v > 1.0, 1.0 - v, v).ravel()
    a, b, c = corners
    on = a + u[:, None] * (b - a) + v[:, None] * (c - a)
    return float(np.linalg.norm(on - point, axis=1).min())


def test_the_nearest_point_of_a_triangle_is_on_it_and_none_is_nearer():
    rng = np.random.default_rng(1)
    for _ in range(40):
        corners, point = rng.normal(size=(3, 3)), 2.0 * rng.normal(size=3)
        squared, *found = nearest_on_triangle(corners.ravel(), *point)
        assert np.linalg.norm(np.array(found) - point) == pytest.approx(np.sqrt(squared))
        weights = np.linalg.lstsq(np.vstack((corners.T, np.ones(3))), np.append(found, 1.0))[0]
        assert (weights > -1e-9).all()
        np.testing.assert_allclose(weights @ corners, found, atol=1e-9)
        assert np.sqrt(squared) <= sampled_distance(corners, point) + 1e-12
        assert sampled_distance(corners, point) - np.sqrt(squared) < 0.05


@pytest.mark.parametrize(
    ("corners", "point", "distance"),
    [
        ([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [1.5, 1, 0], 1.0),  # a needle
        ([[0, 0, 0], [2, 0, 0], [1, 0, 0]], [1.5, 0, 2], 2.0),
        ([[1, 1, 1], [1, 1, 1], [1, 1, 1]], [1, 1, 3], 2.0),  # a point
        ([[0, 0, 0], [0, 0, 0], [1, 0, 0]], [3, 0, 0], 2.0),
    ],
)
def test_a_triangle_without_area_is_its_edges(corners, point, distance):
    squared = nearest_on_triangle(np.array(corners, float).ravel(), *point)[0]
    assert np.sqrt(squared) == pytest.approx(distance)


def test_the_nearest_triangle_is_that_of_a_search_through_all():
    vertices, faces = scan()
    tree = build_tree(vertices, faces)
    rng = np.random.default_rng(2)
    for point in rng.uniform(-0.08, 0.08, (40, 3)):
        all_of_them = [
            nearest_on_triangle(corners.ravel(), *point)[0] for corners in vertices[faces]
        ]
        for guess in (-1, int(rng.integers(len(faces)))):
            squared, place = nearest(tree, *point, guess)
            assert squared == min(all_of_them)
            assert all_of_them[tree.face_of[place]] == squared


def test_every_triangle_is_in_the_tree_once_and_in_its_boxes():
    vertices, faces = scan()
    tree = build_tree(vertices, faces)
    assert sorted(tree.face_of) == list(range(len(faces)))
    np.testing.assert_array_equal(tree.triangles, vertices[faces[tree.face_of]].reshape(-1, 9))
    np.testing.assert_array_equal(tree.boxes[0, :3], vertices[faces].min(axis=(0, 1)))
    np.testing.assert_array_equal(tree.boxes[0, 3:], vertices[faces].max(axis=(0, 1)))


def test_a_closed_mesh_is_wound_once_round_what_is_inside():
    tree = build_tree(CUBE_VERTICES, CUBE)
    assert winding(tree, 0.5, 0.4, 0.3) == pytest.approx(1.0)
    assert winding(tree, 0.999, 0.001, 0.5) == pytest.approx(1.0)
    assert winding(tree, 1.001, 0.5, 0.5) == pytest.approx(0.0, abs=1e-12)
    assert winding(tree, 0.5, 9.0, 0.5) == pytest.approx(0.0, abs=1e-3)


def test_the_winding_number_of_a_scan_with_holes_is_nearly_the_exact_one():
    vertices, faces = scan()
    tree = build_tree(vertices, faces)
    rng = np.random.default_rng(3)
    off = [
        winding(tree, *point) - exact_winding(vertices, faces, point)
        for point in rng.uniform(-0.08, 0.08, (40, 3))
    ]
    assert np.abs(off).max() < 0.05  # what a dipole misses at twice its radius
    assert np.sqrt(np.mean(np.square(off))) < 0.01


def test_one_triangle_is_a_tree():
    tree = build_tree(np.eye(3), np.array([[0, 1, 2]], np.int32))
    squared, place = nearest(tree, 0.0, 0.0, 0.0, -1)
    assert (squared, place) == (pytest.approx(1.0 / 3.0), 0)
