"""Owns the first document of a mesh: its geometry by reference, its tubes, and where to grasp it.

What is written is a start for a designer, who knows what the object is for: a teapot is not carried
by its spout, whatever its shape says.
"""

import math
from collections import Counter

import numpy as np
from armspan.protocol.objects import (
    Digit,
    GraspSite,
    LengthUnit,
    MeshFile,
    ParameterSet,
    Section,
    SmartObject,
    ThumbToward,
    ThumbUse,
    TubeKind,
    TubeRegion,
)
from armspan.solvers.tubes.shape import Shape, Tube

MOST_TUBES = 256  # that the schema takes
MOST_SECTIONS = 256  # of a tube here: more tell nothing about where to grasp
THINNEST_M = 0.001  # in radius: a wire
THICKEST_M = 0.050  # a hand of 0.19 m closes round 0.1 m no more
SHORTEST_M = 0.015  # room for one finger
_TOUCH_M = 0.002
_DECIMALS = 7  # of a metre: a tenth of a micrometre

_POWER = ParameterSet("power", thumb_toward=ThumbToward.EITHER, tolerance_m=_TOUCH_M)
_HOOK = ParameterSet(
    "hook",
    thumb=ThumbUse.ON_THE_SIDE,
    thumb_toward=ThumbToward.EITHER,
    tolerance_m=_TOUCH_M,
)
_FEW = ParameterSet(
    "two-fingers",
    thumb_toward=ThumbToward.EITHER,
    fingers=(Digit.THUMB, Digit.INDEX, Digit.MIDDLE),
    tolerance_m=_TOUCH_M,
)
_PINCH = ParameterSet(
    "pinch",
    thumb_toward=ThumbToward.EITHER,
    fingers=(Digit.THUMB, Digit.INDEX),
    tolerance_m=_TOUCH_M,
)


def tube_names(shape: Shape) -> list[str]:
    """A name for every tube: its kind, with a number where there are several of a kind."""
    count = Counter(tube.kind for tube in shape.tubes)
    seen: Counter[object] = Counter()
    names: list[str] = []
    for tube in shape.tubes:
        seen[tube.kind] += 1
        several = count[tube.kind] > 1
        names.append(f"{tube.kind.value}-{seen[tube.kind]}" if several else tube.kind.value)
    return names


def graspable(tube: Tube) -> bool:
    """Whether a hand might close round the tube somewhere; a search says where, and how."""
    thin_enough = float(tube.section_radii_m.min(initial=math.inf)) <= THICKEST_M
    return (
        not tube.kind.concave
        and thin_enough
        and tube.radius_m >= THINNEST_M
        and tube.length_m >= SHORTEST_M
    )


def draft_object(name: str, mesh_file: str, unit: LengthUnit, shape: Shape) -> SmartObject:
    """Make the document of a mesh and what Plumber found in it."""
    tubes, sites = list[TubeRegion](), list[GraspSite]()
    for told, tube in list(zip(tube_names(shape), shape.tubes, strict=True))[:MOST_TUBES]:
        tubes.append(_region(told, tube))
        if graspable(tube):
            sites.append(GraspSite(told, told, _ways(tube)))
    return SmartObject(
        name=name,
        geometry=(MeshFile(mesh_file, unit),),
        tubes=tuple(tubes),
        grasp_sites=tuple(sites),
    )


def _region(name: str, tube: Tube) -> TubeRegion:
    chosen = np.unique(np.linspace(0, len(tube.axis) - 1, MOST_SECTIONS).round().astype(int))
    sections = tuple(
        Section(_rounded(tube.axis[row]), round(float(tube.section_radii_m[row]), _DECIMALS))
        for row in chosen
    )
    return TubeRegion(name, TubeKind(tube.kind.value), sections, tube.closed)


def _rounded(point: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> tuple[float, float, float]:
    x, y, z = (round(float(number), _DECIMALS) for number in point)
    return x, y, z


def _ways(tube: Tube) -> tuple[ParameterSet, ...]:
    """Whole hands first; fewer fingers where a whole hand has no room, or the tube is thin."""
    return (_POWER, _HOOK, _FEW, _PINCH) if tube.length_m > SHORTEST_M else (_FEW, _PINCH)
