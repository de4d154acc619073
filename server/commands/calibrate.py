"""Owns ``armspan calibrate``: a person's lengths from a recording of head and hands."""

import json
from pathlib import Path

import click
from armspan.server.commands.calibrating import calibrated, summary
from armspan.server.commands.output import check_writable, say
from armspan.server.commands.settings_options import fail
from armspan.server.commands.skeleton_files import write_lengths
from armspan.server.commands.stream_files import read_recorded_stream
from armspan.server.traces.recording import RecordingError
from armspan.solvers.body.calibration import Calibration, CalibrationError, CalibrationPose
from armspan.solvers.body.skeleton import LENGTH_NAMES

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("source", metavar="IN.npz", type=_PATH)
@click.option("-o", "--output", type=_PATH, metavar="SKELETON.json",
              help="Write the lengths for `armspan solve --skeleton`.")  # fmt: skip
@click.option("--pose", type=click.Choice([pose.value for pose in CalibrationPose]),
              default="auto", show_default=True, help="What the recording shows.")  # fmt: skip
@click.option("--json", "json_file", type=click.Path(), help="Write the result; - for stdout.")
def calibrate(source: Path, output: Path | None, pose: str, json_file: str | None) -> None:
    """Find a person's lengths from a recording of head and hands.

    IN is as for `armspan solve`, with a head. t: some frames in which the arms are stretched
    sideways at the height of the shoulders. movement: two seconds or more in which the person is
    upright once and stretches an arm. auto: t if at least half of the frames show it.

    The table says how far each length can be trusted, and what it is from: measured here, in
    proportion to the stature measured here, or usual among people.
    """
    for path in (output, Path(json_file) if json_file not in (None, "-") else None):
        if path is not None:
            check_writable(path)
    try:
        found = calibrated(read_recorded_stream(source), CalibrationPose(pose))
    except CalibrationError as broken:
        fail(RecordingError(f"{source}: {broken}"))
    except RecordingError as broken:
        fail(broken)
    text = json.dumps(_report(found), indent=2)
    say(text if json_file == "-" else _table(found))
    try:
        if output is not None:
            write_lengths(output, found.lengths)
        if json_file not in (None, "-"):
            Path(str(json_file)).write_text(text + "\n", encoding="utf-8")
    except RecordingError as broken:
        fail(broken)
    except OSError as failure:
        fail(OSError(f"{json_file}: cannot be written ({failure.strerror})"))


def _table(found: Calibration) -> str:
    lines = [summary(found)]
    for name, length_m, deviation_m, source in _rows(found):
        lines.append(f"{name:20}{length_m:7.3f} +- {deviation_m:.3f}  {source}")
    return "\n".join(lines)


def _rows(found: Calibration) -> list[tuple[str, float, float, str]]:
    return [
        (name, float(length_m), float(deviation_m), source.value)
        for name, length_m, deviation_m, source in zip(
            LENGTH_NAMES, found.lengths, found.deviations, found.sources, strict=True
        )
    ]


def _report(found: Calibration) -> dict[str, object]:
    rows = _rows(found)
    return {
        "pose": found.pose.value,
        "frames": found.frames,
        "lengths": {name: length_m for name, length_m, _, _ in rows},
        "deviations": {name: deviation_m for name, _, deviation_m, _ in rows},
        "sources": {name: source for name, _, _, source in rows},
    }
