"""The limits by brute force: angles read off many swivels of many yaws, and compared one by one.

Nothing here knows of lines, arcs or intervals: only where the elbow's circle is (which has tests
of its own against forward kinematics) and the table of limits.
"""

import math

import numpy as np
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.body.swivel import (
    AHEAD_X,
    CIRCLE_ROWS,
    ELBOW_X,
    FRONT_X,
    HAND_X,
    HAND_Y,
    HAND_Z,
    SIDE_X,
    UPPER_X,
    UPPER_Y,
    UPPER_Z,
    ArmGoal,
    write_circle,
)

IN_REACH_M = 1e-9
LOWER, UPPER = np.array(ARM_LOWER), np.array(ARM_UPPER)


def swivels(count: int) -> np.ndarray:
    """(count, 2) cosines and sines all around."""
    turns = np.linspace(-math.pi, math.pi, count, endpoint=False)
    return np.stack([np.cos(turns), np.sin(turns)], axis=1)


def inside_by(circle: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(n, 2) how far (rad) the angles at swivels (n, 2) are inside the limits, in both readings.

    The least over six joints: shoulder and wrist. Negative is outside.
    """
    rows = circle[:, :1] + circle[:, 1:] @ at.T
    margins = []
    for sign in (1.0, -1.0):
        abduction = np.arcsin(np.clip(-rows[UPPER_X], -1.0, 1.0))
        angles = {
            1: np.arctan2(sign * rows[UPPER_Z], sign * rows[UPPER_Y]),
            2: abduction if sign > 0.0 else math.pi - abduction,
            3: np.arctan2(sign * rows[FRONT_X], sign * rows[ELBOW_X]),
            5: np.arctan2(-rows[AHEAD_X], rows[SIDE_X]),
            6: np.arcsin(np.clip(-rows[HAND_X], -1.0, 1.0)),
            7: np.arctan2(-rows[HAND_Z], rows[HAND_Y]),
        }
        margins.append(np.min([_margin(q, joint) for joint, q in angles.items()], axis=0))
    return np.stack(margins, axis=1)


def _margin(angle: np.ndarray, joint: int) -> np.ndarray:
    """How far inside a joint's limits; whole turns do not count."""
    middle = 0.5 * (LOWER[joint] + UPPER[joint])
    off = (angle - middle + math.pi) % (2.0 * math.pi) - math.pi
    return 0.5 * (UPPER[joint] - LOWER[joint]) - np.abs(off)


def best_inside(goal: ArmGoal, yaw: float, lengths: np.ndarray, at: np.ndarray) -> float:
    """How far inside the limits the best of some swivels is (rad); -inf out of reach."""
    circle = np.empty((CIRCLE_ROWS, 3))
    bend = write_circle(goal, (math.cos(yaw), math.sin(yaw)), lengths, circle)
    return -math.inf if abs(bend.missed) > IN_REACH_M else float(inside_by(circle, at).max())
