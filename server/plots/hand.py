"""Owns what a hand looks like in pictures: a skin over its capsules, with nails.

The skin is where a smooth minimum of the distances to tapered segments is zero: within a millimetre
of the capsules, but for the fillets at joints and in the palm. Fingers do not flow together.
"""

import numpy as np
from armspan.server.plots.shading import Floats, Surface
from armspan.server.plots.surface_nets import surface_nets
from armspan.solvers.hand import DIGITS, FIRST_PALM, SEGMENTS, Hand
from armspan.solvers.quaternion import quat_axes
from numpy.typing import NDArray

SKIN = np.array([0.87, 0.68, 0.57])
_NAIL = np.array([0.95, 0.83, 0.77])
# Of the hand's length:
_SPACING = 0.0115  # of the grid that the skin is found on
_MARGIN = 0.02
_FILLET = 0.008  # how far a smooth minimum reaches at a joint
_WEB = 0.037  # and where digits leave the palm
_FOREARM = 0.16  # of a stump behind the wrist
_FOREARM_ASIDE = 0.055
_NEWTON = 2


def hand_surface(hand: Hand, angles: Floats, colour: Floats = SKIN) -> Surface:
    """The skin of a hand in its palm's frame, ``angles`` (20,) rad."""
    parts = _parts(hand, angles)
    length_m = hand.length_m
    spacing_m, margin_m = _SPACING * length_m, _MARGIN * length_m
    ends = np.concatenate([part[:, :6].reshape(-1, 3) for part in parts])
    radius = max(float(part[:, 6:].max()) for part in parts)
    low = ends.min(axis=0) - radius - margin_m
    size = np.ceil((ends.max(axis=0) + radius + margin_m - low) / spacing_m).astype(int) + 1
    grid = low + spacing_m * np.moveaxis(np.indices(tuple(size)), 0, -1)
    field = _skin_distance(grid.reshape(-1, 3), parts, length_m).reshape(tuple(size))
    vertices, faces = surface_nets(field, low, spacing_m)
    vertices = _drawn_onto_skin(vertices, parts, length_m)
    nails = _on_nails(vertices[faces].mean(axis=1), hand, angles)
    return Surface(vertices, faces, np.where(nails[:, None], _NAIL, colour))


def moved(surface: Surface, pose: Floats) -> Surface:
    """The surface in another frame, by ``pose`` (7,) of its own frame there."""
    x, y, z, w = (float(value) for value in pose[3:])
    axes = np.array(quat_axes((x, y, z, w)))
    return Surface(surface.vertices @ axes + pose[:3], surface.faces, surface.colours)


def joined(surfaces: list[Surface]) -> Surface:
    """Several surfaces as one."""
    starts = np.cumsum([0] + [len(s.vertices) for s in surfaces])[:-1]
    faces = [s.faces + start for s, start in zip(surfaces, starts, strict=True)]
    return Surface(
        np.concatenate([s.vertices for s in surfaces]),
        np.concatenate(faces).astype(np.int32),
        np.concatenate([s.colours for s in surfaces]),
    )


def _parts(hand: Hand, angles: Floats) -> list[Floats]:
    """Tapered capsules (8 numbers: ends, and a radius at either): the palm's, then each digit's."""
    capsules = hand.capsules(angles)
    palm = np.hstack([capsules[FIRST_PALM:], capsules[FIRST_PALM:, 6:]])
    heel = palm[-1]
    forearm = np.vstack([heel, heel, heel])
    aside_m = _FOREARM_ASIDE * hand.length_m
    forearm[:, [0, 3]] = [[-aside_m, -aside_m], [0.0, 0.0], [aside_m, aside_m]]
    forearm[:, 5] += _FOREARM * hand.length_m
    parts = [np.vstack([palm, forearm])]
    for digit in range(DIGITS):
        rows = capsules[SEGMENTS * digit : SEGMENTS * (digit + 1)]
        joint = 0.5 * (rows[:-1, 6] + rows[1:, 6])
        start = np.concatenate([rows[:1, 6], joint])
        end = np.concatenate([joint, rows[-1:, 6] * 0.94])
        digit_rows = np.hstack([rows[:, :6], start[:, None], end[:, None]])
        tip = digit_rows[-1]
        way = tip[3:6] - tip[:3]
        tip[3:6] += way / np.linalg.norm(way) * (rows[-1, 6] - tip[7])
        parts.append(digit_rows)
    return parts


def _skin_distance(points: Floats, parts: list[Floats], length_m: float) -> Floats:
    """About how far points (N, 3) are outside the skin; negative inside."""
    palm = _blended(points, parts[0], _WEB * length_m)
    skin = palm
    for digit in parts[1:]:
        finger = _blended(points, digit, _FILLET * length_m)
        skin = np.minimum(skin, _smooth_minimum(palm, finger, _WEB * length_m))
    return skin


def _blended(points: Floats, capsules: Floats, reach_m: float) -> Floats:
    distance = _capsule_distance(points, capsules[0])
    for capsule in capsules[1:]:
        distance = _smooth_minimum(distance, _capsule_distance(points, capsule), reach_m)
    return distance


def _capsule_distance(points: Floats, capsule: Floats) -> Floats:
    start, along = capsule[:3], capsule[3:6] - capsule[:3]
    share = np.clip((points - start) @ along / (along @ along), 0.0, 1.0)
    apart = np.linalg.norm(points - start - share[:, None] * along, axis=1)
    return apart - capsule[6] - share * (capsule[7] - capsule[6])


def _smooth_minimum(a: Floats, b: Floats, reach_m: float) -> Floats:
    """The minimum, lowered by at most a quarter of ``reach_m`` where both are equal."""
    near = np.maximum(reach_m - np.abs(a - b), 0.0) / reach_m
    return np.minimum(a, b) - 0.25 * reach_m * near * near


def _drawn_onto_skin(vertices: Floats, parts: list[Floats], length_m: float) -> Floats:
    step = 5e-5 * length_m
    for _ in range(_NEWTON):
        here = _skin_distance(vertices, parts, length_m)
        beside = [_skin_distance(vertices + step * axis, parts, length_m) for axis in np.eye(3)]
        slope = (np.stack(beside, axis=1) - here[:, None]) / step
        steep = np.maximum((slope * slope).sum(axis=1), 0.25)
        vertices = vertices - slope * (here / steep)[:, None]
    return vertices


def _on_nails(points: Floats, hand: Hand, angles: Floats) -> NDArray[np.bool_]:
    """Which points lie on the back of a digit's last segment, near its tip."""
    joints, capsules = hand.joints(angles), hand.capsules(angles)
    found = np.zeros(len(points), dtype=bool)
    for digit in range(DIGITS):
        x, y, z, w = (float(value) for value in joints[5 * digit + 4, 3:])
        inner = (points - joints[5 * digit + 4, :3]) @ np.array(quat_axes((x, y, z, w))).T
        radius = capsules[SEGMENTS * digit + SEGMENTS - 1, 6]
        aside, back = inner[:, 0] / (0.66 * radius), (inner[:, 2] - 0.80 * radius) / (0.78 * radius)
        oval = np.abs(aside) ** 3 + np.abs(back) ** 3 < 1.0
        found |= oval & (inner[:, 1] > 0.3 * radius) & (inner[:, 1] < 1.3 * radius)
    return found
