"""Owns the other half of the 2001 experiment: the same two arms, their shared torso stepped once.

The averaged method (``luciano.py``) lets each arm turn a torso of its own and undoes part of every
step by averaging; the coupled step of ``polish.py`` solves both arms and the torso together. As
there: a fresh start every frame, 1 mm and 1 degree, and no knowledge of joint limits. The start is
``home``, since the zero posture gives Newton's method no direction for a hand that must go
straight up. Damping in proportion to the squared error (Sugihara 2011, "Solvability-Unconcerned
Inverse Kinematics by the Levenberg-Marquardt Method") makes refusing steps unnecessary.
"""

import math

from armspan.solvers.body.forward import Floats
from armspan.solvers.body.polish import (
    WITHOUT_LIMITS,
    PolishScratch,
    take_trial,
    write_step,
    write_trial,
)
from armspan.solvers.body.skeleton import ARM_HOME
from armspan.solvers.body.targets import Task, all_solved
from armspan.solvers.kernel import kernel

MOST_ITERATIONS = 60
# The three were searched for on random poses: fewest steps, and all converge.
_ROTATION_WEIGHT = 0.3  # metres a radian
_DAMPING = 0.03  # of the squared error
_LONGEST_STEP = 1.6  # rad
_DAMPING_LEAST = 1e-9  # square metres


@kernel
def solve_coupled(task: Task, angles: Floats, scratch: PolishScratch) -> int:
    """Solve one body; return the iterations (``MOST_ITERATIONS`` + 1: not solved).

    Writes ``angles`` (2, 8) in radians, left first, both as right arms, wrapped to one turn.
    Arms without a target keep what they hold but for the torso.
    """
    for side in range(2):
        angles[side, 0] = 0.0
        if task.tracked[side]:
            for joint in range(8):
                angles[side, joint] = ARM_HOME[joint]
    iterations = 0
    while iterations <= MOST_ITERATIONS and not all_solved(task, angles):
        iterations += 1
        if iterations <= MOST_ITERATIONS:
            _step(task, angles, scratch)
    for side in range(2):
        for joint in range(8):
            turns = math.floor(angles[side, joint] / (2.0 * math.pi) + 0.5)
            angles[side, joint] -= 2.0 * math.pi * turns
    return iterations


@kernel
def _step(task: Task, angles: Floats, scratch: PolishScratch) -> None:
    square = write_step(task, angles, _ROTATION_WEIGHT, WITHOUT_LIMITS, scratch)
    damping = _DAMPING * square + _DAMPING_LEAST
    write_trial(task.tracked, angles, damping, _LONGEST_STEP, WITHOUT_LIMITS, scratch)
    take_trial(angles, scratch)
