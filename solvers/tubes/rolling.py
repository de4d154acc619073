"""Owns spheres that roll along a tube, both ways from a seed, and say what it comes to.

The first sphere stands in the middle of the medial loop; what it cuts out of the surface must have
two boundary loops. From then on a sphere stands in the middle of the last new loop, and the loop
that lies inside the sphere before is the one behind. Every piece is the connected one that holds
the last loop, so a body near by changes nothing.

Source: Abaci et al. (2004), section 4; Mortara et al., "Plumber" (2004). Where they keep one
radius, here the sphere is as large as the section needs and at most as large as the scale: short
tubes and tight bends need small ones.
"""

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np
from armspan.solvers.tubes.cuts import LOOPS_KEPT, CutScratch, cut_sphere
from armspan.solvers.tubes.loops import measure_loops
from armspan.solvers.tubes.surface import Floats, Indices, Surface

_SPHERE = 1.6  # radius of the sphere over that of the smallest ball about the last loop
_TIGHT = 1.2  # the same, where the first is too large to see two loops
_LEAST = 1.1  # below this the sphere does not cut the tube any more
_TINY = 0.3  # a loop shorter than this share of the last is a bump, not a branch
_LONGER = 1.4  # the section threshold: how much longer than the last a loop may be
_SHORTER = 0.4  # as much shorter than the last it may be
_STILL = 0.3  # of the last loop's reach: a shorter step leads nowhere
_OWNED = 0.5  # share of a loop on another tube's faces that makes it that tube's
_PEG = 0.7  # a tube known already is passed by where its loop is shorter than this share
_STEPS = 1000


class Stop(Enum):
    """Why the rolling ended."""

    TIP = "tip"
    BRANCHING = "branching"
    THRESHOLD = "threshold"
    TUBE = "tube"
    ITSELF = "itself"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Loop:
    """A boundary loop of a sphere's piece."""

    centre: Floats  # (3,) m
    reach_m: float  # of the smallest ball about the centre that holds it
    length_m: float
    face: int  # it passes this one
    owned: float  # share of its faces that are another tube's
    is_open: bool  # a part of it is the mesh's own border


@dataclass(frozen=True, slots=True)
class Rolled:
    """The way of the spheres' centres, one end to the other; the seed is ``line[seed]``."""

    line: Floats  # (K, 3) m
    seed: int
    stops: tuple[Stop, Stop]

    @property
    def closed(self) -> bool:
        """Whether the spheres came back to where they began."""
        return self.stops[1] is Stop.ITSELF


def loops_in_ball(
    surface: Surface, scratch: CutScratch, owner: Indices, centre: Floats, radius: float, face: int
) -> list[Loop]:
    """Cut the piece at ``face`` out by a sphere and give its boundary loops."""
    x, y, z = float(centre[0]), float(centre[1]), float(centre[2])
    _, count, _, _ = cut_sphere(surface, x, y, z, radius, face, scratch)
    count = min(count, LOOPS_KEPT)
    measure_loops(surface, x, y, z, radius, count, scratch)
    loops: list[Loop] = []
    for i in range(count):
        first, stop = scratch.loop_starts[i], scratch.loop_starts[i + 1]
        faces = scratch.loop_edges[first:stop] // 3 if stop > first else scratch.piece[:1]
        loops.append(
            Loop(
                scratch.loop_centre[i].copy(),
                float(scratch.loop_reach[i]),
                float(scratch.loop_length[i]),
                int(faces[0]),
                float((owner[faces] >= 0).mean()),
                bool(scratch.loop_open[i]),
            )
        )
    return loops


def roll(
    surface: Surface, scratch: CutScratch, owner: Indices, medial: Loop, normal: Floats,
    scale_m: float,
) -> Rolled | None:  # fmt: skip
    """Roll spheres both ways from a medial loop in the plane with this normal.

    ``owner`` (F,) tells the tube each face is taken by, or -1. None when the first sphere does not
    see two loops: then the seed is no tube's.
    """
    for factor in (_SPHERE, _TIGHT):
        radius = max(min(scale_m, factor * medial.reach_m), _LEAST * medial.reach_m)
        loops = loops_in_ball(surface, scratch, owner, medial.centre, radius, medial.face)
        loops = [loop for loop in loops if loop.length_m > _TINY * medial.length_m]
        if len(loops) == 2:
            break
    else:
        return None
    loops.sort(key=lambda loop: float((loop.centre - medial.centre) @ normal))
    ahead, stop = _roll_on(surface, scratch, owner, medial, radius, loops[1], scale_m)
    if stop is Stop.ITSELF:
        return Rolled(np.array([medial.centre, *ahead]), 0, (stop, stop))
    behind, start = _roll_on(surface, scratch, owner, medial, radius, loops[0], scale_m)
    return Rolled(np.array([*reversed(behind), medial.centre, *ahead]), len(behind), (start, stop))


def _roll_on(
    surface: Surface, scratch: CutScratch, owner: Indices, medial: Loop, radius: float, loop: Loop,
    scale_m: float,
) -> tuple[list[Floats], Stop]:  # fmt: skip
    """Roll one way, through ``loop`` of the sphere of ``radius`` in ``medial``."""
    line: list[Floats] = []
    last, home = medial, radius
    for _ in range(_STEPS):
        stop = _stop_before(last, loop, line[-2] if len(line) > 1 else None, scale_m)
        if stop is not None:
            return line, stop
        line.append(loop.centre)
        radius = max(min(scale_m, _SPHERE * loop.reach_m), _LEAST * loop.reach_m)
        found = loops_in_ball(surface, scratch, owner, loop.centre, radius, loop.face)
        found = [other for other in found if other.length_m > _TINY * loop.length_m]
        found.sort(key=lambda other: math.dist(other.centre, last.centre))
        ahead = found[1:]
        if len(line) > 2 and math.dist(loop.centre, medial.centre) < 0.8 * home:
            return line[:-1], Stop.ITSELF
        if not ahead:
            return line, Stop.TIP
        if len(ahead) > 1:
            free = [
                other
                for other in ahead
                if other.owned < _OWNED
                or other.length_m > _PEG * min(loop.length_m, medial.length_m)
            ]
            if len(free) != 1:
                return line[:-1], Stop.BRANCHING
            ahead = free
        last, loop = loop, ahead[0]
    return line, Stop.THRESHOLD


def _stop_before(last: Loop, loop: Loop, before: Floats | None, scale_m: float) -> Stop | None:
    """Tell why the sphere may not go from ``last`` to ``loop``; None if it may.

    ``before`` is where it was before ``last``. A sphere that hardly moves, or turns back, sits in
    the mouth of a tube: the loop ahead lies on the body.
    """
    if loop.is_open:
        return Stop.OPEN
    if loop.owned >= _OWNED:
        return Stop.TUBE
    step = loop.centre - last.centre
    if math.sqrt(float(step @ step)) < _STILL * last.reach_m:
        return Stop.THRESHOLD
    if before is not None and float(step @ (last.centre - before)) < 0.0:
        return Stop.THRESHOLD
    grown = loop.length_m / last.length_m
    if not _SHORTER < grown < _LONGER or loop.reach_m > scale_m:
        return Stop.THRESHOLD
    return None
