"""Owns forward kinematics: joint angles to frames and joint screws, on dual quaternions.

One arm is computed, the right one. A left arm is its mirror image: same angles, torso yaw
negated, frames mirrored at x = 0.
"""

import math
from dataclasses import dataclass

import numpy as np
from armspan.solvers.body.skeleton import FOREARM, PALM, SHOULDER_LATERAL, SHOULDER_UP, UPPER_ARM
from armspan.solvers.dual_quaternion import (
    Dual,
    dq_dual,
    dq_from_pose,
    dq_join,
    dq_mirrored,
    dq_mul,
    dq_position,
    dq_real,
    dq_shift,
    dq_turn_x,
    dq_turn_y,
    dq_turn_z,
)
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Quat, Vec, cross, quat_mul, quat_normalised, quat_rotate
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ArmAngles = tuple[float, float, float, float, float, float, float, float]

# Right hand's frame in the zero posture: its X, Y, Z along the chest's +Z, +X, +Y.
HAND_AT_REST: Quat = (-0.5, -0.5, -0.5, 0.5)
_IDENTITY: Dual = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def arm_frames(angles: ArmAngles, lengths: Floats) -> tuple[Dual, Dual, Dual, Dual]:
    """Frames of a right arm in the chest's: torso, upper arm, forearm, palm.

    ``angles`` are 8 (torso yaw first, rad), ``lengths`` (11,) in metres. The upper arm's origin
    is the shoulder, the forearm's (after pronation) the elbow. All but the palm are the identity
    rotation in the zero posture; the palm has the hand's frame.
    """
    q0, q1, q2, q3, q4, q5, q6, q7 = angles
    torso = dq_turn_y(_IDENTITY, math.sin(0.5 * q0), math.cos(0.5 * q0))
    upper = dq_shift(torso, (lengths[SHOULDER_LATERAL], lengths[SHOULDER_UP], 0.0))
    upper = dq_turn_x(upper, math.sin(0.5 * q1), math.cos(0.5 * q1))
    upper = dq_turn_z(upper, math.sin(0.5 * q2), math.cos(0.5 * q2))
    upper = dq_turn_y(upper, math.sin(0.5 * q3), math.cos(0.5 * q3))
    forearm = dq_shift(upper, (0.0, -lengths[UPPER_ARM], 0.0))
    forearm = dq_turn_x(forearm, math.sin(0.5 * q4), math.cos(0.5 * q4))
    forearm = dq_turn_y(forearm, math.sin(0.5 * q5), math.cos(0.5 * q5))
    palm = dq_shift(forearm, (0.0, -lengths[FOREARM], 0.0))
    palm = dq_turn_z(palm, -math.sin(0.5 * q6), math.cos(0.5 * q6))
    palm = dq_turn_x(palm, math.sin(0.5 * q7), math.cos(0.5 * q7))
    palm = dq_join(quat_mul(dq_real(palm), HAND_AT_REST), quat_mul(dq_dual(palm), HAND_AT_REST))
    return torso, upper, forearm, dq_shift(palm, (0.0, 0.0, -lengths[PALM]))


@kernel
def arm_screws(angles: ArmAngles, lengths: Floats, screws: Floats) -> Dual:
    """Write the 8 joints' screws into ``screws`` (8, 6); return the palm's frame.

    A row is the joint's axis and its moment about the chest's origin (the pure dual quaternion s
    for which d palm / d angle = s palm / 2), both in the chest's frame.
    """
    q0, q1, q2, q3, q4, q5, q6, q7 = angles
    frame = dq_turn_y(_IDENTITY, math.sin(0.5 * q0), math.cos(0.5 * q0))
    _write_screw(screws, 0, (0.0, 1.0, 0.0), _IDENTITY)
    frame = dq_shift(frame, (lengths[SHOULDER_LATERAL], lengths[SHOULDER_UP], 0.0))
    _write_screw(screws, 1, (1.0, 0.0, 0.0), frame)
    frame = dq_turn_x(frame, math.sin(0.5 * q1), math.cos(0.5 * q1))
    _write_screw(screws, 2, (0.0, 0.0, 1.0), frame)
    frame = dq_turn_z(frame, math.sin(0.5 * q2), math.cos(0.5 * q2))
    _write_screw(screws, 3, (0.0, 1.0, 0.0), frame)
    frame = dq_turn_y(frame, math.sin(0.5 * q3), math.cos(0.5 * q3))
    frame = dq_shift(frame, (0.0, -lengths[UPPER_ARM], 0.0))
    _write_screw(screws, 4, (1.0, 0.0, 0.0), frame)
    frame = dq_turn_x(frame, math.sin(0.5 * q4), math.cos(0.5 * q4))
    _write_screw(screws, 5, (0.0, 1.0, 0.0), frame)
    frame = dq_turn_y(frame, math.sin(0.5 * q5), math.cos(0.5 * q5))
    frame = dq_shift(frame, (0.0, -lengths[FOREARM], 0.0))
    _write_screw(screws, 6, (0.0, 0.0, -1.0), frame)
    frame = dq_turn_z(frame, -math.sin(0.5 * q6), math.cos(0.5 * q6))
    _write_screw(screws, 7, (1.0, 0.0, 0.0), frame)
    frame = dq_turn_x(frame, math.sin(0.5 * q7), math.cos(0.5 * q7))
    frame = dq_join(quat_mul(dq_real(frame), HAND_AT_REST), quat_mul(dq_dual(frame), HAND_AT_REST))
    return dq_shift(frame, (0.0, 0.0, -lengths[PALM]))


@kernel
def _write_screw(screws: Floats, row: int, local_axis: Vec, frame: Dual) -> None:
    axis = quat_rotate(dq_real(frame), local_axis)
    moment = cross(dq_position(frame), axis)
    screws[row, 0], screws[row, 1], screws[row, 2] = axis
    screws[row, 3], screws[row, 4], screws[row, 5] = moment


@dataclass(frozen=True)
class BodyFrames:
    """World frames of a body; axis 0 of an array with sides is [left, right]."""

    position: Floats
    """(2, 4, 3) of shoulder, elbow, wrist, palm, metres."""
    rotation: Floats
    """(2, 3, 4) xyzw of upper arm, forearm (after pronation), hand."""
    torso_rotation: Floats
    """(4,) xyzw: the chest turned by torso yaw."""


@kernel
def body_frames(
    lengths: Floats,
    world_from_chest: Floats,
    joint_angles: Floats,
    position: Floats,
    rotation: Floats,
    torso_rotation: Floats,
) -> None:
    """Forward kinematics of one body into arrays shaped as in ``BodyFrames``."""
    chest = world_dual(world_from_chest)
    for side in range(2):
        frames = arm_frames(arm_angles(joint_angles, side), lengths)
        if side == 1:
            turned = quat_mul(dq_real(chest), dq_real(frames[0]))
            for i in range(4):
                torso_rotation[i] = turned[i]
        write_world_arm(chest, side, frames, lengths, position[side], rotation[side])


@kernel
def world_dual(pose: Floats) -> Dual:
    """A pose (7,) as a dual quaternion."""
    turn = quat_normalised((pose[3], pose[4], pose[5], pose[6]))
    return dq_from_pose((pose[0], pose[1], pose[2]), turn)


@kernel
def write_world_arm(
    chest: Dual, side: int, frames: tuple[Dual, Dual, Dual, Dual], lengths: Floats,
    position: Floats, rotation: Floats,
) -> None:  # fmt: skip
    """Write an arm's ``position`` (4, 3) and ``rotation`` (3, 4) as in ``BodyFrames``.

    ``frames`` are those of ``arm_frames``, of a right arm whichever the ``side``.
    """
    _, upper, forearm, palm = frames
    if side == 0:
        upper, forearm, palm = dq_mirrored(upper), dq_mirrored(forearm), dq_mirrored(palm)
    upper, forearm, palm = dq_mul(chest, upper), dq_mul(chest, forearm), dq_mul(chest, palm)
    wrist = dq_shift(palm, (0.0, 0.0, lengths[PALM]))
    places = (dq_position(upper), dq_position(forearm), dq_position(wrist), dq_position(palm))
    for k in range(4):
        for i in range(3):
            position[k, i] = places[k][i]
    for i in range(4):
        rotation[0, i], rotation[1, i], rotation[2, i] = upper[i], forearm[i], palm[i]


@kernel
def arm_angles(joint_angles: Floats, side: int) -> ArmAngles:
    """One side's 8 angles out of a body's 15, as those of a right arm."""
    first = 1 + 7 * side
    return (
        joint_angles[0] if side == 1 else -joint_angles[0],
        joint_angles[first],
        joint_angles[first + 1],
        joint_angles[first + 2],
        joint_angles[first + 3],
        joint_angles[first + 4],
        joint_angles[first + 5],
        joint_angles[first + 6],
    )


@kernel
def row_angles(angles: Floats, side: int) -> ArmAngles:
    """A row of (2, 8) angles as a tuple."""
    return (
        angles[side, 0],
        angles[side, 1],
        angles[side, 2],
        angles[side, 3],
        angles[side, 4],
        angles[side, 5],
        angles[side, 6],
        angles[side, 7],
    )


def forward_kinematics(
    lengths: Floats, world_from_chest: Floats, joint_angles: Floats
) -> BodyFrames:
    """World frames of one body: (11,) lengths, chest (7,) pose, (15,) angles in radians."""
    frames = BodyFrames(np.empty((2, 4, 3)), np.empty((2, 3, 4)), np.empty(4))
    body_frames(
        lengths, world_from_chest, joint_angles, frames.position, frames.rotation,
        frames.torso_rotation,
    )  # fmt: skip
    return frames
