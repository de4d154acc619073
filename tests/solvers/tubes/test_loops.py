"""What is measured on a loop agrees with closed forms, and tells material from holes."""

import numpy as np
import pytest
from armspan.solvers.meshes.topology import Mesh, build_mesh
from armspan.solvers.tubes.cuts import CutScratch, cut_sphere, make_scratch
from armspan.solvers.tubes.loops import measure_loops
from armspan.solvers.tubes.surface import surface_of

from tests.solvers.tubes.shapes import torus
from tests.solvers.tubes.solids import arrays_of, block
from tests.solvers.tubes.sweeps import Cap, MeshArrays, fair_radius, sweep


def rod(sides: int = 96) -> MeshArrays:
    return sweep(np.array([[0, 0, -0.05], [0, 0, 0.05]]), 0.01, sides, (Cap.FAN, Cap.FAN))


def measured(mesh: Mesh, centre: tuple[float, ...], radius: float, face: int = 0) -> CutScratch:
    surface = surface_of(mesh)
    scratch = make_scratch(surface)
    loops = cut_sphere(surface, *centre, radius, face, scratch)[1]
    assert loops == 2
    measure_loops(surface, *centre, radius, loops, scratch)
    return scratch


def test_round_a_rod_loops_are_circles_about_its_axis():
    mesh = build_mesh(*rod())
    scratch = measured(mesh, (0.0, 0.0, 0.01), 0.02)
    height = np.sqrt(0.02**2 - 0.01**2)
    at = np.sort(scratch.loop_centre[:2, 2])
    np.testing.assert_allclose(at, (0.01 - height, 0.01 + height), atol=2e-5)
    np.testing.assert_allclose(scratch.loop_centre[:2, :2], 0.0, atol=1e-15)
    np.testing.assert_allclose(scratch.loop_length[:2], 2 * np.pi * 0.01, rtol=1e-3)
    corner = fair_radius(0.01, 96)
    farthest = np.sqrt(0.02**2 - corner**2)  # the polygon's corners lie lower than its sides
    across = np.hypot(corner, np.abs(at - 0.01) - farthest)
    np.testing.assert_allclose(scratch.loop_reach[:2], across, rtol=1e-6)
    np.testing.assert_allclose(np.abs(scratch.loop_area[:2, 2]), np.pi * 0.01**2, rtol=1e-3)


def test_areas_point_back_to_a_limb_of_material():
    scratch = measured(build_mesh(*rod()), (0.0, 0.0, 0.01), 0.02)
    for loop in range(2):
        away = scratch.loop_centre[loop] - (0.0, 0.0, 0.01)
        assert scratch.loop_area[loop] @ away < 0.0


def test_areas_point_away_from_a_hole_in_the_material():
    plate = block((0.08, 0.08, 0.06)) - block((0.012, 0.012, 0.1))
    mesh = build_mesh(*arrays_of(plate.refine_to_length(0.02)))
    inside = np.abs(mesh.vertices[mesh.faces].mean(axis=1)[:, :2]).max(axis=1) < 0.0061
    scratch = measured(mesh, (0.0, 0.0, 0.0), 0.02, int(np.flatnonzero(inside)[0]))
    for loop in range(2):
        assert scratch.loop_area[loop] @ scratch.loop_centre[loop] > 0.0
    np.testing.assert_allclose(np.abs(scratch.loop_area[:2, 2]), 0.012**2, rtol=1e-9)


def test_loops_and_the_piece_between_them_close_up():
    """Vector areas of the boundary of a surface add up to that of the surface (Stokes)."""
    mesh = build_mesh(*torus(sides=16, rings=48).arrays)
    surface = surface_of(mesh)
    scratch = make_scratch(surface)
    fine = make_scratch(surface)
    for radius in (0.008, 0.023, 0.035):
        for face in range(0, len(mesh.faces), 97):
            centre = mesh.vertices[mesh.faces[face]].mean(axis=0)
            faces, loops, _, _ = cut_sphere(surface, *centre, radius, face, scratch)
            measure_loops(surface, *centre, radius, loops, scratch)
            total = scratch.loop_area[:loops].sum(axis=0)
            parts = np.zeros(3)
            for f in scratch.piece[:faces]:
                alone = build_mesh(mesh.vertices[mesh.faces[f]], [[0, 1, 2]])
                one = surface_of(alone)
                found = cut_sphere(one, *centre, radius, 0, fine)
                measure_loops(one, *centre, radius, found[1], fine)
                parts += fine.loop_area[: found[1]].sum(axis=0)
                if found[2]:  # all of the face is in the ball: its border is a rim
                    parts += mesh.areas[f] * mesh.normals[f]
            np.testing.assert_allclose(total, parts, atol=1e-12)


def test_a_grazing_sphere_gives_short_loops_and_no_nonsense():
    mesh = build_mesh(*arrays_of(block((0.1, 0.06, 0.04))))
    surface = surface_of(mesh)
    scratch = make_scratch(surface)
    for depth in (1e-4, 1e-7, 1e-10, 1e-13):
        for centre in ((0.05, 0.03, 0.02), (0.0, 0.03, 0.02), (0.013, 0.007, 0.02)):
            outward = np.array(centre) / (0.05, 0.03, 0.02)
            outward = np.where(np.abs(outward) > 0.99, np.sign(outward), 0.0)
            outward /= np.linalg.norm(outward)
            away = np.array(centre) + (0.01 - depth) * outward
            for face in range(len(mesh.faces)):
                faces, loops, _, euler = cut_sphere(surface, *away, 0.01, face, scratch)
                if not faces:
                    continue
                assert (loops, euler) == (1, 1)
                measure_loops(surface, *away, 0.01, loops, scratch)
                assert 0.0 <= scratch.loop_length[0] < 30 * np.sqrt(0.02 * depth)
                assert scratch.loop_reach[0] < 4 * np.sqrt(0.02 * depth)
                off = np.linalg.norm(scratch.loop_centre[0] - centre)
                assert off == pytest.approx(0.0, abs=4 * np.sqrt(0.02 * depth))
