"""Owns faces without height: three corners in a line, which have no normal worth the name."""

import numpy as np
import numpy.typing as npt
from armspan.solvers.kernel import kernel
from armspan.solvers.meshes.topology import Floats, Ints

_PASSES = 8
_AROUND = 256  # faces about a vertex that are looked at for an edge that is there already
_NOISE = 1e-10
"""Height / longest side below which a normal is mostly rounding."""


def flip_flat(vertices: Floats, faces: Ints, mates: Ints, tolerance_m: float) -> int:
    """Give the corner of a flat face that lies on its longest side to the face across that side.

    A face is flat when its height over its longest side is below ``tolerance_m``. Simply leaving
    it out would open the surface. ``faces`` (F, 3), turned the same way, and ``mates`` (3 F,) are
    changed in place; the two faces keep their places. Returns the number of flips.
    """
    return _flip_flat(vertices, faces, mates, tolerance_m)


def is_flat(vertices: Floats, faces: Ints) -> npt.NDArray[np.bool_]:
    """Tell the faces (F,) whose corners lie in a line as far as numbers can tell."""
    corners = vertices[faces]
    along = np.roll(corners, -1, axis=1) - corners
    spans = np.cross(along[:, 0], along[:, 1])
    longest = np.einsum("ijk,ijk->ij", along, along).max(axis=1)
    return np.sqrt(np.einsum("ij,ij->i", spans, spans)) <= _NOISE * longest


@kernel
def _flip_flat(vertices: Floats, faces: Ints, mates: Ints, tolerance_m: float) -> int:
    flips = 0
    for _ in range(_PASSES):
        before = flips
        for face in range(len(faces)):
            k, height = _longest_side(vertices, faces, face)
            if height < tolerance_m and _can_flip(vertices, faces, mates, face, k):
                _flip(faces, mates, face, k)
                flips += 1
        if flips == before:
            break
    return flips


@kernel
def _longest_side(vertices: Floats, faces: Ints, face: int) -> tuple[int, float]:
    best, longest = 0, -1.0
    for k in range(3):
        a, b = faces[face, k], faces[face, (k + 1) % 3]
        square = 0.0
        for axis in range(3):
            square += (vertices[b, axis] - vertices[a, axis]) ** 2
        if square > longest:
            best, longest = k, square
    x, y, z = _span(vertices, faces[face, 0], faces[face, 1], faces[face, 2])
    return best, np.sqrt((x * x + y * y + z * z) / longest)


@kernel
def _span(vertices: Floats, a: int, b: int, c: int) -> tuple[float, float, float]:
    """The cross product of two sides: the normal, twice as long as the area."""
    ux, uy, uz = (
        vertices[b, 0] - vertices[a, 0],
        vertices[b, 1] - vertices[a, 1],
        vertices[b, 2] - vertices[a, 2],
    )
    vx, vy, vz = (
        vertices[c, 0] - vertices[a, 0],
        vertices[c, 1] - vertices[a, 1],
        vertices[c, 2] - vertices[a, 2],
    )
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


@kernel
def _can_flip(vertices: Floats, faces: Ints, mates: Ints, face: int, k: int) -> bool:
    mate = int(mates[3 * face + k])
    if mate < 0:
        return False
    other, m = mate // 3, mate % 3
    a, b, c = faces[face, k], faces[face, (k + 1) % 3], faces[face, (k + 2) % 3]
    d = faces[other, (m + 2) % 3]
    if c == d:
        return False
    for step in range(1, 3):  # two faces that share more than one edge
        if mates[3 * face + (k + step) % 3] // 3 == other:
            return False
    if _reaches(faces, mates, 3 * face + (k + 2) % 3, d):
        return False
    nx, ny, nz = _span(vertices, faces[other, 0], faces[other, 1], faces[other, 2])
    px, py, pz = _span(vertices, a, d, c)
    qx, qy, qz = _span(vertices, d, b, c)
    # Neither half may be folded over; both may be as flat as the face across was.
    return nx * px + ny * py + nz * pz >= 0.0 and nx * qx + ny * qy + nz * qz >= 0.0


@kernel
def _reaches(faces: Ints, mates: Ints, first: int, vertex: int) -> bool:
    """Whether an edge joins the vertex at corner ``first`` to ``vertex``; if in doubt, yes."""
    corner = first
    for _ in range(_AROUND):
        face, k = corner // 3, corner % 3
        if faces[face, (k + 1) % 3] == vertex or faces[face, (k + 2) % 3] == vertex:
            return True
        mate = mates[corner]
        if mate < 0:
            break
        corner = 3 * (mate // 3) + (mate + 1) % 3
        if corner == first:
            return False
    else:
        return True
    corner = first
    for _ in range(_AROUND):
        face, k = corner // 3, corner % 3
        if faces[face, (k + 1) % 3] == vertex or faces[face, (k + 2) % 3] == vertex:
            return True
        corner = mates[3 * face + (k + 2) % 3]
        if corner < 0:
            return False
    return True


@kernel
def _flip(faces: Ints, mates: Ints, face: int, k: int) -> None:
    """From faces abc and bad across side ab make adc and dbc."""
    mate = int(mates[3 * face + k])
    other, m = mate // 3, mate % 3
    a, b, c = faces[face, k], faces[face, (k + 1) % 3], faces[face, (k + 2) % 3]
    d = faces[other, (m + 2) % 3]
    past_ad, past_db = mates[3 * other + (m + 1) % 3], mates[3 * other + (m + 2) % 3]
    past_bc, past_ca = mates[3 * face + (k + 1) % 3], mates[3 * face + (k + 2) % 3]
    faces[face, 0], faces[face, 1], faces[face, 2] = a, d, c
    faces[other, 0], faces[other, 1], faces[other, 2] = d, b, c
    _join(mates, 3 * face, past_ad)
    _join(mates, 3 * face + 1, 3 * other + 2)
    _join(mates, 3 * face + 2, past_ca)
    _join(mates, 3 * other, past_db)
    _join(mates, 3 * other + 1, past_bc)


@kernel
def _join(mates: Ints, side: int, mate: int) -> None:
    mates[side] = mate
    if mate >= 0:
        mates[mate] = side
