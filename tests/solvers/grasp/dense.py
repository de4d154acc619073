"""A dense search for grasps, written without the product's: the oracle of what can be grasped.

Its hand bends by rotation matrices after the table in ``docs/conventions.md``; distances are those
of many points along a segment from the tube's own polyline. It asks less than a search must find,
since it does not look at how a posture is reached: a digit whose gap is more than nothing in one
posture and less in another one touches in some posture between them, for the joints' limits are a
box. So what it calls impossible is impossible (to its grid), and what it calls possible should be
found.
"""

import itertools

import numpy as np
from armspan.solvers.grasp.site import GraspSite, Thumb
from armspan.solvers.hand import (
    ANGLE_LOWER,
    ANGLE_UPPER,
    DIGITS,
    FIRST_PALM,
    FLAT,
    PALM_DEPTH,
    Hand,
)
from armspan.solvers.hand.anthropometry import BASE, DIGIT_SIZE, LENGTH, RADIUS

POINTS = 9  # along a segment, where many postures are tried
FINE = 65  # where one is measured: good to a few micrometres
X, Y, Z = np.eye(3)


def turn(axis, angles):
    """Rotation matrices (..., 3, 3) about a unit axis (Rodrigues)."""
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    angles = np.asarray(angles)[..., None, None]
    return np.eye(3) + np.sin(angles) * k + (1 - np.cos(angles)) * (k @ k)


def finger_points(sizes, digit, mcp, spread, pip, points=POINTS):
    """Points (N, 3, POINTS, 3) on the axes of a right hand's finger, for N postures."""
    first = turn(Y, spread) @ turn(-X, mcp)
    second = first @ turn(-X, pip)
    third = second @ turn(-X, 2.0 / 3.0 * pip)
    return chain(sizes, digit, -Z, (first, second, third), points)


def thumb_points(sizes, flexion, abduction, mcp, ip, points=POINTS):
    """The same for its thumb, which lies 45 degrees off the fingers when all is zero."""
    ahead = (-X - Z) / np.sqrt(2.0)
    across = np.cross(ahead, -Y)  # lifts what points ahead to -Y
    first = turn(-Y, flexion) @ turn(across, abduction)
    second = first @ turn(-Y, mcp)
    return chain(sizes, 0, ahead, (first, second, second @ turn(-Y, ip)), points)


def chain(sizes, digit, ahead, bones, points):
    own = sizes[DIGIT_SIZE * digit :][:DIGIT_SIZE]
    lengths = own[LENGTH:RADIUS] - np.array([0.0, 0.0, own[RADIUS + 2]])
    start = np.broadcast_to(own[BASE:LENGTH], (len(bones[0]), 3))
    rows = []
    for bone, length in zip(bones, lengths, strict=True):
        end = start + length * (bone @ ahead)
        shares = np.linspace(0.0, 1.0, points)[:, None]
        rows.append(start[:, None] + shares * (end - start)[:, None])
        start = end
    return np.stack(rows, axis=1)


def gaps(points, thick, axis, radii):
    """Least gap (N,) of points (N, S, P, 3) with radii (S,) to a tube's polyline (K, 3)."""
    starts, ends = axis[:-1], axis[1:]
    along = ends - starts
    square = np.einsum("ki,ki->k", along, along)
    least = np.full(len(points), np.inf)
    for start, step, size, r0, r1 in zip(starts, along, square, radii[:-1], radii[1:], strict=True):
        u = np.clip((points - start) @ step / size, 0.0, 1.0)
        away = points - start - u[..., None] * step
        gap = np.sqrt(np.einsum("...i,...i->...", away, away)) - r0 - u * (r1 - r0)
        least = np.minimum(least, (gap - thick[:, None]).min(axis=(1, 2)))
    return least


def grid(digit, counts):
    """All postures of a digit on a grid within its limits, one column a joint."""
    lines = [
        np.linspace(ANGLE_LOWER[4 * digit + joint], ANGLE_UPPER[4 * digit + joint], count)
        for joint, count in enumerate(counts)
    ]
    return np.array(list(itertools.product(*lines))).T


class DenseSearch:
    """All postures of all digits of one hand on a grid, ready to be held against tubes."""

    def __init__(self, hand: Hand) -> None:
        self.sizes = np.array(hand.sizes)
        self.palm = hand.capsules(FLAT)[FIRST_PALM:]
        self.mirror = 1.0 if hand.side == 1 else -1.0
        self.palm[:, [0, 3]] *= self.mirror
        self.digits = [thumb_points(self.sizes, *grid(0, (9, 7, 5, 5)))]
        for digit in range(1, DIGITS):
            mcp, spread, pip = grid(digit, (24, 3, 16))[:3]
            self.digits.append(finger_points(self.sizes, digit, mcp, spread, pip))

    def is_graspable_from(self, site: GraspSite, axis, radii) -> bool:
        """Whether a grasp exists with the palm's frame where it is: ``axis`` (K, 3) is in it."""
        tolerance = site.tolerance_m
        shares = np.linspace(0.0, 1.0, 17)[:, None]
        for capsule in self.palm:
            points = capsule[:3] + shares * (capsule[3:6] - capsule[:3])
            if gaps(points[None, None], capsule[6:], axis, radii)[0] <= -tolerance:
                return False
        touched = 0
        for digit in range(DIGITS):
            thick = self.sizes[DIGIT_SIZE * digit + RADIUS :][:3]
            gap = gaps(self.digits[digit], thick, axis, radii)
            if gap.max() <= -tolerance:
                return False
            if digit > 0:
                touched += site.fingers[digit] and gap.min() <= 0.0
            elif site.thumb != Thumb.UNUSED and site.fingers[0] and gap.min() > 0.0:
                return False
        return touched > 0

    def is_graspable(self, site: GraspSite, places) -> bool:
        """Whether one of the palm's places is: each an origin and three axes in the object."""
        for origin, axes in places:
            local = (site.points - origin) @ np.array(axes).T
            if site.closed:
                local = np.vstack([local, local[:1]])
            radii = np.append(site.radii, site.radii[: 1 * site.closed])
            local[:, 0] *= self.mirror
            if self.is_graspable_from(site, local, radii):
                return True
        return False


def arc_site(radius, bend, **settings) -> GraspSite:
    """A site on a tube 0.3 m long: straight (``bend`` infinite), or an arc of that radius.

    The arc lies in the XY plane, its first point at the origin, its tangent there along +X, and
    bends to -Y; the reference normal is +Y, away from its centre.
    """
    if np.isinf(bend):
        points = np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0]])
    else:
        turns = np.linspace(0.0, min(0.3 / bend, 5.0), 41)
        points = bend * np.stack([np.sin(turns), np.cos(turns) - 1.0, 0.0 * turns], axis=1)
    return GraspSite(points, np.full(len(points), radius), normal=Y, **settings)


def arc_places(site: GraspSite, hand: Hand, bend, counts):
    """Places of the palm at an ``arc_site``: along, around, distance, forward, tilt on a grid."""
    spans = (site.along, site.around, site.distance, site.forward, site.tilt)
    lines = [
        np.linspace(s.low, s.high, count if s.width else 1)
        for s, count in zip(spans, counts, strict=True)
    ]
    mirror = 1.0 if hand.side == 1 else -1.0
    for s, around, distance, forward, tilt in itertools.product(*lines):
        angle = 0.0 if np.isinf(bend) else s / bend
        tangent = turn(-Z, angle) @ X
        out = turn(-Z, angle) @ Y
        middle = s * X if np.isinf(bend) else bend * (out - Y)
        back = turn(tangent, around) @ out
        x = -mirror * site.sign * tangent
        axes = (x, back, np.cross(x, back))
        tilted = turn(back, mirror * tilt)
        axes = tuple(tilted @ a for a in axes)
        height = _height(site, hand, middle, axes, forward, distance)
        yield middle + height * axes[1] + forward * axes[2], axes


def _height(site, hand, middle, axes, forward, distance):
    """Where the palm is so far from the tube, by bisection; no lower than a flat palm's place."""
    palm = hand.capsules(FLAT)[FIRST_PALM:]
    shares = np.linspace(0.0, 1.0, 17)[:, None]
    points = np.stack([c[:3] + shares * (c[3:6] - c[:3]) for c in palm])

    def gap(height):
        origin = middle + height * axes[1] + forward * axes[2]
        moved = points @ np.array(axes) + origin
        return gaps(moved[None], palm[:, 6], site.points, site.radii)[0]

    flat = float(hand.sizes[PALM_DEPTH]) + float(site.radii.max()) + distance
    low, high = flat, flat + 0.1
    if gap(low) >= distance:
        return low
    for _ in range(20):
        middle_height = 0.5 * (low + high)
        low, high = (low, middle_height) if gap(middle_height) > distance else (middle_height, high)
    return high


def posture_gaps(site: GraspSite, hand: Hand, grasp) -> np.ndarray:
    """Gaps (6, 3) of every segment of a grasp to the tube, and in the last row the palm's."""
    x, y, z, w = grasp.object_from_palm[3:]
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    object_from_palm = np.eye(3) + 2.0 * w * skew + 2.0 * skew @ skew
    points, radii = site.points, site.radii
    if site.closed:
        points, radii = np.vstack([points, points[:1]]), np.append(radii, radii[0])
    axis = (points - grasp.object_from_palm[:3]) @ object_from_palm
    axis[:, 0] *= 1.0 if hand.side == 1 else -1.0
    sizes, angles = np.array(hand.sizes), grasp.joint_angles[:, None]
    digits = [thumb_points(sizes, *angles[:4], FINE)]
    digits += [finger_points(sizes, d, *angles[4 * d : 4 * d + 3], FINE) for d in range(1, DIGITS)]
    out = np.empty((DIGITS + 1, 3))
    for digit, bones in enumerate(digits):
        thick = sizes[DIGIT_SIZE * digit + RADIUS :][:3]
        for segment in range(3):
            one = bones[:, segment : segment + 1]
            out[digit, segment] = gaps(one, thick[segment : segment + 1], axis, radii)[0]
    palm = hand.capsules(FLAT)[FIRST_PALM:]
    palm[:, [0, 3]] *= 1.0 if hand.side == 1 else -1.0
    shares = np.linspace(0.0, 1.0, FINE)[:, None]
    points = np.stack([c[:3] + shares * (c[3:6] - c[:3]) for c in palm])
    out[DIGITS] = gaps(points[None], palm[:, 6], axis, radii)[0]
    return out
