"""Cleaning makes a surface of anything that has one in it, and says what it did."""

import time

import numpy as np
import pytest
from armspan.solvers.meshes import cleaning, fans, flattening, merging, orienting, pairing
from armspan.solvers.meshes.cleaning import clean, warm_up
from armspan.solvers.meshes.topology import MeshError, build_mesh
from numba import config

from tests.solvers.meshes.solids import (
    CUBE_FACES,
    CUBE_VERTICES,
    checked,
    cube,
    joined,
    moved,
    soup_of,
    torus_arrays,
)


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


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
def test_nothing_is_left_to_compile_after_warming_up():
    modules = (cleaning, fans, flattening, merging, orienting, pairing)
    kernels = [k for m in modules for k in vars(m).values() if hasattr(k, "signatures")]
    warm_up()
    ready = [len(kernel.signatures) for kernel in kernels]
    assert sum(ready) > 0  # those that others call come with them from the cache, unlisted
    vertices, faces = torus_arrays()
    vertices.flags.writeable = faces.flags.writeable = False
    clean(vertices, faces)
    clean(*joined((vertices.astype(np.float32), faces[5:]), cube(1.0), cube(1.0, (1.0, 1.0, 0.0))))
    assert [len(kernel.signatures) for kernel in kernels] == ready
