"""Owns the limits by brute force: angles read off a swivel and compared with the table one by one.

Nothing here knows of lines, entries or intervals, so that a figure shows what there is and not
what the solver believes.
"""

import math

import numpy as np
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER, DEFAULT_LENGTHS
from armspan.solvers.body.swivel import (
    CIRCLE_ROWS,
    ArmGoal,
    Bend,
    angles_at,
    elbow_flexion,
    write_circle,
)
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# In the order in which the solver asks: the wrist's joints, then the shoulder's.
JOINTS = (6, 7, 5, 3, 1, 2)
_ROUNDING_RAD = 1e-9
_IN_REACH_M = 1e-9


def circle_at(goal: ArmGoal, yaw: float) -> tuple[Floats, Bend]:
    """The elbow's circle (CIRCLE_ROWS, 3) of a right arm for a torso turned by ``yaw``."""
    circle = np.zeros((CIRCLE_ROWS, 3))
    bend = write_circle(goal, (math.cos(yaw), math.sin(yaw)), DEFAULT_LENGTHS, circle)
    return circle, bend


def holding(goal: ArmGoal, yaw: float, swivels: Floats, reading: int) -> Flags:
    """(n, 6) whether each of JOINTS is inside its limits at each swivel (rad)."""
    circle, bend = circle_at(goal, yaw)
    flexion = elbow_flexion(bend.reach, DEFAULT_LENGTHS)
    inside = np.zeros((len(swivels), len(JOINTS)), np.bool_)
    for row, swivel in enumerate(swivels):
        angles = angles_at(circle, (math.cos(swivel), math.sin(swivel), reading), yaw, flexion)
        for column, joint in enumerate(JOINTS):
            low, high = ARM_LOWER[joint] - _ROUNDING_RAD, ARM_UPPER[joint] + _ROUNDING_RAD
            inside[row, column] = low <= angles[joint] <= high
    return inside


def feasible(goal: ArmGoal, yaw: float, swivels: Floats) -> Flags:
    """(n,) whether all joints are inside, in either reading; nowhere if out of reach."""
    if abs(circle_at(goal, yaw)[1].missed) > _IN_REACH_M:
        return np.zeros(len(swivels), np.bool_)
    readings = [holding(goal, yaw, swivels, reading).all(axis=1) for reading in range(2)]
    return np.logical_or(readings[0], readings[1])
