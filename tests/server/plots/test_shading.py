"""Shaded pictures: every pixel shows what is nearest, from where it is looked at."""

import numpy as np
import pytest
from armspan.server.plots.shading import Camera, Surface, look_along, render, visible_faces

_MIDDLE = np.zeros(3)


def triangles(seed: int, count: int) -> Surface:
    random = np.random.default_rng(seed)
    vertices = random.uniform(-1.0, 1.0, size=(3 * count, 3))
    faces = np.arange(3 * count, dtype=np.int32).reshape(-1, 3)
    return Surface(vertices, faces, random.uniform(size=(count, 3)))


def nearest(surface: Surface, camera: Camera, row: int, column: int) -> int:
    """The face that a ray through the pixel's middle meets first, by solving for the meeting."""
    seen = np.array(
        [
            (column + 0.5 - 0.5 * camera.width) * camera.pixel_m,
            (0.5 * camera.height - row - 0.5) * camera.pixel_m,
        ]
    )
    best, depth = -1, -np.inf
    for f, face in enumerate(surface.faces):
        corners = (surface.vertices[face] - camera.middle) @ camera.axes.T
        system = np.vstack([corners[:, :2].T, np.ones(3)])
        weights = np.linalg.solve(system, [*seen, 1.0])
        if weights.min() >= 0.0 and weights @ corners[:, 2] > depth:
            best, depth = f, weights @ corners[:, 2]
    return best


def test_every_pixel_shows_the_face_that_a_ray_meets_first():
    surface = triangles(3, 12)
    axes = look_along(np.array([0.3, -0.5, 0.8]), np.array([0.0, 1.0, 0.0]))
    camera = Camera(axes, _MIDDLE, 0.12, 24, 20)
    seen = visible_faces(surface, camera)
    expected = [[nearest(surface, camera, i, j) for j in range(24)] for i in range(20)]
    np.testing.assert_array_equal(seen, expected)
    assert len(np.unique(seen)) > 5


@pytest.mark.parametrize("way", [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, -2.0, 0.5)])
def test_a_camera_is_right_handed_and_its_up_is_up(way: tuple[float, float, float]):
    axes = look_along(np.array(way), np.array([0.0, 1.0, 0.0]))
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.cross(axes[0], axes[1]), axes[2], atol=1e-12)
    np.testing.assert_allclose(axes[2], np.array(way) / np.linalg.norm(way), atol=1e-12)
    assert axes[1, 1] >= 0.0


def test_a_picture_keeps_the_colours_and_covers_only_the_surface():
    square = np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    faces = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
    red = np.tile([0.8, 0.1, 0.1], (2, 1))
    camera = Camera(np.eye(3), _MIDDLE, 0.1, 40, 30)
    picture = render(Surface(square, faces, red), camera)
    assert picture.cover.sum() * 0.1 * 0.1 == pytest.approx(4.0)
    middle = picture.rgb[15, 20]
    assert middle[0] > 0.5
    assert middle[1] < 0.3
    assert not np.isfinite(picture.depth[0, 0])
    assert picture.face[0, 0] == -1


def test_the_light_does_not_care_which_way_a_face_is_turned():
    surface = triangles(5, 4)
    camera = Camera(np.eye(3), _MIDDLE, 0.1, 32, 32)
    turned = Surface(surface.vertices, surface.faces[:, ::-1].copy(), surface.colours)
    np.testing.assert_allclose(render(turned, camera).rgb, render(surface, camera).rgb, atol=1e-9)
