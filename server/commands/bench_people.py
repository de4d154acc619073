"""Owns ``armspan bench people``: solved bodies against recorded ones."""

import json
from pathlib import Path

import click
import numpy as np
from armspan.server.commands.people_experiment import Comparison, compare
from armspan.server.commands.settings_options import METHODS, fail
from armspan.server.traces.recording import RecordingError
from armspan.solvers import Method

_COLUMNS = (
    ("chest mm", "chest_mean_mm"),
    ("p95", "chest_p95_mm"),
    ("yaw deg", "chest_yaw_median_deg"),
    ("p90", "chest_yaw_p90_deg"),
    ("tilt deg", "chest_tilt_mean_deg"),
    ("elbow mm", "elbow_median_mm"),
    ("mean", "elbow_mean_mm"),
    ("p95", "elbow_p95_mm"),
    ("missed mm", "palm_missed_mean_mm"),
    ("jumps", "elbow_jumps"),
    ("us", "us_per_body"),
)


@click.command()
@click.argument("clips", metavar="CLIP.npz...", nargs=-1, required=True,
                type=click.Path(path_type=Path))  # fmt: skip
@click.option("--method", type=METHODS, default="robust", show_default=True)
@click.option("--json", "json_file", type=click.Path(), help="Write the result; - for stdout.")
def people(clips: tuple[Path, ...], method: str, json_file: str | None) -> None:
    """Compare solved bodies with people recorded by optical motion capture.

    The clips hold chest and elbows besides head and hands; the body is solved from head and hands
    alone. Elbows are judged in frames whose hands the recording calls good. An elbow jump: 30 mm
    in a frame beyond three times what the recorded elbow and hand did.
    """
    try:
        found = [compare(clip, Method[method.upper()]) for clip in clips]
    except RecordingError as broken:
        fail(broken)
    rows = [comparison.report() for comparison in found]
    mean = {name: float(np.mean([float(row[name]) for row in rows])) for _, name in _COLUMNS}
    if json_file != "-":
        click.echo(_table(found, mean))
    text = json.dumps({"method": method, "clips": rows, "mean": mean}, indent=2)
    if json_file == "-":
        click.echo(text)
    elif json_file is not None:
        try:
            Path(json_file).write_text(text + "\n", encoding="utf-8")
        except OSError as failure:
            fail(OSError(f"{json_file}: cannot be written ({failure.strerror})"))


def _table(found: list[Comparison], mean: dict[str, float]) -> str:
    width = max(len(comparison.clip) for comparison in found)
    lines = [" " * width + "".join(f"{title:>11}" for title, _ in _COLUMNS) + "   solved  reach"]
    for comparison in found:
        row = comparison.report()
        cells = "".join(f"{float(row[name]):11.1f}" for _, name in _COLUMNS)
        lines.append(
            f"{comparison.clip:{width}}{cells} {comparison.converged:8.1%} "
            f"{comparison.reachable:6.1%}"
        )
    lines.append(f"{'mean':{width}}" + "".join(f"{mean[name]:11.1f}" for _, name in _COLUMNS))
    return "\n".join(lines)
