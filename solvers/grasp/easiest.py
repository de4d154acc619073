"""Owns the easiest posture of an arm for a palm: that whose tightest joint has the most room.

A palm's pose leaves an arm two freedoms, the torso's yaw and the elbow's swivel, and with both
given the angles are closed forms (``body/swivel.py``). Both are gone through on a grid, and the
best place is then closed in on. What is compared is the *slack* of a posture: of its tightest
joint, the distance from the nearer limit in halves of its range: 1 in the middle, 0 at a limit,
less beyond.
"""

import math
from typing import Final, NamedTuple

import numpy as np
from armspan.solvers.body.chest import chest_from_head
from armspan.solvers.body.forward import Floats
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.body.swivel import (
    CIRCLE_ROWS,
    ArmGoal,
    angles_at,
    arm_goal,
    elbow_flexion,
    write_circle,
)
from armspan.solvers.body.targets import make_task
from armspan.solvers.dual_quaternion import Dual
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec
from numpy.typing import NDArray

ARM_JOINTS: Final = 8  # the torso's yaw first
_YAWS = 19
_SWIVELS = 48
_ZOOMS = 8  # on the neighbourhood of the best: a ridge that runs askew would stop a climb
_AROUND = 4
_CLOSER = 0.4
_IN_REACH_M = 1e-6
_NONE = -1e9  # the slack where the wrist is out of the arm's reach
_ELBOW: Vec = (0.3, -0.4, 0.2)  # where swivel zero looks: any place serves, as all are tried


class _Best(NamedTuple):
    """The best so far."""

    slack: float
    yaw: float
    swivel: float
    branch: int


@kernel
def posture_slack(angles: tuple[float, ...]) -> tuple[float, int]:
    """Slack of an arm's 8 angles (those of a right arm, rad), and which joint is the tightest."""
    least, tightest = np.inf, 0
    for joint in range(ARM_JOINTS):
        low, high = ARM_LOWER[joint], ARM_UPPER[joint]
        slack = min(angles[joint] - low, high - angles[joint]) / (0.5 * (high - low))
        if slack < least:
            least, tightest = slack, joint
    return least, tightest


@kernel
def write_easiest(palm: Dual, lengths: Floats, circle: Floats, out: Floats) -> float:
    """Write a right arm's easiest 8 angles (rad) for a palm in the chest's frame; return the slack.

    The slack is negative where the grid has no posture inside the limits; -1e9 where the wrist is
    out of reach, and then nothing is written. ``circle``: work memory (CIRCLE_ROWS, 3).
    """
    goal = arm_goal(palm, _ELBOW, lengths)
    best = _Best(_NONE, 0.0, 0.0, 0)
    low, high = ARM_LOWER[0], ARM_UPPER[0]
    step = (high - low) / (_YAWS - 1)
    turn = 2.0 * math.pi / _SWIVELS
    for i in range(_YAWS):
        for branch in range(2):
            best = _along(goal, lengths, circle, low + i * step, 0.0, turn, _SWIVELS, branch, best)
    if best.slack == _NONE:
        return _NONE
    for _ in range(_ZOOMS):
        middle = best
        for i in range(-_AROUND, _AROUND + 1):
            yaw = min(max(middle.yaw + step * i / _AROUND, low), high)
            best = _along(
                goal, lengths, circle, yaw, middle.swivel - turn, turn / _AROUND,
                2 * _AROUND + 1, middle.branch, best,
            )  # fmt: skip
        step, turn = _CLOSER * step, _CLOSER * turn
    _write(goal, lengths, circle, best, out)
    return best.slack


@kernel
def _along(
    goal: ArmGoal, lengths: Floats, circle: Floats, yaw: float, first: float, step: float,
    count: int, branch: int, best: _Best,
) -> _Best:  # fmt: skip
    """Try swivels at one yaw of the torso; return the best of these and of what was."""
    bend = write_circle(goal, (math.cos(yaw), math.sin(yaw)), lengths, circle)
    if abs(bend.missed) > _IN_REACH_M:
        return best
    elbow = elbow_flexion(bend.reach, lengths)
    for i in range(count):
        swivel = first + i * step
        at = (math.cos(swivel), math.sin(swivel), branch)
        slack, _ = posture_slack(angles_at(circle, at, yaw, elbow))
        if slack > best.slack:
            best = _Best(slack, yaw, swivel, branch)
    return best


@kernel
def _write(goal: ArmGoal, lengths: Floats, circle: Floats, best: _Best, out: Floats) -> None:
    bend = write_circle(goal, (math.cos(best.yaw), math.sin(best.yaw)), lengths, circle)
    at = (math.cos(best.swivel), math.sin(best.swivel), best.branch)
    angles = angles_at(circle, at, best.yaw, elbow_flexion(bend.reach, lengths))
    for joint in range(ARM_JOINTS):
        out[joint] = angles[joint]


@kernel
def write_easiest_of(
    lengths: Floats, head: Floats, hands: Floats, side: int, angles: Floats, slacks: Floats,
    tightest: NDArray[np.int64], chests: Floats,
) -> None:  # fmt: skip
    """The same for palms ``hands`` (N, 2, 7) in the world of someone with that head (7,).

    Written: ``angles`` (N, 8) of a right arm, ``slacks`` and ``tightest`` joints (N,), and the
    ``chests`` (N, 7), which follow head and palm.
    """
    circle = np.empty((CIRCLE_ROWS, 3))
    for row in range(hands.shape[0]):
        chest_from_head(lengths, head, hands[row], side == 0, side == 1, chests[row])
        task = make_task(chests[row], hands[row], side == 0, side == 1, lengths)
        slacks[row] = write_easiest(task.palms[side], lengths, circle, angles[row])
        a = angles[row]
        _, tightest[row] = posture_slack((a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]))
