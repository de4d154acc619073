"""Cleaning makes a surface of anything that has one in it, and says what it did."""

import time

import numpy as np
import pytest
from armspan.solvers.meshes.cleaning import Cleaned, clean
from armspan.solvers.meshes.topology import MeshError, build_mesh
from numba import config

from tests.solvers.meshes.solids import (
    CUBE_FACES,
    CUBE_VERTICES,
    torus_arrays,
)

Arrays = tuple[np.ndarray, np.ndarray]


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


def test_a_clean_mesh_stays_as_it_is():
    vertices, faces = torus_arrays()
    cleaned = checked(clean(vertices, faces))
    np.testing.assert_array_equal(cleaned.mesh.vertices[cleaned.mesh.faces], vertices[faces])
    np.testing.assert_array_equal(cleaned.face_of, np.arange(len(faces)))
    assert cleaned.report.sentences() == ()
    assert cleaned.report.watertight


def test_cleaning_twice_changes_nothing_more():
    vertices, faces = torus_arrays()
    broken = joined((vertices, faces[7:, ::-1]), cube(0.01), (vertices, faces[3:9]))
    first = checked(clean(*broken))
    second = checked(clean(first.mesh.vertices, first.mesh.faces))
    np.testing.assert_array_equal(first.mesh.faces, second.mesh.faces)
    np.testing.assert_array_equal(first.mesh.vertices, second.mesh.vertices)
    assert (second.report.components, second.report.flipped) == (1, 0)


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


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_faces_and_vertices_does_not_matter(seed: int):
    random = np.random.default_rng(seed)
    vertices, faces = joined(cube(), cube(0.5, (3.0, 0.0, 0.0)), cube(1.0, (1.0, 1.0, 0.0)))
    order, places = random.permutation(len(faces)), random.permutation(len(vertices))
    mixed = np.empty_like(vertices)
    mixed[places] = vertices
    cleaned = checked(clean(mixed, places[faces][order]))
    reference = clean(vertices, faces)
    assert cleaned.report == reference.report
    assert cleaned.mesh.areas.sum() == pytest.approx(reference.mesh.areas.sum())


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


def test_the_piece_with_the_largest_area_is_kept():
    fine = torus_arrays(0.05, 0.01, 40, 20)
    cleaned = checked(clean(*joined(fine, cube(1.0, (2.0, 0.0, 0.0)), cube(0.5, (4.0, 0.0, 0.0)))))
    report = cleaned.report
    assert report.components == 3
    assert len(cleaned.mesh.faces) == 12
    np.testing.assert_array_equal(cleaned.face_of, 1600 + np.arange(12))
    assert report.faces_left_out == 1600 + 12
    areas = build_mesh(*fine).areas.sum()
    assert report.area_left_out_m2 == pytest.approx(areas + 6 * 0.25)
    assert any("3 pieces" in sentence for sentence in report.sentences())


def test_faces_without_area_or_given_twice_go():
    vertices, faces = cube()
    extra = [[0, 0, 1], [3, 3, 3], [1, 3, 0], [3, 1, 0]]
    cleaned = checked(clean(vertices, np.concatenate((faces, extra))))
    assert (cleaned.report.faces_degenerate, cleaned.report.faces_duplicate) == (2, 2)
    assert cleaned.mesh.watertight


def test_a_corner_on_a_side_of_its_own_face_opens_nothing():
    """A face with its three corners in a line cannot just go: its neighbours would come apart."""
    vertices, faces = cube()
    vertices = np.concatenate((vertices, [[0.5, 0.5, 0.0]]))  # on the diagonal of face z = 0
    # The side 0-6 of face (0, 2, 6) gets corner 8, and a flat face closes what that opens.
    faces = np.array([f for f in faces.tolist() if f != [0, 2, 6]])
    faces = np.concatenate((faces, [[0, 2, 8], [2, 6, 8], [0, 8, 6]]))
    cleaned = checked(clean(vertices, faces))
    assert cleaned.mesh.watertight
    assert cleaned.report.faces_degenerate == 1
    assert len(cleaned.mesh.faces) == 14
    assert cleaned.mesh.areas.min() > 0.2
    assert cleaned.mesh.areas.sum() == pytest.approx(6.0)


def test_solids_that_touch_along_an_edge_stay_two():
    cleaned = checked(clean(*joined(cube(), cube(1.2, (1.0, 1.0, 0.0)))))
    # Their edges differ in length, so nothing is shared; with equal edges one is.
    assert cleaned.report.edges_non_manifold == 0
    cleaned = checked(clean(*joined(cube(), cube(1.0, (1.0, 1.0, 0.0)))))
    assert cleaned.report.edges_non_manifold == 1
    assert cleaned.report.components == 2
    assert cleaned.mesh.watertight


def test_solids_that_touch_at_a_corner_stay_two():
    cleaned = checked(clean(*joined(cube(), cube(1.5, (1.0, 1.0, 1.0)))))
    assert cleaned.report.components == 2
    assert cleaned.mesh.watertight
    assert cleaned.mesh.areas.sum() == pytest.approx(6 * 2.25)


def test_a_flap_on_a_solid_is_left_out():
    vertices, faces = cube()
    vertices = np.concatenate((vertices, [[-1.0, -1.0, 0.5], [-1.0, -2.0, 0.5]]))
    flap = [[0, 1, 8], [0, 8, 9]]  # nearly in the plane that halves the corner of the cube
    cleaned = checked(clean(vertices, np.concatenate((faces, flap))))
    assert cleaned.report.edges_non_manifold == 1
    assert cleaned.report.faces_left_out == 2
    assert cleaned.mesh.watertight
    assert cleaned.mesh.areas.sum() == pytest.approx(6.0)


def test_two_sheets_that_cross_run_on_straight():
    points = np.array(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 2], [0, 0, -2]], dtype=float
    )
    faces = np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4], [1, 0, 5]])
    cleaned = checked(clean(points, faces))
    assert cleaned.report.components == 2
    np.testing.assert_array_equal(cleaned.face_of, [2, 3])


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


@pytest.mark.parametrize("seed", range(20))
def test_any_heap_of_triangles_becomes_a_mesh(seed: int):
    """Random faces over few points: every kind of tangle at once."""
    random = np.random.default_rng(seed)
    count = int(random.integers(4, 30))
    points = random.integers(0, 4, (count, 3)) * (1.0 if seed % 2 else 0.1)
    points = points + (random.random((count, 3)) if seed % 3 else 0.0)
    faces = random.integers(0, count, (int(random.integers(4, 400)), 3))
    cleaned = checked(clean(points, faces))
    assert cleaned.report.components >= 1
    assert all(sentence.endswith(".") for sentence in cleaned.report.sentences())


@pytest.mark.parametrize("seed", range(3))
def test_rigid_motion_and_scale_change_only_numbers(seed: int):
    vertices, faces = joined(cube(), cube(0.5, (3.0, 0.0, 0.0)), cube(1.0, (1.0, 1.0, 0.0)))
    plain, turned = clean(vertices, faces), checked(clean(0.1 * moved(vertices, seed), faces))
    np.testing.assert_array_equal(plain.mesh.faces, turned.mesh.faces)
    np.testing.assert_allclose(turned.mesh.areas, 0.01 * plain.mesh.areas)


BAD = {
    "empty": ([], [], "empty"),
    "not a number": ([[0, 0, 0], [1, 0, 0], [0, np.nan, 0]], [[0, 1, 2]], "vertex 2"),
    "an index too large": (CUBE_VERTICES, [[0, 1, 8]], "vertex 8"),
    "one place": (np.zeros((3, 3)), [[0, 1, 2]], "from corner to corner"),
    "one line": (np.arange(9.0).reshape(3, 3), [[0, 1, 2]], "in lines"),
    "one vertex a face": (CUBE_VERTICES, [[1, 1, 1], [2, 2, 0]], "none of the 2 faces"),
    "as large as a town": (CUBE_VERTICES * 2_000.0, CUBE_FACES, "check its unit"),
    "as small as a hair": (CUBE_VERTICES * 1e-7, CUBE_FACES, "check its unit"),
    "far away": (CUBE_VERTICES + 1e7, CUBE_FACES, "origin"),
    "numbers at the end of their range": (CUBE_VERTICES * 1e300, CUBE_FACES, "origin"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.filterwarnings("error")
def test_what_has_no_surface_is_refused_in_one_line(name: str):
    vertices, faces, word = BAD[name]
    with pytest.raises(MeshError, match=word) as refused:
        clean(vertices, faces)
    assert "\n" not in str(refused.value)


def test_progress_rises_to_the_end():
    told: list[tuple[float, str]] = []
    clean(*torus_arrays(), lambda share, text: told.append((share, text)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert all(text for _, text in told)


@pytest.mark.slow
@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="a million faces need compiled kernels")
def test_the_time_grows_with_the_faces():
    """Sixteen times the faces must not take much more than sixteen times as long."""

    def seconds(around: int, across: int) -> float:
        arrays = soup_of(*torus_arrays(around=around, across=across))
        best = np.inf
        for _ in range(3):
            start = time.perf_counter()
            clean(*arrays)
            best = min(best, time.perf_counter() - start)
        return best

    seconds(20, 10)
    assert seconds(800, 400) < 16 * 3 * seconds(200, 100)
