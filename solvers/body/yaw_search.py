"""Owns the search for the torso's yaw nearest to a wanted one that serves both arms.

At one yaw the arcs of swivel say exactly whether an arm has a posture inside all limits. Over an
interval of yaws every direction of the arm turns by no more than a bound (``_slack_over``), so an
arm that misses its limits by more than the bound in the middle misses them throughout. Intervals
that are proved empty are stepped over, others are halved, until a yaw serves or all is proved:
what comes out is either a posture, or the proof that there is none.
"""

import math
from typing import NamedTuple

import numpy as np
from armspan.solvers.body.arcs import EXACT, LINES, Slack, nearest_swivel, write_lines
from armspan.solvers.body.forward import Floats
from armspan.solvers.body.goals import Pair, own_yaw
from armspan.solvers.body.reach import SLACK_M, reach_arc
from armspan.solvers.body.skeleton import FOREARM, SHOULDER_LATERAL, UPPER_ARM
from armspan.solvers.body.swivel import (
    CIRCLE_ROWS,
    ArmGoal,
    Bend,
    fore_angle,
    reach_of,
    upper_angle,
    write_circle,
)
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import dot

_FORGIVEN_M = 2.0 * SLACK_M
_STEP = math.radians(6.0)
_FEWEST_STEPS = 8.0
_FIRST_HALF = math.radians(3.0)
_FINEST = math.radians(0.0005)  # intervals that are not halved further
_TOLERANCE = math.radians(0.2)  # of the edge of what serves
_MOST_PROBES = 400
_NOBODY = -1


SEARCH_ROOM = 152  # numbers


class SearchScratch(NamedTuple):
    """Work arrays of one search; the first axis is the side."""

    circle: Floats  # (2, CIRCLE_ROWS, 3)
    lines: Floats  # (2, LINES, 3)
    posture: Floats  # (2, 4): cosine and sine of the swivel, branch, reach (m)


@kernel
def search_scratch_in(room: Floats) -> SearchScratch:
    """Cut the work arrays out of ``room``, at least ``SEARCH_ROOM`` long."""
    return SearchScratch(
        room[0:72].reshape((2, CIRCLE_ROWS, 3)),
        room[72:144].reshape((2, LINES, 3)),
        room[144:152].reshape((2, 4)),
    )


@kernel
def search_scratch() -> SearchScratch:
    """Allocate the work arrays: once a call that solves many bodies."""
    return search_scratch_in(np.zeros(SEARCH_ROOM))


class Reach(NamedTuple):
    """Whom a search is for."""

    goals: Pair
    tracked: tuple[bool, bool]
    lengths: Floats  # (11,)


class Found(NamedTuple):
    """What a search came to."""

    yaw: float
    served: bool
    """Whether all arms have a posture inside all limits at ``yaw``: it is in the scratch."""
    certain: bool
    """Whether it is proved, where ``served`` is false, that no yaw serves."""


@kernel
def find_yaw(who: Reach, wanted: float, low: float, high: float, scratch: SearchScratch) -> Found:
    """Find a yaw in [low, high] that serves all tracked arms, near ``wanted``.

    The circles and swivels of both arms at that yaw are left in ``scratch``. First at a few yaws,
    which nearly always do; then without gaps.
    """
    # the first look, and the first turn, is for the hand further ahead: as mirrors have it
    ahead = 1 if who.goals[1].wrist[2] <= who.goals[0].wrist[2] else 0
    blocker = _probe(who, wanted, 0.0, ahead, scratch)[0]
    if blocker == _NOBODY:
        return Found(wanted, True, True)
    found = _at_steps(who, wanted, low, high, 1.0 if ahead == 1 else -1.0, blocker, scratch)
    if found.served or low >= high:
        return found
    found = _at_full_reach(who, wanted, low, high, scratch)
    if found.served:
        return found
    return _without_gaps(who, wanted, low, high, blocker, scratch)


@kernel
def _at_steps(
    who: Reach, wanted: float, low: float, high: float, first: float, blocker: int,
    scratch: SearchScratch,
) -> Found:  # fmt: skip
    """Look outward in steps, to both sides in turn, and at last at the ends."""
    step = min(_STEP, (high - low) / _FEWEST_STEPS)
    bad_up, bad_down = wanted, wanted
    while bad_up < high or bad_down > low:
        for sign in (first, -first):
            bad = bad_up if sign > 0.0 else bad_down
            end = high if sign > 0.0 else low
            if bad != end:
                yaw = bad + sign * step if abs(end - bad) > 1.01 * step else end
                failed = _probe(who, yaw, 0.0, blocker, scratch)[0]
                if failed == _NOBODY:
                    return Found(_bisected(who, bad, yaw, blocker, scratch), True, True)
                blocker = failed
                if sign > 0.0:
                    bad_up = yaw
                else:
                    bad_down = yaw
    return Found(wanted, False, low >= high)


@kernel
def arm_serves(goal: ArmGoal, yaw: float, lengths: Floats, side: int,
               scratch: SearchScratch) -> tuple[bool, Bend]:  # fmt: skip
    """Whether a right arm has a posture inside all limits at ``yaw``: written to ``scratch``."""
    bend = write_circle(goal, (math.cos(yaw), math.sin(yaw)), lengths, scratch.circle[side])
    write_lines(scratch.circle[side], scratch.lines[side])
    if abs(bend.missed) > _FORGIVEN_M:
        return False, bend
    c, s, branch = nearest_swivel(scratch.lines[side], EXACT)
    posture = scratch.posture
    posture[side, 0], posture[side, 1], posture[side, 2], posture[side, 3] = (
        c,
        s,
        branch,
        bend.reach,
    )
    return branch >= 0, bend


@kernel
def _at_full_reach(
    who: Reach, wanted: float, low: float, high: float, scratch: SearchScratch
) -> Found:
    """Look where an arm is just straight: of some hands that is the only yaw there is."""
    lengths = who.lengths
    for side in range(2):
        if who.tracked[side]:
            reach = lengths[UPPER_ARM] + lengths[FOREARM]
            centre, half = reach_arc(who.goals[side].wrist, lengths, reach)
            for sign in (-1.0, 1.0):
                yaw = own_yaw(centre + sign * half, side)
                within = half > 0.0 and low <= yaw <= high
                if within and _probe(who, yaw, 0.0, side, scratch)[0] == _NOBODY:
                    return Found(yaw, True, True)
    return Found(wanted, False, False)


@kernel
def _without_gaps(
    who: Reach, wanted: float, low: float, high: float, blocker: int, scratch: SearchScratch
) -> Found:
    """Look to both sides in turn, where less is done with, and step over what is proved empty."""
    finest = min(_FINEST, (high - low) / _FEWEST_STEPS / 1024.0)
    room_down, room_up = wanted - low, high - wanted
    down, up = 0.0, 0.0  # how far to either side is done with
    half_down, half_up = _FIRST_HALF, _FIRST_HALF
    certain, probes = True, 0
    while probes < _MOST_PROBES and (down < room_down or up < room_up):
        upward = up < room_up and (up <= down or down >= room_down)
        front, room = (up, room_up) if upward else (down, room_down)
        half = min(half_up if upward else half_down, 0.5 * (room - front))
        sign = 1.0 if upward else -1.0
        yaw = wanted + sign * (front + half)
        failed, empty = _probe(who, yaw, half, blocker, scratch)
        probes += 1
        if failed == _NOBODY:
            edge = _bisected(who, wanted + sign * front, yaw, blocker, scratch)
            return Found(edge, True, True)
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
    return Found(wanted, False, certain and probes < _MOST_PROBES)


@kernel
def _bisected(who: Reach, bad: float, good: float, blocker: int, scratch: SearchScratch) -> float:
    """The edge of what serves between a yaw that does not and one that does.

    So that the torso turns no further than it must, and not in steps. It is the blocker's edge,
    as a rule; where the other arm objects, both are asked.
    """
    far, alone = good, Reach(who.goals, (blocker == 0, blocker == 1), who.lengths)
    edge = _narrowed(alone, bad, good, blocker, scratch)
    if _probe(who, edge, 0.0, 1 - blocker, scratch)[0] == _NOBODY:
        return edge
    edge = _narrowed(who, bad, far, 1 - blocker, scratch)
    _probe(who, edge, 0.0, blocker, scratch)
    return edge


@kernel
def _narrowed(who: Reach, bad: float, good: float, first: int, scratch: SearchScratch) -> float:
    while abs(good - bad) > _TOLERANCE:
        middle = 0.5 * (good + bad)
        failed = _probe(who, middle, 0.0, first, scratch)[0]
        if failed == _NOBODY:
            good = middle
        else:
            bad, first = middle, failed
    return good


@kernel
def _probe(
    who: Reach, yaw: float, half: float, first: int, scratch: SearchScratch
) -> tuple[int, bool]:
    """Which side has no posture at ``yaw`` (or nobody); and whether none within ``half`` either.

    ``first`` is the side to look at first: the one that failed last.
    """
    failed = _NOBODY
    for turn in range(2):
        side = first if turn == 0 else 1 - first
        if who.tracked[side]:
            own, lines = own_yaw(yaw, side), scratch.lines[side]
            serves, bend = arm_serves(who.goals[side], own, who.lengths, side, scratch)
            if not serves:
                if half > 0.0 and _is_empty(bend, half, who.lengths, lines):
                    return side, True
                if half == 0.0:
                    return side, False
                failed = side if failed == _NOBODY else failed
    return failed, False


@kernel
def _is_empty(bend: Bend, half: float, lengths: Floats, lines: Floats) -> bool:
    """Whether the arm has no posture anywhere within ``half`` of the yaw of ``bend``."""
    if abs(bend.missed) > lengths[SHOULDER_LATERAL] * half + _FORGIVEN_M:
        return True
    return nearest_swivel(lines, _slack_over(bend, half, lengths))[2] < 0


@kernel
def _slack_over(bend: Bend, half: float, lengths: Floats) -> Slack:
    """How far an arm turns, at most, while the torso turns by ``half`` (rad) to either side.

    All is in chords of unit vectors: the line from shoulder to wrist swings as the shoulder goes
    round its circle, the triangle changes its shape with the reach, and the upper arm is looked
    at from a torso that turns.
    """
    lateral = lengths[SHOULDER_LATERAL]
    square = dot(bend.away, bend.away)
    swing = lateral * half / max(math.sqrt(square), 1e-9)
    if swing > 0.7:
        return (4.0, 4.0)
    swing += 0.3 * swing * swing * swing  # the arc sine, from above
    c, s = 1.0 - math.cos(half), math.sin(half)
    # the square of the distance at another yaw: square + along (1 - cos) + across sin
    along = 2.0 * lateral * (bend.away[0] + lateral)
    across = 2.0 * lateral * bend.away[2]
    low = square + along * c - abs(across) * s
    high = square + along * c + abs(across) * s
    if abs(across) * (1.0 - c) <= abs(along) * s:  # the nearest or farthest yaw lies within
        radius = math.sqrt(along * along + across * across)
        low = min(low, square + along - radius) if along > 0.0 else low
        high = max(high, square + along + radius) if along < 0.0 else high
    reach_low = reach_of(math.sqrt(max(low, 0.0)), lengths)
    reach_high = reach_of(math.sqrt(max(high, 0.0)), lengths)
    of_fore, of_upper = _largest_change(bend, reach_low, reach_high, lengths)
    return (swing + of_fore, half + swing + of_upper)


@kernel
def _largest_change(bend: Bend, low: float, high: float, lengths: Floats) -> tuple[float, float]:
    """How far the directions of forearm and upper arm move while the reach is in a range."""
    upper, fore = lengths[UPPER_ARM], lengths[FOREARM]
    of_fore, of_upper = 0.0, 0.0
    turning = math.sqrt(abs(upper * upper - fore * fore))  # an angle turns back at this reach
    for k in range(3 if low < turning < high else 2):
        at = low if k == 0 else high if k == 1 else turning
        a = upper_angle(at, lengths)
        f = fore_angle(at, a, lengths)
        of_upper = max(of_upper, (a[0] - bend.upper[0]) ** 2 + (a[1] - bend.upper[1]) ** 2)
        of_fore = max(of_fore, (f[0] - bend.fore[0]) ** 2 + (f[1] - bend.fore[1]) ** 2)
    return math.sqrt(of_fore), math.sqrt(of_upper)
