"""Owns the check that a person's pose comes back to others as it was sent."""

import math
from typing import NamedTuple

import numpy as np
from armspan.server.bots.casting import Part
from armspan.server.wire import SnapshotArrays
from armspan.solvers.body.chest import eyes_from_chest
from armspan.solvers.body.forward import forward_kinematics
from numpy.typing import NDArray

TRACKED = 2  # provenance
PALM_JOINT = 3  # of BodyFrames' positions
# Eyes and head are sent, not solved: only the wire's steps may lie between.
EYES_WITHIN_M = 0.005
HEAD_WITHIN_RAD = math.radians(0.5)


class Deviation(NamedTuple):
    """How far a received body is from what was sent."""

    eyes_m: float
    head_rad: float
    palms_m: tuple[float, ...]  # of those hands that are tracked

    @property
    def wrong(self) -> bool:
        """Whether the head is not where it was sent; palms may be out of an arm's reach."""
        return self.eyes_m > EYES_WITHIN_M or self.head_rad > HEAD_WITHIN_RAD


def deviation(arrays: SnapshotArrays, row: int, part: Part, elapsed_s: float) -> Deviation:
    """Compare a row of a snapshot with what ``part`` sent at ``elapsed_s`` into the run."""
    sent = np.empty(21)
    part.pose(elapsed_s, sent)
    lengths = np.array(part.lengths.as_row())
    chest, head = arrays.world_from_chest[row], arrays.head_rotation[row]
    eyes = eyes_from_chest(lengths, chest, head)
    frames = forward_kinematics(lengths, chest, arrays.joint_angles[row])
    palms = [
        float(
            np.linalg.norm(frames.position[side, PALM_JOINT] - sent[7 + 7 * side : 10 + 7 * side])
        )
        for side in range(2)
        if arrays.provenance[row, 1 + side] == TRACKED
    ]
    return Deviation(
        float(np.linalg.norm(eyes - sent[:3])), _angle_between(head, sent[3:7]), tuple(palms)
    )


def _angle_between(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    cosine = abs(float(np.dot(a, b))) / float(np.linalg.norm(a) * np.linalg.norm(b))
    return 2 * math.acos(min(1.0, cosine))
