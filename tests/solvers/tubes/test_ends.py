"""A tube's end is where the surface leaves it: exactly at edges, and what it leaves to is told."""

import numpy as np
import pytest
from armspan.solvers.meshes.topology import build_mesh
from armspan.solvers.tubes.ends import End, Ending, find_end
from armspan.solvers.tubes.sections import make_section_scratch
from armspan.solvers.tubes.slices import cut_chain, make_slices
from armspan.solvers.tubes.surface import surface_of

from tests.solvers.tubes.shapes import blind_hole, capsule, plate
from tests.solvers.tubes.sweeps import Cap, MeshArrays, sweep

RADIUS_M = 0.010
UP = np.array([0.0, 0.0, 1.0])


def end_above(arrays: MeshArrays, height_m: float, owned_above_m: float = np.inf) -> End:
    """Find the end along +z of the tube round the z axis, from its section at this height."""
    mesh = build_mesh(*arrays)
    surface = surface_of(mesh)
    corners = mesh.vertices[mesh.faces]
    owner = np.where(corners[:, :, 2].min(axis=1) > owned_above_m, 0, -1).astype(np.int32)
    crossed = (corners[:, :, 2].min(axis=1) < height_m) & (corners[:, :, 2].max(axis=1) >= height_m)
    crossed &= np.linalg.norm(corners[:, :, :2].mean(axis=1), axis=1) < 1.3 * RADIUS_M
    at = np.array([[0.0, 0.0, height_m]])
    slices = make_slices(at, UP[None].copy(), np.array([[1.0, 0.0, 0.0]]))
    start = int(np.flatnonzero(crossed)[0])
    assert cut_chain(surface, make_section_scratch(surface), owner, slices, start, 0, 1) == 1
    return find_end(surface, owner, slices, 0, 1.0, 0.0)


def rod(caps: tuple[Cap, Cap], step_m: float = 0.005) -> MeshArrays:
    heights = np.arange(-0.05, 0.05 + 0.5 * step_m, step_m)
    line = np.stack([np.zeros_like(heights), np.zeros_like(heights), heights], axis=1)
    return sweep(line, RADIUS_M, 16, caps)


@pytest.mark.parametrize("step_m", [0.005, 0.1])
def test_a_flat_end_is_a_cap_at_its_plane(step_m: float):
    end = end_above(rod((Cap.FAN, Cap.FAN), step_m), 0.0222)
    assert end.ending is Ending.CAP
    assert end.at_m == pytest.approx(0.05 - 0.0222, rel=1e-9)
    assert end.clear_m == pytest.approx(0.05 - 0.0222, rel=1e-9)


def test_a_round_end_is_a_cap_at_its_apex():
    end = end_above(capsule(0.10, RADIUS_M, sides=16).arrays, 0.0311)
    assert end.ending is Ending.CAP
    assert end.at_m == pytest.approx(0.05 - 0.0311, rel=1e-6)
    assert 0.039 < end.clear_m + 0.0311 < 0.046


def test_a_hole_ends_where_its_wall_meets_the_plate():
    end = end_above(plate(0.04, (RADIUS_M,)).arrays, 0.0077)
    assert end.ending is Ending.BODY
    assert end.at_m == pytest.approx(0.02 - 0.0077, rel=1e-6)


def test_a_wells_floor_is_its_cap():
    vertices, faces = blind_hole(0.04, RADIUS_M).arrays
    turned = (vertices * (1.0, -1.0, -1.0), faces)
    end = end_above(turned, 0.0077)
    assert end.ending is Ending.CAP
    assert end.at_m == pytest.approx(0.04 - 0.0077, rel=1e-6)


def test_an_open_rim_is_told():
    end = end_above(rod((Cap.ROUND, Cap.NONE)), 0.0222)
    assert end.ending is Ending.OPEN
    assert end.at_m == pytest.approx(0.05 - 0.0222, rel=1e-9)


def test_a_tube_that_goes_on_is_told_so_and_how_far_it_is_clear():
    heights = np.linspace(-0.05, 0.25, 31)
    line = np.stack([np.zeros(31), np.zeros(31), heights], axis=1)
    end = end_above(sweep(line, RADIUS_M, 16, (Cap.ROUND, Cap.ROUND)), 0.001)
    assert end.ending is Ending.GOES_ON
    assert end.clear_m > 5.0 * RADIUS_M


def test_running_into_another_tube_is_told_where_it_is_next_to_it():
    end = end_above(rod((Cap.ROUND, Cap.ROUND)), 0.0222, owned_above_m=0.0249)
    assert end.ending is Ending.TUBE
    assert end.at_m == pytest.approx(0.025 - 0.0222, abs=1e-6)
