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
from armspan.solvers.tubes.surface import PEG, Floats, Indices, Surface

_SPHERE = 1.6  # radius of the sphere over that of the smallest ball about the last loop
_TIGHT = 1.2  # the same, where the first is too large to see two loops
_LEAST = 1.1  # below this the sphere does not cut the tube any more
_TINY = 0.3  # a loop shorter than this share of the last is a bump, not a branch
_LONGER = 1.4  # the section threshold: how much longer than the last a loop may be
_SHORTER = 0.4  # as much shorter than the last it may be
_STILL = 0.3  # of the last loop's reach: a shorter step leads nowhere
_OWNED = 0.5  # share of a loop on another tube's faces that makes it that tube's
_HOME = 0.8  # of the first sphere's radius: this near to its centre, the tube has closed
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
    """Cut the piece at ``face`` out by a sphere; give its boundary loops, but for those of pegs."""
    x, y, z = float(centre[0]), float(centre[1]), float(centre[2])
    _, count, _, _ = cut_sphere(surface, x, y, z, radius, face, scratch)
    count = min(count, LOOPS_KEPT)
    measure_loops(surface, x, y, z, radius, count, scratch)
    loops: list[Loop] = []
    for i in range(count):
        first, stop = scratch.loop_starts[i], scratch.loop_starts[i + 1]
        faces = scratch.loop_edges[first:stop] // 3 if stop > first else scratch.piece[:1]
        if (owner[faces] == PEG).mean() >= _OWNED:
            continue
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


@dataclass(frozen=True, slots=True)
class Ground:
    """Where spheres roll: the mesh, which tube a face is taken by, and the largest sphere."""

    surface: Surface
    scratch: CutScratch
    owner: Indices  # (F,) a tube's number, -1 or PEG
    scale_m: float

    def sphere_at(self, loop: Loop, factor: float) -> float:
        """Return the radius of the sphere that stands in a loop."""
        return max(min(self.scale_m, factor * loop.reach_m), _LEAST * loop.reach_m)

    def loops_at(self, loop: Loop, radius: float) -> list[Loop]:
        """Give the loops that count of the sphere that stands in a loop."""
        found = loops_in_ball(
            self.surface, self.scratch, self.owner, loop.centre, radius, loop.face
        )
        return [other for other in found if other.length_m > _TINY * loop.length_m]


def roll(ground: Ground, medial: Loop, normal: Floats) -> Rolled | None:
    """Roll spheres both ways from a medial loop in the plane with this normal.

    None when the first sphere does not see two loops: then the seed is no tube's.
    """
    for factor in (_SPHERE, _TIGHT):
        loops = ground.loops_at(medial, ground.sphere_at(medial, factor))
        if len(loops) == 2:
            break
    else:
        return None
    loops.sort(key=lambda loop: float((loop.centre - medial.centre) @ normal))
    ahead, stop = _roll_on(ground, medial, loops[1])
    if stop is Stop.ITSELF:
        return Rolled(np.array([medial.centre, *ahead]), 0, (stop, stop))
    behind, start = _roll_on(ground, medial, loops[0])
    return Rolled(np.array([*reversed(behind), medial.centre, *ahead]), len(behind), (start, stop))


def _roll_on(ground: Ground, medial: Loop, loop: Loop) -> tuple[list[Floats], Stop]:
    """Roll one way from the medial loop, through ``loop``."""
    line = [medial.centre]
    last = medial
    home = _HOME * ground.sphere_at(medial, _SPHERE)
    stop = _stop_before(last, loop, None, ground.scale_m)
    while stop is None and len(line) < _STEPS:
        line.append(loop.centre)
        if len(line) > 3 and math.dist(loop.centre, medial.centre) < home:
            return line[1:-1], Stop.ITSELF
        after = _ahead(ground, last, loop, line[-2])
        if isinstance(after, Stop):
            return line[1:-1] if after is Stop.BRANCHING else line[1:], after
        last, loop = loop, after
    return line[1:], stop or Stop.THRESHOLD


def _ahead(ground: Ground, last: Loop, loop: Loop, before: Floats) -> Loop | Stop:
    """Find the loop after ``loop``, with a smaller sphere where a larger one does not see it."""
    stop = Stop.TIP
    for factor in (_SPHERE, _TIGHT):
        found = ground.loops_at(loop, ground.sphere_at(loop, factor))
        found.sort(key=lambda other: math.dist(other.centre, last.centre))
        ahead = found[1:]
        if not ahead:
            return Stop.TIP
        if len(ahead) != 1:
            stop = Stop.BRANCHING
            continue
        judged = _stop_before(loop, ahead[0], before, ground.scale_m)
        if judged is not Stop.THRESHOLD:
            return judged or ahead[0]
        stop = judged
    return stop


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
