"""Owns where the descent to the nearest posture starts: closed-form postures held at their limits.

Round the elbow's circle, in both readings of the shoulder's angles, some postures break the limits
less than those beside them: each is the way into a basin of its own. An arm that is out of reach
is looked at with its elbow a little bent, for a straight one has no circle; less so where it is
just out of reach.
"""

import math

from armspan.solvers.body.arcs import LINES, write_lines
from armspan.solvers.body.forward import ArmAngles, Floats
from armspan.solvers.body.limits import beyond, near_limits
from armspan.solvers.body.skeleton import (
    ARM_LOWER,
    ARM_UPPER,
    FOREARM,
    SHOULDER_LATERAL,
    SHOULDER_UP,
    UPPER_ARM,
)
from armspan.solvers.body.swivel import CIRCLE_ROWS, ArmGoal, angles_at, elbow_flexion, write_circle
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import dot

_SWIVELS = 12
_TURNS = tuple(
    (math.cos(math.tau * k / _SWIVELS), math.sin(math.tau * k / _SWIVELS)) for k in range(_SWIVELS)
)
_BENT = 0.005  # share of its reach that a bent arm gives up: 11 degrees of elbow
# Where things are in the room.
_LINES = 3 * CIRCLE_ROWS  # (LINES, 3), after the circle (CIRCLE_ROWS, 3)
_SCORES = _LINES + 3 * LINES  # (2, _SWIVELS): readings first
_BEND = _SCORES + 2 * _SWIVELS
START_ROOM = _BEND + 1  # numbers
_TAKEN = 1e9
_ROUNDING = 1e-9  # rad
_SHOULDER_COSTS = 9.0  # times what the same angle beyond its limit costs at the wrist
_ROTATION_COSTS = 2.0  # of a straight arm it is the forearm's as well


@kernel
def write_starts(goal: ArmGoal, yaw: float, lengths: Floats, room: Floats) -> None:
    """Write what an arm's starts at a yaw (its own, rad) are made of.

    ``room`` is at least START_ROOM long.
    """
    circle = room[:_LINES].reshape((CIRCLE_ROWS, 3))
    lines = room[_LINES:_SCORES].reshape((LINES, 3))
    c, s = math.cos(yaw), math.sin(yaw)
    reach = lengths[UPPER_ARM] + lengths[FOREARM]
    lat, up = lengths[SHOULDER_LATERAL], lengths[SHOULDER_UP]
    shoulder = (c * lat, up, -s * lat)
    w = goal.wrist
    away = (w[0] - shoulder[0], w[1] - shoulder[1], w[2] - shoulder[2])
    far = max(math.sqrt(dot(away, away)), 1e-9)
    k = min(1.0, (reach - min(_BENT * reach, max(far - reach, 0.0))) / far)
    near = (shoulder[0] + k * away[0], shoulder[1] + k * away[1], shoulder[2] + k * away[2])
    bend = write_circle(ArmGoal(near, goal.hand, goal.elbow), (c, s), lengths, circle)
    write_lines(circle, lines)
    room[_BEND] = elbow_flexion(bend.reach, lengths)
    for k in range(_SWIVELS):
        one, two = _limits_broken(lines, _TURNS[k][0], _TURNS[k][1])
        room[_SCORES + k] = one
        room[_SCORES + _SWIVELS + k] = two


@kernel
def write_straight(
    goal: ArmGoal, yaw: float, lengths: Floats, room: Floats, angles: int, to: Floats
) -> bool:
    """Write the straight arm that points at a wrist out of reach, if it breaks no limit at all.

    Into ``to`` at ``angles``; ``room`` (START_ROOM,) is overwritten.
    """
    circle = room[:_LINES].reshape((CIRCLE_ROWS, 3))
    bend = write_circle(goal, (math.cos(yaw), math.sin(yaw)), lengths, circle)
    if bend.missed <= 0.0:
        return False
    for reading in range(2):
        q = _twist_shared(angles_at(circle, (1.0, 0.0, reading), yaw, 0.0))
        broken = 0.0
        for joint in (1, 2, 3, 5, 6, 7):
            broken += abs(beyond(q[joint], joint))
        if broken < _ROUNDING:
            for joint in range(8):
                to[angles + joint] = near_limits(q[joint], joint)
            return True
    return False


@kernel
def _twist_shared(q: ArmAngles) -> ArmAngles:
    """A straight arm turns about itself by its shoulder or its forearm: what one cannot, the other.

    Only what is past a limit is handed over.
    """
    spare = beyond(q[3], 3)
    r, p = q[3] - spare, q[5] + spare
    spare = beyond(p, 5)
    return (q[0], q[1], q[2], r + spare, q[4], p - spare, q[6], q[7])


@kernel
def write_next_start(yaw: float, room: Floats, angles: int, to: Floats) -> bool:
    """Write the best start not taken yet into ``to`` at ``angles``; False: there is none.

    ``room`` is what ``write_starts`` filled. A start takes those on the circle that lead to it.
    """
    best, least = 0, _TAKEN
    for k in range(2 * _SWIVELS):
        if room[_SCORES + k] < least:
            best, least = k, room[_SCORES + k]
    if least >= _TAKEN:
        return False
    reading = best // _SWIVELS
    first, k = _SCORES + reading * _SWIVELS, best % _SWIVELS
    for step in (1, _SWIVELS - 1):
        at, here = k, least
        for _ in range(_SWIVELS):
            at = (at + step) % _SWIVELS
            there = room[first + at]
            if there < here or there >= _TAKEN:
                break
            room[first + at] = _TAKEN
            here = there
    room[first + k] = _TAKEN
    circle = room[:_LINES].reshape((CIRCLE_ROWS, 3))
    held = _held(angles_at(circle, (_TURNS[k][0], _TURNS[k][1], reading), yaw, room[_BEND]))
    for joint in range(8):
        to[angles + joint] = held[joint]
    return True


@kernel
def _held(q: ArmAngles) -> ArmAngles:
    """Every angle inside its limits, those outside at the nearer one.

    The wrist's other reading (half a turn more, the flexion mirrored) is taken if it breaks less.
    """
    p, b, d = q[5], q[6], q[7]
    one = (beyond(p, 5), beyond(b, 6), beyond(d, 7))
    p2, b2, d2 = p + math.pi, math.pi - b, d + math.pi
    two = (beyond(p2, 5), beyond(b2, 6), beyond(d2, 7))
    if dot(two, two) < dot(one, one):
        p, b, d = p2, b2, d2
    return (
        q[0],
        near_limits(q[1], 1),
        near_limits(q[2], 2),
        near_limits(q[3], 3),
        min(max(q[4], ARM_LOWER[4]), ARM_UPPER[4]),
        near_limits(p, 5),
        near_limits(b, 6),
        near_limits(d, 7),
    )


@kernel
def _value(lines: Floats, k: int, c: float, s: float) -> float:
    return lines[k, 0] + lines[k, 1] * c + lines[k, 2] * s


@kernel
def _limits_broken(lines: Floats, c: float, s: float) -> tuple[float, float]:
    """What the limits broken at a swivel cost, about rad^2, in both readings of the shoulder."""
    wrist = 0.0
    for k in range(6):
        off = min(_value(lines, k, c, s), 0.0)
        wrist += off * off
    forward, backward = _value(lines, 6, c, s), _value(lines, 7, c, s)
    inward, outward = _value(lines, 8, c, s), _value(lines, 9, c, s)
    near, far = min(max(forward, backward), 0.0), max(min(forward, backward), 0.0)
    rise, beyond = min(_value(lines, 10, c, s), 0.0), min(_value(lines, 11, c, s), 0.0)
    one, two = min(inward, outward, 0.0), max(inward, outward, 0.0)
    one = _SHOULDER_COSTS * (near * near + rise * rise) + _ROTATION_COSTS * one * one
    two = _SHOULDER_COSTS * (far * far + beyond * beyond) + _ROTATION_COSTS * two * two
    return wrist + one, wrist + two
