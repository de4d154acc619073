"""Owns a hand's forward kinematics: 20 angles to WebXR's 25 joints, in the palm's frame.

A right hand is computed; the left one is its mirror image at x = 0. A joint's frame has -Z along
the bone that begins there and +Y out of its back (for the thumb: out of the nail); a tip has that
of the bone before it. (WebXR Hand Input Module Level 1, section 4.)
"""

import math
from typing import Final

from armspan.solvers.body.skeleton import Side
from armspan.solvers.hand.angles import Floats
from armspan.solvers.hand.anthropometry import (
    BASE,
    DIGIT_SIZE,
    DIGITS,
    LENGTH,
    METACARPALS,
    WRIST_Z,
)
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Quat, Vec, quat_mul, quat_rotate

LEFT: Final = int(Side.LEFT)
RIGHT: Final = int(Side.RIGHT)

_FINGERS = ("index-finger", "middle-finger", "ring-finger", "pinky-finger")
_BONES = ("metacarpal", "phalanx-proximal", "phalanx-intermediate", "phalanx-distal", "tip")
HAND_JOINTS: Final = (
    "wrist",
    "thumb-metacarpal",
    "thumb-phalanx-proximal",
    "thumb-phalanx-distal",
    "thumb-tip",
    *(f"{finger}-{bone}" for finger in _FINGERS for bone in _BONES),
)
THUMB_AT_REST: Final = math.pi / 4.0  # off the fingers, in the palm's plane
_QUARTER = math.sqrt(0.5)


@kernel
def finger_turn(bend: float, spread: float) -> Quat:
    """Frame of a right finger's bone whose flexions so far add up to ``bend``, rad."""
    sb, cb = math.sin(0.5 * bend), math.cos(0.5 * bend)
    ss, cs = math.sin(0.5 * spread), math.cos(0.5 * spread)
    return (-cs * sb, ss * cb, ss * sb, cs * cb)


@kernel
def thumb_turn(flexion: float, abduction: float, bend: float) -> Quat:
    """Frame of a right thumb's bone whose flexions after its first joint add up to ``bend``."""
    half = 0.5 * (THUMB_AT_REST - flexion)
    turned = (0.0, math.sin(half), 0.0, math.cos(half))
    lifted = (-math.sin(0.5 * abduction), 0.0, 0.0, math.cos(0.5 * abduction))
    bent = (0.0, -math.sin(0.5 * bend), 0.0, math.cos(0.5 * bend))
    # A thumb bends to its own -Y as fingers do: its back is rolled to its side.
    rolled = (0.0, 0.0, _QUARTER, _QUARTER)
    return quat_mul(quat_mul(quat_mul(turned, lifted), bent), rolled)


@kernel
def hand_joints(angles: Floats, sizes: Floats, side: int, out: Floats) -> None:
    """Write the poses of WebXR's 25 joints in the palm's frame into ``out`` (25, 7).

    ``angles`` (20,) rad, ``sizes`` as ``hand_sizes`` gives them, ``side`` LEFT or RIGHT.
    """
    _put(out, 0, side, (0.0, 0.0, sizes[WRIST_Z]), (0.0, 0.0, 0.0, 1.0))
    _thumb_joints(angles, sizes, side, out)
    for digit in range(1, DIGITS):
        _finger_joints(digit, angles, sizes, side, out)


@kernel
def _thumb_joints(angles: Floats, sizes: Floats, side: int, out: Floats) -> None:
    place = (sizes[BASE], sizes[BASE + 1], sizes[BASE + 2])
    turn = thumb_turn(angles[0], angles[1], 0.0)
    bend = 0.0
    for bone in range(3):
        if bone > 0:
            bend += angles[1 + bone]
            turn = thumb_turn(angles[0], angles[1], bend)
        _put(out, 1 + bone, side, place, turn)
        place = _ahead(place, turn, sizes[LENGTH + bone])
    _put(out, 4, side, place, turn)


@kernel
def _finger_joints(digit: int, angles: Floats, sizes: Floats, side: int, out: Floats) -> None:
    first = DIGIT_SIZE * digit
    joint = 5 * digit
    metacarpal = METACARPALS + 3 * (digit - 1)
    start = (sizes[metacarpal], sizes[metacarpal + 1], sizes[metacarpal + 2])
    place = (sizes[first + BASE], sizes[first + BASE + 1], sizes[first + BASE + 2])
    _put(out, joint, side, start, _turn_along(start, place))
    spread = angles[4 * digit + 1]
    bend = angles[4 * digit]
    turn = finger_turn(bend, spread)
    for bone in range(3):
        if bone > 0:
            bend += angles[4 * digit + 1 + bone]
            turn = finger_turn(bend, spread)
        _put(out, joint + 1 + bone, side, place, turn)
        place = _ahead(place, turn, sizes[first + LENGTH + bone])
    _put(out, joint + 4, side, place, turn)


@kernel
def _ahead(place: Vec, turn: Quat, length: float) -> Vec:
    x, y, z = quat_rotate(turn, (0.0, 0.0, -length))
    return (place[0] + x, place[1] + y, place[2] + z)


@kernel
def _turn_along(start: Vec, end: Vec) -> Quat:
    """The frame of a bone of the palm: -Z along it, X level."""
    x, y, z = end[0] - start[0], end[1] - start[1], end[2] - start[2]
    spread = math.atan2(-x, -z)
    bend = math.atan2(-y, math.sqrt(x * x + z * z))
    return finger_turn(bend, spread)


@kernel
def _put(out: Floats, joint: int, side: int, place: Vec, turn: Quat) -> None:
    mirror = 1.0 if side == RIGHT else -1.0
    out[joint, 0] = mirror * place[0]
    out[joint, 1] = place[1]
    out[joint, 2] = place[2]
    out[joint, 3] = turn[0]
    out[joint, 4] = mirror * turn[1]
    out[joint, 5] = mirror * turn[2]
    out[joint, 6] = turn[3]
