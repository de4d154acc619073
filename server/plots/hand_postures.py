"""Draws a hand in several postures, with the limits that hold for it: the picture of docs/hand.md.

Run ``python -m armspan.server.plots.hand_postures FILE.webp`` (or ``.png``).
"""

# matplotlib types its keyword arguments as unknown
# pyright: reportUnknownMemberType=false

import sys
from pathlib import Path

import numpy as np
from armspan.server.plots.hand import hand_surface, joined
from armspan.server.plots.shading import Camera, Floats, Surface, look_along, render
from armspan.server.plots.views import fit_camera
from armspan.solvers.body.skeleton import Side
from armspan.solvers.hand import (
    ANGLES,
    DIGITS,
    FLAT,
    PALM_DEPTH,
    RELAXED,
    SEGMENTS,
    Hand,
    dip_from_pip,
    make_hand,
)
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

_INK = "#1f2937"
_TUBE = np.array([0.55, 0.66, 0.78])
_TUBE_RADIUS_M, _TUBE_Z_M = 0.019, -0.004
_TUBE_ENDS_M = (-0.06, 0.07)
_THUMB_ROUND_TUBE = (52.0, 42.0, 22.0, 42.0)
_WIDTH, _HEIGHT, _PIXEL_M = 300, 330, 0.00068


def _posture(thumb: tuple[float, ...], *fingers: tuple[float, float, float]) -> Floats:
    """Degrees: the thumb's four, then of each finger knuckle, spread and middle joint."""
    angles = np.zeros(ANGLES)
    angles[:4] = np.radians(thumb)
    for number, finger in enumerate(fingers):
        mcp, spread, pip = np.radians(finger)
        angles[4 * number + 4 :][:4] = (mcp, spread, pip, dip_from_pip(pip))
    return angles


def _closed_round(hand: Hand, radius_m: float, thumb: tuple[float, ...]) -> Floats:
    """Every finger bent as far as a tube across the palm lets it, and the thumb so bent."""
    angles = _posture(thumb)
    for digit in range(1, DIGITS):
        low, high = 0.0, 1.0
        for _ in range(20):
            share = 0.5 * (low + high)
            pip = 1.6 * share
            angles[4 * digit :][:4] = (1.45 * share, 0.0, pip, dip_from_pip(pip))
            rows = hand.capsules(angles)[SEGMENTS * digit : SEGMENTS * (digit + 1)]
            if min(_gap_to_tube(hand, row, radius_m) for row in rows) < 0.0:
                high = share
            else:
                low = share
    return angles


def _gap_to_tube(hand: Hand, capsule: Floats, radius_m: float) -> float:
    start, end = (np.array(capsule[[k + 1, k + 2]]) for k in (0, 3))
    middle = _tube_middle(hand, radius_m)
    along = end - start
    share = np.clip((middle - start) @ along / (along @ along), 0.0, 1.0)
    return float(np.linalg.norm(middle - start - share * along) - capsule[6] - radius_m)


def _tube_middle(hand: Hand, radius_m: float) -> Floats:
    """Where a tube that lies across the palm passes its YZ plane."""
    return np.array([-float(hand.sizes[PALM_DEPTH]) - radius_m, _TUBE_Z_M])


FIST = _posture((44, 38, 50, 62), (84, 0, 103), (88, 0, 104), (90, 0, 104), (90, 0, 104))
PINCH = _posture((36, 28, 6, -12), (40, -7, 47), (30, 3, 34), (22, -4, 26), (16, -10, 22))
_POSTURES: tuple[tuple[str, Floats], ...] = (
    ("flat", FLAT),
    ("relaxed", RELAXED),
    ("fist", FIST),
    ("pinch", PINCH),
)
_VIEWS = (((0.25, -1.0, -0.15), "palm"), ((-1.0, 0.3, -0.25), "thumb's side"))


def draw_postures(path: Path, hand_length_m: float = 0.19) -> None:
    """Write a picture of the right hand's named postures from two sides (PNG or WebP)."""
    hand = make_hand(hand_length_m, Side.RIGHT)
    figure = Figure(figsize=(15, 7.0), facecolor="white")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(_VIEWS), len(_POSTURES) + 1, squeeze=False)
    figure.subplots_adjust(left=0.02, right=0.99, bottom=0.01, top=0.93, wspace=0.02, hspace=0.02)
    round_tube = _closed_round(hand, _TUBE_RADIUS_M, _THUMB_ROUND_TUBE)
    postures = (*_POSTURES, ("round a tube", round_tube))
    for column, (name, angles) in enumerate(postures):
        surface = hand_surface(hand, angles)
        if angles is round_tube:
            surface = joined([surface, _tube(hand)])
        for row, (toward_eye, side) in enumerate(_VIEWS):
            axes = panels[row][column]
            axes.set_axis_off()
            axes.imshow(_picture(surface, np.array(toward_eye)))
            if row == 0:
                axes.set_title(name, color=_INK, fontsize=14)
            if column == 0:
                axes.text(-0.02, 0.5, side, color=_INK, fontsize=12, rotation=90, va="center",
                          ha="right", transform=axes.transAxes)  # fmt: skip
    figure.savefig(path, dpi=100)


def _tube(hand: Hand) -> Surface:
    """A tube across the palm."""
    sides = 96
    turns = np.arange(sides) * (2.0 * np.pi / sides)
    y, z = _tube_middle(hand, _TUBE_RADIUS_M)
    middles = np.array([[x, y, z] for x in _TUBE_ENDS_M])
    ring = np.stack([0.0 * turns, np.cos(turns), np.sin(turns)], axis=1) * _TUBE_RADIUS_M
    vertices = np.concatenate([middles[0] + ring, middles[1] + ring, middles])
    a = np.arange(sides)
    b = (a + 1) % sides
    left, right = np.full((2, sides), [[2 * sides], [2 * sides + 1]])
    corners = (
        (a, b, a + sides),
        (b, b + sides, a + sides),
        (left, b, a),
        (right, a + sides, b + sides),
    )
    faces = np.concatenate([np.stack(three, axis=1) for three in corners]).astype(np.int32)
    return Surface(vertices, faces, np.tile(_TUBE, (len(faces), 1)))


def _picture(surface: Surface, toward_eye: Floats) -> Floats:
    axes = look_along(toward_eye, np.array([0.0, 0.0, -1.0]))
    fitted = fit_camera(surface.vertices, axes, _WIDTH, _HEIGHT)
    camera = Camera(axes, fitted.middle, _PIXEL_M, _WIDTH, _HEIGHT)
    drawn = render(surface, camera)
    return np.clip(drawn.rgb * drawn.cover[..., None] + 1.0 - drawn.cover[..., None], 0.0, 1.0)


if __name__ == "__main__":
    draw_postures(Path(sys.argv[1]))
