"""Small closed meshes for the tests of this folder."""

import numpy as np
from armspan.solvers.meshes.cleaning import Cleaned
from armspan.solvers.meshes.topology import Mesh, build_mesh

CUBE_VERTICES = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
CUBE_FACES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)


Arrays = tuple[np.ndarray, np.ndarray]


def torus_arrays(
    ring_m: float = 0.05, tube_m: float = 0.01, around: int = 48, across: int = 16
) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces of a torus about the z axis; faces look outwards."""
    u = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)[:, None]
    v = np.linspace(0.0, 2.0 * np.pi, across, endpoint=False)[None, :]
    rho = ring_m + tube_m * np.cos(v)
    points = np.stack(np.broadcast_arrays(rho * np.cos(u), rho * np.sin(u), tube_m * np.sin(v)), -1)
    i, j = (a.ravel() for a in np.meshgrid(range(around), range(across), indexing="ij"))
    here, right = i * across + j, (i + 1) % around * across + j
    up, both = i * across + (j + 1) % across, (i + 1) % around * across + (j + 1) % across
    faces = np.concatenate((np.stack((here, right, both), 1), np.stack((here, both, up), 1)))
    return points.reshape(-1, 3), faces


def torus(ring_m: float = 0.05, tube_m: float = 0.01, around: int = 48, across: int = 16) -> Mesh:
    return build_mesh(*torus_arrays(ring_m, tube_m, around, across))


def long_rod(sides: int = 12, radius_m: float = 0.01, length_m: float = 1.0) -> Mesh:
    """A closed cylinder with one row of needles along it, and fans at its ends."""
    angle = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    circle = np.stack((radius_m * np.cos(angle), radius_m * np.sin(angle), 0.0 * angle), 1)
    top = circle + np.array((0.0, 0.0, length_m))
    points = np.concatenate((circle, top, [[0, 0, 0], [0, 0, length_m]]))
    i, j = np.arange(sides), (np.arange(sides) + 1) % sides
    low, high = np.full(sides, 2 * sides), np.full(sides, 2 * sides + 1)
    quads = (
        (i, j, sides + j),
        (i, sides + j, sides + i),
        (low, j, i),
        (high, sides + i, sides + j),
    )
    return build_mesh(points, np.concatenate([np.stack(q, 1) for q in quads]))


def volume_of(vertices: np.ndarray, faces: np.ndarray) -> float:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def soup_of(vertices: np.ndarray, faces: np.ndarray) -> Arrays:
    """As an STL has it: every corner a vertex of its own."""
    return vertices[faces].reshape(-1, 3), np.arange(faces.size).reshape(-1, 3)


def moved(vertices: np.ndarray, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
    return vertices @ (turn * np.sign(np.linalg.det(turn))).T + random.normal(size=3)


def joined(*parts: Arrays) -> Arrays:
    starts = np.cumsum([0, *(len(part[0]) for part in parts)])
    return (
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] + start for part, start in zip(parts, starts, strict=False)]),
    )


def checked(cleaned: Cleaned) -> Cleaned:
    """What always holds: the mesh is one that can be built from its faces alone."""
    again = build_mesh(cleaned.mesh.vertices, cleaned.mesh.faces)
    np.testing.assert_array_equal(again.neighbours, cleaned.mesh.neighbours)
    np.testing.assert_allclose(again.normals, cleaned.mesh.normals, atol=1e-12)
    assert len(np.unique(cleaned.mesh.faces)) == len(cleaned.mesh.vertices)
    assert (np.diff(cleaned.face_of) > 0).all()
    assert cleaned.report.edges_open == (cleaned.mesh.neighbours < 0).sum()
    assert cleaned.report.watertight == cleaned.mesh.watertight
    return cleaned


def cube(size_m: float = 1.0, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Arrays:
    return CUBE_VERTICES * size_m + np.array(at), CUBE_FACES
