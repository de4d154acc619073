"""Owns shapes with known tubes: their meshes, and what is true of them.

Lengths are what a person with a tape would say: a torus the circle of its middle line, a rod tip
to tip, a handle from wall to wall along its middle line, a hole the thickness of the plate.
"""

from dataclasses import dataclass, replace

import numpy as np
from armspan.solvers.tubes.shape import TubeKind as Kind

from tests.solvers.tubes.solids import arrays_of, ball, block, lathe, level_set, rod, solid_of
from tests.solvers.tubes.sweeps import (
    Cap,
    Faces,
    MeshArrays,
    Points,
    arc_line,
    even,
    length_of,
    sweep,
)


@dataclass(frozen=True)
class Known:
    """One tube. ``slack`` is how much of its length is a matter of definition (a share)."""

    kind: Kind
    radius_m: float
    length_m: float
    closed: bool = False
    slack: float = 0.0


@dataclass(frozen=True)
class Shape:
    """A mesh (vertices (V, 3) m, faces (F, 3)) and its tubes and bodies."""

    name: str
    vertices: Points
    faces: Faces
    tubes: tuple[Known, ...]
    bodies: int

    @property
    def arrays(self) -> MeshArrays:
        """What the solvers are given."""
        return self.vertices, self.faces

    def enlarged(self, factor: float) -> "Shape":
        """What is true of the shape once it is ``factor`` times as large."""
        tubes = tuple(
            replace(t, radius_m=factor * t.radius_m, length_m=factor * t.length_m)
            for t in self.tubes
        )
        return replace(self, vertices=factor * self.vertices, tubes=tubes)


def make_shape(name: str, arrays: MeshArrays, tubes: list[Known], bodies: int) -> Shape:
    return Shape(name, arrays[0], arrays[1], tuple(tubes), bodies)


def torus(
    ring_m: float = 0.04, radius_m: float = 0.010, sides: int = 32, rings: int = 128
) -> Shape:
    """A ring: one closed handle, nothing else."""
    line = arc_line(
        np.zeros(3), np.array([ring_m, 0, 0]), np.array([0.0, 1, 0]), 2 * np.pi, rings, ends=False
    )
    tube = Known(Kind.HANDLE, radius_m, 2 * np.pi * ring_m, closed=True)
    return make_shape(
        "torus", sweep(line, radius_m, sides, (Cap.NONE, Cap.NONE), closed=True), [tube], 0
    )


def capsule(
    length_m: float = 0.10, radius_m: float = 0.010, sides: int = 32, step_m: float = 0.002
) -> Shape:
    """A rod with round ends, ``length_m`` from tip to tip."""
    half = 0.5 * length_m - radius_m
    line = even(np.array([[0, 0, -half], [0, 0, half]]), step_m)
    arrays = sweep(line, radius_m, sides, (Cap.ROUND, Cap.ROUND))
    return make_shape("capsule", arrays, [Known(Kind.FREE, radius_m, length_m)], 0)


def cylinder(
    length_m: float = 0.10,
    radius_m: float = 0.010,
    sides: int = 32,
    step_m: float = 0.002,
    cap: Cap = Cap.FLAT,
) -> Shape:
    """A rod with flat ends; a ``step_m`` as long as the rod makes long thin triangles."""
    line = even(np.array([[0, 0, -0.5 * length_m], [0, 0, 0.5 * length_m]]), step_m)
    tube = Known(Kind.FREE, radius_m, length_m)
    return make_shape("cylinder", sweep(line, radius_m, sides, (cap, cap)), [tube], 0)


def bent(line: Points, radius_m: float = 0.010, sides: int = 32, step_m: float = 0.002) -> Shape:
    """A tube along any line, with round ends."""
    line = even(line, step_m)
    arrays = sweep(line, radius_m, sides, (Cap.ROUND, Cap.ROUND))
    tube = Known(Kind.FREE, radius_m, length_of(line) + 2 * radius_m)
    return make_shape("bent", arrays, [tube], 0)


def arc(ring_m: float = 0.05, angle_rad: float = 2.0, radius_m: float = 0.010) -> Shape:
    """A bow."""
    start, toward = np.array([ring_m, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    return bent(arc_line(np.zeros(3), start, toward, angle_rad, 400), radius_m)


def s_bend(radius_m: float = 0.010) -> Shape:
    """Two bows, turned against each other."""
    one = arc_line(np.zeros(3), np.array([0.04, 0, 0]), np.array([0.0, 1, 0]), 0.6 * np.pi, 300)
    end, ahead = one[-1], one[-1] - one[-2]
    ahead /= np.linalg.norm(ahead)
    two = arc_line(2.0 * end, end, ahead, 0.6 * np.pi, 300)
    return bent(np.concatenate([one, two[1:]]), radius_m)


def helix(radius_m: float = 0.008, ring_m: float = 0.035, rise_m: float = 0.05) -> Shape:
    """A spring of one turn and a half, its windings well apart."""
    turn = np.linspace(0.0, 3.0 * np.pi, 600)
    line = np.stack([ring_m * np.cos(turn), ring_m * np.sin(turn), rise_m * turn / (2 * np.pi)], 1)
    return bent(line, radius_m)


def _arms(ends: Points, radius_m: float, edge_m: float) -> MeshArrays:
    """Round rods from the origin to each of ``ends``, as one surface."""
    spokes = [(e[0], e[1], e[2], float(e @ e)) for e in ends]

    def inside(x: float, y: float, z: float) -> float:
        near = 1e9
        for a, b, c, square in spokes:
            t = (x * a + y * b + z * c) / square
            t = 0.0 if t < 0.0 else 1.0 if t > 1.0 else t
            near = min(near, (x - t * a) ** 2 + (y - t * b) ** 2 + (z - t * c) ** 2)
        return radius_m - near**0.5

    margin = radius_m + 2 * edge_m
    low, high = ends.min(axis=0).clip(max=0.0) - margin, ends.max(axis=0).clip(min=0.0) + margin
    return level_set(inside, low, high, edge_m)


def y_junction(radius_m: float = 0.010, arm_m: float = 0.08, edge_m: float = 0.003) -> Shape:
    """Three rods with round ends that meet at 120 degrees; ``arm_m`` from the middle to a tip.

    Rods meet in the planes half-way between their middle lines: in the direction that makes the
    angle a with the plane of all three, radius * |cos a| / sqrt(3) from the middle.
    """
    turns = 0.5 * np.pi + 2 * np.pi / 3 * np.arange(3)
    reach = arm_m - radius_m
    ends = reach * np.stack([np.cos(turns), np.sin(turns), np.zeros(3)], axis=1)
    length = arm_m - radius_m * 2 / np.pi / np.sqrt(3)
    tubes = [Known(Kind.PROTRUSION, radius_m, length, slack=0.4 * radius_m / length)] * 3
    return make_shape("y", _arms(ends, radius_m, edge_m), tubes, 1)


def t_junction(radius_m: float = 0.010, arm_m: float = 0.07, edge_m: float = 0.003) -> Shape:
    """A rod that ends in the middle of another one; ``arm_m`` from the middle to each tip."""
    reach = arm_m - radius_m
    ends = reach * np.array([[1.0, 0, 0], [-1.0, 0, 0], [0, -1.0, 0]])
    bar, stem = arm_m - radius_m / np.pi, arm_m - 2 * radius_m / np.pi
    tubes = [Known(Kind.PROTRUSION, radius_m, bar, slack=0.7 * radius_m / bar)] * 2
    tubes.append(Known(Kind.PROTRUSION, radius_m, stem, slack=0.4 * radius_m / stem))
    return make_shape("t", _arms(ends, radius_m, edge_m), tubes, 1)


def mug(
    radius_m: float = 0.040,
    height_m: float = 0.095,
    wall_m: float = 0.004,
    handle_m: float = 0.006,
    loop_m: float = 0.028,
    edge_m: float | None = 0.004,
) -> Shape:
    """A cup with a handle: half a ring, and its ends, from wall to wall."""
    outer = lathe([[0, 0], [radius_m, 0], [radius_m, height_m], [0, height_m]])
    hollow = lathe(
        [
            [0, wall_m],
            [radius_m - wall_m, wall_m],
            [radius_m - wall_m, height_m + 0.01],
            [0, height_m + 0.01],
        ]
    )
    centre = np.array([radius_m, 0.0, 0.5 * height_m])
    turn = arc_line(
        centre, np.array([radius_m, 0.0, 0.5 * height_m + loop_m]), np.array([1.0, 0, 0]), np.pi, 65
    )
    inward = np.array([wall_m, 0.0, 0.0])
    line = np.concatenate([[turn[0] - inward], turn, [turn[-1] - inward]])
    arrays = sweep(line, handle_m, 32, (Cap.FAN, Cap.FAN))
    made = (outer + solid_of(arrays)) - hollow
    if edge_m is not None:
        made = made.refine_to_length(edge_m)
    # the wall is met where x² + y² = radius²: half a handle's thickness ahead, at y = 0 not at all
    met = float(
        np.mean(
            radius_m
            - np.sqrt(
                radius_m**2
                - (handle_m * np.sin(np.linspace(0, 2 * np.pi, 360, endpoint=False))) ** 2
            )
        )
    )
    length = np.pi * loop_m + 2 * met
    return make_shape("mug", arrays_of(made), [Known(Kind.HANDLE, handle_m, length)], 1)


def cup(radius_m: float = 0.15, height_m: float = 0.20, wall_m: float = 0.02) -> Shape:
    """A large bowl without a handle: no tube that a hand or an arm closes round."""
    outer = lathe([[0, 0], [radius_m, 0], [radius_m, height_m], [0, height_m]])
    hollow = lathe(
        [
            [0, wall_m],
            [radius_m - wall_m, wall_m],
            [radius_m - wall_m, height_m + 0.01],
            [0, height_m + 0.01],
        ]
    )
    return make_shape("cup", arrays_of((outer - hollow).refine_to_length(0.008)), [], 1)


def plate(
    thickness_m: float = 0.04,
    radii_m: tuple[float, ...] = (0.008, 0.010, 0.012),
    edge_m: float | None = 0.004,
) -> Shape:
    """A thick plate with holes through it, side by side."""
    pitch = 0.05
    solid = block((pitch * len(radii_m) + 0.02, 0.08, thickness_m))
    for k, radius_m in enumerate(radii_m):
        x = pitch * (k - 0.5 * (len(radii_m) - 1))
        solid -= rod(radius_m, -thickness_m, thickness_m).translate((x, 0.0, 0.0))
    if edge_m is not None:
        solid = solid.refine_to_length(edge_m)
    tubes = [Known(Kind.TUNNEL, radius_m, thickness_m) for radius_m in radii_m]
    return make_shape("plate", arrays_of(solid), tubes, 1)


def blind_hole(
    depth_m: float = 0.04,
    radius_m: float = 0.010,
    rounded: bool = False,
    edge_m: float | None = 0.004,
) -> Shape:
    """A block with a hole that ends in it; its floor flat or half a ball."""
    solid = block((0.08, 0.08, 0.06)).translate((0.0, 0.0, -0.03))
    floor = -depth_m + (radius_m if rounded else 0.0)
    solid -= rod(radius_m, floor, 0.01)
    if rounded:
        solid -= ball(radius_m).translate((0.0, 0.0, floor))
    if edge_m is not None:
        solid = solid.refine_to_length(edge_m)
    return make_shape("well", arrays_of(solid), [Known(Kind.WELL, radius_m, depth_m)], 1)


def oval(long_m: float = 0.014, short_m: float = 0.009, length_m: float = 0.12) -> Shape:
    """A flat-ended rod of elliptical section; the radius is that of the circle of its area."""
    line = even(np.array([[0, 0, -0.5 * length_m], [0, 0, 0.5 * length_m]]), 0.002)
    vertices, faces = sweep(line, 1.0, 40, (Cap.FLAT, Cap.FLAT))
    vertices = vertices * (long_m, short_m, 1.0)
    tube = Known(Kind.FREE, float(np.sqrt(long_m * short_m)), length_m)
    return make_shape("oval", (vertices, faces), [tube], 0)


def cone(low_m: float = 0.008, high_m: float = 0.013, length_m: float = 0.14) -> Shape:
    """A flat-ended rod that widens evenly; the radius is the mean."""
    line = even(np.array([[0, 0, 0], [0, 0, length_m]]), 0.002)
    radii = np.linspace(low_m, high_m, len(line))
    tube = Known(Kind.FREE, 0.5 * (low_m + high_m), length_m)
    return make_shape("cone", sweep(line, radii, 32, (Cap.FLAT, Cap.FLAT)), [tube], 0)


def square_bar(
    side_m: float = 0.018, length_m: float = 0.12, edge_m: float | None = 0.004
) -> Shape:
    """A bar with a square section and sharp edges."""
    solid = block((side_m, side_m, length_m))
    if edge_m is not None:
        solid = solid.refine_to_length(edge_m)
    tube = Known(Kind.FREE, side_m / float(np.sqrt(np.pi)), length_m)
    return make_shape("bar", arrays_of(solid), [tube], 0)


def cube(side_m: float = 0.05, edge_m: float | None = 0.004) -> Shape:
    """No tube."""
    solid = block((side_m, side_m, side_m))
    if edge_m is not None:
        solid = solid.refine_to_length(edge_m)
    return make_shape("cube", arrays_of(solid), [], 1)


def sphere(radius_m: float = 0.03, sides: int = 96) -> Shape:
    """No tube."""
    return make_shape("sphere", arrays_of(ball(radius_m, sides)), [], 1)
