"""Owns the figure of one arm at one yaw: the elbow's circle, and the arcs that limits leave."""

# matplotlib types its keyword arguments as unknown
# pyright: reportUnknownMemberType=false

import math
from pathlib import Path

import numpy as np
from armspan.server.plots.derivation.examples import random_pose
from armspan.server.plots.derivation.limits import JOINTS, Flags, Floats, circle_at, holding
from armspan.server.plots.derivation.proofs import nearest_at
from armspan.solvers.body.goals import both_goals
from armspan.solvers.body.skeleton import (
    ARM_JOINT_NAMES,
    DEFAULT_LENGTHS,
    SHOULDER_LATERAL,
    SHOULDER_UP,
    UPPER_ARM,
)
from armspan.solvers.body.swivel import UPPER_X, ArmGoal
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle

_POSE = 527
_SWIVELS = np.radians(np.linspace(-180.0, 180.0, 3601))
_INK, _GREY, _PALE = "#1f2937", "#6b7280", "#d1d5db"
_COLOURS = ("#56b4e9", "#0072b2", "#cc79a7", "#e69f00", "#d55e00", "#a08c00")
_INSIDE = "#009e73"
_PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.9, "pad": 1.0}
_RINGS = 0.11  # of the radius, from one joint's ring to the next
_CAMERA = (math.radians(-16.0), math.radians(12.0))  # azimuth, elevation


def draw_arm(path: Path) -> None:
    """Write the figure as PNG. Raises OSError if it cannot be written."""
    task, plan = random_pose(_POSE)
    goal, yaw = both_goals(task, plan.preferred)[1], plan.preferred
    c, s, reading = nearest_at(goal, yaw)
    inside = holding(goal, yaw, _SWIVELS, reading)
    chosen = math.atan2(s, c)
    figure = Figure(figsize=(11.0, 5.2), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.15))
    _draw_circle(left, goal, yaw, inside, chosen)
    _draw_limits(right, inside, chosen)
    figure.savefig(path, dpi=130, format="png")


def _seen(points: Floats) -> Floats:
    """Places (n, 3) of the torso's frame as the camera sees them, (n, 2)."""
    azimuth, elevation = _CAMERA
    right = np.array([math.cos(azimuth), 0.0, math.sin(azimuth)])
    back = np.array([-math.sin(azimuth), 0.0, math.cos(azimuth)])
    up = math.cos(elevation) * np.array([0.0, 1.0, 0.0]) - math.sin(elevation) * back
    return np.stack([points @ right, points @ up], axis=1)


def _draw_circle(axes: Axes, goal: ArmGoal, yaw: float, inside: Flags, chosen: float) -> None:
    """All places from the shoulder, in the torso's frame."""
    circle, bend = circle_at(goal, yaw)
    upper = DEFAULT_LENGTHS[UPPER_ARM]
    wrist = np.array(bend.away) * bend.reach / math.sqrt(sum(x * x for x in bend.away))
    rows = circle[UPPER_X : UPPER_X + 3]

    def at(swivels: Floats, scale: float = 1.0) -> Floats:
        turns = np.stack([np.cos(swivels), np.sin(swivels)])
        return _seen(-upper * (rows[:, 0] + scale * (rows[:, 1:] @ turns).T))

    for ring in range(len(JOINTS)):
        places = at(_SWIVELS, 1.0 + _RINGS * (ring + 1))
        places[~inside[:, ring]] = np.nan
        axes.plot(*places.T, color=_COLOURS[ring], linewidth=4.0, solid_capstyle="butt")
    places = at(_SWIVELS)
    axes.plot(*places.T, color=_GREY, linewidth=1.2)
    places[~inside.all(axis=1)] = np.nan
    axes.plot(*places.T, color=_INSIDE, linewidth=7.0, solid_capstyle="butt")
    ends = _seen(np.array([[0.0, 0.0, 0.0], wrist]))
    _draw_body(axes)
    for swivel, colour, style, width in ((0.0, _GREY, "--", 2.0), (chosen, _INK, "-", 4.5)):
        elbow = at(np.array([swivel]))
        axes.plot(*np.concatenate([ends[:1], elbow, ends[1:]]).T, color=colour, linestyle=style,
                  linewidth=width, solid_joinstyle="round")  # fmt: skip
        axes.plot(*elbow.T, "o", color=colour, markersize=10)
    axes.plot(*ends.T, color=_GREY, linewidth=1.2, linestyle=(0, (1, 2)))
    axes.plot(*ends.T, "s", color=_INK, markersize=8)
    elbows = at(np.array([0.0, chosen]))
    for place, words, offset, side in (
        (ends[0], "shoulder", (-8, -14), "right"),
        (ends[1], "wrist", (0, 15), "center"),
        (elbows[0], "swivel 0: where\npeople hold it", (12, -14), "left"),
        (elbows[1], "elbow taken", (14, 0), "left"),
    ):
        axes.annotate(words, place, offset, textcoords="offset points", ha=side, color=_INK,
                      fontsize=12, va="center", bbox=_PAPER)  # fmt: skip
    axes.set_title("The elbow's circle, from behind", loc="left", color=_INK, fontsize=13)
    axes.set_aspect("equal")
    axes.margins(0.02)
    axes.set_axis_off()


def _draw_body(axes: Axes) -> None:
    """Shoulders, trunk and head, so that it can be seen which way a person faces."""
    lateral, up = DEFAULT_LENGTHS[SHOULDER_LATERAL], DEFAULT_LENGTHS[SHOULDER_UP]
    chest = np.array([-lateral, -up, 0.0])
    waist, skull = chest + np.array([0.0, -0.3, 0.0]), chest + np.array([0.0, 0.28, 0.0])
    trunk = np.array([[0.0, 0.0, 0.0], [-2.0 * lateral, 0.0, 0.0], waist, [0.0, 0.0, 0.0]])
    axes.fill(*_seen(trunk).T, facecolor="#eef0f3", edgecolor=_PALE, linewidth=1.5, zorder=0)
    head = _seen(skull[None])[0]
    axes.add_patch(Circle((head[0], head[1]), 0.1, facecolor="#eef0f3", edgecolor=_PALE, zorder=0))


def _draw_limits(axes: Axes, inside: Flags, chosen: float) -> None:
    degrees = np.degrees(_SWIVELS)
    count = len(JOINTS)
    for row in range(count + 1):
        holds = inside.all(axis=1) if row == count else inside[:, row]
        colour = _INSIDE if row == count else _COLOURS[row]
        axes.fill_between(
            degrees, row - 0.32, row + 0.32, where=holds.tolist(), color=colour, linewidth=0.0
        )
    axes.axvline(0.0, color=_GREY, linewidth=1.2, linestyle="--")
    _draw_walk(axes, inside, 1 if chosen > 0.0 else -1)
    axes.plot(math.degrees(chosen), count, "o", color=_INK, markersize=10)
    names = [ARM_JOINT_NAMES[joint - 1].replace("_", " ") for joint in JOINTS]
    axes.set_yticks(range(count + 1), [*names, "all of them"])
    axes.set_ylim(count + 0.6, -0.6)
    axes.set_xlim(-180.0, 180.0)
    axes.set_xticks(range(-180, 181, 90))
    axes.set_xlabel("swivel, degrees", color=_INK, fontsize=12)
    axes.set_title("Where each joint is inside its limits", loc="left", color=_INK, fontsize=13)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(colors=_INK, labelsize=12)
    axes.tick_params(axis="y", length=0)


def _draw_walk(axes: Axes, inside: Flags, way: int) -> None:
    """From swivel zero to where the first limit that is broken holds again, and so on."""
    for row, start, end in walk(inside, way):
        axes.annotate(
            "", (math.degrees(_SWIVELS[end]), row), (math.degrees(_SWIVELS[start]), row),
            arrowprops={"arrowstyle": "-|>", "color": _INK, "linewidth": 2.0, "shrinkA": 0,
                        "shrinkB": 0, "mutation_scale": 16},
        )  # fmt: skip


def walk(inside: Flags, way: int) -> list[tuple[int, int, int]]:
    """Steps of a walk over swivels (n, joints), from the middle one: joint, start, end.

    A joint that never holds again, or not before half a turn, ends the walk where it stands.
    """
    steps: list[tuple[int, int, int]] = []
    here = len(inside) // 2
    while not inside[here].all():
        row = int(np.argmin(inside[here]))
        ahead = inside[here::way, row]
        if not ahead.any():
            break
        there = here + way * int(np.argmax(ahead))
        steps.append((row, here, there))
        here = there
    return steps
