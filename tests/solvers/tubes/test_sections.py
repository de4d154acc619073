"""A plane's section is the polygon that geometry says, closed even where the mesh is not."""

import numpy as np
import pytest
from armspan.solvers.meshes.topology import Mesh, build_mesh
from armspan.solvers.tubes.sections import Section, make_section_scratch, section_round
from armspan.solvers.tubes.surface import surface_of

from tests.solvers.tubes.changes import moved, noisy
from tests.solvers.tubes.shapes import torus
from tests.solvers.tubes.solids import arrays_of, block
from tests.solvers.tubes.sweeps import Cap, MeshArrays, sweep


def rod(radius_m: float = 0.01, sides: int = 24, cap: Cap = Cap.FAN) -> MeshArrays:
    return sweep(np.array([[0, 0, 0], [0, 0, 0.1]]), radius_m, sides, (cap, cap))


def pipe() -> MeshArrays:
    """A rod with a bore: the inner wall's faces are turned inwards; its ends are open."""
    outer, faces = rod(0.01, cap=Cap.NONE)
    inner, _ = rod(0.006, cap=Cap.NONE)
    return np.concatenate([outer, inner]), np.concatenate([faces, faces[:, ::-1] + len(outer)])


def cut(
    mesh: Mesh, point: tuple[float, ...], normal: tuple[float, ...], faces: np.ndarray | None = None
) -> tuple[Section, np.ndarray, np.ndarray]:
    """The section, its polygon and the face of each corner."""
    surface = surface_of(mesh)
    scratch = make_section_scratch(surface)
    unit = np.asarray(normal) / np.linalg.norm(normal)
    looked = np.arange(len(mesh.faces), dtype=np.int32) if faces is None else faces
    section = section_round(surface, *point, *unit, looked, scratch)
    count = section.corners
    return section, scratch.points[:count].copy(), scratch.faces[:count].copy()


@pytest.mark.parametrize("tilt", [0.0, 0.3, 0.9])
def test_a_rods_section_is_an_ellipse_round_its_axis(tilt: float):
    mesh = build_mesh(*rod())
    point, normal = (0.001, -0.002, 0.05), (0.0, np.sin(tilt), np.cos(tilt))
    section, polygon, _ = cut(mesh, point, normal)
    assert section.enclosed
    assert section.convex
    assert section.gap == 0.0
    assert section.area == pytest.approx(np.pi * 0.01**2 / np.cos(tilt))
    middle = 0.05 - 0.002 * np.tan(tilt)
    np.testing.assert_allclose((section.x, section.y, section.z), (0, 0, middle), atol=1e-12)
    sides = np.linalg.norm(polygon - np.roll(polygon, 1, axis=0), axis=1)
    assert section.perimeter == pytest.approx(sides.sum())
    np.testing.assert_allclose((polygon - point) @ normal, 0.0, atol=1e-15)


def test_corners_lie_on_the_faces_that_are_told():
    mesh = build_mesh(*noisy(torus(sides=12, rings=40).arrays, 0.0005, seed=2))
    section, polygon, faces = cut(mesh, (0.04, 0.0, 0.0), (0.1, 1.0, 0.2))
    assert section.corners > 12
    for a, b, face in zip(polygon, np.roll(polygon, -1, axis=0), faces, strict=True):
        corner, normal = mesh.vertices[mesh.faces[face, 0]], mesh.normals[face]
        assert abs((a - corner) @ normal) < 1e-12
        assert abs((b - corner) @ normal) < 1e-12


def test_the_smallest_loop_round_the_point_is_taken():
    mesh = build_mesh(*pipe())
    within, _, faces = cut(mesh, (0.0, 0.0, 0.05), (0.0, 0.0, 1.0))
    assert (within.enclosed, within.convex) == (True, False)
    assert within.area == pytest.approx(np.pi * 0.006**2)
    assert faces.min() >= len(mesh.faces) // 2
    in_the_wall, _, _ = cut(mesh, (0.008, 0.0, 0.05), (0.0, 0.0, 1.0))
    assert (in_the_wall.enclosed, in_the_wall.convex) == (True, True)
    assert in_the_wall.area == pytest.approx(np.pi * 0.01**2)


def test_a_loop_is_only_looked_for_where_it_is_wanted():
    mesh = build_mesh(*pipe())
    outer = np.arange(len(mesh.faces) // 2, dtype=np.int32)
    section, _, _ = cut(mesh, (0.0, 0.0, 0.05), (0.0, 0.0, 1.0), outer)
    assert section.area == pytest.approx(np.pi * 0.01**2)
    again, _, _ = cut(mesh, (0.0, 0.0, 0.05), (0.0, 0.0, 1.0), outer[::-1].copy())
    assert again == pytest.approx(section)
    one, _, _ = cut(mesh, (0.0, 0.0, 0.05), (0.0, 0.0, 1.0), outer[:1].copy())
    assert one == pytest.approx(section)


def test_without_a_loop_round_the_point_the_nearest_is_told():
    mesh = build_mesh(*torus(sides=12, rings=40).arrays)
    section, _, _ = cut(mesh, (0.0, 0.01, 0.0), (1.0, 0.0, 0.0))
    assert not section.enclosed
    assert section.y == pytest.approx(0.04, abs=2e-3)
    assert section.convex


def test_where_there_is_nothing_there_is_no_section():
    mesh = build_mesh(*rod())
    nothing, _, _ = cut(mesh, (0.0, 0.0, 1.0), (0.0, 0.0, 1.0))
    assert nothing == Section(0, False, 0.0, 0.0, 0.0, 0.0, 0.0, False, 0.0)
    none, _, _ = cut(mesh, (0.0, 0.0, 0.05), (0.0, 0.0, 1.0), np.empty(0, np.int32))
    assert none == nothing


def test_a_missing_face_leaves_a_gap_that_is_closed_straight():
    vertices, faces = rod()
    mesh = build_mesh(vertices, faces)
    _, polygon, passed = cut(mesh, (0.0, 0.0, 0.05), (0.0, 0.0, 1.0))
    for number in (0, 5, len(passed) - 1):
        kept = np.delete(np.arange(len(faces)), passed[number])
        section, _, _ = cut(build_mesh(vertices, faces[kept]), (0.0, 0.0, 0.05), (0.0, 0.0, 1.0))
        missing = polygon[number] - polygon[(number + 1) % len(polygon)]
        assert section.gap == pytest.approx(float(np.linalg.norm(missing)))
        assert section.area == pytest.approx(np.pi * 0.01**2)  # a face of a prism is flat


def test_half_a_pipe_is_closed_across():
    vertices, faces = rod(sides=24, cap=Cap.NONE)
    upper = (vertices[faces][:, :, 1] > -1e-9).all(axis=1)
    section, _, _ = cut(build_mesh(vertices, faces[upper]), (0.0, 0.004, 0.05), (0.0, 0.0, 1.0))
    assert section.enclosed
    assert section.area == pytest.approx(0.5 * np.pi * 0.01**2)
    assert section.gap == pytest.approx(0.02, rel=0.02)


def test_vertices_in_the_plane_are_no_trouble():
    mesh = build_mesh(*arrays_of(block((0.1, 0.06, 0.04)).refine(4)))
    section, _, _ = cut(mesh, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    assert section.area == pytest.approx(0.06 * 0.04)
    assert section.perimeter == pytest.approx(0.2)
    np.testing.assert_allclose((section.x, section.y, section.z), 0.0, atol=1e-12)


def test_motion_changes_no_measure():
    arrays = torus(sides=12, rings=40).arrays
    turned = moved(arrays, seed=9)
    frame = np.linalg.lstsq(np.c_[arrays[0], np.ones(len(arrays[0]))], turned[0], rcond=None)[0]
    here, _, _ = cut(build_mesh(*arrays), (0.04, 0.001, 0.002), (0.2, 1.0, 0.1))
    point = np.array([0.04, 0.001, 0.002, 1.0]) @ frame
    normal = np.array([0.2, 1.0, 0.1, 0.0]) @ frame
    there, _, _ = cut(build_mesh(*turned), tuple(point), tuple(normal))
    assert there.area == pytest.approx(here.area)
    assert there.perimeter == pytest.approx(here.perimeter)
    np.testing.assert_allclose(
        (there.x, there.y, there.z), np.array([here.x, here.y, here.z, 1.0]) @ frame, atol=1e-12
    )
