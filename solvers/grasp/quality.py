"""Owns how good a grasp is: the wrench-space epsilon of its contacts.

A contact is a point with friction that presses on the object with at most one unit of normal force
(Ferrari & Canny 1992, the measure of the sum of forces, Q1). What it can do to the object is a cone
of wrenches, taken by its edges: force, and torque about the centre of mass in units of a length, so
that both are told in the same unit. *Epsilon* is the radius of the largest ball about the origin
inside the convex hull of all contacts' wrenches: any disturbance up to that size is withstood. With
h(u) = max_i u . w_i the hull's support, it is

    epsilon = min over unit vectors u of h(u),

the signed distance of the origin from the hull's boundary: positive inside, which is force closure;
0 where the wrenches do not span all six dimensions; outside, minus the distance from the hull.
"""

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
from armspan.solvers.grasp.site import Contact, GraspError
from numpy.typing import NDArray
from scipy import optimize, spatial  # pyright: ignore[reportMissingTypeStubs]

Floats = NDArray[np.float64]

FRICTION: Final = 0.6  # of dry skin on smooth solids, for which a wide range is reported
CONE_EDGES: Final = 8
_NOTHING = 1e-9  # of the largest wrench: what counts as zero
_AT_ONCE = 12  # facets that are looked at before the hull is made anew


def grasp_quality(
    contacts: Sequence[Contact],
    centre: Floats,
    torque_scale_m: float,
    friction: float = FRICTION,
    edges: int = CONE_EDGES,
) -> float:
    """Epsilon of a grasp's contacts, a pure number; without any contact minus infinity.

    ``centre``: (3,) m, the centre of mass in the contacts' frame. ``torque_scale_m``: the length
    that torques are divided by; with the largest distance of the object's surface from its centre,
    as is usual, no wrench of a unit force is longer than the square root of 2 (and of friction).
    """
    if not contacts:
        return -np.inf
    points = np.array([contact.point for contact in contacts])
    normals = np.array([contact.normal for contact in contacts])
    return wrench_epsilon(
        contact_wrenches(points, normals, centre, torque_scale_m, friction, edges)
    )


def contact_wrenches(
    points: Floats,
    normals: Floats,
    centre: Floats,
    torque_scale_m: float,
    friction: float = FRICTION,
    edges: int = CONE_EDGES,
) -> Floats:
    """Wrenches (C * edges, 6) at the edges of the friction cones: force, torque / scale.

    ``points``, ``normals``: (C, 3), the object's unit normals outwards, so that a contact presses
    along minus its normal. The cones' edges are laid by the contacts' own geometry: moved or
    mirrored contacts have moved or mirrored cones. Raises GraspError for impossible numbers.
    """
    if not (torque_scale_m > 0.0 and np.isfinite(torque_scale_m)):
        raise GraspError(f"a torque scale of {torque_scale_m:g} m: it must be a length above 0")
    if not (0.0 <= friction <= 10.0):
        raise GraspError(f"a friction coefficient of {friction:g}: it must be from 0 to 10")
    if edges < 3:
        raise GraspError(f"{edges} edges of a friction cone: it needs at least 3")
    arms = points - centre
    across = np.array([_tangent(points, arms, normals[at], at) for at in range(len(points))])
    third = np.cross(normals, across)
    angle = (2.0 * np.pi / edges) * np.arange(edges)[:, None, None]
    forces = -normals + friction * (np.cos(angle) * across + np.sin(angle) * third)
    torques = np.cross(arms, forces) / torque_scale_m
    return np.concatenate((forces, torques), axis=2).swapaxes(0, 1).reshape(-1, 6)


def _tangent(points: Floats, arms: Floats, normal: Floats, at: int) -> Floats:
    """A unit tangent at a contact: away from the centre, else to another contact."""
    size = float(np.linalg.norm(arms, axis=1).max())
    for way in (arms[at], *np.delete(points, at, axis=0) - points[at], *np.eye(3) * size):
        tangent = way - (way @ normal) * normal
        length = float(np.linalg.norm(tangent))
        if length > 1e-6 * size:
            return tangent / length
    return np.cross(normal, normal[[1, 2, 0]] + 1.0)  # all contacts are in the centre of mass


def wrench_epsilon(wrenches: Floats) -> float:
    """Signed distance of the origin from the boundary of the wrenches' hull; (W, D), any D >= 2.

    Positive: the origin is inside. 0: on the boundary, or the hull is flat. Exact to about 1e-10
    of the longest wrench.
    """
    size = float(np.linalg.norm(wrenches, axis=1).max())
    if size == 0.0:
        return 0.0
    away = _distance_to_hull(wrenches / size)
    if away > _NOTHING:
        return -away * size
    spread = np.linalg.svd(wrenches / size, compute_uv=False)
    if len(spread) < wrenches.shape[1] or spread[-1] < _NOTHING:
        return 0.0
    return max(_least_facet(wrenches / size), 0.0) * size


def _distance_to_hull(wrenches: Floats) -> float:
    """Distance from the origin to the nearest point of the hull, 0 inside.

    Of all w = sum c_i w_i, c_i >= 0, the least of |w|^2 + (sum c_i - 1)^2 lies on the ray through
    the hull's nearest point: with c = s times weights that sum to 1 it is |w|^2 / (1 + |w|^2) at
    the best s, and that grows with |w|.
    """
    dimensions = wrenches.shape[1]
    target = np.zeros(dimensions + 1)
    target[-1] = 1.0
    rows = np.vstack((wrenches.T, np.ones(len(wrenches))))
    weights: Floats = cast("Any", optimize).nnls(rows, target, maxiter=100 * len(wrenches))[0]
    return float(np.linalg.norm(weights @ wrenches) / weights.sum())


def _least_facet(wrenches: Floats) -> float:
    """Distance of the nearest facet's plane from the origin, which is in the hull.

    The hull of a few wrenches grows by those that stick out most beyond its nearest facets. Its
    support is nowhere above that of all, so once nothing sticks out beyond the nearest facet of
    the few, that is the nearest of all.
    """
    axes = np.eye(wrenches.shape[1])
    chosen = _support(wrenches, np.concatenate((axes, -axes)))
    while (flat := _flat_way(wrenches[chosen])) is not None:
        chosen += _support(wrenches, np.stack((flat, -flat)), chosen)
    while True:
        planes = _planes(wrenches[chosen])
        nearest = planes[np.argsort(-planes[:, -1], kind="stable")[:_AT_ONCE]]
        beyond = (nearest[:, :-1] @ wrenches.T).max(axis=1) + nearest[:, -1]
        new = _support(wrenches, nearest[beyond > _NOTHING, :-1], chosen)
        if beyond[0] <= _NOTHING or not new:
            return float(-nearest[0, -1])
        chosen += new


def _support(wrenches: Floats, ways: Floats, but: Sequence[int] = ()) -> list[int]:
    """Which wrenches go farthest in some ways, each once, without those of ``but``."""
    farthest: list[int] = np.argmax(ways @ wrenches.T, axis=1).tolist()
    return [at for at in dict.fromkeys(farthest) if at not in but]


def _flat_way(points: Floats) -> Floats | None:
    """The way across which the points' hull has no extent, if there is one."""
    _, extents, ways = np.linalg.svd(points - points[0])
    flat = len(extents) < points.shape[1] or extents[-1] < _NOTHING
    return ways[-1] if flat else None


def _planes(points: Floats) -> Floats:
    """The planes (n, D + 1) of a hull's facets: outward unit normals, and minus their offsets.

    Points are joggled by some 1e-11 of their extent: a cone's edges lie in a plane, and Qhull's
    other way with such points, merging facets, is slower and may end in none.
    """
    return cast("Any", spatial).ConvexHull(points, qhull_options="QJ").equations
