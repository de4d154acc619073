"""Owns the calm of a body in motion: what is shown follows the solve without pops.

The solve knows this frame only, and where a posture inside the limits vanishes its answer is
another one, far away. What is shown goes there quickly but visibly: in a frame no elbow goes
further, and no bone turns more, than its hand's own motion explains and a little besides. On the
way the palms stay where they are asked to be. Once arrived, nothing is remembered: the same hands
give the same posture, however many turns of a wheel came before.
"""

import math
from typing import NamedTuple

from armspan.solvers.body.forward import Floats, arm_frames, row_angles, world_dual
from armspan.solvers.body.goals import own_yaw
from armspan.solvers.body.person import Glide, gliding_arm
from armspan.solvers.body.polish import PLACE_FIRST, POLISH_ROOM, polish, polish_scratch_in
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.body.swivel import CIRCLE_ROWS
from armspan.solvers.body.targets import Task, pose_error, worst_error
from armspan.solvers.dual_quaternion import (
    Dual,
    dq_inverse,
    dq_mirrored,
    dq_mul,
    dq_position,
    dq_real,
)
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Quat

FRAME_S = 1.0 / 90.0  # what follows is for a frame of a headset
_LEAST_S = 0.001  # a clock that stands or goes back still lets the body go on

# An elbow's way and a bone's turn that are shown at once: those of a hand at rest, and what is
# added for each metre and radian that the hand itself goes.
_REST_M, _REST_RAD = 0.012, math.radians(7.0)
_ELBOW_PER_M, _ELBOW_PER_RAD = 2.0, 0.25
_BONE_PER_M, _BONE_PER_RAD = 5.0, 2.0
# What is never exceeded: of a calm hand, and as many times what any other does itself.
_MOST_M, _MOST_RAD = 0.04, math.radians(26.0)
_CALM_M, _CALM_RAD = 0.02, math.radians(10.0)
_TIMES = 2.5

# The pace on the way to a posture far away.
_TORSO_RAD, _ELBOW_M, _SWIVEL_RAD = math.radians(2.5), 0.02, 0.25
_TORSO_MOST_RAD, _TORSO_PER_M = math.radians(5.0), 3.0  # the torso at most; for a hand's way
_FORCED_S = 0.4  # where limits block the way for so long, it is forced
_LET_GO_M = 0.01  # how much farther than at the goal the palms may be meanwhile
_IN_PLACE_M = 1e-4
_PLACE_ITERATIONS = 4
_HALVINGS = 6
_NEARER = 0.8
_GLIDE, _GLIDE_SLOWLY, _TURN_OVER, _HOLD, _BLEND = 0, 1, 2, 3, 4

# Columns of the memory. All zero: nothing was shown yet.
_KNOWN, SINCE, _ANGLES, _FRAMES = 0, 1, 2, 18
_CHEST = _FRAMES + 2 * 4 * 8  # 7
STEADY_SIZE = _CHEST + 7
_UPPER, _FORE, _PALM, _ASKED = 0, 1, 2, 3


_OWN_ROOM = 52
STEADY_ROOM = _OWN_ROOM + POLISH_ROOM  # numbers


class SteadyScratch(NamedTuple):
    """Work arrays of one body."""

    goal: Floats  # (2, 8)
    circle: Floats  # (CIRCLE_ROWS, 3)


@kernel
def _scratch_in(room: Floats) -> SteadyScratch:
    """Cut the work arrays out of ``room``, at least ``STEADY_ROOM`` long."""
    return SteadyScratch(
        room[0:16].reshape((2, 8)),
        room[16:52].reshape((CIRCLE_ROWS, 3)),
    )


class Allowed(NamedTuple):
    """What an arm may do in a frame: metres of its elbow, radians of a bone."""

    at_once_m: float
    at_once_rad: float
    most_m: float
    most_rad: float


@kernel
def follow(
    task: Task, memory: Floats, chest: Floats, dt_s: float, angles: Floats, room: Floats
) -> None:
    """Draw the goal ``angles`` (2, 8) to what may be shown ``dt_s`` after the last frame.

    ``memory`` (STEADY_SIZE,) holds what was shown then; ``chest`` (7,) is the chest's pose in the
    world. Arms that ``task`` tracks are judged by their hands; others are on their way to or from
    rest, and only kept from leaping. ``room`` is work memory, at least ``STEADY_ROOM`` long.
    """
    since = 0.0
    if memory[_KNOWN] > 0.0:
        frames = max(dt_s, _LEAST_S) / FRAME_S
        _restrain(task, memory, frames, angles)
        _carry(memory, chest)
        if _stride(task, memory, angles, frames, False) > 1.0:
            _approach(task, memory, frames, angles, room)
            since = memory[SINCE] + max(dt_s, _LEAST_S)
    memory[SINCE] = since


@kernel
def remember(task: Task, memory: Floats, chest: Floats, angles: Floats) -> None:
    """Note what is shown, and what was asked for."""
    memory[_KNOWN] = 1.0
    for i in range(7):
        memory[_CHEST + i] = chest[i]
    for side in range(2):
        _, upper, fore, palm = arm_frames(row_angles(angles, side), task.lengths)
        _keep(memory, side, _UPPER, upper)
        _keep(memory, side, _FORE, fore)
        _keep(memory, side, _PALM, palm)
        _keep(memory, side, _ASKED, task.palms[side])
        for joint in range(8):
            memory[_ANGLES + 8 * side + joint] = angles[side, joint]


@kernel
def _restrain(task: Task, memory: Floats, frames: float, angles: Floats) -> None:
    """Keep arms without a say, and the torso if no arm has one, from leaping."""
    for side in range(2):
        if not task.tracked[side]:
            for _ in range(_HALVINGS):
                stride = _arm_stride(task, memory, side, angles, frames, True)
                if stride <= 1.0:
                    break
                for joint in range(1, 8):
                    start = memory[_ANGLES + 8 * side + joint]
                    angles[side, joint] = start + (angles[side, joint] - start) / stride
    if not (task.tracked[0] or task.tracked[1]):
        shown, most = memory[_ANGLES + 8], _TORSO_RAD * frames
        yaw = shown + min(max(angles[1, 0] - shown, -most), most)
        angles[0, 0], angles[1, 0] = -yaw, yaw


@kernel
def _carry(memory: Floats, chest: Floats) -> None:
    """Express in the chest's frame of now what was shown and asked for in that of then.

    So that elbows, bones and hands are compared as the world sees them.
    """
    now_from_then = dq_mul(dq_inverse(world_dual(chest)), world_dual(memory[_CHEST:]))
    for side in range(2):
        carried = now_from_then if side == 1 else dq_mirrored(now_from_then)
        for which in range(4):
            _keep(memory, side, which, dq_mul(carried, _kept(memory, side, which)))


@kernel
def _keep(memory: Floats, side: int, which: int, frame: Dual) -> None:
    first = _FRAMES + 32 * side + 8 * which
    for k in range(8):
        memory[first + k] = frame[k]


@kernel
def _kept(memory: Floats, side: int, which: int) -> Dual:
    i = _FRAMES + 32 * side + 8 * which
    return (
        memory[i], memory[i + 1], memory[i + 2], memory[i + 3],
        memory[i + 4], memory[i + 5], memory[i + 6], memory[i + 7],
    )  # fmt: skip


@kernel
def _allowed(task: Task, memory: Floats, side: int, frames: float) -> Allowed:
    moved, turned = pose_error(task.palms[side], _kept(memory, side, _ASKED))
    most_m, most_rad = _MOST_M * frames, _MOST_RAD * frames
    if moved > _CALM_M * frames or turned > _CALM_RAD * frames:
        most_m, most_rad = max(most_m, _TIMES * moved), max(most_rad, _TIMES * turned)
    elbow = frames * _REST_M + _ELBOW_PER_M * moved + _ELBOW_PER_RAD * turned
    bone = frames * _REST_RAD + _BONE_PER_M * moved + _BONE_PER_RAD * turned
    return Allowed(min(elbow, most_m), min(bone, most_rad), most_m, most_rad)


@kernel
def _stride(task: Task, memory: Floats, angles: Floats, frames: float, most: bool) -> float:
    """How many times what is allowed (at once, or at most) ``angles`` are from what was shown."""
    longest, moved = 0.0, 0.0
    for side in range(2):
        if task.tracked[side]:
            longest = max(longest, _arm_stride(task, memory, side, angles, frames, most))
            asked = _kept(memory, side, _ASKED)
            moved = max(moved, _distance(task.palms[side], asked))
    turn = (_TORSO_MOST_RAD if most else _TORSO_RAD) * frames + _TORSO_PER_M * moved
    return max(longest, abs(angles[1, 0] - memory[_ANGLES + 8]) / turn)


@kernel
def _arm_stride(
    task: Task, memory: Floats, side: int, angles: Floats, frames: float, most: bool
) -> float:
    allowed = _allowed(task, memory, side, frames)
    way = allowed.most_m if most else allowed.at_once_m
    turn = allowed.most_rad if most else allowed.at_once_rad
    _, upper, fore, palm = arm_frames(row_angles(angles, side), task.lengths)
    last = _kept(memory, side, _FORE)
    cosine = min(
        _cosine(upper, _kept(memory, side, _UPPER)),
        min(_cosine(fore, last), _cosine(palm, _kept(memory, side, _PALM))),
    )
    return max(_distance(fore, last) / way, 2.0 * math.acos(min(cosine, 1.0)) / turn)


@kernel
def _distance(a: Dual, b: Dual) -> float:
    p, q = dq_position(a), dq_position(b)
    return math.sqrt((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2)


@kernel
def _cosine(a: Dual, b: Dual) -> float:
    """Of half the angle between two rotations."""
    p: Quat = dq_real(a)
    q: Quat = dq_real(b)
    return abs(p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3])


@kernel
def _approach(task: Task, memory: Floats, frames: float, angles: Floats, room: Floats) -> None:
    """Go a part of the way to the goal that ``angles`` hold, the palms in their places.

    Torso and elbows glide there with the hands held, or the shoulder is read the other way; where
    limits block all that, the posture is held for a while; and what remains is to blend all
    angles, which is inside the limits always and always arrives, but lets the hands go.
    """
    scratch, polishing = _scratch_in(room), polish_scratch_in(room[_OWN_ROOM:])
    for side in range(2):
        for joint in range(8):
            scratch.goal[side, joint] = angles[side, joint]
    missed = worst_error(task, angles)[0]
    if memory[SINCE] < _FORCED_S:
        for way in (_GLIDE, _GLIDE_SLOWLY, _TURN_OVER, _HOLD, _BLEND):
            if not _write_way(way, task, memory, frames, angles, scratch):
                continue
            off = worst_error(task, angles)[0]
            if off > missed + _IN_PLACE_M:
                polish(task, angles, PLACE_FIRST, _PLACE_ITERATIONS, polishing)
                off = worst_error(task, angles)[0]
            near = off <= missed + _LET_GO_M
            if near and _stride(task, memory, angles, frames, True) <= 1.0:
                return
    _write_blend(task, memory, frames, angles, scratch.goal, True)


@kernel
def _write_way(
    way: int, task: Task, memory: Floats, frames: float, angles: Floats, scratch: SteadyScratch
) -> bool:
    """Write where one way of going leads; False where it leads nowhere."""
    if way == _TURN_OVER:
        return _write_turned_over(task, memory, scratch.goal, angles)
    if way == _HOLD:
        _write_between(task, memory, scratch.goal, 0.0, angles)
    elif way == _BLEND:
        _write_blend(task, memory, frames, angles, scratch.goal, False)
    else:
        pace = frames if way == _GLIDE else 0.5 * frames
        _write_glide(task, memory, pace, angles, scratch)
    return True


@kernel
def _write_glide(
    task: Task, memory: Floats, frames: float, angles: Floats,
    scratch: SteadyScratch,
) -> None:  # fmt: skip
    """Turn the torso towards the goal's, and swing the elbows round towards theirs."""
    shown, most = memory[_ANGLES + 8], _TORSO_RAD * frames
    yaw = shown + min(max(scratch.goal[1, 0] - shown, -most), most)
    for side in range(2):
        angles[side, 0] = own_yaw(yaw, side)
        if task.tracked[side]:
            glide = Glide(
                dq_position(_kept(memory, side, _FORE)),
                dq_position(arm_frames(row_angles(scratch.goal, side), task.lengths)[2]),
                min(_allowed(task, memory, side, frames).at_once_m, _ELBOW_M * frames),
                _SWIVEL_RAD * frames,
            )
            arm = gliding_arm(
                task.palms[side], glide, angles[side, 0], task.lengths, scratch.circle
            )
            for joint in range(1, 8):
                angles[side, joint] = _held(arm[joint], joint)


@kernel
def _write_turned_over(task: Task, memory: Floats, goal: Floats, angles: Floats) -> bool:
    """Write what was shown, its shoulders read the other way where that is nearer to the goal.

    The two readings of a shoulder are one posture, but for a gap of 20 degrees between their
    ranges of rotation: an angle in it is held at the limit. Whether there is such a side.
    """
    turned = False
    _write_between(task, memory, goal, 0.0, angles)
    for side in range(2):
        f, a, r = angles[side, 1], angles[side, 2], angles[side, 3]
        other = (
            _held(f - math.pi if f > 0.0 else f + math.pi, 1),
            _held(math.pi - a, 2),
            _held(r - math.pi if r > 0.0 else r + math.pi, 3),
        )
        here = abs(f - goal[side, 1]) + abs(a - goal[side, 2]) + abs(r - goal[side, 3])
        there = 0.0
        for k in range(3):
            there += abs(other[k] - goal[side, k + 1])
        if task.tracked[side] and there < _NEARER * here:
            turned = True
            for k in range(3):
                angles[side, k + 1] = other[k]
    return turned


@kernel
def _held(angle: float, joint: int) -> float:
    return min(max(angle, ARM_LOWER[joint]), ARM_UPPER[joint])


@kernel
def _write_blend(
    task: Task, memory: Floats, frames: float, angles: Floats, goal: Floats, most: bool
) -> None:
    """Go as far towards the goal, in all angles at once, as may be shown (at once, or at most)."""
    _write_between(task, memory, goal, 1.0, angles)
    share = min(1.0, 0.95 / max(_stride(task, memory, angles, frames, most), 1e-9))
    for _ in range(_HALVINGS):
        _write_between(task, memory, goal, share, angles)
        if _stride(task, memory, angles, frames, most) <= 1.0:
            break
        share *= 0.5


@kernel
def _write_between(task: Task, memory: Floats, goal: Floats, share: float, angles: Floats) -> None:
    """The torso and the arms that have a say, a share of the way to the goal."""
    for side in range(2):
        for joint in range(8 if task.tracked[side] else 1):
            start = memory[_ANGLES + 8 * side + joint]
            angles[side, joint] = _held(start + share * (goal[side, joint] - start), joint)
