"""Owns the posture of an arm whose target no posture inside the limits hits: place before turn.

At a given torso yaw the swivel is chosen whose angles leave their limits least, and those that do
are held at their limits. The hand is then turned a little otherwise than asked, which moves the
palm; a few rounds of solving for the palm with the hand as it is turned put it back in its place.
"""

import math

from armspan.solvers.dual_quaternion import Dual, dq_from_pose, dq_position, dq_real
from armspan.solvers.forward import ArmAngles, Floats, arm_frames
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Quat, Vec, dot, quat_axes
from armspan.solvers.skeleton import ARM_LOWER, ARM_UPPER, PALM
from armspan.solvers.swivel import angles_at, arm_goal, elbow_flexion, write_circle

_COARSE = 12  # swivels looked at round the circle
_FINE = 8  # golden sections round the best of them: down to one degree
_ROUNDS = 10
_IN_PLACE = 5e-5  # m
_INVERSE_GOLDEN = 0.6180339887498949
_SHOULDER_COSTS = 4.0  # times what the same angle costs at the wrist: it carries the whole arm
_UNNATURAL_COSTS = 1.0  # rad^2 for an elbow opposite to its natural place


@kernel
def compromise(palm: Dual, yaw: float, elbow: Vec, lengths: Floats, circle: Floats) -> ArmAngles:
    """Angles of a right arm inside the limits, near ``palm`` (chest's frame): place first.

    ``circle`` (CIRCLE_ROWS, 3) is scratch.
    """
    bend = _bend(palm, yaw, elbow, lengths, circle)
    swivel = _least_broken(circle)
    at = (math.cos(swivel), math.sin(swivel), 0)
    angles = _held(angles_at(circle, at, yaw, bend))[0]
    p = dq_position(palm)
    for _ in range(_ROUNDS):
        turned = arm_frames(angles, lengths)[3]
        q = dq_position(turned)
        if (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2 < _IN_PLACE * _IN_PLACE:
            break
        bend = _bend(_with_wrist_of(palm, dq_real(turned), lengths), yaw, elbow, lengths, circle)
        angles = _held(angles_at(circle, at, yaw, bend))[0]
    return angles


@kernel
def _bend(palm: Dual, yaw: float, elbow: Vec, lengths: Floats, circle: Floats) -> float:
    goal = arm_goal(palm, elbow, lengths)
    bend = write_circle(goal, (math.cos(yaw), math.sin(yaw)), lengths, circle)
    return elbow_flexion(bend.reach, lengths)


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
def _least_broken(circle: Floats) -> float:
    """The swivel whose angles leave their limits least: a grid, then golden section."""
    step = 2.0 * math.pi / _COARSE
    least, middle = math.inf, 0.0
    for k in range(_COARSE):
        swivel = step * (k - _COARSE // 2)
        cost = _cost(circle, swivel)
        if cost < least:
            least, middle = cost, swivel
    low, high = middle - step, middle + step
    a, b = high - _INVERSE_GOLDEN * (high - low), low + _INVERSE_GOLDEN * (high - low)
    at_a, at_b = _cost(circle, a), _cost(circle, b)
    for _ in range(_FINE):
        if at_a <= at_b:
            high, b, at_b = b, a, at_a
            a = high - _INVERSE_GOLDEN * (high - low)
            at_a = _cost(circle, a)
        else:
            low, a, at_a = a, b, at_b
            b = low + _INVERSE_GOLDEN * (high - low)
            at_b = _cost(circle, b)
    return 0.5 * (low + high)


@kernel
def _cost(circle: Floats, swivel: float) -> float:
    c = math.cos(swivel)
    broken = _held(angles_at(circle, (c, math.sin(swivel), 0), 0.0, 0.0))[1]
    return broken + _UNNATURAL_COSTS * 0.5 * (1.0 - c)


@kernel
def _held(q: ArmAngles) -> tuple[ArmAngles, float]:
    """Every angle inside its limits, those outside at the nearer one; and what that broke.

    Shoulder and wrist are each read in the way, of the two there are, that breaks less.
    """
    shoulder, broken = _held_three(q[1], q[2], q[3], 1)
    wrist, turned = _held_three(q[5], q[6], q[7], 5)
    bend = min(max(q[4], ARM_LOWER[4]), ARM_UPPER[4])
    angles = (q[0], shoulder[0], shoulder[1], shoulder[2], bend, wrist[0], wrist[1], wrist[2])
    return angles, _SHOULDER_COSTS * broken + turned


@kernel
def _held_three(a: float, b: float, c: float, joint: int) -> tuple[Vec, float]:
    """Three angles from ``joint`` on at their limits, and the squares of what that changed.

    The second reading of three turns about different axes is a + pi, pi - b, c + pi.
    """
    one = (_beyond(a, joint), _beyond(b, joint + 1), _beyond(c, joint + 2))
    a2, b2, c2 = a + math.pi, math.pi - b, c + math.pi
    two = (_beyond(a2, joint), _beyond(b2, joint + 1), _beyond(c2, joint + 2))
    if dot(one, one) > dot(two, two):
        a, b, c, one = a2, b2, c2, two
    held = (
        _near(a - one[0], joint),
        _near(b - one[1], joint + 1),
        _near(c - one[2], joint + 2),
    )
    return held, dot(one, one)


@kernel
def _beyond(angle: float, joint: int) -> float:
    """How far an angle is past its nearer limit (signed, the short way round); zero inside."""
    middle = 0.5 * (ARM_LOWER[joint] + ARM_UPPER[joint])
    half = 0.5 * (ARM_UPPER[joint] - ARM_LOWER[joint])
    off = angle - middle
    off -= 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5)
    return max(off - half, 0.0) + min(off + half, 0.0)


@kernel
def _near(angle: float, joint: int) -> float:
    """The same angle, whole turns away, that is inside its limits but for rounding."""
    off = angle - 0.5 * (ARM_LOWER[joint] + ARM_UPPER[joint])
    angle -= 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5)
    return min(max(angle, ARM_LOWER[joint]), ARM_UPPER[joint])
