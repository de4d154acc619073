"""Owns the words that a smart object chooses from; each is spelled as the document spells it."""

from enum import Enum


class LengthUnit(Enum):
    """The unit of a mesh file's numbers."""

    METRE = "m"
    CENTIMETRE = "cm"
    MILLIMETRE = "mm"
    INCH = "inch"


class TubeKind(Enum):
    """What a tube is to the object: material that a hand can close round, or a hole."""

    HANDLE = "handle"
    PROTRUSION = "protrusion"
    FREE = "free"
    TUNNEL = "tunnel"
    WELL = "well"

    @property
    def concave(self) -> bool:
        """Whether it is a hole in the material, which no hand closes round."""
        return self in (TubeKind.TUNNEL, TubeKind.WELL)


class Side(Enum):
    """Which hand."""

    LEFT = "left"
    RIGHT = "right"


class Digit(Enum):
    """A thumb or a finger, in the hand's order."""

    THUMB = "thumb"
    INDEX = "index"
    MIDDLE = "middle"
    RING = "ring"
    LITTLE = "little"


class ThumbUse(Enum):
    """What the thumb does: closes round the tube, lies along it, or stays out of the grasp."""

    CLOSED = "closed"
    ON_THE_SIDE = "on-the-side"
    UNUSED = "unused"


class ThumbToward(Enum):
    """To which end of the axis the side of the thumb lies; either is tried, end first."""

    START = "start"
    END = "end"
    EITHER = "either"


class Touching(Enum):
    """What of a hand touches."""

    THUMB = "thumb"
    INDEX = "index"
    MIDDLE = "middle"
    RING = "ring"
    LITTLE = "little"
    PALM = "palm"


class HandSegment(Enum):
    """Which bone of what touches; a palm is one piece."""

    METACARPAL = "metacarpal"
    PROXIMAL = "proximal"
    MIDDLE = "middle"
    DISTAL = "distal"
    PALM = "palm"
