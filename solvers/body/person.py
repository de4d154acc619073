"""Owns the posture of an arm in motion: as a person holds it, the palm in its place.

A person's elbow gives way to a wrist at its limit a little and no more; what is then left is a
hand turned a little otherwise than asked. The elbow starts where people hold it and gives way by
a swivel for which the broken limits are worth it. Angles beyond their limits are held there; that
turns the hand and moves the palm, and a few rounds put the palm back.
"""

import math
from typing import NamedTuple

from armspan.solvers.body.arcs import broken, write_lines
from armspan.solvers.body.forward import ArmAngles, Floats, arm_frames
from armspan.solvers.body.limits import beyond, near_limits
from armspan.solvers.body.skeleton import (
    ARM_LOWER,
    ARM_UPPER,
    PALM,
    SHOULDER_LATERAL,
    SHOULDER_UP,
    UPPER_ARM,
)
from armspan.solvers.body.swivel import (
    UPPER_X,
    ArmGoal,
    Swivel,
    angles_at,
    arm_goal,
    elbow_flexion,
    write_circle,
)
from armspan.solvers.dual_quaternion import Dual, dq_from_pose, dq_position, dq_real
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Quat, Vec, dot, quat_axes

_ROUNDS = 10
_IN_PLACE_M = 5e-5
_GIVES_WAY = 0.2  # swivel (rad) that a wrist's limit is worth
_SHOULDER_WORTH = 4.0  # times as much: it carries the whole arm
_SMALLEST_CIRCLE_M = 0.02  # a straight arm's elbow has no way to go
_FINE = 7  # golden sections
_INVERSE_GOLDEN = 0.6180339887498949
# Swivels looked at, outward.
_SWIVELS = (0.0, 0.12, 0.3, 0.55, 0.9, 1.4, 2.0, 2.7)
_OFTEN = tuple((math.cos(a), math.sin(a)) for a in _SWIVELS)


@kernel
def person_arm(
    palm: Dual, goal: ArmGoal, yaw: float, lengths: Floats, circle: Floats, lines: Floats
) -> ArmAngles:
    """Angles of a right arm inside the limits with its palm at ``palm`` (chest's frame)."""
    bend = write_circle(goal, (math.cos(yaw), math.sin(yaw)), lengths, circle)
    write_lines(circle, lines)
    at = _least_cost(lines)
    angles = _held(angles_at(circle, at, yaw, elbow_flexion(bend.reach, lengths)))
    return _palm_in_place(palm, goal.elbow, at, angles, lengths, circle)


class Glide(NamedTuple):
    """An elbow on its way; places in the chest's frame, of a right arm."""

    elbow: Vec
    """Where it was (m)."""
    toward: Vec
    """Where it goes (m)."""
    most_m: float
    most_rad: float
    """How far it may go now, and swing round the line from shoulder to wrist."""


@kernel
def gliding_arm(palm: Dual, glide: Glide, yaw: float, lengths: Floats, circle: Floats) -> ArmAngles:
    """The same with the elbow on its way round, whatever that does to the hand's turn."""
    turn = (math.cos(yaw), math.sin(yaw))
    bend = write_circle(arm_goal(palm, glide.elbow, lengths), turn, lengths, circle)
    radius = max(lengths[UPPER_ARM] * bend.upper[1], _SMALLEST_CIRCLE_M)
    most = min(glide.most_m / radius, glide.most_rad)
    swivel = min(max(_swivel_of(circle, turn, glide.toward, lengths), -most), most)
    at = (math.cos(swivel), math.sin(swivel), 0)
    angles = _held(angles_at(circle, at, yaw, elbow_flexion(bend.reach, lengths)))
    return _palm_in_place(palm, glide.elbow, at, angles, lengths, circle)


@kernel
def _swivel_of(circle: Floats, turn: tuple[float, float], point: Vec, lengths: Floats) -> float:
    """The swivel (rad) whose elbow is nearest to a point of the chest's frame."""
    c, s = turn
    q = (
        c * point[0] - s * point[2] - lengths[SHOULDER_LATERAL],
        point[1] - lengths[SHOULDER_UP],
        s * point[0] + c * point[2],
    )
    # the upper arm's y axis is -along u - aside (p cos + b sin)
    at_p, at_b = 0.0, 0.0
    for i in range(3):
        at_p -= q[i] * circle[UPPER_X + i, 1]
        at_b -= q[i] * circle[UPPER_X + i, 2]
    return math.atan2(at_b, at_p)


@kernel
def _palm_in_place(palm: Dual, elbow: Vec, at: Swivel, angles: ArmAngles, lengths: Floats,
                   circle: Floats) -> ArmAngles:  # fmt: skip
    """Solve again for the hand as it is turned now, until its palm is where it is asked to be."""
    p, yaw = dq_position(palm), angles[0]
    turn = (math.cos(yaw), math.sin(yaw))
    for _ in range(_ROUNDS):
        turned = arm_frames(angles, lengths)[3]
        q = dq_position(turned)
        off = (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2
        if off < _IN_PLACE_M * _IN_PLACE_M:
            break
        moved = arm_goal(_with_wrist_of(palm, dq_real(turned), lengths), elbow, lengths)
        bend = write_circle(moved, turn, lengths, circle)
        angles = _held(angles_at(circle, at, yaw, elbow_flexion(bend.reach, lengths)))
    return angles


@kernel
def _with_wrist_of(palm: Dual, turned: Quat, lengths: Floats) -> Dual:
    """The hand as asked, moved so that its wrist is where the turned hand needs it.

    With the wrist there and the hand held as it is turned, the palm is in its place.
    """
    k = lengths[PALM]
    p, here, asked = dq_position(palm), quat_axes(turned)[2], quat_axes(dq_real(palm))[2]
    return dq_from_pose(
        (
            p[0] + k * (here[0] - asked[0]),
            p[1] + k * (here[1] - asked[1]),
            p[2] + k * (here[2] - asked[2]),
        ),
        dq_real(palm),
    )


@kernel
def _cost(lines: Floats, c: float, s: float) -> float:
    wrist, shoulder = broken(lines, c, s)
    return _GIVES_WAY * (wrist + _SHOULDER_WORTH * shoulder) + 1.0 - c


@kernel
def _least_cost(lines: Floats) -> tuple[float, float, int]:
    """The swivel that is worth most: outward, then golden section."""
    least = _cost(lines, 1.0, 0.0)
    if least <= 0.0:
        return (1.0, 0.0, 0)
    best, side = 0, 1.0
    for k in range(1, len(_SWIVELS)):
        c, s = _OFTEN[k]
        if 1.0 - c >= least:
            break
        for sign in (-1.0, 1.0):
            cost = _cost(lines, c, sign * s)
            if cost < least:
                least, best, side = cost, k, sign
    low = _SWIVELS[best - 1] if best > 0 else -_SWIVELS[1]
    high = _SWIVELS[best + 1] if best + 1 < len(_SWIVELS) else math.pi
    a, b = high - _INVERSE_GOLDEN * (high - low), low + _INVERSE_GOLDEN * (high - low)
    at_a = _cost(lines, math.cos(a), side * math.sin(a))
    at_b = _cost(lines, math.cos(b), side * math.sin(b))
    for _ in range(_FINE):
        if at_a <= at_b:
            high, b, at_b = b, a, at_a
            a = high - _INVERSE_GOLDEN * (high - low)
            at_a = _cost(lines, math.cos(a), side * math.sin(a))
        else:
            low, a, at_a = a, b, at_b
            b = low + _INVERSE_GOLDEN * (high - low)
            at_b = _cost(lines, math.cos(b), side * math.sin(b))
    middle = 0.5 * (low + high)
    return (math.cos(middle), side * math.sin(middle), 0)


@kernel
def _held(q: ArmAngles) -> ArmAngles:
    """Every angle inside its limits, those outside at the nearer one.

    Shoulder and wrist are each read in the way, of the two there are, that breaks less.
    """
    wrist = _held_three(q[5], q[6], q[7], 5)
    shoulder = _held_shoulder(q[1], q[2], q[3])
    bend = min(max(q[4], ARM_LOWER[4]), ARM_UPPER[4])
    return (q[0], shoulder[0], shoulder[1], shoulder[2], bend, wrist[0], wrist[1], wrist[2])


@kernel
def _held_shoulder(a: float, b: float, c: float) -> Vec:
    """The same of the shoulder: what its first axis may not turn the third makes up for.

    The more the nearer they are to each other: an arm held straight out shows no difference.
    """
    a2, b2, c2 = a + math.pi, math.pi - b, c + math.pi
    one = (beyond(a, 1), beyond(b, 2), beyond(c, 3))
    two = (beyond(a2, 1), beyond(b2, 2), beyond(c2, 3))
    if dot(one, one) > dot(two, two):
        a, b, c, one = a2, b2, c2, two
    b = near_limits(b - one[1], 2)
    together = math.sin(b)
    c -= together * one[0]
    past = beyond(c, 3)
    a -= one[0] + together * past
    return (near_limits(a - beyond(a, 1), 1), b, near_limits(c - past, 3))


@kernel
def _held_three(a: float, b: float, c: float, joint: int) -> Vec:
    """Three angles from ``joint`` on at their limits.

    The second reading of three turns about different axes is a + pi, pi - b, c + pi.
    """
    one = (beyond(a, joint), beyond(b, joint + 1), beyond(c, joint + 2))
    a2, b2, c2 = a + math.pi, math.pi - b, c + math.pi
    two = (beyond(a2, joint), beyond(b2, joint + 1), beyond(c2, joint + 2))
    if dot(one, one) > dot(two, two):
        a, b, c, one = a2, b2, c2, two
    return (
        near_limits(a - one[0], joint),
        near_limits(b - one[1], joint + 1),
        near_limits(c - one[2], joint + 2),
    )
