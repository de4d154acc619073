"""Owns ``armspan bench calibration``: calibrated lengths against those of recorded people."""

import json
from dataclasses import asdict
from pathlib import Path

import click
import numpy as np
from armspan.server.commands.calibration_experiment import (
    JUDGED,
    CalibrationErrors,
    calibration_errors,
)
from armspan.server.commands.output import check_writable, say
from armspan.server.commands.settings_options import fail
from armspan.server.traces.recording import RecordingError

_WAYS = ("default", "height", "window_mean", "whole")


@click.command()
@click.argument("clips", metavar="CLIP.npz...", nargs=-1, required=True,
                type=click.Path(path_type=Path))  # fmt: skip
@click.option("--json", "json_file", type=click.Path(), help="Write the result; - for stdout.")
def calibration(clips: tuple[Path, ...], json_file: str | None) -> None:
    """Calibrate by people recorded by optical motion capture, whose lengths are known.

    Errors in mm: for each clip those of the whole clip and the median over its two-second windows
    (positive: found too long), then over clips the mean size of the error of the default lengths,
    of lengths in proportion to the height of the eyes alone, of windows, of whole clips, and of
    the frames of stretched arms alone, in the clips that have some.
    """
    if json_file not in (None, "-"):
        check_writable(Path(str(json_file)))
    try:
        found = [calibration_errors(clip) for clip in clips]
    except RecordingError as broken:
        fail(broken)
    mean = {
        way: np.abs([getattr(clip, way) for clip in found]).mean(axis=0).round(1).tolist()
        for way in _WAYS
    }
    report = {"judged": JUDGED, "clips": [asdict(clip) for clip in found], "mean_size_mm": mean}
    text = json.dumps(report, indent=2)
    say(text if json_file == "-" else _table(found, mean))
    if json_file not in (None, "-"):
        try:
            Path(str(json_file)).write_text(text + "\n", encoding="utf-8")
        except OSError as failure:
            fail(OSError(f"{json_file}: cannot be written ({failure.strerror})"))


def _table(found: list[CalibrationErrors], mean: dict[str, list[float]]) -> str:
    width = max(len("two-second windows"), *(len(clip.clip) for clip in found))
    lines = [" " * width + "".join(f"{name:>18}" for name in JUDGED)]
    for clip in found:
        pairs = zip(clip.whole, clip.window_median, strict=True)
        cells = (f"{whole:+.0f}, {window:+.0f}" for whole, window in pairs)
        lines.append(f"{clip.clip:{width}}" + "".join(f"{cell:>18}" for cell in cells))
    titles = ("default lengths", "by eyes' height", "two-second windows", "whole clips")
    for title, way in zip(titles, _WAYS, strict=True):
        lines.append(f"{title:{width}}" + "".join(f"{size:18.1f}" for size in mean[way]))
    wide = [clip.t_pose for clip in found if clip.t_pose is not None]
    if wide:
        sizes = np.abs(np.array(wide)).mean(axis=0)
        title = f"T-pose, of {len(wide)}"
        lines.append(f"{title:{width}}" + "".join(f"{size:18.1f}" for size in sizes))
    return "\n".join(lines)
