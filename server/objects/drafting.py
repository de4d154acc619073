"""Owns the first document of a mesh: its geometry by reference, its tubes, and where to grasp it.

What is written is a start for a designer, who knows what the object is for: a teapot is not carried
by its spout, whatever its shape says.
"""

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
from numpy.typing import NDArray

MOST_TUBES = 256  # that the schema takes
MOST_SECTIONS = 256  # of a tube here: more tell nothing about where to grasp
THINNEST_M = 0.001  # in radius: a wire
THICKEST_M = 0.050  # a hand of 0.19 m closes round 0.1 m no more
SHORTEST_M = 0.015  # room for one finger
_DECIMALS = 7  # of a metre: a tenth of a micrometre

# Whole hands first; then what there is room for. A thousand postures find what can be found.
_WAYS = (
    ParameterSet("power", thumb_toward=ThumbToward.EITHER, max_postures=4_000),
    ParameterSet(
        "thumb-along",
        thumb=ThumbUse.ON_THE_SIDE,
        thumb_toward=ThumbToward.EITHER,
        max_postures=2_000,
    ),
    ParameterSet(
        "three-fingers",
        thumb_toward=ThumbToward.EITHER,
        fingers=(Digit.THUMB, Digit.INDEX, Digit.MIDDLE),
        max_postures=2_000,
    ),
    ParameterSet(
        "pinch",
        thumb_toward=ThumbToward.EITHER,
        fingers=(Digit.THUMB, Digit.INDEX),
        max_postures=2_000,
    ),
)
_WORDS = {kind: kind.value for kind in TubeKind} | {TubeKind.FREE: "bar"}


def tube_names(shape: Shape) -> list[str]:
    """A name for every tube: what it is, with a number where there are several of a kind."""
    words = [_WORDS[TubeKind(tube.kind.value)] for tube in shape.tubes]
    count, seen = Counter(words), Counter[str]()
    names: list[str] = []
    for word in words:
        seen[word] += 1
        names.append(f"{word}-{seen[word]}" if count[word] > 1 else word)
    return names


def graspable(tube: TubeRegion) -> bool:
    """Whether a hand might close round the tube somewhere; a search says where, and how."""
    points = np.array([section.position_m for section in tube.sections])
    radii = np.array([section.radius_m for section in tube.sections])
    line = np.vstack([points, points[:1]]) if tube.closed else points
    length_m = float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
    return (
        not tube.kind.concave
        and float(radii.min()) <= THICKEST_M
        and float(radii.mean()) >= THINNEST_M
        and length_m >= SHORTEST_M
    )


def draft_object(name: str, mesh_file: str, unit: LengthUnit, shape: Shape) -> SmartObject:
    """Make the document of a mesh and what Plumber found in it."""
    tubes = regions_of(shape)
    return SmartObject(
        name=name,
        geometry=(MeshFile(mesh_file, unit),),
        tubes=tubes,
        grasp_sites=draft_sites(tubes),
    )


def regions_of(shape: Shape) -> tuple[TubeRegion, ...]:
    """Tell the tubes that were found as a document does."""
    named = zip(tube_names(shape), shape.tubes, strict=True)
    return tuple(_region(name, tube) for name, tube in list(named)[:MOST_TUBES])


def draft_sites(tubes: tuple[TubeRegion, ...]) -> tuple[GraspSite, ...]:
    """Make a grasp site, called like its tube, for each tube that a hand might close round."""
    return tuple(GraspSite(tube.name, tube.name, _WAYS) for tube in tubes if graspable(tube))


def _region(name: str, tube: Tube) -> TubeRegion:
    chosen = np.unique(np.linspace(0, len(tube.axis) - 1, MOST_SECTIONS).round().astype(int))
    sections = tuple(
        Section(_rounded(tube.axis[row]), round(float(tube.section_radii_m[row]), _DECIMALS))
        for row in chosen
    )
    return TubeRegion(name, TubeKind(tube.kind.value), sections, tube.closed)


def _rounded(point: NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = (round(float(number), _DECIMALS) for number in point)
    return x, y, z
