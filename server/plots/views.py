"""Owns from where an object is looked at: which way is up, and where most of interest is seen."""

import numpy as np
from armspan.server.plots.shading import Camera, Floats, Ints, Surface, look_along, visible_faces

_SMALL = 120  # pixels along the longer side of a trial picture
_TRIALS = 48
_BEST_HEIGHT = 0.45  # sine of how far from above people like to look at things
_FLAT = 0.95  # cosine: how level a base is that an object stands on
_LEVEL = 0.05  # of the height: how far from the lowest point it may be
_LEAST_BASE = 0.024  # of the whole surface; a ball's lowest part comes to as much
_MARGIN = 0.90  # share of a picture that the object fills
_UPS = np.array([[0, 1, 0], [0, 0, 1], [0, 0, -1], [0, -1, 0], [1, 0, 0], [-1, 0, 0]], dtype=float)


def standing_up(vertices: Floats, faces: Ints) -> Floats:
    """The axis (3,) along which the object stands on its largest base; +Y if there is none."""
    corners = vertices[faces]
    across = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(across, axis=1)
    middles = corners.mean(axis=1)
    best, most = _UPS[0], _LEAST_BASE * float(areas.sum())
    for up in _UPS:
        heights = middles @ up
        low = float((vertices @ up).min())
        tall = float(np.ptp(vertices @ up))
        base = (across @ up < -_FLAT * areas) & (heights < low + _LEVEL * tall)
        area = float(areas[base].sum())
        if area > 1.25 * most:
            best, most = up, area
    return best


def fit_camera(vertices: Floats, axes: Floats, width: int, height: int) -> Camera:
    """A camera along ``axes`` that has all vertices in the picture."""
    seen = vertices @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    size = np.maximum(high - low, 1e-12)
    pixel_m = max(size[0] / (width * _MARGIN), size[1] / (height * _MARGIN))
    return Camera(axes, 0.5 * (low + high) @ axes, float(pixel_m), width, height)


def choose_axes(surface: Surface, owners: Ints, up: Floats, count: int = 2) -> list[Floats]:
    """Directions from which most parts are seen well, each far from those before it.

    ``owners`` (F,): the part of interest that a face belongs to, or -1.
    """
    parts = int(owners.max(initial=-1)) + 1
    ways = _directions(up)
    shown = np.zeros((len(ways), parts + 1))
    for k, way in enumerate(ways):
        camera = fit_camera(surface.vertices, look_along(way, up), _SMALL, _SMALL)
        seen = visible_faces(surface, camera)
        counted = np.bincount(owners[seen[seen >= 0]] + 1, minlength=parts + 1)
        shown[k, :parts] = np.sqrt(counted[1:])
        shown[k, parts] = 0.1 * np.sqrt(counted.sum())
    chosen: list[int] = []
    worth = shown.copy()
    for _ in range(count):
        score: Floats = worth.sum(axis=1) * (1.0 - 0.5 * (ways @ up - _BEST_HEIGHT) ** 2)
        for k in chosen:
            score = score * (1.0 - (ways @ ways[k]) ** 2)
        chosen.append(int(np.argmax(np.round(score, 9))))
        worth = shown + np.maximum(shown - shown[chosen].max(axis=0), 0.0)
    return [look_along(ways[k], up) for k in chosen]


def _directions(up: Floats) -> Floats:
    """Unit vectors all round, from 45 degrees below level to 70 above: people's views of things."""
    k = np.arange(_TRIALS)
    height = -0.7 + 1.64 * (k + 0.5) / _TRIALS
    turn = k * np.pi * (3.0 - np.sqrt(5.0))
    level = np.sqrt(1.0 - height**2)
    side = np.eye(3)[int(np.argmin(np.abs(up)))]
    side = side - up * (side @ up)
    side /= np.linalg.norm(side)
    across = np.cross(up, side)
    flat = np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * across
    return level[:, None] * flat + height[:, None] * up
