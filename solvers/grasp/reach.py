"""Owns how an arm likes a grasp: how far its posture is from its limits for a palm in a room.

The person stands upright at the world's origin, eyes at their own height, and looks along -Z; the
other hand is free. The trunk follows the hand as people's does (``body/chest.py``), and of all
postures that put the palm there the easiest counts (``easiest.py``).
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from armspan.solvers.body.bodies import Method
from armspan.solvers.body.chest import eyes_from_chest, stand_at_origin
from armspan.solvers.body.forward import arm_angles
from armspan.solvers.body.polish import ROTATION_WEIGHT
from armspan.solvers.body.skeleton import ARM_REST, JOINT_NAMES, Side
from armspan.solvers.body.stream import Stream, solve_stream
from armspan.solvers.body.targets import pose_dual, write_pose
from armspan.solvers.dual_quaternion import dq_mul
from armspan.solvers.grasp.easiest import posture_slack, write_easiest_of
from armspan.solvers.grasp.site import Floats, GraspError
from armspan.solvers.kernel import kernel

EASY_SLACK: Final = 0.25
"""From this share of their ranges off their limits on, joints are as well off as anywhere."""

_ARM = 7  # joints of an arm beside the torso's yaw
_UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Room:
    """Where an object stands before a person who stands at the world's origin and looks along -Z.

    ``lengths`` (11,) m of the person, ``world_from_object`` (7,) position xyz m, rotation xyzw.
    Raises GraspError for what is no pose.
    """

    lengths: Floats
    world_from_object: Floats

    def __post_init__(self) -> None:
        pose = np.asarray(self.world_from_object, np.float64)
        if pose.shape != (7,) or not np.isfinite(pose).all():
            raise GraspError(f"{pose} is no place of an object: give 7 finite numbers")
        if abs(float(np.linalg.norm(pose[3:])) - 1.0) > 1e-2:
            raise GraspError(f"the rotation {pose[3:]} has not length 1: give a unit quaternion")


@dataclass(frozen=True, eq=False)
class ArmReach:
    """The posture of an arm whose palm is where a grasp wants it.

    - ``reached``: the palm is there (1 mm, 1 degree) with every joint inside its limits.
    - ``slack``: of the tightest joint, its distance from its nearer limit in halves of its range: 1
      in the middle, 0 at a limit. Where it is not reached, minus what is missed, in metres (a
      radian counts as 0.1 m).
    - ``tightest``: that joint's name.
    - ``joint_angles``: (15,) rad of the whole body, the other arm hanging: the easiest posture, or
      where there is none the nearest.
    """

    reached: bool
    slack: float
    tightest: str
    joint_angles: Floats
    off_m: float
    turned_rad: float

    @property
    def ease(self) -> float:
        """From 0, out of reach or at a limit, to 1: every joint is well inside its range."""
        return min(max(self.slack, 0.0) / EASY_SLACK, 1.0)


def palms_in_room(room: Room, object_from_palm: Floats) -> Floats:
    """World poses (N, 7) of palms (N, 7) that are told in the object's frame."""
    palms = np.empty_like(object_from_palm)
    _write_palms(np.asarray(room.world_from_object, np.float64), object_from_palm, palms)
    return palms


@kernel
def _write_palms(world_from_object: Floats, object_from_palm: Floats, palms: Floats) -> None:
    world = pose_dual(world_from_object)
    for row in range(palms.shape[0]):
        write_pose(dq_mul(world, pose_dual(object_from_palm[row])), palms[row])


def standing_head(lengths: Floats) -> Floats:
    """The head (7,), between the eyes, of someone who stands at the origin and looks along -Z."""
    chest = np.empty(7)
    stand_at_origin(lengths, chest)
    return np.concatenate((eyes_from_chest(lengths, chest, np.array(_UPRIGHT)), _UPRIGHT))


def arm_reaches(lengths: Floats, side: Side, world_from_palm: Floats) -> list[ArmReach]:
    """Find the easiest posture of an arm for palms (N, 7) in the world, each for itself."""
    count = len(world_from_palm)
    size = np.array(lengths, np.float64)
    hands = np.ascontiguousarray(np.repeat(world_from_palm[:, None], 2, axis=1), np.float64)
    arms, slacks, chests = np.zeros((count, 8)), np.empty(count), np.empty((count, 7))
    tightest = np.empty(count, np.int64)
    head = standing_head(size)
    write_easiest_of(size, head, hands, int(side), arms, slacks, tightest, chests)
    found = [
        ArmReach(
            True,
            float(slacks[row]),
            _name(side, int(tightest[row])),
            _body(side, arms[row]),
            0.0,
            0.0,
        )
        for row in range(count)
    ]
    missed = np.flatnonzero(slacks < 0.0)
    for row, nearest in zip(missed, _nearest(size, head, side, hands[missed]), strict=True):
        found[row] = nearest
    return found


def _nearest(lengths: Floats, head: Floats, side: Side, hands: Floats) -> list[ArmReach]:
    """The same by the solver of bodies, which misses no posture and else has the nearest one."""
    tracked = np.zeros((len(hands), 2), np.bool_)
    tracked[:, side] = True
    heads = np.tile(head, (len(hands), 1))
    answer = solve_stream(Method.ROBUST, Stream(lengths, hands, tracked, heads=heads))
    found: list[ArmReach] = []
    for row in range(len(hands)):
        angles = answer.joint_angles[row]
        off_m, turned = answer.position_error_m[row, side], answer.rotation_error_rad[row, side]
        slack, tightest = posture_slack(arm_angles(angles, int(side)))
        reached = bool(answer.converged[row, side] and answer.in_limits[row, side])
        if not reached:
            slack = -math.hypot(off_m, ROTATION_WEIGHT * turned)
        told = (_name(side, tightest), angles.copy(), float(off_m), float(turned))
        found.append(ArmReach(reached, max(slack, 0.0) if reached else slack, *told))
    return found


def _body(side: Side, arm: Floats) -> Floats:
    """A body's 15 angles with this arm (8,), told as a right one's, and the other at rest."""
    angles = np.array((0.0, *ARM_REST[1:], *ARM_REST[1:]))
    angles[0] = arm[0] if side == Side.RIGHT else -arm[0]
    first = 1 + _ARM * int(side)
    angles[first : first + _ARM] = arm[1:]
    return angles


def _name(side: Side, joint: int) -> str:
    return JOINT_NAMES[0 if joint == 0 else _ARM * int(side) + joint]
