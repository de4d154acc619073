"""Owns ``armspan fit chest``: the habits of trunks, fitted and judged."""

import json
from pathlib import Path

import click
from armspan.server.commands.output import check_writable, say
from armspan.server.commands.settings_options import fail
from armspan.server.fitting.chest_fit import TrunkError, TrunkStudy, study_trunks
from armspan.server.fitting.trunks import read_trunks
from armspan.server.traces.recording import RecordingError

_SHOWN = ("shipped", "fitted", "clip", "person", "alone")


@click.command()
@click.argument("clips", metavar="CLIP.npz...", nargs=-1, required=True,
                type=click.Path(path_type=Path))  # fmt: skip
@click.option("--json", "json_file", type=click.Path(), help="Write the result; - for stdout.")
def chest(clips: tuple[Path, ...], json_file: str | None) -> None:
    """Fit how trunks turn and lean to motion capture, and judge it on clips left out of the fit.

    Prints the habits that solvers/body/trunk.py ships, and for each clip the shoulders' mean
    distance from the recorded ones in mm, the median error of the trunk's heading and the mean
    error of its tilt in degrees. shipped: the habits in use. fitted: on all clips. clip: on the
    other clips. person: on the clips of other people. alone: the habits in use, both hands lost.
    """
    if len(clips) < 2:
        raise click.UsageError("two clips at least: each is judged by a fit on the others")
    if json_file not in (None, "-"):
        check_writable(Path(str(json_file)))
    try:
        study = study_trunks([read_trunks(clip) for clip in clips])
    except RecordingError as broken:
        fail(broken)
    text = json.dumps(study.report(), indent=2)
    say(text if json_file == "-" else _table(study))
    if json_file not in (None, "-"):
        try:
            Path(str(json_file)).write_text(text + "\n", encoding="utf-8")
        except OSError as failure:
            fail(OSError(f"{json_file}: cannot be written ({failure.strerror})"))


def _table(study: TrunkStudy) -> str:
    width = max(len("mean over clips"), *(len(clip.clip) for clip in study.clips))
    lines = [f"{name} {value:g}" for name, value in study.habits._asdict().items()]
    lines.append(" " * width + "".join(f"{title:>18}" for title in _SHOWN))
    for clip in study.clips:
        lines.append(f"{clip.clip:{width}}" + _cells(clip.errors))
    lines.append(f"{'mean over clips':{width}}" + _cells(study.overall))
    return "\n".join(lines)


def _cells(errors: dict[str, TrunkError]) -> str:
    cells = (
        f"{error.shoulder_mean_mm:.0f}, {error.yaw_median_deg:.1f}, {error.tilt_mean_deg:.1f}"
        for error in (errors[name] for name in _SHOWN)
    )
    return "".join(f"{cell:>18}" for cell in cells)
