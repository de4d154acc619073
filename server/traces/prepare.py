"""Owns how the shipped recordings are made: ``python -m armspan.server.traces.prepare SOURCE``.

SOURCE is a folder with the motion-capture and headset files that recordings/CREDITS.md lists.
"""

from dataclasses import replace
from pathlib import Path

import click
from armspan.server.traces.reading import read_recording
from armspan.server.traces.recording import RecordingError
from armspan.server.traces.resampling import cut, resample
from armspan.server.traces.shipped import FOLDER
from armspan.server.traces.streams import write_stream

RATE_HZ = 60.0
CMU = "CMU Graphics Lab Motion Capture Database, mocap.cs.cmu.edu, NSF EIA-0196217"
KTH = "KTH-RPL handovers dataset, MIT"
A_FRAME = "A-Frame motion capture components, MIT"
# File under SOURCE, name here, cut (s), credit. Two cuts end before a splice in the source, where
# the whole body jumps by 5 cm; the headset is cut to where its wearer stays in one place.
CLIPS = (
    ("motion/cmu_02_06.npz", "bend_and_lift", (0.0, 18.6), CMU),
    ("motion/cmuexp_directing_traffic_4.npz", "direct_traffic", (0.0, 18.8), CMU),
    ("motion/cmuexp_washwindow_1.npz", "wash_window", (0.0, 21.6), CMU),
    ("motion/kth_handover_giver.npz", "handover_giver", (0.0, 6.7), KTH),
    ("motion/kth_handover_taker.npz", "handover_taker", (0.0, 6.7), KTH),
    ("vr/aframe_tracked-recording.npz", "headset_and_wands", (5.0, 24.0), A_FRAME),
)


def prepare(source: Path, target: Path) -> list[Path]:
    """Write every clip of CLIPS, found under ``source``, to ``target``; return the files."""
    written: list[Path] = []
    for file, name, (start_s, end_s), credit in CLIPS:
        recording = resample(cut(read_recording(source / file), start_s, end_s), RATE_HZ)
        group = "handover" if recording.group else ""
        path = target / f"{name}.npz"
        write_stream(path, replace(recording, name=name, group=group, credit=credit))
        written.append(path)
    return written


@click.command()
@click.argument("source", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--target", type=click.Path(file_okay=False, path_type=Path), default=FOLDER)
def main(source: Path, target: Path) -> None:
    """Make the recordings that come with Armspan from the files under SOURCE."""
    try:
        for path in prepare(source, target):
            click.echo(f"{path}: {path.stat().st_size} bytes")
    except RecordingError as failure:
        raise click.ClickException(str(failure)) from failure


if __name__ == "__main__":
    main()
