"""Owns the search over torso yaw once more, in plain Python, as ``docs/solver.md`` derives it.

The solver's own search tells the yaw that it found and not the way there. This one writes down
every interval that it proves empty; its bound is written from the page's formulas, not the kernel.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from armspan.server.plots.derivation.limits import circle_at
from armspan.solvers.body.arcs import EXACT, LINES, nearest_swivel, write_lines
from armspan.solvers.body.goals import Pair, own_yaw
from armspan.solvers.body.reach import YawPlan
from armspan.solvers.body.skeleton import DEFAULT_LENGTHS, FOREARM, SHOULDER_LATERAL, UPPER_ARM
from armspan.solvers.body.swivel import ArmGoal, Bend, Swivel

_STEP = math.radians(6.0)
_FEWEST_STEPS = 8.0
_FIRST_HALF = math.radians(3.0)
_FINEST = math.radians(0.0005)
_TOLERANCE = math.radians(0.2)
_FORGIVEN_M = 2e-5
_LATERAL, _UPPER, _FORE = (DEFAULT_LENGTHS[i] for i in (SHOULDER_LATERAL, UPPER_ARM, FOREARM))
_NOWHERE: Swivel = (-2.0, 0.0, -1)


@dataclass(frozen=True)
class Interval:
    """Body yaws (rad) at which an arm is proved to have no posture inside its limits."""

    low: float
    high: float
    side: int


@dataclass
class Search:
    """What a search came to: the yaw found (None: none), and the way there."""

    yaw: float | None = None
    steps: list[float] = field(default_factory=list[float])
    """Yaws (rad) that were looked at in steps, without success."""
    proved: list[Interval] = field(default_factory=list[Interval])
    """What was proved empty afterwards, in turn."""


def nearest_at(goal: ArmGoal, yaw: float, half: float = 0.0) -> Swivel:
    """The nearest swivel inside the limits (branch -1: none), each loosened by what ``half`` does.

    With ``half`` (rad): none means that there is none at any yaw within ``half`` of ``yaw``.
    """
    circle, bend = circle_at(goal, yaw)
    if abs(bend.missed) > _LATERAL * half + _FORGIVEN_M:
        return _NOWHERE
    lines = np.zeros((LINES, 3))
    write_lines(circle, lines)
    return nearest_swivel(lines, slack(bend, half) if half > 0.0 else EXACT)


def search(goals: Pair, plan: YawPlan) -> Search:
    """Look outward from the preferred yaw until one serves both arms: in steps, then in proofs."""
    found = Search()
    if _serves(goals, plan.preferred):
        found.yaw = plan.preferred
        return found
    found.yaw = _at_steps(goals, plan, found.steps)
    if found.yaw is None:
        found.yaw = _without_gaps(goals, plan, found.proved)
    return found


def _at_steps(goals: Pair, plan: YawPlan, steps: list[float]) -> float | None:
    step = min(_STEP, (plan.high - plan.low) / _FEWEST_STEPS)
    ahead = 1.0 if goals[1].wrist[2] <= goals[0].wrist[2] else -1.0
    done = {ahead: plan.preferred, -ahead: plan.preferred}
    ends = {1.0: plan.high, -1.0: plan.low}
    while any(done[sign] != ends[sign] for sign in done):
        for sign, bad in done.items():
            if bad != ends[sign]:
                far = abs(ends[sign] - bad) > 1.01 * step
                yaw = bad + sign * step if far else ends[sign]
                if _serves(goals, yaw):
                    return _edge(goals, bad, yaw)
                steps.append(yaw)
                done[sign] = yaw
    return None


def _without_gaps(goals: Pair, plan: YawPlan, proved: list[Interval]) -> float | None:
    room = (plan.preferred - plan.low, plan.high - plan.preferred)
    done, half = [0.0, 0.0], [_FIRST_HALF, _FIRST_HALF]
    while done[0] < room[0] or done[1] < room[1]:
        way = 1 if done[1] < room[1] and (done[1] <= done[0] or done[0] >= room[0]) else 0
        sign = (-1.0, 1.0)[way]
        step = min(half[way], 0.5 * (room[way] - done[way]))
        middle = plan.preferred + sign * (done[way] + step)
        if _serves(goals, middle):
            return _edge(goals, plan.preferred + sign * done[way], middle)
        side = _proved_empty(goals, middle, step)
        if side is None and step > _FINEST:
            half[way] = 0.5 * step
            continue
        if side is not None:
            proved.append(Interval(middle - step, middle + step, side))
            half[way] = 2.0 * step
        done[way] = min(done[way] + 2.0 * step + 1e-12, room[way])
    return None


def slack(bend: Bend, half: float) -> tuple[float, float]:
    """How far (chords) forearm against hand, and upper arm against torso, move within ``half``."""
    distance = math.sqrt(sum(x * x for x in bend.away))
    if _LATERAL * half >= distance:
        return (4.0, 4.0)
    swing = math.asin(_LATERAL * half / distance)
    reaches = [min(max(d, 1e-9), _UPPER + _FORE) for d in _distances(bend, half)]
    turning = math.sqrt(abs(_UPPER**2 - _FORE**2))
    if min(reaches) < turning < max(reaches):
        reaches.append(turning)
    here = _triangle(bend.reach)
    of_upper = max(_chord(_triangle(d)[0] - here[0]) for d in reaches)
    of_fore = max(_chord(_triangle(d)[1] - here[1]) for d in reaches)
    return (swing + of_fore, half + swing + of_upper)


def _distances(bend: Bend, half: float) -> list[float]:
    """Shortest and longest way from shoulder to wrist: at the ends, or where the sine turns."""
    x, _, z = bend.away
    along, across = 2.0 * _LATERAL * (x + _LATERAL), 2.0 * _LATERAL * z
    turns = [-half, half]
    turns += [t for t in (math.atan2(-across, along), math.atan2(across, -along)) if abs(t) < half]
    square = sum(v * v for v in bend.away)
    squares = [square + along * (1.0 - math.cos(t)) + across * math.sin(t) for t in turns]
    return [math.sqrt(max(s, 0.0)) for s in squares]


def _triangle(reach: float) -> tuple[float, float]:
    """The angles (rad) of upper arm and forearm with the line from shoulder to wrist."""
    upper = (_UPPER**2 + reach**2 - _FORE**2) / (2.0 * _UPPER * reach)
    fore = (_FORE**2 + reach**2 - _UPPER**2) / (2.0 * _FORE * reach)
    return math.acos(min(max(upper, -1.0), 1.0)), math.acos(min(max(fore, -1.0), 1.0))


def _chord(angle: float) -> float:
    return 2.0 * abs(math.sin(0.5 * angle))


def _serves(goals: Pair, yaw: float) -> bool:
    return all(nearest_at(goals[side], own_yaw(yaw, side))[2] >= 0 for side in range(2))


def _proved_empty(goals: Pair, yaw: float, half: float) -> int | None:
    for side in range(2):
        if nearest_at(goals[side], own_yaw(yaw, side), half)[2] < 0:
            return side
    return None


def _edge(goals: Pair, bad: float, good: float) -> float:
    while abs(good - bad) > _TOLERANCE:
        middle = 0.5 * (good + bad)
        if _serves(goals, middle):
            good = middle
        else:
            bad = middle
    return good
