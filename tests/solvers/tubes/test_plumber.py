"""What Plumber says hangs on the mesh and the radii alone, and every face belongs to one thing."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from armspan.solvers.meshes.topology import Mesh, build_mesh
from armspan.solvers.tubes.plumber import PlumberError, find_tubes
from armspan.solvers.tubes.shape import EndKind, Shape, TubeKind
from numba import config

from tests.solvers.tubes.shapes import Shape as Known
from tests.solvers.tubes.shapes import capsule, mug, sphere, torus, y_junction

compiled = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="takes long where not compiled")


def ring() -> Mesh:
    return build_mesh(*torus(0.04, 0.010, sides=16, rings=48).arrays)


def numbers(shape: Shape) -> list[float]:
    return [x for tube in shape.tubes for x in (tube.length_m, tube.radius_m, *tube.axis.ravel())]


@compiled
def test_the_number_of_threads_changes_nothing():
    mesh = build_mesh(*y_junction().arrays)
    one, two, four = (find_tubes(mesh, (0.028,), threads=n) for n in (1, 2, 4))
    assert numbers(one) == numbers(two) == numbers(four)
    assert len(one.tubes) == 3


@compiled
def test_twice_as_large_a_mesh_and_spheres_make_twice_as_large_tubes():
    mesh = ring()
    doubled = build_mesh(2.0 * mesh.vertices, mesh.faces)
    one, two = find_tubes(mesh, (0.028,)), find_tubes(doubled, (0.056,))
    np.testing.assert_allclose(numbers(two), 2.0 * np.array(numbers(one)), rtol=1e-9, atol=1e-12)


@compiled
@pytest.mark.parametrize("make", [y_junction, mug, capsule])
def test_every_face_belongs_to_one_tube_or_body(make: Callable[[], Known]):
    mesh = build_mesh(*make().arrays)
    shape = find_tubes(mesh, (0.013, 0.028))
    owners = np.zeros(len(mesh.faces), np.int64)
    for part in (*shape.tubes, *shape.bodies):
        assert part.faces.dtype == np.int32
        assert (np.diff(part.faces) > 0).all()
        owners[part.faces] += 1
    assert (owners == 1).all()
    area = sum(body.area_m2 for body in shape.bodies) + sum(
        float(mesh.areas[tube.faces].sum()) for tube in shape.tubes
    )
    assert area == pytest.approx(float(mesh.areas.sum()), rel=0.01)


@compiled
def test_axis_radii_and_sections_go_together():
    for mesh in (ring(), build_mesh(*capsule().arrays)):
        (tube,) = find_tubes(mesh, (0.028,)).tubes
        assert len(tube.axis) == len(tube.section_radii_m) == len(tube.sections)
        ahead = np.roll(tube.axis, -1, axis=0) if tube.closed else tube.axis[1:]
        behind = tube.axis if tube.closed else tube.axis[:-1]
        length = float(np.linalg.norm(ahead - behind, axis=1).sum())
        assert tube.length_m == pytest.approx(length, rel=1e-9)
        for polygon, radius_m in zip(tube.sections, tube.section_radii_m, strict=True):
            if len(polygon):
                flat = polygon - polygon.mean(axis=0)
                twice = np.linalg.norm(np.cross(flat, np.roll(flat, -1, axis=0)).sum(axis=0))
                assert math.sqrt(0.5 * twice / math.pi) == pytest.approx(radius_m, rel=1e-6)
        whole = [len(polygon) > 0 for polygon in tube.sections]
        assert all(whole) if tube.closed else (whole == [False, *[True] * (len(whole) - 2), False])


@compiled
def test_attachments_name_what_tubes_hang_on():
    shape = find_tubes(build_mesh(*mug().arrays), (0.013,))
    assert [tube.kind for tube in shape.tubes] == [TubeKind.HANDLE]
    assert [(a.tube, a.end, a.kind, a.index) for a in shape.attachments] == [
        (0, 0, EndKind.BODY, 0),
        (0, 1, EndKind.BODY, 0),
    ]


@compiled
def test_spheres_of_less_than_its_width_do_not_see_a_ring():
    assert find_tubes(ring(), (0.019,)).tubes == ()
    (tube,) = find_tubes(ring(), (0.022,)).tubes
    assert tube.closed
    assert tube.scale_m == 0.022


@compiled
def test_radii_are_taken_from_small_to_large_and_once():
    mesh = ring()
    assert numbers(find_tubes(mesh, (0.042, 0.028, 0.028))) == numbers(
        find_tubes(mesh, (0.028, 0.042))
    )


@compiled
def test_progress_never_goes_back_and_comes_to_the_end():
    told: list[tuple[float, str]] = []
    find_tubes(ring(), (0.013, 0.028), on_progress=lambda share, text: told.append((share, text)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert shares[0] >= 0.0
    assert shares[-1] == pytest.approx(1.0)
    assert {text for _, text in told} == {"spheres of 13 mm", "spheres of 28 mm"}


@compiled
def test_who_is_told_of_the_progress_may_end_the_work():
    class EnoughError(Exception):
        pass

    def stop(_share: float, _text: str) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        find_tubes(ring(), (0.028,), on_progress=stop)


@compiled
def test_a_ball_has_no_tube_and_is_one_body():
    mesh = build_mesh(*sphere().arrays)
    shape = find_tubes(mesh)
    assert shape.tubes == ()
    assert [len(body.faces) for body in shape.bodies] == [len(mesh.faces)]


@pytest.mark.parametrize("scales_m", [(), (0.0,), (-0.01, 0.02), (math.nan,), (math.inf,)])
def test_radii_that_no_sphere_has_are_refused(scales_m: tuple[float, ...]):
    with pytest.raises(PlumberError, match="give"):
        find_tubes(ring(), scales_m)
