"""Owns what a solve aims at: palms in the chest's frame, and a hand's other frames."""

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from armspan.solvers.body.forward import Floats, arm_frames, row_angles
from armspan.solvers.body.skeleton import PALM
from armspan.solvers.dual_quaternion import (
    Dual,
    dq_from_pose,
    dq_inverse,
    dq_mirrored,
    dq_mul,
    dq_position,
    dq_real,
    dq_shift,
)
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Quat, Vec, quat_log, quat_normalised

SOLVED_M = 1e-3
SOLVED_RAD = math.radians(1.0)

Twist = tuple[float, float, float, float, float, float]


class HandFrame(IntEnum):
    """Where on a hand a pose was taken."""

    PALM = 0
    WRIST = 1
    GRIP = 2


class Task(NamedTuple):
    """One body's solve; pairs are [left, right]."""

    palms: tuple[Dual, Dual]
    """Wanted palms in the chest's frame, the left one mirrored: both as right arms see them."""
    tracked: tuple[bool, bool]
    """Which hands have a target."""
    lengths: Floats
    """(11,) metres."""


# Hand frame as the grip sees it: grip X, Y, Z are a right hand's +Y, +Z, +X (left: -Y, +Z, -X).
_GRIP_FROM_HAND: tuple[Quat, Quat] = ((-0.5, 0.5, 0.5, 0.5), (-0.5, -0.5, -0.5, 0.5))


@kernel
def pose_dual(pose: Floats) -> Dual:
    """Dual quaternion of a pose (7,): position xyz in metres, rotation xyzw of any length."""
    rotation = quat_normalised((pose[3], pose[4], pose[5], pose[6]))
    return dq_from_pose((pose[0], pose[1], pose[2]), rotation)


@kernel
def write_pose(dual: Dual, pose: Floats) -> None:
    """Write a dual quaternion as position xyz, rotation xyzw into ``pose`` (7,)."""
    pose[0], pose[1], pose[2] = dq_position(dual)
    pose[3], pose[4], pose[5], pose[6] = dq_real(dual)


@kernel
def palm_from_hand(frame: int, side: int, lengths: Floats) -> Dual:
    """Where the palm's frame is in that of a ``HandFrame`` of a hand (0 left, 1 right)."""
    if frame == HandFrame.WRIST:
        return dq_from_pose((0.0, 0.0, -lengths[PALM]), (0.0, 0.0, 0.0, 1.0))
    if frame == HandFrame.GRIP:
        return dq_from_pose((0.0, 0.0, 0.0), _GRIP_FROM_HAND[side])
    return dq_from_pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


@kernel
def make_task(chest: Floats, hands: Floats, left: bool, right: bool, lengths: Floats) -> Task:
    """Aim at the world palms ``hands`` (2, 7) from the world pose ``chest`` (7,).

    A hand that is not tracked may hold anything finite.
    """
    chest_from_world = dq_inverse(pose_dual(chest))
    return Task(
        (
            dq_mirrored(dq_mul(chest_from_world, pose_dual(hands[0]))),
            dq_mul(chest_from_world, pose_dual(hands[1])),
        ),
        (left, right),
        lengths,
    )


@kernel
def twist_between(target: Dual, palm: Dual) -> Twist:
    """Move (m) and turn (rotation vector, rad) that would carry ``palm`` onto ``target``."""
    a, b = dq_position(target), dq_position(palm)
    turn = quat_log(dq_real(dq_mul(target, dq_inverse(palm))))
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2], turn[0], turn[1], turn[2])


@kernel
def pose_error(target: Dual, palm: Dual) -> tuple[float, float]:
    """Distance in metres and angle in radians between two frames."""
    t = twist_between(target, palm)
    return (
        math.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]),
        math.sqrt(t[3] * t[3] + t[4] * t[4] + t[5] * t[5]),
    )


@kernel
def all_solved(task: Task, angles: Floats) -> bool:
    """Whether every tracked palm is within 1 mm and 1 degree; ``angles`` (2, 8), right arms."""
    for side in range(2):
        if task.tracked[side]:
            palm = arm_frames(row_angles(angles, side), task.lengths)[3]
            off, turned = pose_error(task.palms[side], palm)
            if not (off <= SOLVED_M and turned <= SOLVED_RAD):
                return False
    return True


@kernel
def worst_error(task: Task, angles: Floats) -> tuple[float, float]:
    """The larger distance (m) and turn (rad) of the tracked palms; ``angles`` (2, 8)."""
    off, turned = 0.0, 0.0
    for side in range(2):
        if task.tracked[side]:
            palm = arm_frames(row_angles(angles, side), task.lengths)[3]
            error = pose_error(task.palms[side], palm)
            off, turned = max(off, error[0]), max(turned, error[1])
    return off, turned


def palms_from_hands(hands: Floats, frame: HandFrame, lengths: Floats) -> Floats:
    """World palms (T, 2, 7) of hands given in another frame; NaN rows stay NaN."""
    palms = np.empty_like(hands)
    _write_palms(np.ascontiguousarray(hands), int(frame), lengths, palms)
    return palms


@kernel
def _write_palms(hands: Floats, frame: int, lengths: Floats, palms: Floats) -> None:
    for side in range(2):
        hand_from_palm = palm_from_hand(frame, side, lengths)
        for row in range(hands.shape[0]):
            write_pose(dq_mul(pose_dual(hands[row, side]), hand_from_palm), palms[row, side])


def shifted(heads: Floats, offset: Vec) -> Floats:
    """Poses (T, 7) of frames moved by ``offset`` (m) along their own axes."""
    moved = np.empty_like(heads)
    _write_moved(np.ascontiguousarray(heads), offset, moved)
    return moved


@kernel
def _write_moved(poses: Floats, offset: Vec, moved: Floats) -> None:
    for row in range(poses.shape[0]):
        write_pose(dq_shift(pose_dual(poses[row]), offset), moved[row])
