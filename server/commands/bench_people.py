"""Owns ``armspan bench people``: solved bodies against recorded ones."""

import json
from pathlib import Path

import click
import numpy as np
from armspan.server.commands.output import check_writable, say
from armspan.server.commands.people_experiment import Chest, Comparison, Lengths, compare
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
    ("p90", "elbow_p90_mm"),
    ("missed mm", "palm_missed_mean_mm"),
    ("pops", "pops"),
    ("us", "us_per_body"),
)


@click.command()
@click.argument("clips", metavar="CLIP.npz...", nargs=-1, required=True,
                type=click.Path(path_type=Path))  # fmt: skip
@click.option("--method", type=METHODS, default="robust", show_default=True)
@click.option("--chest", type=click.Choice([chest.value for chest in Chest]), default="found",
              show_default=True, help="What the solver knows of the trunk.")  # fmt: skip
@click.option("--lengths", type=click.Choice([lengths.value for lengths in Lengths]),
              default="recorded", show_default=True, help="Whose lengths it uses.")  # fmt: skip
@click.option("--json", "json_file", type=click.Path(), help="Write the result; - for stdout.")
def people(
    clips: tuple[Path, ...], method: str, chest: str, lengths: str, json_file: str | None
) -> None:
    """Compare solved bodies with people recorded by optical motion capture.

    The clips hold chest and elbows besides head and hands; the body is solved from head and hands
    alone (found), or from the chest and the hands (given). Elbows are judged in frames whose
    hands the recording calls good. Pops are counted at 90 Hz: steps of an arm in which its elbow
    goes over 50 mm or a bone turns over 30 degrees while the hand moves under 20 mm and turns
    under 10 degrees, or over three times what the hand's own motion explains.
    """
    if json_file not in (None, "-"):
        check_writable(Path(str(json_file)))
    try:
        found = [
            compare(clip, Method[method.upper()], Chest(chest), Lengths(lengths)) for clip in clips
        ]
    except RecordingError as broken:
        fail(broken)
    rows = [comparison.report() for comparison in found]
    names = [name for name, value in rows[0].items() if not isinstance(value, str)]
    over = {name: [float(row[name]) for row in rows] for name in names}
    mean = {name: float(np.mean(values)) for name, values in over.items()}
    median = {name: float(np.median(values)) for name, values in over.items()}
    if json_file != "-":
        say(_table(found, {"mean": mean, "median": median}))
    report = {
        "method": method, "chest": chest, "lengths": lengths, "clips": rows, "mean": mean,
        "median": median,
    }  # fmt: skip
    text = json.dumps(report, indent=2)
    if json_file == "-":
        say(text)
    elif json_file is not None:
        try:
            Path(json_file).write_text(text + "\n", encoding="utf-8")
        except OSError as failure:
            fail(OSError(f"{json_file}: cannot be written ({failure.strerror})"))


def _table(found: list[Comparison], overall: dict[str, dict[str, float]]) -> str:
    width = max(len(comparison.clip) for comparison in found)
    lines = [" " * width + "".join(f"{title:>11}" for title, _ in _COLUMNS) + "   solved  reach"]
    for comparison in found:
        row = comparison.report()
        cells = "".join(f"{float(row[name]):11.1f}" for _, name in _COLUMNS)
        lines.append(
            f"{comparison.clip:{width}}{cells} {comparison.converged:8.1%} "
            f"{comparison.reachable:6.1%}"
        )
    for title, values in overall.items():
        cells = "".join(f"{values[name]:11.1f}" for _, name in _COLUMNS)
        lines.append(f"{title:{width}}{cells}")
    return "\n".join(lines)
