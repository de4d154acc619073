"""A ball cuts out of a mesh what an oracle finds, and it never loses count of loops."""

import numpy as np
import pytest
from armspan.solvers.meshes.topology import Mesh, build_mesh
from armspan.solvers.tubes.cuts import CutScratch, cut_sphere, make_scratch
from armspan.solvers.tubes.loops import measure_loops
from armspan.solvers.tubes.surface import surface_of
from numba import config

from tests.solvers.tubes.balls import Piece, pieces_in_ball
from tests.solvers.tubes.changes import mirrored, moved, noisy, scaled
from tests.solvers.tubes.shapes import torus
from tests.solvers.tubes.solids import arrays_of, block
from tests.solvers.tubes.sweeps import Cap, MeshArrays, sweep

NO_CUT = (0, 0, 0, 0)


def ring(sides: int = 9, rings: int = 24) -> MeshArrays:
    return torus(0.04, 0.010, sides, rings).arrays


def pipe() -> MeshArrays:
    """An open tube of thin triangles as long as it is."""
    return sweep(np.array([[0, 0, 0], [0, 0, 0.1]]), 0.01, 9, (Cap.NONE, Cap.NONE))


def torn() -> MeshArrays:
    """A ring with holes of one face, no two of which touch."""
    vertices, faces = ring()
    free = np.ones(len(vertices), np.bool_)
    keep = np.ones(len(faces), np.bool_)
    for face in np.random.default_rng(5).permutation(len(faces))[:200]:
        if free[faces[face]].all():
            keep[face] = False
            free[faces[face]] = False
    return vertices, faces[keep]


def box() -> MeshArrays:
    """Twelve huge triangles."""
    return arrays_of(block((0.10, 0.06, 0.04)))


def rough() -> MeshArrays:
    return noisy(ring(), 0.002, seed=3)


MESHES = {"ring": ring, "pipe": pipe, "torn": torn, "box": box, "rough": rough}


def balls(mesh: Mesh, count: int, seed: int) -> list[tuple[np.ndarray, float]]:
    """Balls about the surface: near it, on it, on edges and on vertices; small and large."""
    random = np.random.default_rng(seed)
    size = float(np.ptp(mesh.vertices, axis=0).max())
    found: list[tuple[np.ndarray, float]] = []
    for number in range(count):
        weights = random.dirichlet([1.0, 1.0, 1.0])
        if number % 4 == 1:
            weights *= (1.0, 1.0, 0.0)
        if number % 4 == 2:
            weights = np.array([1.0, 0.0, 0.0])
        weights /= weights.sum()
        radius = size * float(np.exp(random.uniform(np.log(0.02), np.log(0.7))))
        centre = weights @ mesh.vertices[mesh.faces[random.integers(len(mesh.faces))]]
        if number % 4 == 3:
            centre = centre + random.normal(scale=0.5 * radius, size=3)
        found.append((centre, radius))
    return found


def assert_same_loops(
    scratch: CutScratch, loops: int, centre: np.ndarray, radius: float, piece: Piece
) -> None:
    """Each measured loop is the oracle's loop with the nearest barycentre, and no two the same."""
    left = list(piece.loops)
    for i in range(loops):
        at = scratch.loop_centre[i] - centre
        same = min(left, key=lambda loop: float(np.linalg.norm(loop.centre - at)))
        left.remove(same)
        assert scratch.loop_length[i] == pytest.approx(same.length_m, rel=1e-6)
        assert scratch.loop_reach[i] == pytest.approx(same.reach_m, rel=5e-3)
        np.testing.assert_allclose(at, same.centre, atol=1e-5 * radius)


@pytest.mark.parametrize("name", MESHES)
def test_every_piece_is_what_the_oracle_finds(name: str):
    mesh = build_mesh(*MESHES[name]())
    surface = surface_of(mesh)
    scratch = make_scratch(surface)
    tried = 0
    for centre, radius in balls(mesh, 60 if len(mesh.faces) < 100 else 16, seed=len(name)):
        met: set[int] = set()
        for piece in pieces_in_ball(mesh, centre, radius):
            start = min(piece.faces)
            faces, loops, rims, euler = cut_sphere(surface, *centre, radius, start, scratch)
            assert set(scratch.piece[:faces].tolist()) == piece.faces
            assert (loops, rims, euler) == (len(piece.loops), piece.rims, piece.euler)
            measure_loops(surface, *centre, radius, loops, scratch)
            assert_same_loops(scratch, loops, centre, radius, piece)
            met |= piece.faces
            tried += len(piece.loops)
        others = sorted(set(range(len(mesh.faces))) - met)[:20]
        for face in others:
            assert cut_sphere(surface, *centre, radius, face, scratch) == NO_CUT
    assert tried > 20


@pytest.mark.parametrize("name", MESHES)
def test_counts_add_up_to_a_surface_with_whole_handles(name: str):
    mesh = build_mesh(*MESHES[name]())
    surface = surface_of(mesh)
    scratch = make_scratch(surface)
    genera: set[int] = set()
    for centre, radius in balls(mesh, 20 if config.DISABLE_JIT else 300, seed=1):
        for face in np.random.default_rng(2).integers(len(mesh.faces), size=4).tolist():
            faces, loops, rims, euler = cut_sphere(surface, *centre, radius, face, scratch)
            if faces:
                twice = 2 - euler - loops - rims
                assert twice >= 0
                assert twice % 2 == 0
                genera.add(twice // 2)
    assert 0 in genera


def test_a_torus_has_one_loop_below_the_tubes_width_and_two_above():
    mesh = build_mesh(*ring(sides=12, rings=36))
    surface = surface_of(mesh)
    scratch = make_scratch(surface)
    start = {int(v): f for f, row in enumerate(mesh.faces) for v in row}
    for radius, loops, euler in ((0.008, 1, 1), (0.0185, 1, 1), (0.0215, 2, 0), (0.030, 2, 0)):
        for vertex in range(0, len(mesh.vertices), 7 if config.DISABLE_JIT else 1):
            centre = mesh.vertices[vertex]
            found = cut_sphere(surface, *centre, radius, start[vertex], scratch)
            assert found[1:] == (loops, 0, euler)
    assert cut_sphere(surface, 0.0, 0.0, 0.0, 0.06, 0, scratch)[1:] == (0, 0, 0)  # all of it


def test_a_circle_inside_one_huge_triangle_is_a_loop():
    mesh = build_mesh(*box())
    surface = surface_of(mesh)
    scratch = make_scratch(surface)
    face = int(np.argmax(mesh.normals[:, 2]))
    centre = mesh.vertices[mesh.faces[face]].mean(axis=0) + np.array([0.0, 0.0, 0.003])
    assert cut_sphere(surface, *centre, 0.005, face, scratch) == (1, 1, 0, 1)
    measure_loops(surface, *centre, 0.005, 1, scratch)
    assert scratch.loop_length[0] == pytest.approx(2 * np.pi * 0.004)
    assert scratch.loop_reach[0] == pytest.approx(0.004)
    np.testing.assert_allclose(scratch.loop_centre[0], centre - (0, 0, 0.003), atol=1e-12)
    np.testing.assert_allclose(scratch.loop_area[0], (0, 0, np.pi * 0.004**2), atol=1e-12)
    assert cut_sphere(surface, *centre, 0.0029, face, scratch) == NO_CUT


def test_an_edge_is_crossed_twice():
    mesh = build_mesh(*box())
    surface = surface_of(mesh)
    scratch = make_scratch(surface)
    beside = int(np.flatnonzero(mesh.normals[:, 2] > 0.9)[0])
    for face in (beside, *mesh.neighbours[beside].tolist()):
        assert cut_sphere(surface, 0.0, 0.031, 0.021, 0.004, face, scratch)[0] in (0, 2)
    found = [
        cut_sphere(surface, 0.0, 0.031, 0.021, 0.004, face, scratch)
        for face in range(len(mesh.faces))
    ]
    assert [one for one in found if one != NO_CUT] == [(2, 1, 0, 1)] * 2


@pytest.mark.parametrize("change", ["moved", "mirrored", "scaled"])
def test_motion_mirror_and_scale_change_nothing(change: str):
    arrays = rough()
    size = 1.7 if change == "scaled" else 1.0
    changed = {
        "moved": lambda: moved(arrays, seed=4),
        "mirrored": lambda: mirrored(arrays),
        "scaled": lambda: scaled(arrays, size),
    }[change]()
    seen: list[list[tuple[float, ...]]] = []
    for (vertices, faces), factor in ((arrays, 1.0), (changed, size)):
        mesh = build_mesh(vertices, faces)
        surface = surface_of(mesh)
        scratch = make_scratch(surface)
        rows: list[tuple[float, ...]] = []
        for radius in (0.006, 0.012, 0.025):
            for face in range(0, len(faces), 10 if config.DISABLE_JIT else 1):
                centre = mesh.vertices[mesh.faces[face]].mean(axis=0)
                found = cut_sphere(surface, *centre, radius * factor, face, scratch)
                measure_loops(surface, *centre, radius * factor, found[1], scratch)
                length = scratch.loop_length[: found[1]].sum() / factor
                rows.append((radius, *found, float(np.round(length, 8))))
        seen.append(rows)
    np.testing.assert_allclose(seen[0], seen[1], rtol=1e-6, atol=3e-8)


def test_any_face_of_a_piece_leads_to_it():
    mesh = build_mesh(*rough())
    surface = surface_of(mesh)
    scratch = make_scratch(surface)
    centre = mesh.vertices[7]
    first = cut_sphere(surface, *centre, 0.02, int(np.argmax((mesh.faces == 7).any(1))), scratch)
    piece = sorted(scratch.piece[: first[0]].tolist())
    for face in piece:
        assert cut_sphere(surface, *centre, 0.02, face, scratch) == first
        assert sorted(scratch.piece[: first[0]].tolist()) == piece


def test_a_hole_that_the_sphere_crosses_does_not_tear_its_loop():
    vertices, faces = ring()
    whole = build_mesh(vertices, faces)
    surface = surface_of(whole)
    scratch = make_scratch(surface)
    centre = np.array([0.04, 0.0, 0.0])
    start = int(np.argmin(np.linalg.norm(vertices[faces].mean(axis=1) - centre, axis=1)))
    assert cut_sphere(surface, *centre, 0.015, start, scratch)[1:] == (2, 0, 0)
    crossed = scratch.loop_edges[scratch.loop_starts[0] : scratch.loop_starts[1]] // 3
    kept = np.arange(len(faces)) != crossed[0]
    open_mesh = build_mesh(vertices, faces[kept])
    surface = surface_of(open_mesh)
    scratch = make_scratch(surface)
    start -= start > crossed[0]
    assert cut_sphere(surface, *centre, 0.015, start, scratch)[1:] == (2, 0, 0)
    assert sorted(scratch.loop_open[:2]) == [0, 1]


def test_an_open_end_in_the_ball_is_a_rim_and_no_loop():
    mesh = build_mesh(*pipe())
    surface = surface_of(mesh)
    scratch = make_scratch(surface)
    assert cut_sphere(surface, 0.0, 0.0, 0.005, 0.02, 0, scratch)[1:] == (1, 1, 0)
    assert cut_sphere(surface, 0.0, 0.0, 0.05, 0.02, 0, scratch)[1:] == (2, 0, 0)
    assert cut_sphere(surface, 0.0, 0.0, 0.05, 0.20, 0, scratch)[1:] == (0, 2, 0)


def test_the_scratch_survives_the_wrap_of_its_counter():
    mesh = build_mesh(*ring())
    surface = surface_of(mesh)
    fresh, old = make_scratch(surface), make_scratch(surface)
    old.stamp[0] = 2**30 - 3
    for radius in (0.006, 0.012, 0.025, 0.03, 0.04, 0.005):
        centre = mesh.vertices[0]
        face = int(np.argmax((mesh.faces == 0).any(axis=1)))
        assert cut_sphere(surface, *centre, radius, face, old) == cut_sphere(
            surface, *centre, radius, face, fresh
        )
    assert old.stamp[0] < 10
