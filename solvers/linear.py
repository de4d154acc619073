"""Owns the small dense algebra of the solvers: 6 x 6 symmetric systems, in place."""

import math

from armspan.solvers.forward import Floats
from armspan.solvers.kernel import kernel

_SIZE = 6
_LEAST_PIVOT = 1e-14


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
