"""Owns the chain that peers solve: our right arm of eight joints, as tables and as a URDF."""

import math
from xml.etree import ElementTree as Xml

import numpy as np
from armspan.solvers import DEFAULT_LENGTHS, JOINT_NAMES, Side, forward_kinematics
from armspan.solvers.body.skeleton import (
    ARM_HOME,
    ARM_JOINT_NAMES,
    ARM_LOWER,
    ARM_UPPER,
    FOREARM,
    PALM,
    SHOULDER_LATERAL,
    SHOULDER_UP,
    UPPER_ARM,
)
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BASE, TIP = "chest", "palm"
JOINTS = ("torso_yaw", *ARM_JOINT_NAMES)
LOWER, UPPER, HOME = np.array(ARM_LOWER), np.array(ARM_UPPER), np.array(ARM_HOME)
# Axes at rest, right arm (docs/conventions.md); each joint's origin in the one before.
AXES = np.array(
    [
        *([0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]),
        *([1, 0, 0], [0, 1, 0], [0, 0, -1], [1, 0, 0]),
    ],
    np.float64,
)
ORIGINS = np.zeros((8, 3))
ORIGINS[1] = DEFAULT_LENGTHS[SHOULDER_LATERAL], DEFAULT_LENGTHS[SHOULDER_UP], 0.0
ORIGINS[4, 1] = -DEFAULT_LENGTHS[UPPER_ARM]
ORIGINS[6, 1] = -DEFAULT_LENGTHS[FOREARM]
# The hand's X, Y, Z along +Z, +X, +Y of the hanging arm, the palm on its -Z.
HAND_FROM_PALM = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]], np.float64)
HAND_FROM_PALM[:3, 3] = -DEFAULT_LENGTHS[PALM] * HAND_FROM_PALM[:3, 2]
_HAND_FROM_PALM_RPY = (-math.pi / 2, -math.pi / 2, 0.0)

_ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
# Where the chain's angles are in a body's.
_IN_BODY = [0, *(JOINT_NAMES.index(f"right_{name}") for name in ARM_JOINT_NAMES)]


def urdf() -> str:
    """The chain from chest to palm; numbers keep all their digits."""
    robot = Xml.Element("robot", name="arm")
    links = [BASE, *(f"{name}_link" for name in JOINTS), TIP]
    for link in links:
        Xml.SubElement(robot, "link", name=link)
    for i, name in enumerate(JOINTS):
        joint = _joint(robot, name, "revolute", links[i : i + 2], ORIGINS[i], (0.0, 0.0, 0.0))
        Xml.SubElement(joint, "axis", xyz=_numbers(AXES[i]))
        limits = {"lower": repr(float(LOWER[i])), "upper": repr(float(UPPER[i]))}
        Xml.SubElement(joint, "limit", limits | {"effort": "100", "velocity": "100"})
    _joint(robot, "hand", "fixed", links[-2:], HAND_FROM_PALM[:3, 3], _HAND_FROM_PALM_RPY)
    return Xml.tostring(robot, encoding="unicode")


def _joint(
    robot: Xml.Element, name: str, kind: str, links: list[str], xyz: Floats, rpy: tuple[float, ...]
) -> Xml.Element:
    joint = Xml.SubElement(robot, "joint", name=name, type=kind)
    Xml.SubElement(joint, "parent", link=links[0])
    Xml.SubElement(joint, "child", link=links[1])
    Xml.SubElement(joint, "origin", xyz=_numbers(xyz), rpy=_numbers(np.array(rpy)))
    return joint


def _numbers(values: Floats) -> str:
    return " ".join(repr(float(value)) for value in values)


def body_angles(arm_angles: Floats) -> Floats:
    """(n, 15) of a body from (n, 8) of its right arm; the left arm is at zero."""
    angles = np.zeros((len(arm_angles), len(JOINT_NAMES)))
    angles[:, _IN_BODY] = arm_angles
    return angles


def right(hands: Floats) -> Floats:
    """(n, 7) the right palms of (n, 2, 7)."""
    return np.ascontiguousarray(hands[:, Side.RIGHT])


def targets(hands: Floats) -> Floats:
    """(n, 4, 4) the right palms of (n, 2, 7)."""
    return matrices(right(hands))


def palm(arm_angles: Floats) -> Floats:
    """(4, 4) the right palm at angles (8,), by Armspan's forward kinematics."""
    frames = forward_kinematics(DEFAULT_LENGTHS, _ORIGIN, body_angles(arm_angles[None])[0])
    pose = [*frames.position[Side.RIGHT, 3], *frames.rotation[Side.RIGHT, 2]]
    return matrices(np.array([pose]))[0]


def matrices(poses: Floats) -> Floats:
    """(n, 4, 4) of poses (n, 7)."""
    x, y, z, w = poses[:, 3:].T
    made = np.zeros((len(poses), 4, 4))
    made[:, :3, 3], made[:, 3, 3] = poses[:, :3], 1.0
    made[:, 0, :3] = np.stack(
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], -1
    )
    made[:, 1, :3] = np.stack(
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], -1
    )
    made[:, 2, :3] = np.stack(
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1
    )
    return made
