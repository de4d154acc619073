"""Owns how a body gets its shape: the morph targets of MakeHuman, blended."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from client_web.avatars.bake.arrays import Floats
from client_web.avatars.bake.basemesh import BaseMesh
from client_web.avatars.bake.source import Source

METRES_PER_UNIT = 0.1


@dataclass(frozen=True)
class Build:
    """A body in MakeHuman's terms; shares of one mapping add up to 1."""

    gender: str  # female or male
    ancestry: Mapping[str, float]  # african, asian, caucasian
    age: Mapping[str, float]  # young, old
    muscle: Mapping[str, float] = field(default_factory=lambda: {"averagemuscle": 1.0})
    weight: Mapping[str, float] = field(default_factory=lambda: {"averageweight": 1.0})
    height: Mapping[str, float] = field(default_factory=dict[str, float])  # minheight, maxheight
    ideal: float = 0.0  # share of the proportions that MakeHuman calls ideal
    details: Mapping[str, float] = field(default_factory=dict[str, float])  # target -> share


def targets(build: Build) -> Iterator[tuple[str, float]]:
    """Every target of a build, with its share."""
    for ancestry, age in product(build.ancestry, build.age):
        share = build.ancestry[ancestry] * build.age[age]
        yield f"macrodetails/{ancestry}-{build.gender}-{age}", share
    for age, muscle, weight in product(build.age, build.muscle, build.weight):
        kind = f"{build.gender}-{age}-{muscle}-{weight}"
        share = build.age[age] * build.muscle[muscle] * build.weight[weight]
        yield f"macrodetails/universal-{kind}", share
        for height, more in build.height.items():
            yield f"macrodetails/height/{kind}-{height}", share * more
        if build.ideal:
            yield f"macrodetails/proportions/{kind}-idealproportions", share * build.ideal
    yield from build.details.items()


def shaped(source: Source, base: BaseMesh, build: Build) -> Floats:
    """Every vertex of the base mesh for a build (n, 3), metres; the body as MakeHuman poses it."""
    vertices = base.vertices.copy()
    for path, share in targets(build):
        vertices += share * source.target(path, len(vertices))
    return vertices * METRES_PER_UNIT
