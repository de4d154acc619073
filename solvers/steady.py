"""Owns the calm of a body in motion: what is shown follows the solve without pops.

The solve knows this frame only, and where a posture inside the limits vanishes its answer is
another one, far away. What is shown goes there quickly but visibly: in a frame an elbow or a bone
goes no further than its hand's own motion explains and a little more. On the way the palms are
kept where they are asked to be by the coupled damped step. Once arrived, nothing is remembered.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.dual_quaternion import Dual, dq_position, dq_real
from armspan.solvers.forward import Floats, arm_frames, row_angles
from armspan.solvers.kernel import kernel
from armspan.solvers.person import gliding_arm
from armspan.solvers.polish import PolishScratch, polish
from armspan.solvers.quaternion import Quat
from armspan.solvers.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.swivel import CIRCLE_ROWS
from armspan.solvers.targets import Task, pose_error, worst_error

FRAME_S = 1.0 / 90.0
_ELBOW_M, _BONE_RAD = 0.012, math.radians(7.0)  # what a hand at rest explains in a frame
_PER_METRE, _PER_RADIAN = 2.0, 0.25  # an elbow's way for its hand's way and turn
_TURN_PER_METRE, _TURN_PER_RADIAN = 5.0, 2.0  # a bone's turn for the same
_MOST_ELBOW_M, _MOST_BONE_RAD = 0.045, math.radians(27.0)  # of a calm hand, whatever it explains
_POLISH_ITERATIONS = 4
_TORSO_RAD = math.radians(2.5)
_GLIDE_M = 0.02
_ATTEMPTS = 4
_GLIDE_RAD = 0.25
_PATIENCE_S = 0.8  # palms are kept in place for so long on the way, then the way counts
_HOLD_S = 0.4  # and for so long a posture of its own is kept if the way is blocked
_PLACE_FIRST = 0.01  # m/rad
_SOLVED = 1e-6  # square metres
_HALVINGS = 6

# Columns of the memory.
SINCE, ANGLES, FRAMES = 0, 1, 17  # seconds on the way; (2, 8) angles; (2, 4) dual quaternions
STEADY_SIZE = 17 + 2 * 4 * 8
_UPPER, _FORE, _PALM, _ASKED = 0, 1, 2, 3


class SteadyScratch(NamedTuple):
    """Work arrays of one body."""

    goal: Floats  # (2, 8)
    circle: Floats


@kernel
def steady_scratch() -> SteadyScratch:
    """Allocate the work arrays: once a call that solves many bodies."""
    return SteadyScratch(np.zeros((2, 8)), np.zeros((CIRCLE_ROWS, 3)))


@kernel
def _dual(memory: Floats, side: int, which: int) -> Dual:
    i = FRAMES + 32 * side + 8 * which
    return (memory[i], memory[i + 1], memory[i + 2], memory[i + 3],
            memory[i + 4], memory[i + 5], memory[i + 6], memory[i + 7])  # fmt: skip


@kernel
def _keep(memory: Floats, side: int, which: int, frame: Dual) -> None:
    i = FRAMES + 32 * side + 8 * which
    for k in range(8):
        memory[i + k] = frame[k]


@kernel
def _turn(a: Quat, b: Quat) -> float:
    """The angle between two rotations, rad."""
    d = abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3])
    return 2.0 * math.acos(min(d, 1.0))


@kernel
def _distance(a: Dual, b: Dual) -> float:
    p, q = dq_position(a), dq_position(b)
    return math.sqrt((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2)


@kernel
def _allowed(task: Task, memory: Floats, side: int, frames: float) -> tuple[float, float, float, float]:
    """What elbow (m) and bones (rad) may do: to be shown at once, and at most."""
    moved, turned = pose_error(task.palms[side], _dual(memory, side, _ASKED))
    calm_m, calm_rad = _MOST_ELBOW_M * frames, _MOST_BONE_RAD * frames
    if moved > 0.02 * frames or turned > 0.17 * frames:
        calm_m, calm_rad = max(calm_m, 2.5 * moved), max(calm_rad, 2.5 * turned)
    elbow = frames * _ELBOW_M + _PER_METRE * moved + _PER_RADIAN * turned
    bone = frames * _BONE_RAD + _TURN_PER_METRE * moved + _TURN_PER_RADIAN * turned
    return min(elbow, calm_m), min(bone, calm_rad), calm_m, calm_rad


@kernel
def _stride(task: Task, memory: Floats, angles: Floats, frames: float, most: bool) -> float:
    """How much further than allowed the angles are from what was shown: 1 is just allowed."""
    worst = 0.0
    for side in range(2):
        if task.tracked[side]:
            soft_m, soft_rad, hard_m, hard_rad = _allowed(task, memory, side, frames)
            way, turn = (hard_m, hard_rad) if most else (soft_m, soft_rad)
            _, upper, fore, palm = arm_frames(row_angles(angles, side), task.lengths)
            worst = max(worst, _distance(fore, _dual(memory, side, _FORE)) / way)
            worst = max(worst, _turn(dq_real(upper), dq_real(_dual(memory, side, _UPPER))) / turn)
            worst = max(worst, _turn(dq_real(fore), dq_real(_dual(memory, side, _FORE))) / turn)
            worst = max(worst, _turn(dq_real(palm), dq_real(_dual(memory, side, _PALM))) / turn)
    return worst


@kernel
def _write_between(memory: Floats, goal: Floats, share: float, angles: Floats) -> None:
    for side in range(2):
        for joint in range(8):
            start = memory[ANGLES + 8 * side + joint]
            angles[side, joint] = start + share * (goal[side, joint] - start)


@kernel
def follow(task: Task, memory: Floats, dt_s: float, angles: Floats, scratch: SteadyScratch,
           polishing: PolishScratch) -> None:  # fmt: skip
    """Draw the solve's ``angles`` (2, 8) to what may be shown ``dt_s`` after the last frame.

    ``memory`` (STEADY_SIZE,) holds what was shown then (its first number negative: nothing was).
    """
    if memory[SINCE] >= 0.0 and dt_s > 0.0:
        frames = dt_s / FRAME_S
        stride = _stride(task, memory, angles, frames, False)
        if stride <= 1.0:
            memory[SINCE] = 0.0
        else:
            _approach(task, memory, frames, stride, angles, scratch, polishing)
            memory[SINCE] += dt_s
    else:
        memory[SINCE] = 0.0


@kernel
def _approach(task: Task, memory: Floats, frames: float, stride: float, angles: Floats,
              scratch: SteadyScratch, polishing: PolishScratch) -> None:  # fmt: skip
    """Go a part of the way to the goal that ``angles`` hold, the palms in their places."""
    for side in range(2):
        for joint in range(8):
            scratch.goal[side, joint] = angles[side, joint]
    for attempt in range(_ATTEMPTS):
        if attempt < 2:
            _glide(task, memory, frames, 1.0 if attempt == 0 else 0.5, angles, scratch)
        elif attempt == 2:
            if memory[SINCE] > _HOLD_S:
                continue
            _write_between(memory, scratch.goal, 0.0, angles)
        else:
            _write_share(task, memory, stride, frames, angles, scratch)
        if worst_error(task, angles)[0] > 1e-4:
            polish(task, angles, _PLACE_FIRST, _POLISH_ITERATIONS, polishing)
        if _stride(task, memory, angles, frames, True) <= 1.0:
            return
    _write_share(task, memory, stride, frames, angles, scratch)


@kernel
def _write_share(task: Task, memory: Floats, stride: float, frames: float, angles: Floats,
                 scratch: SteadyScratch) -> None:  # fmt: skip
    share = 1.0 / stride
    for _ in range(_HALVINGS):
        _write_between(memory, scratch.goal, share, angles)
        if _stride(task, memory, angles, frames, False) <= 1.0:
            break
        share *= 0.5


@kernel
def _glide(task: Task, memory: Floats, frames: float, pace: float, angles: Floats,
           scratch: SteadyScratch) -> None:  # fmt: skip
    """Torso and elbows go towards the goal's."""
    turn = _TORSO_RAD * frames * pace
    start = memory[ANGLES + 8]
    yaw = start + min(max(scratch.goal[1, 0] - start, -turn), turn)
    for side in range(2):
        if task.tracked[side]:
            own = yaw if side == 1 else -yaw
            elbow = dq_position(_dual(memory, side, _FORE))
            goal = arm_frames(row_angles(scratch.goal, side), task.lengths)[2]
            most = pace * min(_allowed(task, memory, side, frames)[0], _GLIDE_M * frames)
            got = gliding_arm(task.palms[side], elbow, dq_position(goal), most,
                              _GLIDE_RAD * frames * pace, own, task.lengths, scratch.circle)
            for joint in range(8):
                angles[side, joint] = min(max(got[joint], ARM_LOWER[joint]), ARM_UPPER[joint])
        else:
            angles[side, 0] = yaw if side == 1 else -yaw


@kernel
def remember(task: Task, memory: Floats, angles: Floats) -> None:
    """Note what is shown, and what was asked for."""
    for side in range(2):
        _, upper, fore, palm = arm_frames(row_angles(angles, side), task.lengths)
        _keep(memory, side, _UPPER, upper)
        _keep(memory, side, _FORE, fore)
        _keep(memory, side, _PALM, palm)
        _keep(memory, side, _ASKED, task.palms[side])
        for joint in range(8):
            memory[ANGLES + 8 * side + joint] = angles[side, joint]
