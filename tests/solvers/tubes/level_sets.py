"""Owns shapes made as level sets: even triangles, edges and corners cut off, as scans have them."""

import numpy as np
from armspan.solvers.tubes.shape import TubeKind as Kind

from tests.solvers.tubes.shapes import Known, Shape, make_shape
from tests.solvers.tubes.solids import level_set


def soft_mug(
    radius_m: float = 0.040,
    height_m: float = 0.10,
    wall_m: float = 0.004,
    loop_m: float = 0.030,
    handle_m: float = 0.005,
    edge_m: float = 0.003,
) -> Shape:
    """A mug whose handle is most of a ring that begins and ends in the wall."""
    half, inner = 0.5 * height_m, radius_m - wall_m
    middle = radius_m + 0.05 * radius_m

    def inside(x: float, y: float, z: float) -> float:
        out = (x * x + y * y) ** 0.5
        cup = min(radius_m - out, half - abs(z))
        hollow = min(inner - out, z + half - wall_m)
        ring = ((x - middle) ** 2 + z * z) ** 0.5 - loop_m
        handle = handle_m - (ring * ring + y * y) ** 0.5
        body = min(cup, -hollow)
        return max(body, handle) if out > radius_m - 0.5 * wall_m else body

    margin = 2 * edge_m
    low = np.array([-radius_m, -radius_m, -half]) - margin
    high = np.array([middle + loop_m + handle_m, radius_m, half]) + margin
    arrays = level_set(inside, low, high, edge_m)
    # where the ring's middle line meets the wall
    met = np.arccos((radius_m - middle) / loop_m)
    return make_shape("soft mug", arrays, [Known(Kind.HANDLE, handle_m, 2 * met * loop_m)], 1)


def soft_block(side_m: float = 0.10, radius_m: float = 0.010, edge_m: float = 0.004) -> Shape:
    """A cube with a hole through it."""
    half = 0.5 * side_m

    def inside(x: float, y: float, z: float) -> float:
        return min(half - max(abs(x), abs(y), abs(z)), (x * x + y * y) ** 0.5 - radius_m)

    reach = np.full(3, half + 2 * edge_m)
    arrays = level_set(inside, -reach, reach, edge_m)
    return make_shape("soft block", arrays, [Known(Kind.TUNNEL, radius_m, side_m)], 1)


def soft_torus(ring_m: float = 0.04, radius_m: float = 0.010, edge_m: float = 0.003) -> Shape:
    """A ring whose triangles do not follow it."""

    def inside(x: float, y: float, z: float) -> float:
        return radius_m - (((x * x + y * y) ** 0.5 - ring_m) ** 2 + z * z) ** 0.5

    reach = np.array([ring_m, ring_m, 0.0]) + radius_m + 2 * edge_m
    arrays = level_set(inside, -reach, reach, edge_m)
    tube = Known(Kind.HANDLE, radius_m, 2 * np.pi * ring_m, closed=True)
    return make_shape("soft torus", arrays, [tube], 0)


def soft_rod(length_m: float = 0.12, radius_m: float = 0.010, edge_m: float = 0.003) -> Shape:
    """A rod with round ends, tip to tip ``length_m``."""
    reach_m = 0.5 * length_m - radius_m

    def inside(x: float, y: float, z: float) -> float:
        beyond = max(abs(z) - reach_m, 0.0)
        return radius_m - (x * x + y * y + beyond * beyond) ** 0.5

    reach = np.array([radius_m, radius_m, 0.5 * length_m]) + 2 * edge_m
    arrays = level_set(inside, -reach, reach, edge_m)
    return make_shape("soft rod", arrays, [Known(Kind.FREE, radius_m, length_m)], 0)


def soft_well(depth_m: float = 0.045, radius_m: float = 0.010, edge_m: float = 0.004) -> Shape:
    """A block with a hole that ends in it."""

    def inside(x: float, y: float, z: float) -> float:
        block = min(0.045 - abs(x), 0.045 - abs(y), 0.035 - abs(z - 0.035 + depth_m + 0.01))
        hole = min(radius_m - (x * x + y * y) ** 0.5, z + depth_m)
        return min(block, -hole)

    top = 0.07 - depth_m - 0.01
    low = np.array([-0.045, -0.045, -depth_m - 0.01]) - 2 * edge_m
    high = np.array([0.045, 0.045, top]) + 2 * edge_m
    arrays = level_set(inside, low, high, edge_m)
    tube = Known(Kind.WELL, radius_m, depth_m + top)
    return make_shape("soft well", arrays, [tube], 1)
