"""Owns what each arm is asked for: the hand's place and turn, and where people hold the elbow."""

import math

from armspan.solvers.body.elbow import elbow_direction
from armspan.solvers.body.skeleton import SHOULDER_LATERAL, SHOULDER_UP, UPPER_ARM
from armspan.solvers.body.swivel import (
    ArmGoal,
    arm_goal,
    reach_of,
    shoulder_to_wrist,
    upper_angle,
    wrist_of,
)
from armspan.solvers.body.targets import Task
from armspan.solvers.dual_quaternion import dq_real
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec, dot, quat_axes

Pair = tuple[ArmGoal, ArmGoal]  # left (mirrored to a right arm), right
_OUTWARD_M = 0.05  # beyond the elbow's own place: a straight arm's elbow has a side, too


@kernel
def both_goals(task: Task, yaw: float) -> Pair:
    """Both arms' goals, with the elbows that people choose when the torso turns by ``yaw``."""
    return (_goal(task, 0, -yaw), _goal(task, 1, yaw))


@kernel
def own_yaw(yaw: float, side: int) -> float:
    """The body's yaw as an arm sees it: the left arm is mirrored."""
    return yaw if side == 1 else -yaw


@kernel
def _goal(task: Task, side: int, yaw: float) -> ArmGoal:
    """A right arm's goal; the torso's turn is undone for the model, and done again after it."""
    c, s = math.cos(yaw), math.sin(yaw)
    palm, lengths = task.palms[side], task.lengths
    x, y, z = quat_axes(dq_real(palm))
    away = shoulder_to_wrist(wrist_of(palm, lengths), yaw, lengths)
    d = elbow_direction(away, _turned(x, c, s), _turned(y, c, s), _turned(z, c, s), lengths)
    distance = max(math.sqrt(dot(away, away)), 1e-9)
    along, aside = upper_angle(reach_of(distance, lengths), lengths)
    k = lengths[UPPER_ARM] * along / distance
    m = lengths[UPPER_ARM] * aside + _OUTWARD_M
    elbow = (
        lengths[SHOULDER_LATERAL] + k * away[0] + m * d[0],
        lengths[SHOULDER_UP] + k * away[1] + m * d[1],
        k * away[2] + m * d[2],
    )
    return arm_goal(palm, _turned(elbow, c, -s), lengths)


@kernel
def _turned(v: Vec, c: float, s: float) -> Vec:
    """A vector of the chest in the frame of a torso turned by an angle (cosine, sine)."""
    return (c * v[0] - s * v[2], v[1], s * v[0] + c * v[2])
