"""Plain solids: closed, turned outwards, as large as they say, and round where they are round."""

import math

import numpy as np
import pytest
from armspan.protocol.objects import Box, Capsule, Cylinder, Sphere, Torus
from armspan.server.objects.primitives import Solid, triangles, tube_triangles
from armspan.solvers.meshes.topology import build_mesh

CASES: list[tuple[Solid, tuple[float, float, float], float]] = [
    (Box((0.1, 0.2, 0.3)), (0.1, 0.2, 0.3), 0.006),
    (Sphere(0.1), (0.2, 0.2, 0.2), 4 / 3 * math.pi * 1e-3),
    (Cylinder(0.1, 0.4), (0.2, 0.4, 0.2), math.pi * 0.01 * 0.4),
    (Capsule(0.1, 0.4), (0.2, 0.6, 0.2), math.pi * 0.01 * 0.4 + 4 / 3 * math.pi * 1e-3),
    (Torus(0.3, 0.1), (0.8, 0.2, 0.8), 2 * math.pi**2 * 0.3 * 0.01),
]


@pytest.mark.parametrize(("solid", "size", "volume"), CASES)
def test_a_solid_is_closed_and_has_its_size_and_volume(
    solid: Solid, size: tuple[float, float, float], volume: float
):
    vertices, faces = triangles(solid)
    assert build_mesh(vertices, faces).watertight
    np.testing.assert_allclose(np.ptp(vertices, axis=0), size, rtol=2e-3)
    np.testing.assert_allclose(vertices.min(axis=0), -vertices.max(axis=0), atol=1e-4)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    enclosed = float(np.einsum("fk,fk->", a, np.cross(b, c))) / 6.0
    assert enclosed == pytest.approx(volume, rel=5e-3)


def test_the_triangles_of_a_tube_lie_round_its_axis():
    points = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.1, 0.0, 0.0], [0.1, 0.1, 0.05]])
    vertices, faces = tube_triangles(points, np.full(4, 0.01))
    assert faces.max() == len(vertices) - 1
    starts, ends = points[[0, 2]], points[[1, 3]]
    along = ends - starts
    share = np.einsum("vsk,sk->vs", vertices[:, None] - starts, along) / (along**2).sum(axis=1)
    nearest = starts + np.clip(share, 0.0, 1.0)[..., None] * along
    away = np.linalg.norm(vertices[:, None] - nearest, axis=2).min(axis=1)
    assert away.max() < 0.0101  # where the two steps meet, some are inside
