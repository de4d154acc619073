"""Owns the hand as the layers above it see it: sizes, a side, and its joints and capsules."""

from dataclasses import dataclass

import numpy as np
from armspan.solvers.body.skeleton import Side
from armspan.solvers.hand.angles import ANGLES, Floats
from armspan.solvers.hand.anthropometry import HAND_LENGTH, HandError, hand_sizes
from armspan.solvers.hand.capsules import CAPSULES, hand_capsules
from armspan.solvers.hand.forward import HAND_JOINTS, hand_joints


@dataclass(frozen=True, eq=False)
class Hand:
    """One hand: ``sizes`` (SIZES,) in metres of a right one, read-only, and the side it is on."""

    sizes: Floats
    side: Side

    @property
    def length_m(self) -> float:
        """From the wrist to the tip of the middle finger."""
        return float(self.sizes[HAND_LENGTH])

    def joints(self, angles: Floats) -> Floats:
        """Poses (25, 7) of WebXR's joints in the palm's frame, of ``angles`` (20,) rad."""
        out = np.empty((len(HAND_JOINTS), 7))
        hand_joints(_checked(angles), self.sizes, int(self.side), out)
        return out

    def capsules(self, angles: Floats) -> Floats:
        """Capsules (CAPSULES, 7) in the palm's frame, of ``angles`` (20,) rad."""
        out = np.empty((CAPSULES, 7))
        hand_capsules(_checked(angles), self.sizes, int(self.side), out)
        return out


def make_hand(hand_length_m: float, side: Side) -> Hand:
    """Make the hand of a person whose hand is so long. Raises HandError for a length of no hand."""
    sizes = hand_sizes(hand_length_m)
    sizes.flags.writeable = False
    return Hand(sizes, side)


def _checked(angles: Floats) -> Floats:
    """The angles as the kernels want them, which read 20 numbers and check nothing."""
    wanted = np.ascontiguousarray(angles, np.float64)
    if wanted.shape != (ANGLES,):
        raise HandError(f"angles of shape {wanted.shape}: a hand has {ANGLES}, in one row")
    return wanted
