"""Owns the units that mesh files are in, and the guess where a file does not say."""

import math
from enum import Enum


class Unit(Enum):
    """A unit of length; the values are what people write."""

    METRE = "m"
    CENTIMETRE = "cm"
    MILLIMETRE = "mm"
    INCH = "inch"

    @property
    def metres(self) -> float:
        """How long one of it is."""
        return _METRES[self]


_METRES = {Unit.METRE: 1.0, Unit.CENTIMETRE: 0.01, Unit.MILLIMETRE: 0.001, Unit.INCH: 0.0254}

LONGEST_M = 3.0
"""The longest that a graspable thing is taken to be: a ladder, a machine that one stands at."""
SHORTEST_M = 0.02
"""The longest side of the smallest thing that fingers close round."""


def guess_unit(extent: float) -> Unit:
    """Guess the unit of a mesh whose longest side is ``extent`` of it.

    Things that people grasp are between a knob and a machine in size. Up to 3 it is metres, which
    is what scanners write; from 20 up millimetres, which CAD programs write (3 m would already be
    3,000 of them); between these a thing in metres would be a building, and in millimetres a
    screw, so it is centimetres. Inches are never guessed: 4.7 of them are a mug, and so are 12 cm,
    and nothing tells them apart. A guess can be wrong: 30 cm are taken for 30 mm.
    """
    if not math.isfinite(extent) or extent <= LONGEST_M:
        return Unit.METRE
    if extent < SHORTEST_M / Unit.MILLIMETRE.metres:
        return Unit.CENTIMETRE
    return Unit.MILLIMETRE
