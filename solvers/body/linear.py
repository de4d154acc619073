"""Owns the small dense algebra of the solvers, in place: symmetric systems and pseudo-inverses."""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.body.forward import Floats
from armspan.solvers.kernel import kernel

_SIZE = 6
_LEAST_PIVOT = 1e-14
_LEAST_CURVATURE = 1e-7
# What becomes of a joint in a step.
FREE, HELD, PINNED = 1.0, 0.0, 2.0


@kernel
def factorise(system: Floats) -> None:
    """Cholesky: overwrite the lower triangle of a symmetric (6, 6) by its factor.

    The diagonal holds the reciprocals of the factor's. Pivots are kept above 1e-14, so a matrix
    that is singular to rounding gives a bounded answer instead of none.
    """
    for j in range(_SIZE):
        pivot = system[j, j]
        for k in range(j):
            pivot -= system[j, k] * system[j, k]
        inverse = 1.0 / math.sqrt(max(pivot, _LEAST_PIVOT))
        system[j, j] = inverse
        for i in range(j + 1, _SIZE):
            total = system[i, j]
            for k in range(j):
                total -= system[i, k] * system[j, k]
            system[i, j] = total * inverse


@kernel
def solve(factor: Floats, right_side: Floats, out: Floats) -> None:
    """Write into ``out`` (6,) the solution for ``right_side`` (6,); they may be one array."""
    for i in range(_SIZE):
        total = right_side[i]
        for k in range(i):
            total -= factor[i, k] * out[k]
        out[i] = total * factor[i, i]
    for i in range(_SIZE - 1, -1, -1):
        total = out[i]
        for k in range(i + 1, _SIZE):
            total -= factor[k, i] * out[k]
        out[i] = total * factor[i, i]


LEAST_NORM_ROOM = 144  # numbers


class LeastNormScratch(NamedTuple):
    """Work arrays for matrices of up to 8 x 8."""

    transposed: Floats  # (8, 8)
    mirrors: Floats  # (8, 8): Householder vectors, one a row
    order: Floats  # (8,): pivot order of the columns
    values: Floats  # (8,)


@kernel
def least_norm_scratch_in(room: Floats) -> LeastNormScratch:
    """Cut the work arrays out of ``room``, at least ``LEAST_NORM_ROOM`` long."""
    return LeastNormScratch(
        room[0:64].reshape((8, 8)),
        room[64:128].reshape((8, 8)),
        room[128:136],
        room[136:144],
    )


@kernel
def least_norm_scratch() -> LeastNormScratch:
    """Allocate the work arrays: once a call that solves many bodies."""
    return least_norm_scratch_in(np.zeros(LEAST_NORM_ROOM))


@kernel
def solve_least_norm(
    matrix: Floats, right_side: Floats, tolerance: float, scratch: LeastNormScratch, out: Floats
) -> int:
    """Write into ``out`` (8,) the pseudo-inverse of ``matrix`` (8, 8) times ``right_side`` (8,).

    Columns whose part that is independent of the others is below ``tolerance`` times the largest
    count as zero; returns the rank that is left. ``matrix`` and ``right_side`` are overwritten.
    A complete orthogonal decomposition (Golub & Van Loan, section 5.5), far cheaper than the
    singular values that it stands for.
    """
    rank = _triangulate(matrix, right_side, tolerance, scratch)
    rows, values = scratch.transposed, scratch.values
    for i in range(rank):
        for j in range(8):
            rows[j, i] = matrix[i, j] if j >= i else 0.0
    for k in range(rank):  # second decomposition: the independent rows, from the other side
        _reflect(rows, k, rank, scratch.mirrors[k])
    for i in range(8):
        values[i] = 0.0
    for i in range(rank):
        total = right_side[i]
        for k in range(i):
            total -= rows[k, i] * values[k]
        values[i] = total / rows[i, i]
    for k in range(rank - 1, -1, -1):
        _mirror(scratch.mirrors[k], k, values)
    for j in range(8):
        out[int(scratch.order[j])] = values[j]
    return rank


@kernel
def _triangulate(
    matrix: Floats, right_side: Floats, tolerance: float, scratch: LeastNormScratch
) -> int:
    """Householder triangulation with column pivoting; return the rank."""
    for j in range(8):
        scratch.order[j] = j
    largest = 0.0
    for k in range(8):
        best, most = k, -1.0
        for j in range(k, 8):
            square = 0.0
            for i in range(k, 8):
                square += matrix[i, j] * matrix[i, j]
            if square > most:
                best, most = j, square
        norm = math.sqrt(most)
        largest = max(largest, norm)
        if norm <= tolerance * largest:
            return k
        if best != k:
            scratch.order[k], scratch.order[best] = scratch.order[best], scratch.order[k]
            for i in range(8):
                matrix[i, k], matrix[i, best] = matrix[i, best], matrix[i, k]
        _reflect(matrix, k, 8, scratch.mirrors[k])
        _mirror(scratch.mirrors[k], k, right_side)
    return 8


@kernel
def _reflect(matrix: Floats, k: int, columns: int, mirror: Floats) -> None:
    """Householder reflection that clears column ``k`` below its diagonal; keep its vector."""
    square = 0.0
    for i in range(k, 8):
        square += matrix[i, k] * matrix[i, k]
    norm = math.sqrt(square)
    head = matrix[k, k] + (norm if matrix[k, k] >= 0.0 else -norm)
    scale = math.sqrt(square - matrix[k, k] * matrix[k, k] + head * head)
    for i in range(k, 8):
        part = head if i == k else matrix[i, k]
        mirror[i] = part / scale if scale > 0.0 else 0.0
    for j in range(k, columns):
        along = 0.0
        for i in range(k, 8):
            along += mirror[i] * matrix[i, j]
        for i in range(k, 8):
            matrix[i, j] -= 2.0 * along * mirror[i]


@kernel
def _mirror(mirror: Floats, k: int, vector: Floats) -> None:
    along = 0.0
    for i in range(k, 8):
        along += mirror[i] * vector[i]
    for i in range(k, 8):
        vector[i] -= 2.0 * along * mirror[i]


@kernel
def factorise_free(hessian: int, state: int, damping: float, factor: int, room: Floats) -> bool:
    """Cholesky of a Hessian's part of an arm's own joints that are free; False: not positive.

    In ``room`` are an (8, 8) lower triangle, torso first, at ``hessian``, and at ``state`` (8,)
    FREE for those that count; ``damping`` is added to the diagonal. The factor (8, 8), its first
    row and column unused, has zeros for the others; its diagonal holds reciprocals.
    """
    for j in range(1, 8):
        column = factor + j
        if room[state + j] != FREE:
            for i in range(j, 8):
                room[column + 8 * i] = 0.0
            continue
        row = factor + 8 * j
        pivot = room[hessian + 9 * j] + damping
        for k in range(1, j):
            pivot -= room[row + k] * room[row + k]
        if pivot < _LEAST_CURVATURE:
            return False
        inverse = 1.0 / math.sqrt(pivot)
        room[row + j] = inverse
        for i in range(j + 1, 8):
            total = 0.0
            if room[state + i] == FREE:
                total = room[hessian + 8 * i + j]
                for k in range(1, j):
                    total -= room[factor + 8 * i + k] * room[row + k]
            room[column + 8 * i] = total * inverse
    return True


@kernel
def solve_two(factor: int, one: int, two: int, room: Floats) -> None:
    """Overwrite both (8,), but for their first, by the solutions for them.

    With the factor that ``factorise_free`` wrote; all are places in ``room``.
    """
    for i in range(1, 8):
        a, b, row = room[one + i], room[two + i], factor + 8 * i
        for k in range(1, i):
            a -= room[row + k] * room[one + k]
            b -= room[row + k] * room[two + k]
        room[one + i], room[two + i] = a * room[row + i], b * room[row + i]
    for i in range(7, 0, -1):
        a, b = room[one + i], room[two + i]
        for k in range(i + 1, 8):
            entry = room[factor + 8 * k + i]
            a -= entry * room[one + k]
            b -= entry * room[two + k]
        room[one + i], room[two + i] = a * room[factor + 9 * i], b * room[factor + 9 * i]
