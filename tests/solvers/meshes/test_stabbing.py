"""Lines of a grid through a mesh: closed ones are answered exactly, open ones with doubt."""

from itertools import pairwise

import numpy as np
import pytest
from armspan.solvers.meshes.stabbing import DISPUTED, INSIDE, OUTSIDE, Stabbed, stab, vote

from tests.solvers.meshes.solids import CUBE_FACES, CUBE_VERTICES, torus_arrays

COUNTS = (12, 11, 9)
FACES = CUBE_FACES.astype(np.int32)
LINES = ("x", "y", "z")


def votes(stabbed: Stabbed) -> np.ndarray:
    return np.array([vote(stabbed, *node) for node in np.ndindex(COUNTS)]).reshape(COUNTS)


def nodes(origin, step_m: float) -> np.ndarray:
    return np.asarray(origin) + step_m * np.stack(np.indices(COUNTS), -1)


def test_a_closed_mesh_is_answered_exactly():
    vertices, faces = torus_arrays(0.05, 0.02, 24, 12)
    origin, step_m = np.array([-0.0801, -0.0703, -0.0302]), 0.0137
    told = votes(stab(vertices, faces.astype(np.int32), origin, step_m, COUNTS))
    places = nodes(origin, step_m)
    off = np.hypot(np.hypot(places[..., 0], places[..., 1]) - 0.05, places[..., 2]) - 0.02
    clear = np.abs(off) > 0.001  # the mesh is inside the torus by its chords
    assert clear.mean() > 0.9
    np.testing.assert_array_equal(told[clear], np.where(off < 0.0, INSIDE, OUTSIDE)[clear])
    assert (told != DISPUTED).all()


def test_what_is_inside_two_solids_is_inside():
    vertices = np.concatenate((CUBE_VERTICES, CUBE_VERTICES + 0.37))
    origin, step_m = np.array([-0.31, -0.21, -0.11]), 0.19
    told = votes(stab(vertices, np.concatenate((FACES, FACES + 8)), origin, step_m, COUNTS))
    places = nodes(origin, step_m)

    def within(low: float) -> np.ndarray:
        return ((places > low) & (places < low + 1.0)).all(axis=-1)

    np.testing.assert_array_equal(told == INSIDE, within(0.0) | within(0.37))
    assert (told != DISPUTED).all()


@pytest.mark.parametrize("origin", [(-0.25, -0.25, -0.25), (-0.3, -0.25, -0.2)])
def test_a_line_through_an_edge_crosses_once(origin):
    """Lines through the diagonals that halve the cube's faces: one of two triangles has them."""
    stabbed = stab(CUBE_VERTICES, FACES, np.array(origin), 0.125, COUNTS)
    for name in LINES:
        lines = getattr(stabbed, name)
        crossings = np.diff(lines.starts)
        sums = [lines.senses[a:b].sum() for a, b in pairwise(lines.starts)]
        assert set(crossings) <= {0, 2}
        assert not np.any(sums)
        assert crossings.any()


def test_crossings_rise_along_their_lines():
    vertices, faces = torus_arrays(0.05, 0.02, 16, 8)
    stabbed = stab(vertices, faces.astype(np.int32), np.full(3, -0.0803), 0.0151, COUNTS)
    for name in LINES:
        lines = getattr(stabbed, name)
        for first, stop in pairwise(lines.starts):
            assert (np.diff(lines.places[first:stop]) >= 0.0).all()
            assert abs(lines.senses[first:stop].sum()) == 0


def test_a_cube_without_its_lid_is_disputed_where_the_lid_is_missed():
    lid = (CUBE_VERTICES[FACES][:, :, 2] == 1.0).all(axis=1)
    origin, step_m = np.array([-0.31, -0.21, -0.11]), 0.19
    told = votes(stab(CUBE_VERTICES, FACES[~lid], origin, step_m, COUNTS))
    places = nodes(origin, step_m)
    inside = ((places > 0.0) & (places < 1.0)).all(axis=-1)
    above = ((places > 0.0) & (places < 1.0))[..., :2].all(axis=-1) & (places[..., 2] > 1.0)
    below = (places[..., 2] < 0.0) & ~above
    assert (told[inside | above] == DISPUTED).all()
    assert (told[~(inside | above | below)] == OUTSIDE).all()


def test_a_mesh_beside_the_grid_leaves_it_outside():
    told = votes(stab(CUBE_VERTICES + 50.0, FACES, np.zeros(3), 0.1, COUNTS))
    assert (told == OUTSIDE).all()
