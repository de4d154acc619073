"""Owns the picture: solve rate inside the limits against time, a point a solver and set."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from matplotlib.transforms import Bbox

_INK, _BLUE, _RED, _GREY = "#1f2937", "#3b6fb6", "#c2513c", "#8a94a3"  # as server/plots
_MARKERS = {"random": "o", "stretched": "s"}
_LABELS_PT = [(0, -22), (0, 12), (0, -40), (0, -58), (0, -76), (0, -94)]  # first that is free


def draw(told: dict[str, Any], path: Path) -> None:
    """Write the picture as PNG. Raises OSError if it cannot be written."""
    figure = Figure(figsize=(11, 5.2), layout="constrained", facecolor="white")
    canvas = FigureCanvasAgg(figure)
    axes = figure.subplots()
    bodies = told["poses"] * len(told["seeds"])
    figure.suptitle(
        f"{bodies:,} reachable poses a set, to 0.1 mm and 0.1°: "
        "both arms by Armspan, one arm by its peers",
        color=_INK,
        fontsize=13,
    )
    points = {
        key: [
            (solver[kind]["us"]["median"], _height(solver[kind]["unsolved"] / bodies, bodies))
            for kind in _MARKERS
        ]
        for key, solver in told["solvers"].items()
    }
    for key, places in points.items():
        _draw_points(axes, places, _colour(key))
    _finish(axes, bodies)
    canvas.draw()  # lays out, so that labels know where they are
    taken = [
        Bbox.from_bounds(*(axes.transData.transform(place) - 7.0), 14.0, 14.0)
        for places in points.values()
        for place in places
    ]
    for key in sorted(points, key=lambda each: points[each][0]):
        _label(
            axes,
            told["solvers"][key]["name"],
            points[key][0],
            _colour(key),
            taken,
            canvas.get_renderer(),
        )
    figure.savefig(path, dpi=130, format="png")


def _colour(key: str) -> str:
    return _BLUE if key.startswith("armspan") else _RED


def _height(unsolved: float, bodies: int) -> float:
    """Nines: 90 % is 1, 99 % is 2; all of them stand half a body away from that."""
    return float(-np.log10(max(unsolved, 0.5 / bodies)))


def _draw_points(axes: Axes, places: list[tuple[float, float]], colour: str) -> None:
    us, heights = zip(*places, strict=True)
    axes.plot(us, heights, color=colour, alpha=0.35, linewidth=1.2)
    for place, (kind, marker) in zip(places, _MARKERS.items(), strict=True):
        face = colour if kind == "random" else "white"
        axes.plot(*place, marker, color=colour, markerfacecolor=face, markersize=8, zorder=3)


def _label(
    axes: Axes,
    name: str,
    place: tuple[float, float],
    colour: str,
    taken: list[Bbox],
    renderer: RendererBase,
) -> None:
    """Write a solver's name where no other name or point is."""
    for offset in _LABELS_PT:
        text = axes.annotate(
            name,
            place,
            xytext=offset,
            textcoords="offset points",
            ha="center",
            color=colour,
            fontsize=10,
            arrowprops={"arrowstyle": "-", "color": colour, "alpha": 0.35, "shrinkB": 4},
        )
        text.update_positions(renderer)
        box = Text.get_window_extent(text, renderer)  # without its line
        if offset == _LABELS_PT[-1] or not any(box.overlaps(other) for other in taken):
            taken.append(box)
            return
        text.remove()


def _finish(axes: Axes, bodies: int) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda us, _: f"{us:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    low, high = axes.get_xlim()
    axes.set_xlim(0.5 * low, 1.6 * high)
    axes.set_xlabel("microseconds a solve, median", color=_INK)
    axes.set_ylabel("solved inside the limits", color=_INK)
    everything = _height(0.0, bodies)
    rates = [
        rate
        for rate in (0.5, 0.8, 0.9, 0.99, 0.999, 0.9999)
        if _height(1 - rate, bodies) < everything - 0.2
    ]
    axes.yaxis.set_major_locator(
        FixedLocator([*(_height(1 - rate, bodies) for rate in rates), everything])
    )
    names = [*(f"{100 * rate:g} %" for rate in rates), "all"]
    axes.yaxis.set_major_formatter(FuncFormatter(lambda _, at: names[at or 0]))
    axes.set_ylim(min(axes.get_ylim()[0], 1.0) - 0.6, everything + 0.4)
    axes.grid(axis="y", color=_GREY, alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=_INK)
    handles = [
        Line2D([], [], marker=marker, linestyle="", color=_INK,
               markerfacecolor=_INK if kind == "random" else "white", label=kind)
        for kind, marker in _MARKERS.items()
    ]  # fmt: skip
    axes.legend(handles=handles, frameon=False, loc="lower right", labelcolor=_INK)
