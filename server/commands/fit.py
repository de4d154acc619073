"""Owns ``armspan fit``: models fitted to recorded people, and what to expect of them."""

import json
from pathlib import Path

import click
from armspan.server.commands.fit_chest import chest
from armspan.server.commands.output import check_writable, say
from armspan.server.commands.settings_options import fail
from armspan.server.fitting.coefficients_file import coefficients_file
from armspan.server.fitting.elbow_report import ElbowError, ElbowStudy, study_elbows
from armspan.server.traces.recording import RecordingError

_PATH = click.Path(path_type=Path)
_SHOWN = (
    ("constant", "constant recorded"),
    ("resting", "resting recorded"),
    ("model", "model recorded"),
    ("person", "person recorded"),
    ("model, skel.", "model skeleton"),
    ("person, skel.", "person skeleton"),
)


@click.group()
def fit() -> None:
    """Fit models to recorded people."""


fit.add_command(chest)


@fit.command()
@click.argument("clips", metavar="CLIP.npz...", nargs=-1, required=True, type=_PATH)
@click.option("-o", "--output", type=_PATH, help="Write the coefficients as a Python module.")
@click.option("--plot", type=_PATH, help="Draw errors and elbows as PNG.")
@click.option("--json", "json_file", type=click.Path(), help="Write the result; - for stdout.")
def elbows(
    clips: tuple[Path, ...], output: Path | None, plot: Path | None, json_file: str | None
) -> None:
    """Fit the elbow model to motion capture, and judge it on clips left out of the fit.

    Every figure is the distance of elbows from the recorded ones in mm, median and 90th
    percentile over a clip's frames whose hands are good, the chest given. constant: one
    direction for all elbows, of the other clips. resting: swivel zero. model: fitted on the other
    clips. person: fitted on the clips of other people. skel.: at the skeleton's shoulder and
    lengths, instead of the recorded ones.
    """
    if len(clips) < 2:
        raise click.UsageError("two clips at least: each is judged by a fit on the others")
    for path in (output, plot, Path(json_file) if json_file not in (None, "-") else None):
        if path is not None:
            check_writable(path)
    try:
        study = study_elbows(list(clips))
    except RecordingError as broken:
        fail(broken)
    text = json.dumps(study.report(), indent=2)
    say(text if json_file == "-" else _table(study))
    if json_file not in (None, "-"):
        _write(Path(str(json_file)), text + "\n")
    if output is not None:
        names = [clip.clip for clip in study.clips]
        _write(output, coefficients_file(study.coefficients, names))
    if plot is not None:
        from armspan.server.plots.elbows import draw_elbows

        try:
            draw_elbows(study, plot)
        except OSError as failure:
            fail(OSError(f"{plot}: cannot be written ({failure.strerror})"))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as failure:
        fail(OSError(f"{path}: cannot be written ({failure.strerror})"))


def _table(study: ElbowStudy) -> str:
    width = max(len(clip.clip) for clip in study.clips)
    lines = [" " * width + "".join(f"{title:>15}" for title, _ in _SHOWN)]
    for clip in study.clips:
        lines.append(f"{clip.clip:{width}}" + _cells(clip.errors))
    lines.append(f"{'median over clips':{width}}" + _cells(study.overall))
    return "\n".join(lines)


def _cells(errors: dict[str, ElbowError]) -> str:
    return "".join(
        f"{f'{errors[name].median_mm:.1f}, {errors[name].p90_mm:.1f}':>15}" for _, name in _SHOWN
    )
