"""Owns the search for the torso's yaw nearest to a wanted one that serves both arms.

At one yaw the arcs of swivel say exactly whether an arm has a posture inside all limits. Over an
interval of yaws every direction of the arm turns by no more than a bound (``_slack_over``), so an
arm that misses its limits by more than the bound in the middle misses them throughout. Intervals
that are proved empty are stepped over; others are halved until they are proved or a yaw that
serves is found. What comes out is either a posture, or the proof that there is none.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.arcs import EXACT, LINES, Slack, nearest_swivel, write_lines
from armspan.solvers.forward import Floats
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import dot
from armspan.solvers.skeleton import FOREARM, SHOULDER_LATERAL, UPPER_ARM
from armspan.solvers.swivel import (
    CIRCLE_ROWS,
    ArmGoal,
    Bend,
    Swivel,
    fore_angle,
    reach_of,
    upper_angle,
    write_circle,
)

Pair = tuple[ArmGoal, ArmGoal]  # left (mirrored to a right arm), right
SLACK_M = 1e-5  # rounding of targets on their way (float32 at 100 m is 8 micrometres)
_FORGIVEN_M = 2.0 * SLACK_M
_FIRST_HALF = math.radians(3.0)
_COARSE = math.radians(1.5)
_TOLERANCE = math.radians(0.1)
_NOBODY = -1
_MOST_PROBES = 400


class SearchScratch(NamedTuple):
    """Work arrays of one search; the first axis is the side."""

    circle: Floats  # (2, CIRCLE_ROWS, 3)
    lines: Floats  # (2, LINES, 3)


@kernel
def search_scratch() -> SearchScratch:
    """Allocate the work arrays: once a call that solves many bodies."""
    return SearchScratch(np.zeros((2, CIRCLE_ROWS, 3)), np.zeros((2, LINES, 3)))


class Found(NamedTuple):
    """What a search came to."""

    yaw: float
    served: bool
    """Whether all arms have a posture inside all limits at ``yaw``."""
    certain: bool
    """Whether it is proved, where ``served`` is false, that no yaw serves."""
    probes: int


@kernel
def swivel_at(
    goal: ArmGoal, yaw: float, lengths: Floats, side: int, scratch: SearchScratch
) -> tuple[Swivel, Bend]:
    """The swivel of a right arm's posture inside all limits at ``yaw`` (its branch -1: none)."""
    bend = write_circle(goal, (math.cos(yaw), math.sin(yaw)), lengths, scratch.circle[side])
    write_lines(scratch.circle[side], scratch.lines[side])
    if abs(bend.missed) > _FORGIVEN_M:
        return (-2.0, 0.0, -1), bend
    return nearest_swivel(scratch.lines[side], EXACT), bend


@kernel
def _own(yaw: float, side: int) -> float:
    """The yaw as a right arm sees it: the left arm is mirrored."""
    return yaw if side == 1 else -yaw


@kernel
def _largest_change(reach: float, low: float, high: float, lengths: Floats) -> tuple[float, float]:
    """How far the directions of forearm and upper arm move while the reach is in a range."""
    upper, fore = lengths[UPPER_ARM], lengths[FOREARM]
    here = upper_angle(reach, lengths)
    there = fore_angle(reach, here, lengths)
    of_upper, of_fore = 0.0, 0.0
    turning = math.sqrt(abs(upper * upper - fore * fore))  # an angle turns back at this reach
    for k in range(3):
        at = low if k == 0 else high if k == 1 else min(max(turning, low), high)
        a = upper_angle(at, lengths)
        f = fore_angle(at, a, lengths)
        of_upper = max(of_upper, (a[0] - here[0]) ** 2 + (a[1] - here[1]) ** 2)
        of_fore = max(of_fore, (f[0] - there[0]) ** 2 + (f[1] - there[1]) ** 2)
    return math.sqrt(of_fore), math.sqrt(of_upper)


@kernel
def _slack_over(bend: Bend, half: float, lengths: Floats) -> Slack:
    """How far an arm turns, at most, while the torso turns by ``half`` (rad) to either side.

    All is in chords of unit vectors: the line from shoulder to wrist swings as the shoulder goes
    round its circle, the triangle changes its shape with the reach, and the upper arm is looked
    at from a torso that turns.
    """
    lateral = lengths[SHOULDER_LATERAL]
    square = dot(bend.away, bend.away)
    distance = math.sqrt(square)
    swing = lateral * half / max(distance, 1e-9)
    if swing > 0.7:
        return (4.0, 4.0)
    swing += 0.3 * swing * swing * swing  # the arc sine, from above
    c, s = 1.0 - math.cos(half), math.sin(half)
    # square distance at another yaw: square + along (1 - cos) + across sin
    along = 2.0 * lateral * (bend.away[0] + lateral)
    across = 2.0 * lateral * bend.away[2]
    ends = abs(across) * s
    low, high = square + along * c - ends, square + along * c + ends
    radius = math.sqrt(along * along + across * across)
    if abs(across) * (1.0 - c) <= abs(along) * s:  # the nearest or farthest yaw lies within
        low = min(low, square + along - radius) if along > 0.0 else low
        high = max(high, square + along + radius) if along < 0.0 else high
    reach_low = reach_of(math.sqrt(max(low, 0.0)), lengths)
    reach_high = reach_of(math.sqrt(max(high, 0.0)), lengths)
    of_fore, of_upper = _largest_change(bend.reach, reach_low, reach_high, lengths)
    return (swing + of_fore, half + swing + of_upper)


@kernel
def _is_empty(bend: Bend, half: float, lengths: Floats, lines: Floats) -> bool:
    """Whether the arm has no posture anywhere within ``half`` of the yaw of ``bend``."""
    if abs(bend.missed) > lengths[SHOULDER_LATERAL] * half + _FORGIVEN_M:
        return True
    return nearest_swivel(lines, _slack_over(bend, half, lengths))[2] < 0


@kernel
def _probe(goals: Pair, tracked: tuple[bool, bool], lengths: Floats, yaw: float, half: float,
           first: int, scratch: SearchScratch) -> tuple[int, bool]:  # fmt: skip
    """Which side has no posture at ``yaw`` (or nobody); and whether none within ``half`` either.

    ``first`` is the side to look at first: the one that failed last.
    """
    for turn in range(2):
        side = first if turn == 0 else 1 - first
        if tracked[side]:
            swivel, bend = swivel_at(goals[side], _own(yaw, side), lengths, side, scratch)
            if swivel[2] < 0:
                if half > 0.0 and _is_empty(bend, half, lengths, scratch.lines[side]):
                    return side, True
                if turn == 1 or not tracked[1 - side] or half == 0.0:
                    return side, False
                other = 1 - side
                again, bend = swivel_at(goals[other], _own(yaw, other), lengths, other, scratch)
                if again[2] < 0 and _is_empty(bend, half, lengths, scratch.lines[other]):
                    return other, True
                return side, False
    return _NOBODY, False


@kernel
def find_yaw(goals: Pair, tracked: tuple[bool, bool], lengths: Floats, wanted: float,
             low: float, high: float, scratch: SearchScratch) -> Found:  # fmt: skip
    """Find a yaw in [low, high], near ``wanted``, that serves all tracked arms."""
    blocker = _probe(goals, tracked, lengths, wanted, 0.0, 1, scratch)[0]
    if blocker == _NOBODY:
        return Found(wanted, True, True, 1)
    finest = min(_COARSE, (high - low) / 32.0)
    found = _outward(goals, tracked, lengths, wanted, low, high, finest, blocker, scratch)
    if found.served or found.certain or finest <= 0.0:
        return found
    return _outward(goals, tracked, lengths, wanted, low, high, finest / 4096.0, blocker, scratch)


@kernel
def _outward(goals: Pair, tracked: tuple[bool, bool], lengths: Floats, wanted: float, low: float,
             high: float, finest: float, blocker: int, scratch: SearchScratch) -> Found:  # fmt: skip
    room_down, room_up = wanted - low, high - wanted
    down, up = 0.0, 0.0  # how far to either side is done with
    half_down, half_up = _FIRST_HALF, _FIRST_HALF
    certain = True
    probes = 0
    while probes < _MOST_PROBES and (down < room_down or up < room_up):
        upward = up < room_up and (up < down or down >= room_down or (up == down and blocker == 1))
        front, room = (up, room_up) if upward else (down, room_down)
        half = min(half_up if upward else half_down, 0.5 * (room - front))
        sign = 1.0 if upward else -1.0
        yaw = wanted + sign * (front + half)
        failed, empty = _probe(goals, tracked, lengths, yaw, half, blocker, scratch)
        probes += 1
        if failed == _NOBODY:
            edge = _bisected(goals, tracked, lengths, wanted + sign * front, yaw, blocker, scratch)
            return Found(edge, True, True, probes)
        if empty or half <= finest:
            certain = certain and empty
            blocker = failed
            front = front + 2.0 * half if front + 2.0 * half < room - 1e-12 else room
            half = 2.0 * half if empty else half
        else:
            half *= 0.5
        if upward:
            up, half_up = front, half
        else:
            down, half_down = front, half
    return Found(wanted, False, certain and probes < _MOST_PROBES, probes)


@kernel
def _bisected(goals: Pair, tracked: tuple[bool, bool], lengths: Floats, bad: float, good: float,
              first: int, scratch: SearchScratch) -> float:  # fmt: skip
    """The edge of what serves between a yaw that does not and one that does."""
    while abs(good - bad) > _TOLERANCE:
        middle = 0.5 * (good + bad)
        failed = _probe(goals, tracked, lengths, middle, 0.0, first, scratch)[0]
        if failed == _NOBODY:
            good = middle
        else:
            bad = middle
            first = failed
    return good
