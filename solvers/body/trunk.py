"""Owns the habits of trunks: where a trunk faces and how it leans, given head and hands.

No sensor measures the trunk. A handful of numbers, fitted to recorded people by ``armspan fit
chest``, settles it from this frame alone; ``docs/chest.md`` derives the formulas and reports the
errors that remain. Everything is continuous, blind to where the scene stands and which way it is
turned, and the same in a mirror.
"""

import math
from typing import NamedTuple

from armspan.solvers.body.forward import Floats
from armspan.solvers.body.skeleton import (
    EYE_HEIGHT,
    EYES_UP,
    FOREARM,
    PALM,
    UPPER_ARM,
)
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Quat, Vec, quat_normalised, quat_rotate

_UP: Vec = (0.0, 1.0, 0.0)
_TOWARD_WRIST: Vec = (0.0, 0.0, 1.0)

_LOWERED = 0.1  # the head this share of the eyes' height lower than upright: the trunk is bent
_FURTHEST = 1.5  # a wrist from the base of the skull, in lengths of the arm: more is no posture
_HIGH = -0.5  # height of the hands' middle over the base of the skull that counts as neither
_LEAST_ALONG = 0.25  # keeps the trunk within a right angle of the head
_LEAN_MAX = 1.9
_LEAN_MIN = -0.6


class Habits(NamedTuple):
    """How much each cue moves the trunk. Distances count in lengths of the arm, shoulder to wrist.

    ``turn_`` are pulls to the right on the trunk's heading, against 1 straight ahead; ``lean_``
    are radians of leaning forward, and to the right in the case of ``lean_aside_``.
    """

    turn_aside: float
    """Both wrists to the right of the head, summed."""
    turn_aside_apart: float
    """The same times how far they are apart."""
    turn_ahead: float
    """How much further ahead the right wrist is than the left one."""
    turn_high: float
    """How much higher the right wrist is than the left one."""
    turn_both_high: float
    """The same times the height of both."""
    along_apart: float
    """Pull straight ahead of wrists that are apart, the right one on the right."""
    lean_look: float
    """Share of the head's pitch that the trunk takes while the head is as high as upright."""
    lean_bent: float
    """Share that it takes besides once the head is lowered."""
    lean_point: float
    """A lowered head's lean for hands that point back, summed."""
    lean_aside_look: float
    """Share of the head's roll."""
    lean_aside_turn: float
    """Lean to the side to which the trunk is turned from the head (times the sine)."""
    lean_aside_high: float
    """How much higher the right wrist is than the left one."""


HABITS = Habits(
    0.648, -0.632, -0.873, 0.212, -0.742, 0.571,
    0.1, 0.768, -0.24, 0.746, 0.157, -0.061,
)  # fmt: skip
"""Fitted to recorded people, but for ``lean_look``: see ``docs/chest.md``."""


class _Hand(NamedTuple):
    """A wrist from the base of the skull in arm's lengths, and which way it lies from the palm."""

    aside: float
    high: float
    ahead: float
    point_aside: float
    point_ahead: float


@kernel
def heading(rotation: Quat) -> tuple[float, float]:
    """Unit (x, z) that -Z points to once the frame is stood upright by the smallest turn.

    Unlike the projection of -Z it holds when someone looks straight down or up.
    """
    up = quat_rotate(rotation, _UP)
    forward = quat_rotate(rotation, (0.0, 0.0, -1.0))
    share = forward[1] / max(1.0 + up[1], 1e-3)
    x, z = forward[0] - share * up[0], forward[2] - share * up[2]
    norm = math.sqrt(x * x + z * z)
    if norm < 1e-9:
        return (0.0, -1.0)
    return (x / norm, z / norm)


@kernel
def _seen(lengths: Floats, skull: Vec, face: tuple[float, float], palm: Floats) -> _Hand:
    """A hand as the head's heading sees it; (-face z, face x) is its right."""
    turned = quat_normalised((palm[3], palm[4], palm[5], palm[6]))
    back = quat_rotate(turned, _TOWARD_WRIST)
    arm = max(lengths[UPPER_ARM] + lengths[FOREARM], 1e-3)
    x = (palm[0] + lengths[PALM] * back[0] - skull[0]) / arm
    y = (palm[1] + lengths[PALM] * back[1] - skull[1]) / arm
    z = (palm[2] + lengths[PALM] * back[2] - skull[2]) / arm
    near = _FURTHEST / max(math.sqrt(x * x + y * y + z * z), _FURTHEST)
    return _Hand(
        near * (z * face[0] - x * face[1]),
        near * y,
        near * (x * face[0] + z * face[1]),
        back[2] * face[0] - back[0] * face[1],
        back[0] * face[0] + back[2] * face[1],
    )


@kernel
def _turn(habits: Habits, left: _Hand, right: _Hand) -> tuple[float, float]:
    """Sine (to the right) and cosine of the trunk's heading from the head's, by both hands."""
    aside, apart = left.aside + right.aside, right.aside - left.aside
    higher, both = right.high - left.high, 0.5 * (left.high + right.high) - _HIGH
    across = aside * (habits.turn_aside + habits.turn_aside_apart * apart)
    across += habits.turn_ahead * (right.ahead - left.ahead)
    across += higher * (habits.turn_high + habits.turn_both_high * both)
    along = max(1.0 + habits.along_apart * apart, _LEAST_ALONG)
    norm = math.sqrt(across * across + along * along)
    return (across / norm, along / norm)


@kernel
def _tilt(up: Vec, ahead: tuple[float, float]) -> tuple[float, float]:
    """Turn (rad) from upright to ``up``, split into forward and to the right of ``ahead``."""
    level = math.sqrt(up[0] * up[0] + up[2] * up[2])
    scale = 1.0 if level < 1e-9 else math.atan2(level, up[1]) / level
    forward = up[0] * ahead[0] + up[2] * ahead[1]
    aside = up[2] * ahead[0] - up[0] * ahead[1]
    return (scale * forward, scale * aside)


@kernel
def _lowered(lengths: Floats, skull: Vec) -> float:
    """From 0, head as high as upright, to 1, lowered as by a trunk that bends."""
    height = lengths[EYE_HEIGHT]
    share = (height - lengths[EYES_UP] - skull[1]) / (_LOWERED * max(height, 0.1))
    share = min(max(share, 0.0), 1.0)
    return share * share * (3.0 - 2.0 * share)


@kernel
def trunk_rotation(habits: Habits, lengths: Floats, skull: Vec, head: Quat, palms: Floats,
                   left: bool, right: bool) -> tuple[Vec, tuple[float, float]]:  # fmt: skip
    """The trunk's up, and its heading as (x, z), in the world.

    ``skull`` is the base of the skull, ``head`` the head's unit rotation, ``palms`` (2, 7); a palm
    counts only where its flag says that it is tracked. Recordings give a single hand no say in
    where the trunk faces: it faces as the head does.
    """
    face = heading(head)
    a, b = _seen(lengths, skull, face, palms[0]), _seen(lengths, skull, face, palms[1])
    turn = _turn(habits, a, b) if left and right else (0.0, 1.0)
    ahead = (turn[1] * face[0] - turn[0] * face[1], turn[1] * face[1] + turn[0] * face[0])
    forward, aside = _tilt(quat_rotate(head, _UP), ahead)
    bent = habits.lean_bent * forward
    if left:
        bent += habits.lean_point * (a.point_ahead * turn[1] + a.point_aside * turn[0])
    if right:
        bent += habits.lean_point * (b.point_ahead * turn[1] + b.point_aside * turn[0])
    forward = max(habits.lean_look * forward + _lowered(lengths, skull) * bent, _LEAN_MIN)
    aside = habits.lean_aside_look * aside + habits.lean_aside_turn * turn[0]
    if left and right:
        aside += habits.lean_aside_high * (b.high - a.high)
    return _tilted(forward, aside, ahead), ahead


@kernel
def _tilted(forward: float, aside: float, ahead: tuple[float, float]) -> Vec:
    """Up, turned by so many radians forward and to the right of ``ahead``."""
    angle = math.sqrt(forward * forward + aside * aside)
    lean = min(angle, _LEAN_MAX)
    share = 1.0 if angle < 1e-9 else math.sin(lean) / angle
    return (
        share * (forward * ahead[0] - aside * ahead[1]),
        math.cos(lean),
        share * (forward * ahead[1] + aside * ahead[0]),
    )
