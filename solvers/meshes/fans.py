"""Owns vertices where surface meets itself: each fan of faces about a vertex gets its own."""

import numpy as np
import numpy.typing as npt
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.topology import Ints


def split_fans(faces: Ints, mates: Ints) -> tuple[Ints, Ints]:
    """Give every fan of faces that hang together about a vertex a vertex of its own.

    The faces (F, 3) must be turned the same way. Returns faces with new vertices, numbered in the
    order in which faces name them, and the old vertex of each new one.
    """
    split = np.full(faces.shape, -1, dtype=np.int32)
    originals = np.empty(faces.size, dtype=np.int32)
    count = _split_fans(faces, mates, split, originals)
    return split, originals[:count].copy()


@kernel
def _split_fans(faces: Ints, mates: Ints, split: Ints, originals: Ints) -> int:
    count = 0
    for first in range(faces.size):
        if split[first // 3, first % 3] >= 0:
            continue
        originals[count] = faces[first // 3, first % 3]
        corner = first
        while corner >= 0 and split[corner // 3, corner % 3] < 0:
            split[corner // 3, corner % 3] = count
            # The side that starts at the corner ends at it in the face across.
            mate = mates[corner]
            corner = -1 if mate < 0 else 3 * (mate // 3) + (mate + 1) % 3
        corner = _backwards(mates, first)
        while corner >= 0 and split[corner // 3, corner % 3] < 0:
            split[corner // 3, corner % 3] = count
            corner = _backwards(mates, corner)
        count += 1
    return count


@kernel
def _backwards(mates: Ints, corner: int) -> int:
    """The corner across the side that ends at this corner."""
    return mates[3 * (corner // 3) + (corner % 3 + 2) % 3]


def entangled_sides(faces: Ints, mates: Ints, vertex_count: int) -> npt.NDArray[np.intp]:
    """Find sides that share both vertices with another that is not their mate.

    The neighbours of a mesh with such sides could not be found again from its faces alone.
    """
    starts = faces.ravel().astype(np.int64)
    ends = np.roll(faces, -1, axis=1).ravel().astype(np.int64)
    keys = np.minimum(starts, ends) * vertex_count + np.maximum(starts, ends)
    _, group, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    many = sizes[group]
    return np.flatnonzero((many > 2) | ((many == 2) & (mates < 0)))
