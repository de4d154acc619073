"""The small dense algebra, against NumPy's."""

import numpy as np
import pytest
from armspan.solvers.body.linear import (
    FREE,
    HELD,
    PINNED,
    factorise,
    factorise_free,
    least_norm_scratch,
    solve,
    solve_least_norm,
    solve_two,
)


def test_a_factorised_system_is_solved():
    random = np.random.default_rng(1)
    for _ in range(20):
        rows = random.normal(size=(6, 8))
        system, right_side = rows @ rows.T + 1e-6 * np.eye(6), random.normal(size=6)
        factor, out = np.tril(system), np.empty(6)
        factorise(factor)
        solve(factor, right_side, out)
        np.testing.assert_allclose(system @ out, right_side, atol=1e-7)
        solve(factor, right_side, right_side)
        np.testing.assert_array_equal(right_side, out)  # in place, too


def test_a_singular_system_gives_finite_numbers():
    factor, out = np.zeros((6, 6)), np.empty(6)
    factorise(factor)
    solve(factor, np.ones(6), out)
    assert np.isfinite(out).all()


@pytest.mark.parametrize("rank", [8, 6, 5, 1])
def test_the_least_norm_solution_is_the_pseudo_inverse(rank: int):
    random = np.random.default_rng(rank)
    scratch, out = least_norm_scratch(), np.empty(8)
    for _ in range(20):
        matrix = random.normal(size=(8, rank)) @ random.normal(size=(rank, 8))
        right_side = random.normal(size=8)
        expected = np.linalg.pinv(matrix, 1e-9) @ right_side
        found = solve_least_norm(matrix.copy(), right_side.copy(), 1e-9, scratch, out)
        assert found == rank
        np.testing.assert_allclose(out, expected, rtol=1e-8, atol=1e-10 * np.abs(expected).max())


def test_nothing_times_anything_is_nothing():
    out = np.ones(8)
    assert solve_least_norm(np.zeros((8, 8)), np.ones(8), 1e-6, least_norm_scratch(), out) == 0
    np.testing.assert_array_equal(out, 0.0)


def test_two_systems_of_the_free_joints_are_solved_at_once():
    random = np.random.default_rng(3)
    for _ in range(20):
        rows = random.normal(size=(8, 10))
        hessian, damping = rows @ rows.T, random.uniform(0.0, 0.1)
        state = random.choice([FREE, FREE, HELD, PINNED], 8)
        free = np.flatnonzero(state[1:] == FREE) + 1
        room = np.concatenate([np.tril(hessian).ravel(), state, np.zeros(64), np.zeros(16)])
        assert factorise_free(0, 64, damping, 72, room)
        sides = np.zeros((2, 8))
        sides[:, free] = random.normal(size=(2, len(free)))
        room[136:] = sides.ravel()
        solve_two(72, 136, 144, room)
        part = hessian[np.ix_(free, free)] + damping * np.eye(len(free))
        expected = np.zeros((2, 8))
        expected[:, free] = np.linalg.solve(part, sides[:, free].T).T
        np.testing.assert_allclose(room[136:].reshape(2, 8), expected, atol=1e-9)


def test_a_matrix_that_is_not_positive_is_told_apart():
    hessian = np.diag([1.0] * 5 + [-1.0, 1.0, 1.0])
    room = np.concatenate([hessian.ravel(), np.full(8, FREE), np.zeros(64)])
    assert not factorise_free(0, 64, 0.5, 72, room)
    assert factorise_free(0, 64, 1.5, 72, room)
    room[64 + 5] = HELD  # a joint that is held does not count
    assert factorise_free(0, 64, 0.0, 72, room)
