"""Owns the 2001 method of Luciano, Banerjee & Mehrotra, kept faithfully as the reference.

Newton-Raphson on the palm's dual quaternion: eight numbers, eight joints, the step is the
pseudo-inverse of the Jacobian times the difference to the target. Every frame starts again with
all angles zero. Two arms iterate side by side, each with its own torso yaw, and take the average
of both after every iteration. Joint limits are not known to it.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.body.forward import Floats, arm_screws, row_angles
from armspan.solvers.body.linear import LeastNormScratch, least_norm_scratch_in, solve_least_norm
from armspan.solvers.body.targets import Task, all_solved
from armspan.solvers.dual_quaternion import Dual, dq_dual, dq_join, dq_real
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Quat, quat_mul

MOST_ITERATIONS = 60
_RANK_TOLERANCE = 1e-6  # of the largest column: what counts as no direction at all
_FARTHEST_RAD = 1e6  # a step beyond it has lost the target for good


LUCIANO_ROOM = 272  # numbers


class LucianoScratch(NamedTuple):
    """Work arrays of one solve."""

    screws: Floats  # (8, 6)
    jacobian: Floats  # (8, 8)
    residual: Floats  # (8,)
    step: Floats  # (8,)
    least_norm: LeastNormScratch


@kernel
def luciano_scratch_in(room: Floats) -> LucianoScratch:
    """Cut the work arrays out of ``room``, at least ``LUCIANO_ROOM`` long."""
    return LucianoScratch(
        room[0:48].reshape((8, 6)),
        room[48:112].reshape((8, 8)),
        room[112:120],
        room[120:128],
        least_norm_scratch_in(room[128:]),
    )


@kernel
def luciano_scratch() -> LucianoScratch:
    """Allocate the work arrays: once a call that solves many bodies."""
    return luciano_scratch_in(np.zeros(LUCIANO_ROOM))


@kernel
def solve_luciano(task: Task, angles: Floats, scratch: LucianoScratch) -> int:
    """Solve one body; return the iterations (``MOST_ITERATIONS`` + 1: not solved).

    Writes ``angles`` (2, 8) in radians, left first, both as right arms, wrapped to one turn.
    Arms without a target keep what they hold but for the torso.
    """
    for side in range(2):
        if task.tracked[side]:
            for joint in range(8):
                angles[side, joint] = 0.0
    iterations = 0
    while not all_solved(task, angles):
        iterations += 1
        if iterations > MOST_ITERATIONS or not _all_step(task, angles, scratch):
            iterations = MOST_ITERATIONS + 1
            break
    for side in range(2):
        if not task.tracked[side]:
            angles[side, 0] = -angles[1 - side, 0]
        for joint in range(8):
            turns = math.floor(angles[side, joint] / (2.0 * math.pi) + 0.5)
            angles[side, joint] -= 2.0 * math.pi * turns
    return iterations


@kernel
def _all_step(task: Task, angles: Floats, scratch: LucianoScratch) -> bool:
    """One iteration of every tracked arm, then one torso for both; False once all is lost."""
    for side in range(2):
        if task.tracked[side] and not _step(task, angles, side, scratch):
            return False
    if task.tracked[0] and task.tracked[1]:
        yaw = 0.5 * (angles[1, 0] - angles[0, 0])  # the left arm is mirrored: its yaw is negated
        angles[0, 0], angles[1, 0] = -yaw, yaw
    return True


@kernel
def _step(task: Task, angles: Floats, side: int, scratch: LucianoScratch) -> bool:
    palm = arm_screws(row_angles(angles, side), task.lengths, scratch.screws)
    target = task.palms[side]
    # a dual quaternion and its negative are one frame: take the nearer
    near = target[0] * palm[0] + target[1] * palm[1] + target[2] * palm[2] + target[3] * palm[3]
    sign = 1.0 if near >= 0.0 else -1.0
    for i in range(8):
        scratch.residual[i] = sign * target[i] - palm[i]
    for joint in range(8):
        column = _derivative(scratch.screws[joint], palm)
        for i in range(8):
            scratch.jacobian[i, joint] = column[i]
    solve_least_norm(
        scratch.jacobian, scratch.residual, _RANK_TOLERANCE, scratch.least_norm, scratch.step
    )
    for joint in range(8):
        if not abs(angles[side, joint] + scratch.step[joint]) < _FARTHEST_RAD:
            return False
    for joint in range(8):
        angles[side, joint] += scratch.step[joint]
    return True


@kernel
def _derivative(screw: Floats, palm: Dual) -> Dual:
    """d palm / d angle = screw times palm, halved; the screw is a pure dual quaternion."""
    axis: Quat = (0.5 * screw[0], 0.5 * screw[1], 0.5 * screw[2], 0.0)
    moment: Quat = (0.5 * screw[3], 0.5 * screw[4], 0.5 * screw[5], 0.0)
    a = quat_mul(axis, dq_dual(palm))
    b = quat_mul(moment, dq_real(palm))
    return dq_join(
        quat_mul(axis, dq_real(palm)), (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])
    )
