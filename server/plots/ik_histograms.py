"""Owns the two histograms of the 2001 experiment: iterations, and time a body."""

# matplotlib types its keyword arguments as unknown
# pyright: reportUnknownMemberType=false

from pathlib import Path

import numpy as np
from armspan.server.commands.ik_experiment import PAPER_ITERATIONS, Result
from armspan.solvers import Method
from armspan.solvers.body.luciano import MOST_ITERATIONS
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

INK = "#1f2937"
BLUE = "#3b6fb6"
RED = "#c2513c"
GREY = "#8a94a3"


def draw_histograms(result: Result, path: Path) -> None:
    """Write the picture as PNG. Raises OSError if it cannot be written."""
    figure = Figure(figsize=(11, 4.4), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    _draw_iterations(left, result)
    _draw_times(right, result)
    arms = "one arm" if result.arms == 1 else "two arms"
    figure.suptitle(
        f"{len(result.solved):,} {result.kind.value} poses, {arms}, {result.method.name.lower()}: "
        f"{np.floor(1000 * result.solved.mean()) / 10:.1f} % solved to 1 mm and 1°",
        color=INK,
        fontsize=13,
    )
    figure.savefig(path, dpi=130, format="png")


def _draw_iterations(axes: Axes, result: Result) -> None:
    counts = np.bincount(result.counted)
    axes.bar(np.arange(len(counts)), counts, width=0.9, color=BLUE, label="solved")
    gave_up = int((~result.solved).sum())
    if gave_up and result.solved.any():
        at = (MOST_ITERATIONS if result.method is Method.LUCIANO else len(counts)) + 3
        axes.bar([at], [gave_up], width=0.9, color=RED, label="not solved")
        axes.annotate(f"{gave_up}", (at, gave_up), ha="center", va="bottom", color=RED)
    axes.axvline(PAPER_ITERATIONS - 0.5, color=GREY, linestyle="--", linewidth=1.2)
    if result.solved.any():
        quick = (result.solved & (result.iterations < PAPER_ITERATIONS)).mean()
        axes.annotate(
            f"{100 * quick:.0f} % in fewer than {PAPER_ITERATIONS}",
            (PAPER_ITERATIONS - 0.2, 0.94),
            xycoords=("data", "axes fraction"),
            color=INK,
        )
    axes.set_xlim(-0.8, max(len(counts), PAPER_ITERATIONS + 7, axes.get_xlim()[1]))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    label = "Newton steps a body"
    if result.method is Method.ROBUST:
        label += " (0: the closed form had it)"
    _finish(axes, "Iterations", label)
    if gave_up:
        axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.6, 0.88))


def _draw_times(axes: Axes, result: Result) -> None:
    times = result.single_us
    top = float(np.percentile(times, 99.5)) * 1.05
    axes.hist(np.minimum(times, top), bins=np.linspace(0.0, top, 46).tolist(), color=BLUE)
    for share, name in ((50, "median"), (99, "99th percentile")):
        value = float(np.percentile(times, share))
        axes.axvline(value, color=GREY, linestyle="--", linewidth=1.2)
        axes.annotate(
            f" {name} {value:.3g} µs ",
            (value, 0.94 if share == 50 else 0.88),
            xycoords=("data", "axes fraction"),
            color=INK,
            ha="left" if value < 0.6 * top else "right",
        )
    axes.set_xlim(0.0, top)
    _finish(axes, "Time", "microseconds a body, one call each")


def _finish(axes: Axes, title: str, label: str) -> None:
    axes.set_title(title, loc="left", color=INK, fontsize=11)
    axes.set_xlabel(label, color=INK)
    axes.set_ylabel("bodies", color=INK)
    axes.set_ylim(0.0, 1.2 * axes.get_ylim()[1])  # room for the words
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=INK)
