"""Owns the numerics of Armspan: arrays in, arrays out; no clock, file or socket."""

from armspan.solvers.body.bodies import (
    CONVERGED,
    IN_LIMITS,
    MEMORY_SIZE,
    REACHABLE,
    Method,
    solve_bodies,
    warm_up,
)
from armspan.solvers.body.chest import eyes_from_chest
from armspan.solvers.body.forward import BodyFrames, forward_kinematics
from armspan.solvers.body.skeleton import DEFAULT_LENGTHS, JOINT_NAMES, LENGTH_NAMES, Side
from armspan.solvers.body.targets import HandFrame

__all__ = [
    "CONVERGED",
    "DEFAULT_LENGTHS",
    "IN_LIMITS",
    "JOINT_NAMES",
    "LENGTH_NAMES",
    "MEMORY_SIZE",
    "REACHABLE",
    "BodyFrames",
    "HandFrame",
    "Method",
    "Side",
    "eyes_from_chest",
    "forward_kinematics",
    "solve_bodies",
    "warm_up",
]
