"""Owns the sets of poses that solvers are measured on: random, stretched, unreachable.

Targets come from joint angles by forward kinematics, so of the first two sets every pose has an
answer inside the limits, and of the third none has.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from armspan.solvers.body.forward import Floats, body_frames
from armspan.solvers.body.reach import reaches_alone
from armspan.solvers.body.skeleton import (
    DEFAULT_LENGTHS,
    FOREARM,
    JOINT_LOWER,
    JOINT_UPPER,
    UPPER_ARM,
)
from armspan.solvers.body.swivel import wrist_of
from armspan.solvers.body.targets import make_task
from armspan.solvers.kernel import kernel

STRETCHED_RAD = np.radians(5.0)
PUSHED = (1.05, 1.5)  # times the arm's reach
_ELBOWS = (4, 11)
_STILL = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


class PoseSet(StrEnum):
    """Which poses."""

    RANDOM = "random"
    STRETCHED = "stretched"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True)
class Poses:
    """Poses of a body whose chest is the world's origin."""

    joint_angles: Floats
    """(n, 15) they were made from, rad."""
    pushed: Floats
    """(n, 2) the wrist's distance in arm's reaches; zero: where the angles put it."""
    hands: Floats
    """(n, 2, 7) palms."""

    @property
    def chests(self) -> Floats:
        """(n, 7) all at the origin."""
        return np.tile(_STILL, (len(self.hands), 1))


def make_poses(kind: PoseSet, count: int, seed: int) -> Poses:
    """``count`` poses, the same for the same seed.

    random: angles uniform within the limits, one torso angle for both arms. stretched: the same
    with elbows at 0 to 5 degrees. unreachable: the wrist pushed away from the shoulder to 1.05 to
    1.5 times the arm's reach, out of reach for every torso angle, orientation kept.
    """
    random = np.random.default_rng(seed)
    angles, pushed = _draw(kind, count, random)
    hands = palms_of(angles, pushed)
    while kind is PoseSet.UNREACHABLE:
        again = np.flatnonzero([_some_reached(hands[i]) for i in range(count)])
        if not len(again):
            break
        angles[again], pushed[again] = _draw(kind, len(again), random)
        hands[again] = palms_of(angles[again], pushed[again])
    return Poses(angles, pushed, hands)


def _draw(kind: PoseSet, count: int, random: np.random.Generator) -> tuple[Floats, Floats]:
    angles = random.uniform(JOINT_LOWER, JOINT_UPPER, (count, len(JOINT_LOWER)))
    if kind is PoseSet.STRETCHED:
        angles[:, _ELBOWS] = random.uniform(0.0, STRETCHED_RAD, (count, 2))
    pushed = np.zeros((count, 2))
    if kind is PoseSet.UNREACHABLE:
        pushed = random.uniform(*PUSHED, (count, 2))
    return angles, pushed


def palms_of(joint_angles: Floats, pushed: Floats) -> Floats:
    """Palms (n, 2, 7) of angles (n, 15), wrists pushed out to ``pushed`` (n, 2) reaches."""
    hands = np.empty((len(joint_angles), 2, 7))
    _write_palms(DEFAULT_LENGTHS, joint_angles, pushed, hands)
    return hands


def path_between(poses: Poses, longest_step_m: float) -> Floats:
    """Palms (T, 2, 7) on a way through all poses in turn.

    Between two poses angles change evenly, so a way between poses inside the limits stays inside;
    neither elbow nor wrist nor palm moves further than ``longest_step_m`` from frame to frame.
    """
    angles: list[Floats] = []
    pushed: list[Floats] = []
    for here in range(len(poses.hands) - 1):
        ends = poses.joint_angles[here : here + 2]
        even = np.linspace(0.0, 1.0, 33)[:, None]
        probe = ends[0] + even * (ends[1] - ends[0])
        travelled = np.abs(np.diff(_arm_points(probe), axis=0)).sum(axis=-1).max()
        frames = max(1, int(np.ceil(33 * travelled / longest_step_m)))
        share = np.linspace(0.0, 1.0, frames, endpoint=False)[:, None]
        angles.append(ends[0] + share * (ends[1] - ends[0]))
        push = poses.pushed[here : here + 2]
        pushed.append(push[0] + share * (push[1] - push[0]))
    return palms_of(np.concatenate(angles), np.concatenate(pushed))


@kernel
def _write_palms(lengths: Floats, angles: Floats, pushed: Floats, hands: Floats) -> None:
    chest = np.zeros(7)
    chest[6] = 1.0
    position, rotation, torso = np.empty((2, 4, 3)), np.empty((2, 3, 4)), np.empty(4)
    reach = lengths[UPPER_ARM] + lengths[FOREARM]
    for n in range(angles.shape[0]):
        body_frames(lengths, chest, angles[n], position, rotation, torso)
        for side in range(2):
            shoulder, wrist = position[side, 0], position[side, 2]
            away = np.sqrt(np.sum((wrist - shoulder) ** 2))
            push = 0.0
            if pushed[n, side] > 0.0:
                push = pushed[n, side] * reach / away - 1.0
            for i in range(3):
                moved = push * (wrist[i] - shoulder[i])
                hands[n, side, i] = position[side, 3, i] + moved
            for i in range(4):
                hands[n, side, 3 + i] = rotation[side, 2, i]


@kernel
def _arm_points(angles: Floats) -> Floats:
    """Elbows, wrists and palms (n, 6, 3)."""
    points = np.empty((angles.shape[0], 6, 3))
    chest = np.zeros(7)
    chest[6] = 1.0
    position, rotation, torso = np.empty((2, 4, 3)), np.empty((2, 3, 4)), np.empty(4)
    for n in range(angles.shape[0]):
        body_frames(DEFAULT_LENGTHS, chest, angles[n], position, rotation, torso)
        for side in range(2):
            points[n, 3 * side : 3 * side + 3] = position[side, 1:]
    return points


@kernel
def _some_reached(hands: Floats) -> bool:
    chest = np.zeros(7)
    chest[6] = 1.0
    task = make_task(chest, hands, True, True, DEFAULT_LENGTHS)
    for side in range(2):
        if reaches_alone(wrist_of(task.palms[side], DEFAULT_LENGTHS), DEFAULT_LENGTHS):
            return True
    return False
