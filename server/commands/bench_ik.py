"""Owns ``armspan bench`` and its ``ik``: the 1,000-pose experiment of the 2001 paper, repeated."""

import json
import math
import sys
from pathlib import Path
from typing import Any

import click
from armspan.server.commands.bench_calibration import calibration
from armspan.server.commands.bench_people import people
from armspan.server.commands.ik_experiment import (
    PAPER,
    STRICT,
    Result,
    Tolerance,
    run_experiment,
)
from armspan.server.commands.output import check_writable, say
from armspan.server.commands.settings_options import METHODS, fail
from armspan.solvers import Method
from armspan.solvers.body.poses import PoseSet

_PATH = click.Path(path_type=Path)
_TOLERANCES = {"strict": STRICT, "paper": PAPER}


def _tolerance(_context: click.Context, _option: object, given: str | None) -> Tolerance | None:
    """``strict``, ``paper``, or millimetres and degrees as ``0.5,0.5``."""
    if given is None or given in _TOLERANCES:
        return _TOLERANCES.get(given or "")
    try:
        millimetres, degrees = (float(part) for part in given.split(","))
    except ValueError:
        millimetres = degrees = 0.0
    if not (0.0 < millimetres < math.inf and 0.0 < degrees < math.inf):
        raise click.BadParameter(
            f"{given}: say strict, paper, or millimetres and degrees as 0.5,0.5"
        )
    return Tolerance(1e-3 * millimetres, math.radians(degrees))


@click.group()
def bench() -> None:
    """Run the experiments on the solvers."""


bench.add_command(calibration)
bench.add_command(people)


@bench.command()
@click.option("--poses", type=click.IntRange(2, 1_000_000), default=1000, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--seeds", type=click.IntRange(1, 1000), default=1, show_default=True,
              help="So many seeds, from --seed on; --poses of each.")  # fmt: skip
@click.option("--method", type=METHODS, help="[default: robust; with --plot of two arms all]")
@click.option("--arms", type=click.Choice(["one", "two"]), default="two", show_default=True)
@click.option(
    "--set",
    "kind",
    type=click.Choice([kind.value for kind in PoseSet]),
    default="random",
    show_default=True,
)
@click.option(
    "--tolerance",
    callback=_tolerance,
    help="What the summary calls solved: strict (0.1 mm, 0.1 degrees), paper (1 mm, 1 degree), "
    "or both as 0.5,0.5.  [default: strict for robust, else paper]",
)
@click.option("--plot", type=_PATH, help="Draw histograms of iterations and times as PNG.")
@click.option("--json", "json_file", type=click.Path(), help="Write the result; - for stdout.")
def ik(
    poses: int, seed: int, seeds: int, method: str | None, arms: str, kind: str,
    tolerance: Tolerance | None, plot: Path | None, json_file: str | None,
) -> None:  # fmt: skip
    """Solve many poses: how many, how exactly, in how many steps, how fast.

    random: joint angles uniform inside the limits. stretched: the same with straight elbows.
    unreachable: the wrist pushed out of reach. In JSON, solved means 1 mm and 1 degree, both arms,
    and solved_strict a tenth of each; certified is the share of bodies of which a hand was told to
    be out of reach. An elbow jump is a pop of an elbow (bench people says what pops), on a way
    through 200 of the poses at 90 Hz on which the original's elbows, wrists and palms move at most
    20 mm a frame; pops are those of elbows and bones.

    A plot of two arms without --method compares the paper's averaging with the coupled step and
    the closed form; the JSON is then robust's, with the others under "compared".
    """
    if plot is not None and plot.suffix.lower() not in ("", ".png"):
        raise click.BadParameter(f"{plot}: the picture is a PNG; name it .png", param_hint="--plot")
    for path in (plot, Path(json_file) if json_file not in (None, "-") else None):
        if path is not None:
            check_writable(path)
    if method is not None:
        methods = [Method[method.upper()]]
    elif plot is not None and arms == "two" and kind != PoseSet.UNREACHABLE:
        methods = list(Method)
    else:
        methods = [Method.ROBUST]
    every = range(seed, seed + seeds)
    results = [_run(m, PoseSet(kind), 1 if arms == "one" else 2, poses, every) for m in methods]
    reports = {
        result.method: result.report(tolerance or _own_tolerance(result.method))
        for result in results
    }
    if json_file != "-":
        say("\n\n".join(_summary(report) for report in reports.values()))
    try:
        if plot is not None:
            _draw(results, plot)
        _write_json(_joined(reports), json_file)
    except OSError as failure:
        fail(OSError(f"{failure.filename}: cannot be written ({failure.strerror})"))


def _own_tolerance(method: Method) -> Tolerance:
    """What a method aims at: the iterative ones stop at the paper's."""
    return STRICT if method is Method.ROBUST else PAPER


def _joined(reports: dict[Method, dict[str, Any]]) -> dict[str, Any]:
    """The report of the last method, the one that people get, with the others inside."""
    last = list(reports.values())[-1]
    if len(reports) == 1:
        return last
    others = [report for method, report in reports.items() if method is not Method.ROBUST]
    own = reports.get(Method.ROBUST, last)
    return own | {"compared": {report["method"]: report for report in others}}


def _draw(results: list[Result], plot: Path) -> None:
    if len(results) == 1:
        from armspan.server.plots.ik_histograms import draw_histograms

        draw_histograms(results[0], plot)
    else:
        from armspan.server.plots.ik_comparison import draw_comparison

        draw_comparison(results, plot)


def _run(method: Method, kind: PoseSet, arms: int, poses: int, seeds: range) -> Result:
    steps = run_experiment(method, kind, arms, poses, seeds)
    if not sys.stderr.isatty():
        return next(step for step in steps if isinstance(step, Result))
    with click.progressbar(length=100, label="Compiling", file=sys.stderr) as bar:
        for step in steps:
            if isinstance(step, Result):
                return step
            bar.label = f"Solving ({method.name.lower()})"
            bar.update(round(100 * step) - bar.pos)
    raise AssertionError("an experiment ends with its result")


def _summary(report: dict[str, Any]) -> str:
    steps, cost = report["iterations"], report["us_per_body"]
    counted = f"solved in under 13: {steps['under_13']:.1%} of bodies"
    if not report["solved"]:
        counted = "of all bodies, for none is solved"
    arms = "1 arm" if report["arms"] == 1 else f"{report['arms']} arms"
    tolerance = Tolerance(report["tolerance_m"], report["tolerance_rad"])
    return "\n".join(
        (
            f"{report['poses']} {report['set']} poses, arms: {report['arms']}, {report['method']}",
            f"solved      {report['within_tolerance']:8.2%} to {tolerance}; "
            f"in limits {report['in_limits']:.2%}, "
            f"both {report['within_tolerance_in_limits']:.2%}",
            f"out of reach{report['certified']:8.2%} are told to be",
            f"iterations  mode {steps['mode']}, median {steps['median']:g}, p99 {steps['p99']:g}, "
            + counted,
            f"time        {cost['batched']:.2f} us a body in one call; alone {cost['single']:.2f}, "
            f"p99 {cost['p99']:.2f}",
            f"missed by   median {1e3 * report['missed_m']['median']:.3g} mm, "
            f"p99 {1e3 * report['missed_m']['p99']:.3g} mm",
            f"pops        {report['pops']} in {report['elbow_path_frames']} frames of {arms}; "
            f"{report['elbow_jumps']} of elbows",
        )
    )


def _write_json(report: dict[str, Any], json_file: str | None) -> None:
    text = json.dumps(report, indent=2)
    if json_file == "-":
        say(text)
    elif json_file is not None:
        Path(json_file).write_text(text + "\n", encoding="utf-8")
