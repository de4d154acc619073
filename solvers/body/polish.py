"""Owns the coupled two-arm step: Levenberg-Marquardt on dual quaternions, inside the limits.

Both arms share the torso's yaw. With W the weights of the free joints (1 or 0), J an arm's
6 x 7 Jacobian of its own joints and t its column of the torso, one damped step solves

    (blockdiag(J W J' + lambda) + t t') y = e

for 12 multipliers and the torso's step together. The coupling has rank one, so two 6 x 6
factorisations and one scalar division solve the 13 x 13 system exactly (Sherman-Morrison).
Errors are screws read off dual quaternions, rotation weighed at 0.1 m/rad. The joints' bounds are
an argument: the limits of people, or none.
"""

from typing import NamedTuple

import numpy as np
from armspan.solvers.body.forward import Floats, arm_frames, arm_screws, row_angles
from armspan.solvers.body.linear import factorise, solve
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.body.targets import Task, pose_error, twist_between
from armspan.solvers.dual_quaternion import dq_position
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec

ROTATION_WEIGHT = 0.1  # metres a radian: what a turn of the hand costs against its place
PLACE_FIRST = 0.01  # the same where the palm is to be in its place, and the hand may be turned
_DAMPING_START = 1e-4  # square metres
_DAMPING_LEAST = 1e-10
_DAMPING_MOST = 1e2
_LONGEST_STEP = 0.8  # rad: beyond it the linear model means little
_WORTHWHILE = 0.5  # share of the cost a step must win: near an answer it wins nearly all
_EXACT = 1e-14  # square metres: a tenth of a micrometre

# Lowest and highest angle of a right arm's 8 joints, rad: (2, 8).
WITHIN_LIMITS: Floats = np.array([ARM_LOWER, ARM_UPPER])
WITHOUT_LIMITS: Floats = np.array([[-np.inf] * 8, [np.inf] * 8])
for _table in (WITHIN_LIMITS, WITHOUT_LIMITS):
    _table.setflags(write=False)


POLISH_ROOM = 308  # numbers


class PolishScratch(NamedTuple):
    """Work arrays; the first axis of each is the side."""

    jacobian: Floats  # (2, 8, 6): a joint's effect on the twist, weighed
    error: Floats  # (2, 6): twist still missing, weighed
    free: Floats  # (2, 8): 1 for a joint that takes part in a step, else 0
    normal: Floats  # (2, 6, 6): J W J' of the arm's own joints, lower triangle
    system: Floats  # (2, 6, 6): the same damped, then its factor
    multipliers: Floats  # (2, 6)
    coupling: Floats  # (2, 6)
    trial: Floats  # (2, 8)


@kernel
def polish_scratch_in(room: Floats) -> PolishScratch:
    """Cut the work arrays out of ``room``, at least ``POLISH_ROOM`` long."""
    return PolishScratch(
        room[0:96].reshape((2, 8, 6)),
        room[96:108].reshape((2, 6)),
        room[108:124].reshape((2, 8)),
        room[124:196].reshape((2, 6, 6)),
        room[196:268].reshape((2, 6, 6)),
        room[268:280].reshape((2, 6)),
        room[280:292].reshape((2, 6)),
        room[292:308].reshape((2, 8)),
    )


@kernel
def polish_scratch() -> PolishScratch:
    """Allocate the work arrays: once a call that solves many bodies."""
    return polish_scratch_in(np.zeros(POLISH_ROOM))


@kernel
def polish(task: Task, angles: Floats, weight: float, most: int, scratch: PolishScratch) -> int:
    """Bring both palms as near to the task's as the limits allow; return the iterations.

    ``angles`` (2, 8) of right arms, left first, inside the limits, are improved in place, rad.
    ``weight`` (m/rad) is what a turn costs. Only tracked arms move. Every iteration lowers the
    cost or ends the search, so the answer is never worse than the start.
    """
    damping, bounds = _DAMPING_START, WITHIN_LIMITS
    cost = write_step(task, angles, weight, bounds, scratch)
    for iteration in range(most):
        if cost < _EXACT:
            return iteration
        won, new_cost = False, cost
        while not won and damping < _DAMPING_MOST:
            write_trial(task.tracked, angles, damping, _LONGEST_STEP, bounds, scratch)
            new_cost = cost_of(task, scratch.trial, weight)
            won = new_cost < cost
            damping = max(0.1 * damping, _DAMPING_LEAST) if won else 6.0 * damping
        if not won:
            return iteration
        enough = cost - new_cost < _WORTHWHILE * cost
        take_trial(angles, scratch)
        if enough:
            return iteration + 1
        cost = write_step(task, angles, weight, bounds, scratch)
    return most


@kernel
def take_trial(angles: Floats, scratch: PolishScratch) -> None:
    """Make the angles that were tried the body's."""
    for side in range(2):
        for joint in range(8):
            angles[side, joint] = scratch.trial[side, joint]


@kernel
def cost_of(task: Task, angles: Floats, weight: float) -> float:
    """Square metres: what the tracked palms miss, a turn weighed by ``weight`` (m/rad)."""
    total = 0.0
    for side in range(2):
        if task.tracked[side]:
            palm = arm_frames(row_angles(angles, side), task.lengths)[3]
            off, turned = pose_error(task.palms[side], palm)
            total += off * off + weight * weight * turned * turned
    return total


@kernel
def write_step(
    task: Task, angles: Floats, weight: float, bounds: Floats, scratch: PolishScratch
) -> float:
    """Fill errors, Jacobians and undamped systems at ``angles``; return the cost."""
    total, torso_pull = 0.0, 0.0
    for side in range(2):
        if task.tracked[side]:
            jacobian, error = scratch.jacobian[side], scratch.error[side]
            palm = arm_screws(row_angles(angles, side), task.lengths, jacobian)
            twist = twist_between(task.palms[side], palm)
            for i in range(6):
                error[i] = twist[i] if i < 3 else weight * twist[i]
                total += error[i] * error[i]
            _screws_to_columns(jacobian, dq_position(palm), weight)
            torso_pull += _pull(jacobian[0], error) * (1.0 if side == 1 else -1.0)
            for joint in range(1, 8):
                pull = _pull(jacobian[joint], error)
                scratch.free[side, joint] = _is_free(angles[side, joint], pull, joint, bounds)
            _write_normal(jacobian, scratch.free[side], scratch.normal[side])
    scratch.free[1, 0] = _is_free(angles[1, 0], torso_pull, 0, bounds)
    return total


@kernel
def _screws_to_columns(rows: Floats, point: Vec, weight: float) -> None:
    """Turn screws (axis, moment) into what they do at ``point``: its motion, weighed turn."""
    px, py, pz = point
    for j in range(8):
        ax, ay, az = rows[j, 0], rows[j, 1], rows[j, 2]
        rows[j, 0] = rows[j, 3] + ay * pz - az * py
        rows[j, 1] = rows[j, 4] + az * px - ax * pz
        rows[j, 2] = rows[j, 5] + ax * py - ay * px
        rows[j, 3] = weight * ax
        rows[j, 4] = weight * ay
        rows[j, 5] = weight * az


@kernel
def _pull(column: Floats, error: Floats) -> float:
    """Which way, and how much, the error pulls a joint."""
    total = 0.0
    for i in range(6):
        total += column[i] * error[i]
    return total


@kernel
def _is_free(angle: float, pull: float, joint: int, bounds: Floats) -> float:
    """A joint that stands on a bound and is pulled against it takes no part in a step."""
    held = (angle <= bounds[0, joint] and pull < 0.0) or (angle >= bounds[1, joint] and pull > 0.0)
    return 0.0 if held else 1.0


@kernel
def _write_normal(jacobian: Floats, free: Floats, normal: Floats) -> None:
    for i in range(6):
        for k in range(i + 1):
            total = 0.0
            for joint in range(1, 8):
                total += free[joint] * jacobian[joint, i] * jacobian[joint, k]
            normal[i, k] = total


@kernel
def write_trial(
    tracked: tuple[bool, bool], angles: Floats, damping: float, longest_step: float,
    bounds: Floats, scratch: PolishScratch,
) -> None:  # fmt: skip
    """Write into ``scratch.trial`` the angles after one damped step, inside the bounds.

    From what ``write_step`` left in ``scratch``; a step that turns a joint by more than
    ``longest_step`` (rad) is shortened as a whole.
    """
    shared, coupled = 0.0, 1.0
    for side in range(2):
        if tracked[side]:
            system, torso = scratch.system[side], scratch.jacobian[side, 0]
            _damp(scratch.normal[side], damping, system)
            factorise(system)
            solve(system, scratch.error[side], scratch.multipliers[side])
            solve(system, torso, scratch.coupling[side])
            shared += _pull(torso, scratch.multipliers[side]) * (1.0 if side == 1 else -1.0)
            coupled += _pull(torso, scratch.coupling[side])
    torso_step = scratch.free[1, 0] * shared / coupled
    longest = abs(torso_step)
    for side in range(2):
        if tracked[side]:
            own = torso_step if side == 1 else -torso_step
            longest = max(longest, _write_arm_step(side, own, scratch))
    scale = min(1.0, longest_step / max(longest, 1e-12))
    yaw = _clamped(angles[1, 0] + scale * torso_step, 0, bounds)
    for side in range(2):
        for joint in range(1, 8):
            step = scale * scratch.trial[side, joint] if tracked[side] else 0.0
            scratch.trial[side, joint] = _clamped(angles[side, joint] + step, joint, bounds)
        scratch.trial[side, 0] = yaw if side == 1 else -yaw


@kernel
def _damp(normal: Floats, damping: float, system: Floats) -> None:
    for i in range(6):
        for k in range(i):
            system[i, k] = normal[i, k]
        system[i, i] = normal[i, i] + damping


@kernel
def _write_arm_step(side: int, torso_step: float, scratch: PolishScratch) -> float:
    """Back-substitute the torso's step into ``trial``; return the longest step of a joint."""
    multipliers, coupling = scratch.multipliers[side], scratch.coupling[side]
    for i in range(6):
        multipliers[i] -= torso_step * coupling[i]
    longest = 0.0
    for joint in range(1, 8):
        step = scratch.free[side, joint] * _pull(scratch.jacobian[side, joint], multipliers)
        scratch.trial[side, joint] = step
        longest = max(longest, abs(step))
    return longest


@kernel
def _clamped(angle: float, joint: int, bounds: Floats) -> float:
    return min(max(angle, bounds[0, joint]), bounds[1, joint])
