"""Owns the one compiled call that solves a session's bodies: sensors in, joint angles out."""

import math
from enum import IntEnum

import numpy as np
from armspan.solvers.body.blend import (
    HEAD,
    LEFT,
    MEMORY_SIZE,
    RIGHT,
    STEADY,
    blend_arms,
    blend_chest,
    blended_yaw,
    is_settled,
    note_tracking,
    provenance_of,
    write_rest,
    write_shown,
)
from armspan.solvers.body.chest import chest_from_head, stand_at_origin
from armspan.solvers.body.coupled import solve_coupled
from armspan.solvers.body.forward import Floats, arm_angles, arm_frames
from armspan.solvers.body.luciano import LUCIANO_ROOM, luciano_scratch_in, solve_luciano
from armspan.solvers.body.polish import polish_scratch_in
from armspan.solvers.body.reach import YawPlan, plan_yaw
from armspan.solvers.body.robust import ROBUST_ROOM, Outcome, robust_scratch_in, solve_robust
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER, DEFAULT_LENGTHS
from armspan.solvers.body.steady import STEADY_ROOM, follow, remember
from armspan.solvers.body.targets import SOLVED_M, SOLVED_RAD, Task, make_task, pose_error
from armspan.solvers.dual_quaternion import Dual
from armspan.solvers.kernel import kernel
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

CONVERGED, IN_LIMITS, REACHABLE = 1, 2, 4
"""Bits of a hand's status: 1 mm and 1 degree from its sensor; all angles of the arm inside their
limits; not proved to be out of reach."""

_ROUNDING_RAD = 1e-9


class Method(IntEnum):
    """Which solver serves a session."""

    LUCIANO = 0
    ROBUST = 1
    COUPLED = 2


_AFTER_STEADY = 16 + STEADY_ROOM
_ROOM = _AFTER_STEADY + max(ROBUST_ROOM, LUCIANO_ROOM)


@kernel
def make_room() -> Floats:
    """Allocate a thread's work memory: once a call that solves many bodies.

    One array: what a solve passes on is small, and each part cuts its work arrays out of it.
    """
    return np.zeros(_ROOM)


@kernel
def solve_arms(
    method: int, task: Task, chest: Floats, moving: bool, dt_s: float, memory: Floats,
    joint_angles: Floats, room: Floats,
) -> Outcome:  # fmt: skip
    """Write one body's 15 angles to show, ``dt_s`` after the last frame of a motion.

    ``chest`` (7,) is the pose that the task was made from. Of a frame that stands alone (not
    ``moving``) nothing is remembered.
    """
    angles = room[:16].reshape((2, 8))
    write_rest(angles, LEFT)
    write_rest(angles, RIGHT)
    angles[0, 0], angles[1, 0] = 0.0, 0.0
    outcome = Outcome(0, False)
    if task.tracked[0] or task.tracked[1]:
        outcome = _solve(method, task, moving, memory, angles, room[_AFTER_STEADY:])
    else:
        angles[1, 0] = blended_yaw(memory, 0.0)
        angles[0, 0] = -angles[1, 0]
    blend_arms(memory, angles)
    if moving and method == Method.ROBUST:
        _calm(task, chest, dt_s, memory, angles, room[16:])
    write_shown(memory, angles, joint_angles)
    return outcome


@kernel
def _calm(
    task: Task, chest: Floats, dt_s: float, memory: Floats, angles: Floats, room: Floats
) -> None:
    """Draw the goal to what may be shown, and remember that."""
    steady = memory[STEADY:]
    settled = (
        task.tracked[0] and is_settled(memory, LEFT),
        task.tracked[1] and is_settled(memory, RIGHT),
    )
    follow(Task(task.palms, settled, task.lengths), steady, chest, dt_s, angles, room)
    remember(task, steady, chest, angles)


@kernel
def _solve(
    method: int, task: Task, moving: bool, memory: Floats, angles: Floats, room: Floats
) -> Outcome:
    plan = plan_yaw(task)
    if plan.low <= plan.high:
        yaw = min(max(blended_yaw(memory, plan.preferred), plan.low), plan.high)
        plan = YawPlan(yaw, plan.low, plan.high, plan.alone)
    if method == Method.ROBUST:
        return solve_robust(task, plan, moving, angles, robust_scratch_in(room))
    if method == Method.LUCIANO:
        iterations = solve_luciano(task, angles, luciano_scratch_in(room))
    else:
        iterations = solve_coupled(task, angles, polish_scratch_in(room))
    return Outcome(iterations, plan.low > plan.high)


@kernel
def arm_in_limits(joint_angles: Floats, side: int) -> bool:
    """Whether all 8 angles of an arm, the torso's among them, are inside their limits."""
    angles = arm_angles(joint_angles, side)
    for joint in range(8):
        inside = (
            ARM_LOWER[joint] - _ROUNDING_RAD <= angles[joint] <= ARM_UPPER[joint] + _ROUNDING_RAD
        )
        if not inside:
            return False
    return True


@kernel
def palm_error(task: Task, side: int, palm: Dual) -> tuple[float, float]:
    """Metres and radians from a ``palm`` to its target; NaN for a hand without one."""
    return pose_error(task.palms[side], palm) if task.tracked[side] else (math.nan, math.nan)


@kernel
def hand_status(task: Task, joint_angles: Floats, side: int, impossible: bool) -> int:
    """The bits CONVERGED, IN_LIMITS, REACHABLE of one hand.

    A hand is out of reach if it is proved that no posture puts all hands where they are asked to
    be, and this is one that is not there.
    """
    palm = arm_frames(arm_angles(joint_angles, side), task.lengths)[3]
    off, turned = palm_error(task, side, palm)
    converged = off <= SOLVED_M and turned <= SOLVED_RAD
    status = CONVERGED if converged else 0
    status |= IN_LIMITS if arm_in_limits(joint_angles, side) else 0
    reachable = task.tracked[side] and (converged or not impossible)
    return status | (REACHABLE if reachable else 0)


@kernel
def _solve_rows(method: int, dt_s: float, rows: NDArray[np.int32], lengths: Floats, heads: Floats,
                hands: Floats, tracked: Bytes, memory: Floats, chests: Floats,
                joint_angles: Floats, provenance: Bytes, status: Bytes) -> None:  # fmt: skip
    room = make_room()
    for row in rows:
        head = tracked[row, 0] != 0
        left, right = tracked[row, 1] != 0, tracked[row, 2] != 0
        note_tracking(memory[row], dt_s, left, right, head)
        provenance[row, 0] = provenance_of(memory[row], HEAD)
        provenance[row, 1] = provenance_of(memory[row], LEFT)
        provenance[row, 2] = provenance_of(memory[row], RIGHT)
        if head:
            chest_from_head(lengths[row], heads[row], hands[row], left, right, chests[row])
        else:
            stand_at_origin(lengths[row], chests[row])
        blend_chest(memory[row], lengths[row], heads[row], chests[row])
        task = make_task(chests[row], hands[row], left, right, lengths[row])
        outcome = solve_arms(
            method, task, chests[row], True, dt_s, memory[row], joint_angles[row], room
        )
        for side in range(2):
            status[row, side] = hand_status(task, joint_angles[row], side, outcome.impossible)


def solve_bodies(
    method: Method,
    dt_s: float,
    rows: NDArray[np.int32],
    lengths: Floats,
    world_from_head: Floats,
    world_from_hand: Floats,
    tracked: Bytes,
    memory: Floats,
    world_from_chest: Floats,
    joint_angles: Floats,
    provenance: Bytes,
    status: Bytes,
) -> None:
    """Solve the bodies in ``rows`` (M,): one compiled call for a whole session.

    Read: ``lengths`` (N, 11) metres, ``world_from_head`` (N, 7) between the eyes,
    ``world_from_hand`` (N, 2, 7) palms, ``tracked`` (N, 3) of head, left, right.
    Read and written: ``memory`` (N, MEMORY_SIZE), zeros for a new body.
    Written: ``world_from_chest`` (N, 7), ``joint_angles`` (N, 15) radians, ``provenance`` (N, 3)
    of 0 lost, 1 inferred, 2 tracked, ``status`` (N, 2) of bits CONVERGED, IN_LIMITS, REACHABLE.

    Poses are position xyz in metres and rotation xyzw, sides are [left, right]; arrays belong to
    the caller, are C-contiguous, and only their rows in ``rows`` are touched. ``dt_s`` is the
    time since the last call. Input must be finite: the edge of the server sees to that.
    """
    _solve_rows(
        int(method), dt_s, rows, lengths, world_from_head, world_from_hand, tracked, memory,
        world_from_chest, joint_angles, provenance, status,
    )  # fmt: skip


def warm_up() -> None:
    """Compile everything a server calls, or load it from the cache."""
    pose = np.array([0.0, 1.5, 0.0, 0.0, 0.0, 0.0, 1.0])
    for method in Method:
        solve_bodies(
            method,
            1.0 / 60.0,
            np.zeros(1, np.int32),
            DEFAULT_LENGTHS.reshape(1, -1).copy(),
            pose.reshape(1, 7),
            np.tile(pose, (1, 2, 1)),
            np.ones((1, 3), np.uint8),
            np.zeros((1, MEMORY_SIZE)),
            np.zeros((1, 7)),
            np.zeros((1, 15)),
            np.zeros((1, 3), np.uint8),
            np.zeros((1, 2), np.uint8),
        )
