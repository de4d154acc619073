"""Owns the figure of the plane of torso yaw and swivel: each arm's regions and the proofs."""

# matplotlib types its keyword arguments as unknown
# pyright: reportUnknownMemberType=false

import math
from pathlib import Path

import numpy as np
from armspan.server.plots.derivation.examples import random_pose
from armspan.server.plots.derivation.limits import circle_at, feasible
from armspan.server.plots.derivation.proofs import Search, nearest_at, search
from armspan.solvers.body.goals import both_goals, own_yaw
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.body.swivel import ArmGoal
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

_POSE = 15353
_YAWS, _SWIVELS = 361, 361
_INK, _GREY = "#1f2937", "#6b7280"
_COLOURS = ("#0072b2", "#d55e00")
_PALE = ("#9ecbe8", "#f6bd94")
_JUMP_DEG = 45.0  # no line is drawn from one region to another
_NAMES = ("left", "right")


def draw_plane(path: Path) -> None:
    """Write the figure as PNG. Raises OSError if it cannot be written."""
    task, plan = random_pose(_POSE)
    goals = both_goals(task, plan.preferred)
    found = search(goals, plan)
    figure = Figure(figsize=(8.4, 8.2), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    rows = figure.subplots(3, 1, sharex=True, height_ratios=(3.2, 3.2, 1.0))
    for side in range(2):
        _draw_arm(rows[side], goals[side], side, found)
    _draw_proofs(rows[2], found)
    for axes in rows:
        _draw_yaws(axes, found, plan.preferred)
    _say_yaws(rows[0], found, plan.preferred)
    rows[2].set_xlabel("torso yaw, degrees (positive: to the left)", color=_INK, fontsize=12)
    figure.savefig(path, dpi=130, format="png")


def _draw_arm(axes: Axes, goal: ArmGoal, side: int, found: Search) -> None:
    low, high = math.degrees(ARM_LOWER[0]), math.degrees(ARM_UPPER[0])
    yaws = np.radians(np.linspace(low, high, _YAWS))
    swivels = np.radians(np.linspace(-180.0, 180.0, _SWIVELS))
    inside = np.array([feasible(goal, own_yaw(yaw, side), swivels) for yaw in yaws]).T
    axes.imshow(
        np.where(inside, 1.0, np.nan), extent=(low, high, -180.0, 180.0), origin="lower",
        aspect="auto", cmap=ListedColormap([_PALE[side]]), interpolation="nearest",
    )  # fmt: skip
    reach = [abs(circle_at(goal, own_yaw(yaw, side))[1].missed) < 1e-9 for yaw in yaws]
    axes.fill_between(
        np.degrees(yaws), -180.0, 180.0, where=[not r for r in reach],
        facecolor="#f3f4f6", edgecolor="#9ca3af", hatch="////", linewidth=0.0,
    )  # fmt: skip
    nearest = [_swivel_deg(goal, own_yaw(yaw, side)) for yaw in yaws]
    jumps = np.abs(np.diff(nearest, append=nearest[-1])) > _JUMP_DEG
    axes.plot(
        np.degrees(yaws), np.where(jumps, np.nan, nearest), color=_COLOURS[side], linewidth=2.4
    )
    axes.axhline(0.0, color=_GREY, linewidth=1.0, linestyle=(0, (1, 2)))
    if found.yaw is not None:
        at = _swivel_deg(goal, own_yaw(found.yaw, side))
        axes.plot(math.degrees(found.yaw), at, "o", color=_INK, markersize=9, zorder=5)
    axes.set_title(f"The {_NAMES[side]} arm", loc="left", color=_INK, fontsize=12)
    axes.set_ylabel("swivel, degrees", color=_INK, fontsize=12)
    axes.set_yticks([-180, -90, 0, 90, 180])
    _finish(axes)


def _swivel_deg(goal: ArmGoal, yaw: float) -> float:
    c, s, branch = nearest_at(goal, yaw)
    return math.degrees(math.atan2(s, c)) if branch >= 0 else math.nan


def _draw_proofs(axes: Axes, found: Search) -> None:
    for number, part in enumerate(found.proved, 1):
        low, high = math.degrees(part.low), math.degrees(part.high)
        wide = high - low > 2.0
        bar = Rectangle((low, 0.0), high - low, 1.0, facecolor=_COLOURS[part.side])
        bar.set(edgecolor="white", linewidth=1.5 if wide else 0.5)
        axes.add_patch(bar)
        if wide:
            axes.annotate(f"{number}", (0.5 * (low + high), 0.5), ha="center", va="center",
                          color="white", fontsize=11)  # fmt: skip
    axes.plot(np.degrees(found.steps), np.full(len(found.steps), 1.25), "x", color=_INK,
              markersize=6, clip_on=False)  # fmt: skip
    axes.set_ylim(0.0, 1.5)
    axes.set_yticks([])
    says = "Crosses: looked at in steps. Bars: proved empty, in turn, by the arm so coloured"
    axes.set_title(says, loc="left", color=_INK, fontsize=12)
    _finish(axes)


def _draw_yaws(axes: Axes, found: Search, wanted: float) -> None:
    axes.axvline(math.degrees(wanted), color=_GREY, linewidth=1.4, linestyle="--")
    if found.yaw is not None:
        axes.axvline(math.degrees(found.yaw), color=_INK, linewidth=1.8)


def _say_yaws(axes: Axes, found: Search, wanted: float) -> None:
    axes.annotate(
        "wanted ", (math.degrees(wanted), 176.0), ha="right", va="top", color=_GREY, fontsize=11
    )
    if found.yaw is not None:
        axes.annotate(
            " found", (math.degrees(found.yaw), 176.0), ha="left", va="top", color=_INK,
            fontsize=11,
        )  # fmt: skip


def _finish(axes: Axes) -> None:
    axes.set_xlim(math.degrees(ARM_LOWER[0]), math.degrees(ARM_UPPER[0]))
    axes.set_xticks(range(-45, 46, 15))
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=_INK, labelsize=11)
