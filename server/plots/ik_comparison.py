"""Owns the picture of the experiment's methods side by side: a row each, steps and time."""

# matplotlib types its keyword arguments as unknown
# pyright: reportUnknownMemberType=false

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from armspan.server.commands.ik_experiment import PAPER_ITERATIONS, Result
from armspan.server.plots.ik_histograms import BLUE, GREY, INK, RED
from armspan.solvers import Method
from armspan.solvers.body.luciano import MOST_ITERATIONS
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter
from numpy.typing import NDArray

_GAVE_UP = MOST_ITERATIONS + 3  # where the bar of those stands
_TIME_TICKS = [m * 10.0**e for e in range(-1, 5) for m in (1, 2, 5)]
_SAYS = {
    "LUCIANO": "2001: each arm turns a torso of its own, then both are averaged",
    "COUPLED": "Both arms and the one torso in one step",
    "ROBUST": "Closed form, inside the joint limits: what people get",
}


def draw_comparison(results: Sequence[Result], path: Path) -> None:
    """Write the picture as PNG, in an order that tells. Raises OSError if it cannot be written."""
    order = list(_SAYS)
    rows = sorted(results, key=lambda result: order.index(result.method.name))
    figure = Figure(figsize=(11, 2.5 * len(rows) + 0.7), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    grid = figure.subplots(len(rows), 2, sharex="col", squeeze=False)
    bins = _decades(np.concatenate([result.single_us for result in rows]))
    for result, (left, right) in zip(rows, grid, strict=True):
        left.set_title(_SAYS[result.method.name], loc="left", color=INK, fontsize=11)
        _draw_steps(left, result)
        _draw_times(right, result, bins)
    grid[-1, 0].set_xlabel("Newton steps a body", color=INK)
    grid[-1, 1].set_xlabel("microseconds a body, one call each", color=INK)
    first = rows[0]
    figure.suptitle(
        f"{len(first.solved):,} {first.kind.value} poses of two arms, "
        "each from a fresh start, to 1 mm and 1°",
        color=INK,
        fontsize=13,
    )
    figure.savefig(path, dpi=130, format="png")


def _decades(times: NDArray[np.float64]) -> NDArray[np.float64]:
    low = math.floor(2.0 * math.log10(float(times.min()))) / 2.0
    high = math.ceil(2.0 * math.log10(float(np.percentile(times, 99.9)))) / 2.0
    return np.logspace(low, high, 70)


def _draw_steps(axes: Axes, result: Result) -> None:
    solved = result.solved
    counts = np.bincount(result.counted, minlength=2)
    axes.bar(np.arange(len(counts)), counts, width=0.9, color=BLUE)
    gave_up = int((~solved).sum())
    axes.axvline(PAPER_ITERATIONS - 0.5, color=GREY, linestyle="--", linewidth=1.2)
    if gave_up:
        axes.bar([_GAVE_UP], [gave_up], width=0.9, color=RED)
        axes.annotate(
            f"{gave_up:,} not solved ",
            (_GAVE_UP + 0.5, gave_up),
            ha="right",
            va="bottom",
            color=RED,
        )
    steps = f"median {np.median(result.counted):g} steps, "
    quick = (solved & (result.iterations < PAPER_ITERATIONS)).mean()
    told = [
        f"{_percent(solved.mean())} solved",
        f"{_percent((solved & result.in_limits).mean())} inside the limits",
        f"{int(counts[0]):,} need no step"
        if result.method is Method.ROBUST
        else steps + f"{_percent(quick)} under {PAPER_ITERATIONS}",
    ]
    _say(axes, told, 0.98 if result.method is not Method.LUCIANO else 0.72)
    _finish(axes)
    axes.set_xlim(-1.0, _GAVE_UP + 1.0)
    axes.set_xticks([0, 6, 13, 20, 28, 40, 50, 60])


def _draw_times(axes: Axes, result: Result, bins: NDArray[np.float64]) -> None:
    axes.hist(np.clip(result.single_us, bins[0], bins[-1]), bins=bins.tolist(), color=BLUE)
    axes.set_xscale("log")
    axes.set_xlim(float(bins[0]), float(bins[-1]))
    median = float(np.median(result.single_us))
    axes.axvline(median, color=GREY, linestyle="--", linewidth=1.2)
    slow = median > np.sqrt(bins[0] * bins[-1])
    told = [
        f"median {median:.3g} µs",
        f"99 % under {np.percentile(result.single_us, 99):.3g} µs",
    ]
    _say(axes, told, 0.02 if slow else 0.98, "left" if slow else "right")
    _finish(axes)
    ticks = [t for t in _TIME_TICKS if bins[0] <= t <= bins[-1]]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_locator(NullLocator())


def _say(axes: Axes, lines: list[str], at: float, side: str = "right") -> None:
    axes.annotate(
        "\n".join(lines),
        (at, 0.94),
        xycoords="axes fraction",
        color=INK,
        ha="left" if side == "left" else "right",
        va="top",
        linespacing=1.5,
    )


def _percent(share: float) -> str:
    return "100 %" if share == 1.0 else f"{np.floor(1000.0 * share) / 10.0:.1f} %"


def _finish(axes: Axes) -> None:
    axes.set_ylabel("bodies", color=INK)
    axes.set_ylim(0.0, 1.2 * axes.get_ylim()[1])  # room for the words
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=INK)
