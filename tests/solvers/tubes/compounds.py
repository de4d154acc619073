"""Owns shapes of several parts: tubes between bodies, tubes at tubes, rings, frames and holes."""

import numpy as np
from armspan.solvers.tubes.shape import TubeKind as Kind

from tests.solvers.tubes.shapes import Known, Shape, make_shape
from tests.solvers.tubes.solids import Solid, arrays_of, ball, block, rod, solid_of
from tests.solvers.tubes.sweeps import Cap, Points, arc_line, curve, even, length_of, sweep

_ORIGIN = np.zeros(3)
_OPEN = (Cap.NONE, Cap.NONE)


def swept(line: Points, radius_m: Points | float, cap: Cap = Cap.ROUND, sides: int = 32) -> Solid:
    """A solid tube along a line."""
    return solid_of(sweep(line, radius_m, sides, (cap, cap)))


def stick(a: Points, b: Points, radius_m: float, cap: Cap = Cap.ROUND) -> Solid:
    """A straight rod from ``a`` to ``b``; round caps go beyond."""
    return swept(np.array([a, b], dtype=float), radius_m, cap)


def _refined(solid: Solid, edge_m: float | None) -> Solid:
    return solid if edge_m is None else solid.refine_to_length(edge_m)


def dumbbell(
    radius_m: float = 0.010, grip_m: float = 0.09, ball_m: float = 0.032, edge_m: float = 0.003
) -> Shape:
    """Two balls at the ends of a bar."""
    beyond = np.sqrt(ball_m**2 - radius_m**2)
    half = 0.5 * grip_m + beyond
    solid = stick([0, 0, -half], [0, 0, half], radius_m, Cap.FLAT)
    solid += ball(ball_m).translate((0, 0, half)) + ball(ball_m).translate((0, 0, -half))
    tube = Known(Kind.HANDLE, radius_m, grip_m)
    return make_shape("dumbbell", arrays_of(_refined(solid, edge_m)), [tube], 2)


def mallet(
    radius_m: float = 0.012, shaft_m: float = 0.18, head_m: float = 0.035, edge_m: float = 0.004
) -> Shape:
    """A ball on a shaft with a flat end; ``shaft_m`` of it sticks out."""
    beyond = np.sqrt(head_m**2 - radius_m**2)
    solid = stick([0, 0, 0], [0, 0, shaft_m + beyond], radius_m, Cap.FLAT) + ball(head_m)
    tube = Known(Kind.PROTRUSION, radius_m, shaft_m)
    return make_shape("mallet", arrays_of(_refined(solid, edge_m)), [tube], 1)


def pin_on_block(
    radius_m: float = 0.010, pin_m: float = 0.07, edge_m: float | None = 0.005
) -> Shape:
    """A flat-ended pin that stands on a block; raw (``edge_m`` None): very large triangles."""
    solid = block((0.10, 0.10, 0.06)).translate((0, 0, -0.03)) + rod(radius_m, -0.01, pin_m)
    tube = Known(Kind.PROTRUSION, radius_m, pin_m)
    return make_shape("pin", arrays_of(_refined(solid, edge_m)), [tube], 1)


def slab_with_legs(radius_m: float = 0.009, leg_m: float = 0.08, edge_m: float = 0.005) -> Shape:
    """A slab on four legs."""
    solid = block((0.16, 0.12, 0.03)).translate((0, 0, 0.015))
    for x in (-0.055, 0.055):
        for y in (-0.04, 0.04):
            solid += rod(radius_m, -leg_m, 0.01, 32).translate((x, y, 0))
    tubes = [Known(Kind.PROTRUSION, radius_m, leg_m)] * 4
    return make_shape("legs", arrays_of(_refined(solid, edge_m)), tubes, 1)


def drawer_handle(radius_m: float = 0.006, edge_m: float = 0.004) -> Shape:
    """A round bow on a plate, from face to face."""
    loop = 0.035
    turn = arc_line(_ORIGIN, [-loop, 0, 0], [0.0, 0, 1.0], np.pi, 65)
    deep = np.array([0, 0, 0.01])
    line = np.concatenate([[turn[0] - deep], turn, [turn[-1] - deep]])
    solid = block((0.14, 0.07, 0.03)).translate((0, 0, -0.015)) + swept(line, radius_m, Cap.FAN)
    tube = Known(Kind.HANDLE, radius_m, np.pi * loop)
    return make_shape("drawer", arrays_of(_refined(solid, edge_m)), [tube], 1)


def straight_handle(radius_m: float = 0.008, edge_m: float = 0.004) -> Shape:
    """A bow with a straight grip and rounded corners on a plate."""
    corner, grip, rise = 0.02, 0.08, 0.025
    half = 0.5 * grip + corner
    up = np.array([[-half, 0, -0.01], [-half, 0, rise]])
    one = arc_line(
        np.array([-half + corner, 0, rise]), [-half, 0, rise], [0.0, 0, 1.0], 0.5 * np.pi, 17
    )
    two = one[::-1] * [-1.0, 1.0, 1.0]
    line = np.concatenate([up, one[1:], two, up[::-1][1:] * [-1.0, 1.0, 1.0]])
    solid = block((0.18, 0.07, 0.03)).translate((0, 0, -0.015)) + swept(line, radius_m, Cap.FAN)
    length = 2 * rise + np.pi * corner + grip
    tube = Known(Kind.HANDLE, radius_m, length)
    return make_shape("grip", arrays_of(_refined(solid, edge_m)), [tube], 1)


def ring_on_stick(radius_m: float = 0.006, ring_m: float = 0.035, edge_m: float = 0.003) -> Shape:
    """A ring at the end of a rod of the same thickness, in the ring's plane."""
    ring = arc_line(_ORIGIN, [ring_m, 0, 0], [0.0, 1, 0], 2 * np.pi, 120, ends=False)
    solid = solid_of(sweep(ring, radius_m, 32, _OPEN, closed=True))
    solid += stick([ring_m, 0, 0], [ring_m + 0.09, 0, 0], radius_m)
    # the ring is left where the rod's flank meets it: radius / pi beyond its middle, as at a T
    around = 2 * np.pi * ring_m - 2 * radius_m / np.pi
    out = 0.09 + radius_m - 2 * radius_m / np.pi
    tubes = [
        Known(Kind.HANDLE, radius_m, around, slack=1.4 * radius_m / around),
        Known(Kind.PROTRUSION, radius_m, out, slack=0.4 * radius_m / out),
    ]
    return make_shape("ring on stick", arrays_of(_refined(solid, edge_m)), tubes, 1)


def scissors(radius_m: float = 0.005, edge_m: float = 0.003) -> Shape:
    """Two rings at one end of a thick plate that narrows: a body with two bows."""
    solid = block((0.05, 0.13, 0.02))
    length = 0.0
    for side in (-1.0, 1.0):
        loop = 0.02
        middle = np.array([0.0, 0.03 * side, 0.0])
        start = np.array([0.025, 0.03 * side - loop * side, 0.0])
        centre = middle + np.array([0.025, 0, 0])
        turn = arc_line(centre, start, [1.0, 0, 0], np.pi, 49)
        deep = np.array([0.01, 0, 0])
        line = np.concatenate([[turn[0] - deep], turn, [turn[-1] - deep]])
        solid += swept(line, radius_m, Cap.FAN)
        length = np.pi * loop
    tubes = [Known(Kind.HANDLE, radius_m, length)] * 2
    return make_shape("scissors", arrays_of(_refined(solid, edge_m)), tubes, 1)


def frame(radius_m: float = 0.007, side_m: float = 0.10, corner_m: float = 0.02) -> Shape:
    """A square ring with rounded corners: one closed handle."""
    half, inner = 0.5 * side_m, 0.5 * side_m - corner_m
    parts: list[Points] = []
    for k in range(4):
        turn = 0.5 * np.pi * k
        out = np.array([np.cos(turn), np.sin(turn), 0.0])
        left = np.array([-out[1], out[0], 0.0])
        bow = arc_line(inner * out + inner * left, half * out + inner * left, left, 0.5 * np.pi, 15)
        parts += [np.linspace(half * out - inner * left, bow[0], 30)[:-1], bow[:-1]]
    line = np.concatenate(parts)
    length = length_of(np.concatenate([line, line[:1]]))
    arrays = sweep(line, radius_m, 24, _OPEN, closed=True)
    return make_shape("frame", arrays, [Known(Kind.HANDLE, radius_m, length, closed=True)], 0)


def trefoil(radius_m: float = 0.006, size_m: float = 0.02) -> Shape:
    """A knot: one closed handle."""

    def knot(t: Points) -> Points:
        a = 2 * np.pi * t
        return size_m * np.concatenate(
            [np.sin(a) + 2 * np.sin(2 * a), np.cos(a) - 2 * np.cos(2 * a), -1.4 * np.sin(3 * a)],
            axis=1,
        )

    line = even(curve(knot, 4000), 0.0015)
    length = length_of(line)
    arrays = sweep(line[:-1], radius_m, 24, _OPEN, closed=True)
    return make_shape("trefoil", arrays, [Known(Kind.HANDLE, radius_m, length, closed=True)], 0)


def ladder(radius_m: float = 0.006, edge_m: float = 0.003) -> Shape:
    """An H: two rods and a rung between them."""
    solid = stick([-0.04, -0.06, 0], [-0.04, 0.06, 0], radius_m)
    solid += stick([0.04, -0.06, 0], [0.04, 0.06, 0], radius_m)
    solid += stick([-0.04, 0, 0], [0.04, 0, 0], radius_m, Cap.FLAT)
    rung = 0.08 - 4 * radius_m / np.pi
    arm = 0.06 + radius_m - radius_m / np.pi
    tubes = [Known(Kind.HANDLE, radius_m, rung, slack=0.8 * radius_m / rung)]
    tubes += [Known(Kind.PROTRUSION, radius_m, arm, slack=0.7 * radius_m / arm)] * 4
    return make_shape("ladder", arrays_of(_refined(solid, edge_m)), tubes, 2)


def cross(radius_m: float = 0.008, arm_m: float = 0.07, edge_m: float = 0.003) -> Shape:
    """Six rods out of one point, along the axes."""
    solid = Solid()
    for axis in range(3):
        tip = np.zeros(3)
        tip[axis] = arm_m - radius_m
        solid += stick(-tip, tip, radius_m)
    length = arm_m - 0.9 * radius_m  # four neighbours at 45 degrees: mean of max(|cos|, |sin|)
    tubes = [Known(Kind.PROTRUSION, radius_m, length, slack=0.2 * radius_m / length)] * 6
    return make_shape("cross", arrays_of(_refined(solid, edge_m)), tubes, 1)


def theta(radius_m: float = 0.006, ring_m: float = 0.04, edge_m: float = 0.003) -> Shape:
    """A ring with a bar across: three handles between two junctions."""
    ring = arc_line(_ORIGIN, [ring_m, 0, 0], [0.0, 1, 0], 2 * np.pi, 120, ends=False)
    solid = solid_of(sweep(ring, radius_m, 32, _OPEN, closed=True))
    solid += stick([-ring_m, 0, 0], [ring_m, 0, 0], radius_m, Cap.FLAT)
    bow = np.pi * ring_m - 2 * radius_m / np.pi
    bar = 2 * ring_m - 4 * radius_m / np.pi
    tubes = [Known(Kind.HANDLE, radius_m, bow, slack=1.4 * radius_m / bow)] * 2
    tubes.append(Known(Kind.HANDLE, radius_m, bar, slack=0.8 * radius_m / bar))
    return make_shape("theta", arrays_of(_refined(solid, edge_m)), tubes, 2)


def hairpin(radius_m: float = 0.008, gap_m: float = 0.004, leg_m: float = 0.08) -> Shape:
    """A rod bent back on itself, its legs ``gap_m`` from each other: one free tube."""
    loop = radius_m + 0.5 * gap_m
    turn = arc_line(_ORIGIN, [loop, 0, 0], [0.0, 1, 0], np.pi, 60)
    line = np.concatenate([[[loop, -leg_m, 0]], turn, [[-loop, -leg_m, 0]]])
    line = even(line, 0.0015)
    arrays = sweep(line, radius_m, 24, (Cap.ROUND, Cap.ROUND))
    tube = Known(Kind.FREE, radius_m, length_of(line) + 2 * radius_m)
    return make_shape("hairpin", arrays, [tube], 0)


def bent_tunnel(radius_m: float = 0.008, edge_m: float | None = 0.005) -> Shape:
    """A block with a hole that turns a quarter: in at one face, out at another."""
    bow = arc_line(np.array([0.04, 0, 0.04]), [0.0, 0, 0.04], [0.0, 0, -1.0], 0.5 * np.pi, 33)
    line = np.concatenate([[[0, 0, 0.08]], bow, [[0.08, 0, 0]]])
    solid = block((0.10, 0.08, 0.10)).translate((0, 0, 0)) - swept(
        even(line, 0.002), radius_m, Cap.FAN
    )
    length = 0.01 + 0.01 + 0.02 * np.pi
    tube = Known(Kind.TUNNEL, radius_m, length)
    return make_shape("bent tunnel", arrays_of(_refined(solid, edge_m)), [tube], 1)


def bead(radius_m: float = 0.008, ball_m: float = 0.035, edge_m: float = 0.003) -> Shape:
    """A ball with a hole through its middle: ``2 sqrt(ball² - radius²)`` from mouth to mouth."""
    solid = ball(ball_m, 96) - rod(radius_m, -0.05, 0.05)
    tube = Known(Kind.TUNNEL, radius_m, 2 * float(np.sqrt(ball_m**2 - radius_m**2)))
    return make_shape("bead", arrays_of(_refined(solid, edge_m)), [tube], 1)


def open_tube(length_m: float = 0.12, radius_m: float = 0.010) -> Shape:
    """The wall of a rod without its ends: a scan that stops; attached nowhere."""
    line = even(np.array([[0, 0, 0], [0, 0, length_m]]), 0.002)
    tube = Known(Kind.FREE, radius_m, length_m)
    return make_shape("open", sweep(line, radius_m, 32, (Cap.NONE, Cap.NONE)), [tube], 0)
