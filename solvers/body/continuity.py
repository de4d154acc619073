"""Owns the rule of what pops: elbows and bones that move more than their hand explains."""

import math
from dataclasses import dataclass

import numpy as np
from armspan.solvers.body.forward import Floats
from numpy.typing import NDArray

RATE_HZ = 90.0
"""The rule speaks of frames of a headset's rate: bring a motion to it before it is solved."""
CALM_M, CALM_RAD = 0.02, math.radians(10.0)
"""A hand that moves and turns less than this in a frame is calm."""
ELBOW_M, BONE_RAD = 0.05, math.radians(30.0)
"""What an elbow may go, and a bone turn, in a frame of a calm hand."""
EXPLAINED = 3.0
"""Beyond calm: as many times what the hand's own motion explains, and never less than for calm."""


@dataclass(frozen=True)
class Pops:
    """What was counted over the steps of arms whose hand was tracked before and after."""

    number: int
    """Steps of one arm in which its elbow went, or a bone turned, further than allowed."""
    steps: int
    """Steps judged."""
    worst: float
    """The largest share of what was allowed; above 1 is a pop. 0 where no step was judged."""
    worst_frame: int
    """The frame that this step led to; 0 where no step was judged."""
    furthest_m: float
    """The furthest that an elbow went in a step of a calm hand."""
    furthest_rad: float
    """The furthest that a bone turned in a step of a calm hand."""


def count_pops(
    elbows: Floats,
    bones: Floats,
    hands: Floats,
    arm_length_m: float,
    tracked: NDArray[np.bool_] | None = None,
) -> Pops:
    """Count the pops of a motion at ``RATE_HZ``.

    ``elbows`` (T, 2, 3) metres; ``bones`` (T, 2, 3, 4) rotations xyzw of upper arm, forearm, hand;
    ``hands`` (T, 2, 7) the tracked palms, all in one frame (the world's); ``arm_length_m`` from
    shoulder to wrist; ``tracked`` (T, 2), by default everywhere. Sides are [left, right].

    In a step, while its hand moves less than ``CALM_M`` and turns less than ``CALM_RAD``, no elbow
    may go further than ``ELBOW_M`` and no bone turn more than ``BONE_RAD``; a hand that moves by d
    and turns by w explains an elbow's way of d + arm length times w, and a bone's turn of
    w + d / arm length.
    """
    moved = np.linalg.norm(np.diff(hands[..., :3], axis=0), axis=-1)
    turned = turns(hands[..., 3:])
    elbow = np.linalg.norm(np.diff(elbows, axis=0), axis=-1)
    bone = turns(bones).max(axis=-1, initial=0.0)
    calm = (moved < CALM_M) & (turned < CALM_RAD)
    way = EXPLAINED * (moved + arm_length_m * turned)
    turn = EXPLAINED * (turned + moved / arm_length_m)
    share = np.maximum(
        elbow / np.where(calm, ELBOW_M, np.maximum(way, ELBOW_M)),
        bone / np.where(calm, BONE_RAD, np.maximum(turn, BONE_RAD)),
    )
    judged = np.ones(share.shape, np.bool_) if tracked is None else tracked[1:] & tracked[:-1]
    share = np.where(judged, share, 0.0)
    quiet = calm & judged
    return Pops(
        number=int((share > 1.0).sum()),
        steps=int(judged.sum()),
        worst=float(share.max(initial=0.0)),
        worst_frame=int(share.max(axis=1).argmax()) + 1 if judged.any() else 0,
        furthest_m=float(elbow.max(initial=0.0, where=quiet)),
        furthest_rad=float(bone.max(initial=0.0, where=quiet)),
    )


def turns(rotations: Floats) -> Floats:
    """Angles (T - 1, ...) in radians from each rotation of (T, ..., 4) to the next, the short way.

    By the chord, which keeps its digits where the angle is small.
    """
    here, there = rotations[1:], rotations[:-1]
    there = there * np.where(np.sum(here * there, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    chord = np.linalg.norm(here - there, axis=-1)
    return 4.0 * np.arcsin(np.clip(0.5 * chord, 0.0, 1.0))
