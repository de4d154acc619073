"""Owns the one compiled call that solves a session's bodies: sensors in, joint angles out."""

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from armspan.solvers.blend import (
    HEAD,
    LEFT,
    MEMORY_SIZE,
    RIGHT,
    STEADY,
    blend_chest,
    blended_yaw,
    is_settled,
    note_tracking,
    provenance_of,
    write_rest,
    write_shown,
)
from armspan.solvers.chest import chest_from_head, stand_at_origin
from armspan.solvers.coupled import solve_coupled
from armspan.solvers.forward import Floats, arm_angles, arm_frames
from armspan.solvers.kernel import kernel
from armspan.solvers.luciano import LucianoScratch, luciano_scratch, solve_luciano
from armspan.solvers.reach import YawPlan, plan_yaw
from armspan.solvers.robust import Outcome, RobustScratch, robust_scratch, solve_robust
from armspan.solvers.skeleton import ARM_LOWER, ARM_UPPER, DEFAULT_LENGTHS
from armspan.solvers.steady import SteadyScratch, follow, remember, steady_scratch
from armspan.solvers.targets import SOLVED_M, SOLVED_RAD, Task, make_task, pose_error
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


class Workspace(NamedTuple):
    """Work arrays of one thread."""

    angles: Floats  # (2, 8)
    robust: RobustScratch
    steady: SteadyScratch
    luciano: LucianoScratch


@kernel
def make_workspace() -> Workspace:
    """Allocate the work arrays: once a call that solves many bodies."""
    return Workspace(np.zeros((2, 8)), robust_scratch(), steady_scratch(), luciano_scratch())


@kernel
def solve_arms(
    method: int, task: Task, moving: bool, dt_s: float, memory: Floats, joint_angles: Floats,
    work: Workspace,
) -> Outcome:  # fmt: skip
    """Write one body's 15 angles to show, ``dt_s`` after the last frame of a motion.

    Of a frame that stands alone (not ``moving``) nothing is remembered.
    """
    write_rest(work.angles, LEFT)
    write_rest(work.angles, RIGHT)
    work.angles[0, 0], work.angles[1, 0] = 0.0, 0.0
    outcome = Outcome(0, True)
    if task.tracked[0] or task.tracked[1]:
        plan = plan_yaw(task)
        if plan.low <= plan.high:
            yaw = min(max(blended_yaw(memory, plan.preferred), plan.low), plan.high)
            plan = YawPlan(yaw, plan.low, plan.high, plan.alone)
        outcome = _solve(method, task, plan, moving, work)
    if moving:
        settled = (
            task.tracked[0] and is_settled(memory, LEFT),
            task.tracked[1] and is_settled(memory, RIGHT),
        )
        if method == Method.ROBUST and (settled[0] or settled[1]):
            shown = Task(task.palms, settled, task.lengths)
            follow(shown, memory[STEADY:], dt_s, work.angles, work.steady, work.robust.polish)
    write_shown(memory, work.angles, joint_angles)
    if moving and method == Method.ROBUST:
        for side in range(2):
            angles = arm_angles(joint_angles, side)
            for joint in range(8):
                work.angles[side, joint] = angles[joint]
        remember(task, memory[STEADY:], work.angles)
    return outcome


@kernel
def _solve(method: int, task: Task, plan: YawPlan, moving: bool, work: Workspace) -> Outcome:
    if method == Method.LUCIANO:
        return Outcome(solve_luciano(task, work.angles, work.luciano), plan.low > plan.high)
    if method == Method.COUPLED:
        return Outcome(solve_coupled(task, work.angles, work.robust.polish), plan.low > plan.high)
    return solve_robust(task, plan, moving, work.angles, work.robust)


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
def arm_error(task: Task, joint_angles: Floats, side: int) -> tuple[float, float]:
    """Metres and radians from the palm to its target; NaN for a hand without one."""
    if not task.tracked[side]:
        return (math.nan, math.nan)
    palm = arm_frames(arm_angles(joint_angles, side), task.lengths)[3]
    return pose_error(task.palms[side], palm)


@kernel
def hand_status(task: Task, joint_angles: Floats, side: int, certain: bool) -> int:
    """The bits CONVERGED, IN_LIMITS, REACHABLE of one hand.

    A hand is out of reach if it is proved that no posture puts all hands where they are asked to
    be, and this is one that is not there.
    """
    off, turned = arm_error(task, joint_angles, side)
    converged = off <= SOLVED_M and turned <= SOLVED_RAD
    status = CONVERGED if converged else 0
    status |= IN_LIMITS if arm_in_limits(joint_angles, side) else 0
    reachable = task.tracked[side] and (converged or not certain)
    return status | (REACHABLE if reachable else 0)


@kernel
def _solve_rows(method: int, dt_s: float, rows: NDArray[np.int32], lengths: Floats, heads: Floats,
                hands: Floats, tracked: Bytes, memory: Floats, chests: Floats,
                joint_angles: Floats, provenance: Bytes, status: Bytes) -> None:  # fmt: skip
    work = make_workspace()
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
        outcome = solve_arms(method, task, True, dt_s, memory[row], joint_angles[row], work)
        for side in range(2):
            status[row, side] = hand_status(task, joint_angles[row], side, outcome.certain)


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
