"""Owns the chest from the head: where the trunk is and how it leans and turns.

The chain runs eyes - base of the skull - base of the neck - chest origin. The neck's direction
halves the angle between the head's up and the trunk's, as recorded necks do. What the sensors
cannot know, the trunk's turn and lean, is settled in ``trunk.py``; ``docs/chest.md`` derives it.
"""

import math

import numpy as np
from armspan.solvers.body.forward import Floats
from armspan.solvers.body.skeleton import EYE_HEIGHT, EYES_FORWARD, EYES_UP, NECK, STERNUM_DOWN
from armspan.solvers.body.trunk import HABITS, Habits, trunk_rotation
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import (
    Quat,
    Vec,
    dot,
    quat_from_rotation_vector,
    quat_mul,
    quat_normalised,
    quat_rotate,
)

_UP: Vec = (0.0, 1.0, 0.0)


@kernel
def neck_offset(lengths: Floats, chest_rotation: Quat, head_rotation: Quat) -> Vec:
    """From the chest's origin to the point between the eyes, in world axes, metres."""
    trunk_up = quat_rotate(chest_rotation, _UP)
    head_up = quat_rotate(head_rotation, _UP)
    x, y, z = trunk_up[0] + head_up[0], trunk_up[1] + head_up[1], trunk_up[2] + head_up[2]
    norm = math.sqrt(x * x + y * y + z * z)
    if norm < 1e-6:  # a head upside down on its trunk: any direction serves
        x, y, z = trunk_up
        norm = 1.0
    eyes = quat_rotate(head_rotation, (0.0, lengths[EYES_UP], -lengths[EYES_FORWARD]))
    down, neck = lengths[STERNUM_DOWN], lengths[NECK] / norm
    return (
        down * trunk_up[0] + neck * x + eyes[0],
        down * trunk_up[1] + neck * y + eyes[1],
        down * trunk_up[2] + neck * z + eyes[2],
    )


def eyes_from_chest(lengths: Floats, world_from_chest: Floats, head_rotation: Floats) -> Floats:
    """World position (3,) between the eyes: the exact inverse of the chest's position.

    ``lengths`` (11,), ``world_from_chest`` (7,) position and xyzw, ``head_rotation`` (4,) xyzw
    in the world. The chain: chest origin, up the trunk by ``sternum_down_m``, along the bisector
    of the trunk's up and the head's up by ``neck_m``, then ``eyes_up_m`` up and
    ``eyes_forward_m`` forward in the head's axes.
    """
    chest, head = world_from_chest[3:], head_rotation
    offset = neck_offset(
        lengths,
        quat_normalised((chest[0], chest[1], chest[2], chest[3])),
        quat_normalised((head[0], head[1], head[2], head[3])),
    )
    return world_from_chest[:3] + np.array(offset)


@kernel
def chest_from_head(lengths: Floats, head: Floats, hands: Floats, left: bool, right: bool,
                    chest: Floats) -> None:  # fmt: skip
    """Write the chest's world pose into ``chest`` (7,) from eyes and tracked palms.

    ``head`` (7,) is the frame between the eyes, ``hands`` (2, 7) the palms; a palm counts only
    when its flag says that it is tracked. Metres, xyzw.
    """
    chest_by_habits(HABITS, lengths, head, hands, left, right, chest)


@kernel
def chest_by_habits(habits: Habits, lengths: Floats, head: Floats, hands: Floats, left: bool,
                    right: bool, chest: Floats) -> None:  # fmt: skip
    """The same for other habits than the shipped ones."""
    turned = quat_normalised((head[3], head[4], head[5], head[6]))
    to_eyes = quat_rotate(turned, (0.0, lengths[EYES_UP], -lengths[EYES_FORWARD]))
    skull = (head[0] - to_eyes[0], head[1] - to_eyes[1], head[2] - to_eyes[2])
    up, ahead = trunk_rotation(habits, lengths, skull, turned, hands, left, right)
    rotation = upright_to(up, ahead)
    offset = neck_offset(lengths, rotation, turned)
    for i in range(3):
        chest[i] = head[i] - offset[i]
    for i in range(4):
        chest[3 + i] = rotation[i]


@kernel
def upright_to(up: Vec, ahead: tuple[float, float]) -> Quat:
    """Rotation that faces ``ahead`` and is then tilted by the smallest turn that takes +Y to up."""
    yaw = math.atan2(-ahead[0], -ahead[1])
    turn: Quat = (0.0, math.sin(0.5 * yaw), 0.0, math.cos(0.5 * yaw))
    w = 1.0 + dot(up, _UP)
    if w < 1e-9:
        return quat_mul(quat_from_rotation_vector((math.pi, 0.0, 0.0)), turn)
    return quat_mul(quat_normalised((up[2], 0.0, -up[0], w)), turn)


@kernel
def stand_at_origin(lengths: Floats, chest: Floats) -> None:
    """Write the chest (7,) of someone who stands at the world's origin and faces -Z."""
    upright: Quat = (0.0, 0.0, 0.0, 1.0)
    chest[0], chest[2] = 0.0, 0.0
    chest[1] = lengths[EYE_HEIGHT] - neck_offset(lengths, upright, upright)[1]
    for i in range(4):
        chest[3 + i] = upright[i]
