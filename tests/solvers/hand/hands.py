"""Hands for the tests: angles within the limits, and the mirror image of poses and capsules."""

import numpy as np
from armspan.solvers.body.skeleton import Side
from armspan.solvers.hand import ANGLE_LOWER, ANGLE_NAMES, ANGLE_UPPER, Hand, make_hand
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RIGHT_HAND: Hand = make_hand(0.19, Side.RIGHT)
LEFT_HAND: Hand = make_hand(0.19, Side.LEFT)


def some_angles(count: int = 20, seed: int = 5) -> list[Floats]:
    random = np.random.default_rng(seed)
    return [random.uniform(ANGLE_LOWER, ANGLE_UPPER) for _ in range(count)]


def degrees(**named: float) -> Floats:
    """Angles (20,) rad of a hand that is flat but for the joints named, in degrees."""
    angles = np.zeros(len(ANGLE_NAMES))
    for name, value in named.items():
        angles[ANGLE_NAMES.index(name)] = np.radians(value)
    return angles


def mirrored_poses(poses: Floats) -> Floats:
    """Poses (..., 7) seen in a mirror at x = 0."""
    return poses * np.array([-1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 1.0])


def mirrored_capsules(capsules: Floats) -> Floats:
    return capsules * np.array([-1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0])
