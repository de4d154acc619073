"""Spheres that roll along a tube come to what is at its ends."""

import numpy as np
from armspan.solvers.meshes.topology import build_mesh
from armspan.solvers.tubes.cuts import make_scratch
from armspan.solvers.tubes.rolling import Ground, Loop, Rolled, Stop, roll
from armspan.solvers.tubes.surface import surface_of

from tests.solvers.tubes.shapes import Shape, capsule, torus, y_junction
from tests.solvers.tubes.sweeps import Cap, MeshArrays, sweep

RADIUS_M = 0.010


def rolled(
    arrays: MeshArrays, at: list[float], along: list[float], owned_beyond_m: float | None = None
) -> Rolled:
    """Roll from the section round ``at``, square to ``along``."""
    mesh = build_mesh(*arrays)
    centroids = mesh.vertices[mesh.faces].mean(axis=1)
    owner = np.full(len(mesh.faces), -1, np.int32)
    if owned_beyond_m is not None:
        owner[centroids @ along > owned_beyond_m] = 3
    surface = surface_of(mesh)
    ground = Ground(surface, make_scratch(surface), owner, 2.8 * RADIUS_M)
    away = centroids - at
    face = int(np.argmin(np.abs(away @ along) + np.abs(np.linalg.norm(away, axis=1) - RADIUS_M)))
    loop = Loop(np.array(at), RADIUS_M, 2 * np.pi * RADIUS_M, face, 0.0, False)
    found = roll(ground, loop, np.array(along))
    assert found is not None
    return found


def ring() -> Shape:
    return torus(0.04, RADIUS_M, sides=16, rings=48)


def test_round_a_ring_it_comes_back_to_where_it_began():
    found = rolled(ring().arrays, [0.04, 0.0, 0.0], [0.0, 1.0, 0.0])
    assert found.closed
    away = np.linalg.norm(found.line[:, :2], axis=1)
    np.testing.assert_allclose(away, 0.04, rtol=0.1)
    np.testing.assert_allclose(found.line[:, 2], 0.0, atol=1e-4)


def test_along_a_rod_it_comes_to_both_tips():
    shape = capsule(0.10, RADIUS_M, sides=16)
    found = rolled(shape.arrays, [0.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    assert found.stops == (Stop.TIP, Stop.TIP)
    assert found.line[0][2] < -0.03
    assert found.line[-1][2] > 0.03
    np.testing.assert_array_equal(found.line[found.seed], [0.0, 0.0, 0.0])


def test_into_a_junction_it_does_not_go():
    arm = np.array([0.0, 1.0, 0.0])
    found = rolled(y_junction(RADIUS_M, 0.08, 0.004).arrays, [0.0, 0.04, 0.0], arm.tolist())
    assert found.stops[0] in (Stop.BRANCHING, Stop.THRESHOLD)  # as the sphere happens to stand
    assert found.stops[1] is Stop.TIP
    assert found.line[0][1] > 0.0


def test_at_another_tube_it_stops():
    shape = capsule(0.10, RADIUS_M, sides=16)
    found = rolled(shape.arrays, [0.0, 0.0, 0.0], [0.0, 0.0, 1.0], owned_beyond_m=0.02)
    assert found.stops == (Stop.TIP, Stop.TUBE)
    assert found.line[-1][2] < 0.02


def test_at_an_open_rim_it_stops():
    line = np.stack([np.zeros(25), np.zeros(25), np.linspace(-0.05, 0.05, 25)], axis=1)
    arrays = sweep(line, RADIUS_M, 16, (Cap.ROUND, Cap.NONE))
    found = rolled(arrays, [0.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    assert found.stops[0] is Stop.TIP
    assert found.stops[1] in (Stop.OPEN, Stop.TIP)
    assert found.line[-1][2] > 0.02


def test_on_a_ball_nothing_rolls():
    shape = capsule(0.0201, RADIUS_M, sides=16)
    mesh = build_mesh(*shape.arrays)
    surface = surface_of(mesh)
    owner = np.full(len(mesh.faces), -1, np.int32)
    ground = Ground(surface, make_scratch(surface), owner, 2.8 * RADIUS_M)
    loop = Loop(np.zeros(3), RADIUS_M, 2 * np.pi * RADIUS_M, 0, 0.0, False)
    assert roll(ground, loop, np.array([0.0, 0.0, 1.0])) is None


def test_what_is_rolled_along_a_mirrored_ring_is_mirrored():
    vertices, faces = ring().arrays
    mirror = np.array([1.0, 1.0, -1.0])
    one = rolled((vertices, faces), [0.04, 0.0, 0.0], [0.0, 1.0, 0.0])
    other = rolled((vertices * mirror, faces[:, ::-1].copy()), [0.04, 0.0, 0.0], [0.0, 1.0, 0.0])
    np.testing.assert_allclose(other.line * mirror, one.line, atol=1e-9)
    assert other.stops == one.stops
