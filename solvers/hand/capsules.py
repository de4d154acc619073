"""Owns a hand's capsules: 15 segments that move, then the palm's, which do not.

A capsule is 7 numbers: both ends of its axis, and its radius; metres, in the palm's frame. Row
``SEGMENTS * digit + segment`` is a segment of a digit (thumb: metacarpal, proximal, distal;
fingers: proximal, middle, distal); from row ``FIRST_PALM`` on come ``PALM_CAPSULES`` of the palm:
the metacarpals of index, middle, ring and little finger, and the heel of the hand. A distal
segment's axis ends a radius before the tip, so that the capsule ends at the tip. Segments of one
digit overlap at their joints, and a digit's first overlaps the palm.
"""

import math
from typing import Final

from armspan.solvers.hand.angles import Floats
from armspan.solvers.hand.anthropometry import (
    BASE,
    DIGIT_SIZE,
    DIGITS,
    LENGTH,
    PALM,
    PALM_CAPSULES,
    RADIUS,
    SEGMENTS,
)
from armspan.solvers.hand.forward import RIGHT, THUMB_AT_REST
from armspan.solvers.kernel import kernel

FIRST_PALM: Final = DIGITS * SEGMENTS
CAPSULES: Final = FIRST_PALM + PALM_CAPSULES


@kernel
def hand_capsules(angles: Floats, sizes: Floats, side: int, out: Floats) -> None:
    """Write all capsules into ``out`` (CAPSULES, 7); ``angles`` (20,) rad."""
    thumb_capsules(sizes, side, angles[0], angles[1], angles[2], angles[3], out[:SEGMENTS])
    for digit in range(1, DIGITS):
        a = 4 * digit
        rows = out[SEGMENTS * digit : SEGMENTS * (digit + 1)]
        finger_capsules(
            sizes, side, digit, angles[a], angles[a + 1], angles[a + 2], angles[a + 3], rows
        )
    palm_capsules(sizes, side, out[FIRST_PALM:])


@kernel
def palm_capsules(sizes: Floats, side: int, out: Floats) -> None:
    """Write the palm's capsules into ``out`` (PALM_CAPSULES, 7)."""
    mirror = 1.0 if side == RIGHT else -1.0
    for row in range(PALM_CAPSULES):
        for part in range(7):
            out[row, part] = sizes[PALM + 7 * row + part]
        out[row, 0] *= mirror
        out[row, 3] *= mirror


@kernel
def finger_capsules(
    sizes: Floats,
    side: int,
    digit: int,
    mcp: float,
    spread: float,
    pip: float,
    dip: float,
    out: Floats,
) -> None:
    """Write the three capsules of the finger ``digit`` (1 index … 4 little) into ``out`` (3, 7)."""
    first = DIGIT_SIZE * digit
    mirror = 1.0 if side == RIGHT else -1.0
    x, y, z = mirror * sizes[first + BASE], sizes[first + BASE + 1], sizes[first + BASE + 2]
    aside, ahead = -mirror * math.sin(spread), -math.cos(spread)
    bend = mcp
    for segment in range(SEGMENTS):
        if segment == 1:
            bend += pip
        elif segment == 2:
            bend += dip
        sine, cosine = math.sin(bend), math.cos(bend)
        radius = sizes[first + RADIUS + segment]
        length = sizes[first + LENGTH + segment]
        if segment == SEGMENTS - 1:
            length -= radius
        out[segment, 0], out[segment, 1], out[segment, 2] = x, y, z
        x += length * cosine * aside
        y -= length * sine
        z += length * cosine * ahead
        out[segment, 3], out[segment, 4], out[segment, 5] = x, y, z
        out[segment, 6] = radius


@kernel
def thumb_capsules(
    sizes: Floats,
    side: int,
    flexion: float,
    abduction: float,
    mcp: float,
    ip: float,
    out: Floats,
) -> None:
    """Write the thumb's three capsules into ``out`` (3, 7): metacarpal, proximal, distal."""
    mirror = 1.0 if side == RIGHT else -1.0
    x, y, z = mirror * sizes[BASE], sizes[BASE + 1], sizes[BASE + 2]
    azimuth = THUMB_AT_REST - flexion
    sine, cosine = math.sin(azimuth), math.cos(azimuth)
    up, level = math.sin(abduction), math.cos(abduction)
    bend = 0.0
    for segment in range(SEGMENTS):
        if segment == 1:
            bend += mcp
        elif segment == 2:
            bend += ip
        inward, forward = math.sin(bend), math.cos(bend)
        radius = sizes[RADIUS + segment]
        length = sizes[LENGTH + segment]
        if segment == SEGMENTS - 1:
            length -= radius
        out[segment, 0], out[segment, 1], out[segment, 2] = x, y, z
        x += mirror * length * (inward * cosine - forward * level * sine)
        y -= length * forward * up
        z -= length * (inward * sine + forward * level * cosine)
        out[segment, 3], out[segment, 4], out[segment, 5] = x, y, z
        out[segment, 6] = radius
