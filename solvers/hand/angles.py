"""Owns a hand's 20 joint angles: their names, order and limits, and the postures with names.

Order and signs are those of the wire (``docs/conventions.md``, Fingers). The limits here are what
hands do by themselves, and tighter than the bounds of the wire's codes. Sources, weighed in
``docs/hand.md``: AAOS 1965 (Joint Motion: Method of Measuring and Recording), Reider (The
Orthopaedic Physical Examination, chapter 4), the Electronic Textbook of Hand Surgery (normal ranges
of motion), Cooney et al. 1981 (J. Bone Joint Surg. Am. 63(9), 1371-1381) for the thumb's saddle,
Chatzioglou et al. 2024 (Anat. Cell Biol. 57(2), 172-182) for the spread.
"""

import math
from typing import Final

import numpy as np
from armspan.solvers.kernel import kernel
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_DEGREE = math.pi / 180.0
FINGERS: Final = ("index", "middle", "ring", "little")
_OF_A_FINGER = ("mcp_flexion", "mcp_spread", "pip_flexion", "dip_flexion")

ANGLE_NAMES: Final = (
    "thumb_cmc_flexion",
    "thumb_cmc_abduction",
    "thumb_mcp_flexion",
    "thumb_ip_flexion",
    *(f"{finger}_{joint}" for finger in FINGERS for joint in _OF_A_FINGER),
)
ANGLES: Final = len(ANGLE_NAMES)
ANGLES_OF_A_DIGIT: Final = 4

# Within the four angles of the thumb, and of a finger.
CMC_FLEXION, CMC_ABDUCTION, THUMB_MCP, THUMB_IP = range(4)
MCP, SPREAD, PIP, DIP = range(4)

# The saddle's zero is 45 degrees off the fingers. It opens to 60, closes over the palm until the
# thumb lies along the hand (45), and 10 further: that stands for its axial turn, which is no joint
# here, and lets the thumb oppose the little finger.
_THUMB_LIMITS = ((-15.0, 55.0), (-10.0, 50.0), (-10.0, 60.0), (-15.0, 80.0))
_FLEXION, _PIP, _DIP = (-20.0, 90.0), (0.0, 110.0), (0.0, 80.0)
_SPREAD = ((-10.0, 20.0), (-15.0, 15.0), (-20.0, 10.0), (-30.0, 10.0))
_FINGER_LIMITS = tuple((_FLEXION, spread, _PIP, _DIP) for spread in _SPREAD)
_LIMITS = np.array([*_THUMB_LIMITS, *(pair for finger in _FINGER_LIMITS for pair in finger)])
ANGLE_LOWER: Final[Floats] = _LIMITS[:, 0] * _DEGREE
ANGLE_UPPER: Final[Floats] = _LIMITS[:, 1] * _DEGREE

DIP_SHARE: Final = (
    2.0 / 3.0
)  # of PIP: a hand without loads bends the last joint with the one before

_RELAXED = (6, 20, 12, 12, 16, 3, 24, 12, 21, 0, 28, 14, 25, -2, 31, 16, 28, -5, 32, 17)
RELAXED: Final[Floats] = np.array(_RELAXED) * _DEGREE
FLAT: Final[Floats] = np.zeros(ANGLES)
for _constant in (ANGLE_LOWER, ANGLE_UPPER, RELAXED, FLAT):
    _constant.flags.writeable = False


@kernel
def dip_from_pip(pip: float) -> float:
    """Flexion of a finger's last joint, rad, that comes with ``pip``; 0 for a stretched finger."""
    return max(DIP_SHARE * pip, 0.0)
