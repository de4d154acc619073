"""Owns how an angle stands to its joint's limits, whatever turn it is written in."""

import math

from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.kernel import kernel


@kernel
def beyond(angle: float, joint: int) -> float:
    """How far (rad) past its nearer limit (signed, the short way round); zero inside."""
    half = 0.5 * (ARM_UPPER[joint] - ARM_LOWER[joint])
    off = angle - 0.5 * (ARM_LOWER[joint] + ARM_UPPER[joint])
    off -= 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5)
    return max(off - half, 0.0) + min(off + half, 0.0)


@kernel
def near_limits(angle: float, joint: int) -> float:
    """The angle (rad) inside the limits that is nearest, the short way round."""
    off = angle - 0.5 * (ARM_LOWER[joint] + ARM_UPPER[joint])
    angle -= 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5)
    return min(max(angle, ARM_LOWER[joint]), ARM_UPPER[joint])
