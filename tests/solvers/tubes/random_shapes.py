"""Owns shapes drawn at random, of the kinds that must be found, in sizes that hands know."""

from collections.abc import Callable

import numpy as np
from armspan.solvers.tubes.shape import TubeKind as Kind
from numpy.random import Generator
from scipy.interpolate import CubicSpline

from tests.solvers.tubes import shapes
from tests.solvers.tubes.compounds import stick
from tests.solvers.tubes.shapes import Known, Shape, make_shape
from tests.solvers.tubes.solids import Solid, arrays_of, ball, block, rod
from tests.solvers.tubes.sweeps import Cap, Points, even


def junction_start(ways: Points, arm: int, radius_m: float) -> float:
    """How far from the middle a rod is a rod, where rods of one radius go along ``ways`` (A, 3).

    Two rods at the angle a meet in the plane half-way between them: in the direction that makes
    the angle b with the plane of both, radius * cos(b) / tan(a / 2) from the middle. The mean over
    directions of the farthest such place.
    """
    way = ways[arm]
    side = np.cross(way, np.eye(3)[int(np.argmin(np.abs(way)))])
    side /= np.linalg.norm(side)
    turns = np.linspace(0.0, 2.0 * np.pi, 720, endpoint=False)[:, None]
    round_it = np.cos(turns) * side + np.sin(turns) * np.cross(way, side)
    others = np.delete(ways, arm, axis=0)
    begins = round_it @ others.T / (1.0 - others @ way)
    return radius_m * float(begins.max(axis=1).mean())


def random_torus(random: Generator) -> Shape:
    radius = random.uniform(0.004, 0.022)
    ring = radius * random.uniform(2.2, 8.0)
    sides = int(random.integers(16, 48))
    rings = int(np.clip(sides * ring / radius * random.uniform(0.5, 1.2), 24, 400))
    return shapes.torus(ring, radius, sides, rings)


def random_rod(random: Generator) -> Shape:
    radius = random.uniform(0.004, 0.026)
    length = radius * random.uniform(6.0, 30.0)
    sides = int(random.integers(16, 48))
    step = radius * random.uniform(0.1, 1.5)
    if random.random() < 0.5:
        return shapes.capsule(length, radius, sides, step)
    cap = Cap.FLAT if random.random() < 0.5 else Cap.FAN
    return shapes.cylinder(length, radius, sides, step, cap)


def random_bend(random: Generator) -> Shape:
    """A smooth line through a few points; bends no tighter than about three radii."""
    radius = random.uniform(0.004, 0.012)
    while True:
        steps = random.normal(size=(5, 3)) + np.array([2.5, 0, 0])
        spots = np.cumsum(steps / np.linalg.norm(steps, axis=1)[:, None], axis=0) * 7.0 * radius
        spline = CubicSpline(np.arange(5.0), spots)
        line = even(spline(np.linspace(0.0, 4.0, 2000)), radius * 0.05)
        tangents = np.gradient(line, axis=0)
        tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
        bends = np.linalg.norm(np.gradient(tangents, axis=0), axis=1) / (radius * 0.05)
        gaps = np.linalg.norm(line[::20, None] - line[None, ::20], axis=2)
        far = np.abs(np.subtract.outer(np.arange(len(gaps)), np.arange(len(gaps)))) > 5
        if bends.max() * radius < 0.33 and gaps[far].min() > 3.0 * radius:
            break
    return shapes.bent(
        line, radius, int(random.integers(16, 40)), radius * random.uniform(0.15, 0.5)
    )


def random_star(random: Generator) -> Shape:
    """Three to five rods of one radius out of one point, at least 65 degrees from each other."""
    radius = random.uniform(0.005, 0.012)
    count = int(random.integers(3, 6))
    while True:
        ways = random.normal(size=(count, 3))
        ways /= np.linalg.norm(ways, axis=1, keepdims=True)
        angles = np.arccos(np.clip(ways @ ways.T, -1.0, 1.0))[~np.eye(count, dtype=bool)]
        if np.degrees(angles.min()) > 65.0:
            break
    arms = radius * random.uniform(7.0, 14.0, size=count)
    solid = Solid()
    for way, arm in zip(ways, arms, strict=True):
        solid += stick(np.zeros(3), way * (arm - radius), radius)
    tubes: list[Known] = []
    for k, arm in enumerate(arms):
        length = arm - junction_start(ways, k, radius)
        tubes.append(Known(Kind.PROTRUSION, radius, length, slack=0.9 * radius / length))
    arrays = arrays_of(solid.refine_to_length(radius * random.uniform(0.3, 0.6)))
    return make_shape("star", arrays, tubes, 1)


def random_mug(random: Generator) -> Shape:
    handle = random.uniform(0.004, 0.009)
    radius = random.uniform(0.038, 0.06)  # a narrower cup is a well for spheres of 60 mm
    loop = random.uniform(3.2, 5.0) * handle
    height = 2.0 * (loop + handle) * random.uniform(1.15, 1.8)
    wall = random.uniform(0.0025, 0.006)
    return shapes.mug(radius, height, wall, handle, loop, random.uniform(0.4, 0.9) * handle)


def random_plate(random: Generator) -> Shape:
    """Round holes through a plate, not too near each other or the edge."""
    thickness = random.uniform(0.020, 0.05)
    count = int(random.integers(1, 6))
    across = random.uniform(2.6, 3.6) * thickness
    solid = block((across, count * across, thickness))
    tubes: list[Known] = []
    for k in range(count):
        radius = thickness * random.uniform(0.18, 0.42)
        y = (k - 0.5 * (count - 1)) * across + random.uniform(-0.1, 0.1) * across
        x = random.uniform(-0.1, 0.1) * across
        solid -= rod(radius, -thickness, thickness, int(random.integers(24, 64))).translate(
            (x, y, 0)
        )
        tubes.append(Known(Kind.TUNNEL, radius, thickness))
    if random.random() < 0.7:
        solid = solid.refine_to_length(thickness * random.uniform(0.1, 0.3))
    return make_shape("plate", arrays_of(solid), tubes, 1)


def random_well(random: Generator) -> Shape:
    radius = random.uniform(0.005, 0.014)
    depth = radius * random.uniform(3.0, 6.0)
    side = radius * random.uniform(6.0, 9.0)
    solid = block((side, side, depth + 2.5 * radius)).translate(
        (0, 0, -0.5 * depth - 1.25 * radius)
    )
    solid -= rod(radius, -depth, radius)
    solid = solid.refine_to_length(radius * random.uniform(0.25, 0.6))
    return make_shape("well", arrays_of(solid), [Known(Kind.WELL, radius, depth)], 1)


def random_pin(random: Generator) -> Shape:
    """A rod that stands on a ball, its end round or flat."""
    radius = random.uniform(0.005, 0.015)
    head = radius * random.uniform(2.4, 3.2)
    shaft = radius * random.uniform(7.0, 16.0)
    cap = Cap.FLAT if random.random() < 0.5 else Cap.ROUND
    beyond = np.sqrt(head**2 - radius**2)
    tip = shaft + beyond - (radius if cap is Cap.ROUND else 0.0)
    solid = stick(np.zeros(3), np.array([0, 0, tip]), radius, cap) + ball(head)
    solid = solid.refine_to_length(radius * random.uniform(0.3, 0.6))
    return make_shape("pin", arrays_of(solid), [Known(Kind.PROTRUSION, radius, shaft)], 1)


FAMILIES: dict[str, Callable[[Generator], Shape]] = {
    "torus": random_torus,
    "rod": random_rod,
    "bend": random_bend,
    "star": random_star,
    "mug": random_mug,
    "plate": random_plate,
    "well": random_well,
    "pin": random_pin,
}


def random_shape(family: str, seed: int) -> Shape:
    """The shape of this family and number, always the same one."""
    return FAMILIES[family](np.random.default_rng([seed, *family.encode()]))
