"""Owns the picture of the elbow model: how far elbows are off, and where they go."""

# matplotlib types its keyword arguments as unknown
# pyright: reportUnknownMemberType=false

from pathlib import Path

import numpy as np
from armspan.server.fitting.arms import Arms
from armspan.server.fitting.elbow_fit import predicted_directions
from armspan.server.fitting.elbow_report import ElbowStudy
from armspan.server.traces.rotations import Array
from armspan.solvers.body.skeleton import DEFAULT_LENGTHS, FOREARM, UPPER_ARM
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

_INK = "#1f2937"
_GREY = "#8a94a3"
_CURVES = (
    ("constant recorded", "one direction for all", "#8a94a3"),
    ("resting recorded", "swivel zero", "#c2513c"),
    ("model recorded", "model, clip left out", "#3b6fb6"),
    ("person recorded", "model, person left out", "#2f8f5b"),
)
_AHEAD_M = -0.3
_COLUMNS_M = (-0.35, -0.15, 0.05, 0.25)
_ROWS_M = (-0.35, -0.1, 0.15, 0.38)


def draw_elbows(study: ElbowStudy, path: Path) -> None:
    """Write the picture as PNG. Raises OSError if it cannot be written."""
    figure = Figure(figsize=(11, 4.8), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    _draw_errors(left, study)
    _draw_arms(right, study.coefficients)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(colors=_INK)
    figure.savefig(path, dpi=130, format="png")


def _draw_errors(axes: Axes, study: ElbowStudy) -> None:
    for name, label, colour in _CURVES:
        sorted_mm = study.sorted_mm[name]
        shares = 100.0 * (np.arange(len(sorted_mm)) + 1) / len(sorted_mm)
        axes.plot(sorted_mm, shares, color=colour, linewidth=2, label=label)
    axes.set_xlim(0.0, 150.0)
    axes.set_ylim(0.0, 100.0)
    axes.set_title("Elbows, at the recorded shoulders", loc="left", color=_INK, fontsize=11)
    axes.set_xlabel("mm off, at most", color=_INK)
    axes.set_ylabel("% of all frames", color=_INK)
    axes.grid(color="#e5e7eb", linewidth=0.8)
    axes.legend(frameon=False, loc="lower right", labelcolor=_INK)


def _draw_arms(axes: Axes, coefficients: Array) -> None:
    """Right arms whose hands are 30 cm ahead, palms down, fingers ahead; seen from behind."""
    arms = _grid_of_arms()
    elbows = arms.centres + arms.radii[:, None] * predicted_directions(arms, coefficients)
    for wrist, elbow in zip(arms.away, elbows, strict=True):
        axes.plot([0.0, elbow[0]], [0.0, elbow[1]], color="#3b6fb6", linewidth=1.6, alpha=0.55)
        axes.plot([elbow[0], wrist[0]], [elbow[1], wrist[1]], color="#c2513c", linewidth=1.6)
        axes.plot(*elbow[:2], "o", color="#3b6fb6", markersize=4)
        axes.plot(*wrist[:2], "s", color="#c2513c", markersize=4)
    axes.plot(0.0, 0.0, "o", color=_INK, markersize=7)
    axes.annotate("shoulder", (0.0, 0.0), (0.03, 0.03), color=_INK)
    axes.set_aspect("equal")
    axes.set_title(
        "Right arms from behind; hands 0.3 m ahead, palms down", loc="left", color=_INK, fontsize=10
    )
    axes.set_xlabel("m to the right of the shoulder", color=_INK)
    axes.set_ylabel("m above it", color=_INK)


def _grid_of_arms() -> Arms:
    upper, fore = DEFAULT_LENGTHS[UPPER_ARM], DEFAULT_LENGTHS[FOREARM]
    places = np.array([[x, y, _AHEAD_M] for y in _ROWS_M for x in _COLUMNS_M])
    reach = np.linalg.norm(places, axis=1)
    away = places[reach < upper + fore]
    reach = reach[reach < upper + fore]
    along = (upper * upper + reach * reach - fore * fore) / (2.0 * reach)
    return Arms(
        clip="",
        person="",
        rate_hz=30.0,
        lengths=np.array(DEFAULT_LENGTHS),
        away=away,
        hands=np.broadcast_to(np.eye(3), (len(away), 3, 3)),
        elbows=np.zeros_like(away),
        centres=away / reach[:, None] * along[:, None],
        radii=np.sqrt(np.maximum(upper * upper - along * along, 0.0)),
    )
