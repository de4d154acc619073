"""A limb is found where a tube is, the same on any number of threads and however it is turned."""

import threading

import numpy as np
import pytest
from armspan.solvers.meshes.topology import build_mesh
from armspan.solvers.tubes.cuts import cut_sphere, make_scratch
from armspan.solvers.tubes.limbs import Limbs, find_limbs, medial_section
from armspan.solvers.tubes.samples import sample_surface
from armspan.solvers.tubes.sections import make_section_scratch
from armspan.solvers.tubes.surface import surface_of
from numba import config
from scipy.spatial import cKDTree

from tests.solvers.tubes.changes import mirrored, moved, noisy, scaled
from tests.solvers.tubes.shapes import Shape, capsule, plate, torus, y_junction
from tests.solvers.tubes.solids import arrays_of, ball, block
from tests.solvers.tubes.sweeps import Cap, MeshArrays, sweep

RING_M, TUBE_M = 0.04, 0.010
compiled = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="takes long where not compiled")


def ring() -> MeshArrays:
    return torus(RING_M, TUBE_M, sides=12, rings=36).arrays


def limbs_of(arrays: MeshArrays, radius_m: float, threads: int = 1) -> Limbs:
    return find_limbs(build_mesh(*arrays), radius_m, threads=threads)


def assert_same(one: Limbs, other: Limbs, scale: float = 1.0) -> None:
    """The same samples in the same order, their numbers to rounding."""
    assert one.tried == other.tried
    np.testing.assert_array_equal(np.sort(one.faces), np.sort(other.faces))
    np.testing.assert_allclose(one.quality, other.quality, rtol=1e-6)
    np.testing.assert_allclose(np.sort(one.lengths.sum(axis=1)) * scale,
                               np.sort(other.lengths.sum(axis=1)), rtol=1e-6)  # fmt: skip


def test_a_torus_is_all_limb_to_spheres_wider_than_its_tube_and_none_to_others():
    for radius in (0.013,) if config.DISABLE_JIT else (0.008, 0.013, 0.019):
        assert len(limbs_of(ring(), radius).faces) == 0
    for radius in (0.028,) if config.DISABLE_JIT else (0.022, 0.028):
        limbs = limbs_of(ring(), radius)
        assert len(limbs.faces) == limbs.tried > 20
        assert not limbs.concave.any()
        assert (np.diff(limbs.quality) <= 0.0).all()
        assert limbs.quality.max() <= 1.0


@compiled
def test_what_is_no_tube_has_no_limb():
    for solid in (ball(0.03, sides=24), block((0.06, 0.05, 0.04)).refine_to_length(0.02)):
        for radius in (0.009, 0.028):
            assert len(limbs_of(arrays_of(solid), radius).faces) == 0


def test_a_rod_is_a_limb_between_its_caps():
    limbs = limbs_of(capsule(0.10, TUBE_M, sides=12, step_m=0.005).arrays, 0.022)
    assert len(limbs.faces) > 20
    # Before the cap is in the ball, and when half of it is, there is but one loop or none.
    assert np.abs(limbs.points[:, 2]).max() < 0.05 - 0.022 + TUBE_M
    assert (np.abs(limbs.points[:, 2]) < 0.05 - 0.022 - TUBE_M).sum() > 10
    np.testing.assert_allclose(limbs.centres[:10, :, :2], 0.0, atol=0.3 * TUBE_M)


def test_a_hole_is_a_concave_limb():
    plate = block((0.08, 0.08, 0.03)) - block((0.012, 0.012, 0.1))
    limbs = limbs_of(arrays_of(plate.refine_to_length(0.01)), 0.019)
    assert len(limbs.faces) > 4
    assert limbs.concave.all()


@compiled
@pytest.mark.parametrize("shape", [y_junction(edge_m=0.006), plate()], ids=["y", "plate"])
def test_the_first_look_misses_no_place_with_limbs(shape: Shape):
    mesh = build_mesh(*shape.arrays)
    surface = surface_of(mesh)
    scratch = make_scratch(surface)
    for radius in (0.021, 0.028):
        everywhere = sample_surface(mesh, radius)
        bands = [
            cut_sphere(surface, *point, radius, int(face), scratch)[1:] == (2, 0, 0)
            for point, face in zip(everywhere.points, everywhere.faces, strict=True)
        ]
        limbs = find_limbs(mesh, radius)
        assert limbs.tried < len(everywhere.points)
        apart, _ = cKDTree(limbs.points).query(everywhere.points[bands])
        assert len(apart) > 20
        assert (apart < 0.25 * radius).mean() > 0.8  # some are of low quality
        assert apart.max() < radius


def test_thin_long_triangles_make_no_difference():
    line = np.array([[0, 0, 0], [0, 0, 0.1]])
    long = limbs_of(sweep(line, TUBE_M, 16, (Cap.FAN, Cap.FAN)), 0.022)
    at = 0.05 - np.abs(long.points[:, 2] - 0.05)
    assert long.tried > 100
    assert (at > 0.022).sum() > 30
    assert not (at < 0.010).any()


@compiled
@pytest.mark.parametrize("change", ["moved", "mirrored", "scaled"])
def test_motion_mirror_and_scale_change_nothing(change: str):
    arrays = noisy(ring(), 0.0005, seed=1)
    factor = 1.6 if change == "scaled" else 1.0
    changed = {
        "moved": moved(arrays, seed=2),
        "mirrored": mirrored(arrays),
        "scaled": scaled(arrays, factor),
    }[change]
    assert_same(limbs_of(arrays, 0.022), limbs_of(changed, 0.022 * factor), factor)


@compiled
def test_threads_change_nothing_at_all():
    arrays = noisy(ring(), 0.0005, seed=1)
    one = limbs_of(arrays, 0.022)
    for threads in (2, 3, 7):
        other = limbs_of(arrays, 0.022, threads)
        for name in ("points", "faces", "centres", "lengths", "concave", "quality"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@compiled
def test_progress_grows_to_one_in_the_callers_thread():
    told: list[float] = []
    callers: set[int] = set()

    def tell(share: float) -> None:
        told.append(share)
        callers.add(threading.get_ident())

    find_limbs(build_mesh(*ring()), 0.022, threads=2, on_progress=tell)
    assert told == sorted(told)
    assert 0.0 < told[-1] <= 1.0
    assert callers == {threading.get_ident()}
    find_limbs(build_mesh(*ring()), 0.022, threads=1, on_progress=tell)
    assert told[-1] == 1.0


def test_what_progress_raises_ends_the_work():
    def stop(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find_limbs(build_mesh(*ring()), 0.022, threads=2, on_progress=stop)


def test_the_medial_loop_goes_round_the_tubes_middle():
    arrays = ring()
    surface = surface_of(build_mesh(*arrays))
    scratch, sections = make_scratch(surface), make_section_scratch(surface)
    limbs = limbs_of(arrays, 0.024)
    for point, face in list(zip(limbs.points, limbs.faces, strict=True))[
        :: 9 if config.DISABLE_JIT else 1
    ]:
        section = medial_section(surface, *point, 0.024, face, scratch, sections)
        assert section.enclosed
        assert section.convex
        assert section.area == pytest.approx(np.pi * TUBE_M**2, rel=0.1)
        off = np.hypot(np.hypot(section.x, section.y) - RING_M, section.z)
        assert off < 0.15 * TUBE_M


def test_a_sphere_that_shows_no_limb_has_no_medial_loop():
    surface = surface_of(build_mesh(*ring()))
    scratch, sections = make_scratch(surface), make_section_scratch(surface)
    point = surface.vertices[surface.faces[0]].mean(axis=0)
    assert medial_section(surface, *point, 0.01, 0, scratch, sections).corners == 0
