"""Owns faces and how their sides are joined, while a mesh is being cleaned."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from armspan.solvers.meshes.orienting import turn
from armspan.solvers.meshes.topology import OPEN, Ints

Mask = npt.NDArray[np.bool_]


@dataclass(slots=True)
class Surface:
    """Faces (F, 3), the mates of their sides (3 F,), and where they came from."""

    faces: Ints
    mates: Ints
    face_of: Ints
    """(F,) the face of the input that each was."""
    turned: Mask
    """(F,) whether it has been turned over."""

    def keep(self, kept: Mask) -> None:
        """Forget all faces but these (F,), and open the sides that had a mate among the others."""
        if kept.all():
            return
        renamed = np.full(len(kept), OPEN, dtype=np.int32)
        renamed[kept] = np.arange(int(kept.sum()), dtype=np.int32)
        mates = self.mates.reshape(-1, 3)[kept].ravel()
        paired = np.flatnonzero(mates != OPEN)
        homes = renamed[mates[paired] // 3]
        mates[paired] = np.where(homes == OPEN, OPEN, 3 * homes + mates[paired] % 3)
        self.faces, self.mates = np.ascontiguousarray(self.faces[kept]), mates
        self.face_of, self.turned = self.face_of[kept], self.turned[kept]

    def turn(self, turned: Mask) -> None:
        """Turn these faces (F,) over."""
        if turned.any():
            self.faces, self.mates = turn(self.faces, self.mates, turned)
            self.turned = self.turned ^ turned

    def open(self, sides: npt.NDArray[np.intp]) -> int:
        """Part these sides from their mates; returns how many edges that opened."""
        sides = sides[self.mates[sides] != OPEN]
        both = np.union1d(sides, self.mates[sides])
        self.mates[both] = OPEN
        return len(both) // 2
