"""Owns ``armspan bench`` and its ``ik``: the 1,000-pose experiment of the 2001 paper, repeated."""

import json
import sys
from pathlib import Path
from typing import Any

import click
from armspan.server.commands.bench_calibration import calibration
from armspan.server.commands.bench_people import people
from armspan.server.commands.ik_experiment import Result, run_experiment
from armspan.server.commands.output import check_writable, say
from armspan.server.commands.settings_options import METHODS, fail
from armspan.solvers import Method
from armspan.solvers.poses import PoseSet

_PATH = click.Path(path_type=Path)


@click.group()
def bench() -> None:
    """Run the experiments on the solvers."""


bench.add_command(calibration)
bench.add_command(people)


@bench.command()
@click.option("--poses", type=click.IntRange(2, 1_000_000), default=1000, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--method", type=METHODS, default="robust", show_default=True)
@click.option("--arms", type=click.Choice(["one", "two"]), default="two", show_default=True)
@click.option(
    "--set",
    "kind",
    type=click.Choice([kind.value for kind in PoseSet]),
    default="random",
    show_default=True,
)
@click.option("--plot", type=_PATH, help="Draw both histograms as PNG.")
@click.option("--json", "json_file", type=click.Path(), help="Write the result; - for stdout.")
def ik(
    poses: int, seed: int, method: str, arms: str, kind: str, plot: Path | None,
    json_file: str | None,
) -> None:  # fmt: skip
    """Solve many poses: how many, how exactly, in how many steps, how fast.

    random: joint angles uniform inside the limits. stretched: the same with straight elbows.
    unreachable: the wrist pushed out of reach. Solved means 1 mm and 1 degree, both arms. An
    elbow jump: more than 50 mm in a frame, on a way through 200 of the poses on which the
    original's elbows, wrists and palms move at most 20 mm a frame.
    """
    if plot is not None and plot.suffix.lower() not in ("", ".png"):
        raise click.BadParameter(f"{plot}: the picture is a PNG; name it .png", param_hint="--plot")
    for path in (plot, Path(json_file) if json_file not in (None, "-") else None):
        if path is not None:
            check_writable(path)
    result = _run(Method[method.upper()], PoseSet(kind), 1 if arms == "one" else 2, poses, seed)
    report = result.report()
    if json_file != "-":
        say(_summary(report))
    try:
        if plot is not None:
            from armspan.server.plots.ik_histograms import draw_histograms

            draw_histograms(result, plot)
        _write_json(report, json_file)
    except OSError as failure:
        fail(OSError(f"{failure.filename}: cannot be written ({failure.strerror})"))


def _run(method: Method, kind: PoseSet, arms: int, poses: int, seed: int) -> Result:
    steps = run_experiment(method, kind, arms, poses, seed)
    if not sys.stderr.isatty():
        return next(step for step in steps if isinstance(step, Result))
    with click.progressbar(length=100, label="Compiling", file=sys.stderr) as bar:
        for step in steps:
            if isinstance(step, Result):
                return step
            bar.label = "Solving"
            bar.update(round(100 * step) - bar.pos)
    raise AssertionError("an experiment ends with its result")


def _summary(report: dict[str, Any]) -> str:
    steps, cost = report["iterations"], report["us_per_body"]
    counted = f"solved in under 13: {steps['under_13']:.1%} of bodies"
    if not report["solved"]:
        counted = "of all bodies, for none is solved"
    elbows = "1 elbow" if report["arms"] == 1 else f"{report['arms']} elbows each"
    return "\n".join(
        (
            f"{report['poses']} {report['set']} poses, arms: {report['arms']}, {report['method']}",
            f"solved      {report['solved']:8.2%}   in limits {report['in_limits']:.2%}, "
            f"both {report['solved_in_limits']:.2%}",
            f"iterations  mode {steps['mode']}, median {steps['median']:g}, p99 {steps['p99']:g}, "
            + counted,
            f"time        {cost['batched']:.2f} us a body in one call; alone {cost['single']:.2f}, "
            f"p99 {cost['p99']:.2f}",
            f"missed by   median {1e3 * report['missed_m']['median']:.3g} mm, "
            f"p99 {1e3 * report['missed_m']['p99']:.3g} mm",
            f"elbow jumps {report['elbow_jumps']} in {report['elbow_path_frames']} frames "
            f"of {elbows}",
        )
    )


def _write_json(report: dict[str, Any], json_file: str | None) -> None:
    text = json.dumps(report, indent=2)
    if json_file == "-":
        say(text)
    elif json_file is not None:
        Path(json_file).write_text(text + "\n", encoding="utf-8")
