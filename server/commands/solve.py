"""Owns ``armspan solve``: a recorded stream in, joint angles out, without a server."""

import math
import sys
from collections.abc import Iterable
from pathlib import Path

import click
import numpy as np
from armspan.server.commands.calibrating import lengths_for
from armspan.server.commands.output import check_writable, say
from armspan.server.commands.settings_options import METHODS, fail
from armspan.server.commands.skeleton_files import read_lengths
from armspan.server.commands.stream_files import read_recorded_stream, write_answer
from armspan.server.traces.recording import RecordingError
from armspan.solvers import Method
from armspan.solvers.body.stream import StreamAnswer, solve_stream_into
from armspan.solvers.body.targets import SOLVED_M, SOLVED_RAD
from numpy.typing import NDArray

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("source", metavar="IN.npz", type=_PATH)
@click.argument("target", metavar="OUT.npz", type=_PATH)
@click.option("--method", type=METHODS, default="robust", show_default=True)
@click.option("--skeleton", type=_PATH, help="A person's lengths, JSON, by name, in metres; "
              "a name that is missing takes its default.")  # fmt: skip
@click.option("--calibrate/--no-calibrate", "calibrating", default=True, show_default=True,
              help="Find the person's lengths if nothing tells them.")  # fmt: skip
def solve(
    source: Path, target: Path, method: str, skeleton: Path | None, calibrating: bool
) -> None:
    """Solve a recorded stream: head (or chest) and hands in, 15 joint angles out.

    IN holds, over T frames, left_hand_position (T,3), left_hand_rotation (T,4) xyzw, the same for
    right_, and chest_position, chest_rotation or head_position, head_rotation; optionally
    hand_frame (palm, wrist, grip), head_frame (eyes, skull_base), time_s (T,) and the person's
    lengths (11,), which --skeleton replaces. A hand with NaN in a row is not tracked there.

    Without time_s every frame is solved for itself: exactly, inside all limits, wherever a posture
    exists. With it the frames are a person's motion: the torso turns for the hands' places only, a
    wrist beyond its limits leaves the hand turned by up to 30 degrees, and nothing pops.

    Where neither tells the lengths and the head is given, they are found from the recording
    itself, if it is a motion (time_s) of two seconds at least; standard error says so.

    OUT holds joint_names and joint_angles; converged, in_limits, reachable, iterations,
    position_error_m and rotation_error_rad of each hand; in the world chest_position,
    chest_rotation, palm_rotation and shoulder_, elbow_, wrist_ and palm_position; and the lengths
    that were used, by length_names.
    """
    check_writable(target)
    try:
        lengths = None if skeleton is None else read_lengths(skeleton)
        recorded = read_recorded_stream(source)
        if lengths is None:
            lengths, said = lengths_for(recorded, calibrating)
            if said is not None:
                click.echo(f"armspan: {said}", err=True)
        stream = recorded.stream(lengths)
        answer = StreamAnswer.empty(len(stream.hands))
        _watch(solve_stream_into(Method[method.upper()], stream, answer), len(stream.hands))
        write_answer(target, answer, lengths)
    except RecordingError as broken:
        fail(broken)
    say(_summary(answer, stream.tracked))


def _summary(answer: StreamAnswer, tracked: NDArray[np.bool_]) -> str:
    """How many hands are where they were tracked, and what the others are."""
    off, turned = answer.position_error_m[tracked], answer.rotation_error_rad[tracked]
    only_turned = (off <= SOLVED_M) & (turned > SOLVED_RAD)
    out_of_reach = int((tracked & ~answer.reachable).sum())
    told = [f"{int(answer.converged.sum())} of {int(tracked.sum())} hands within 1 mm and 1 degree"]
    if only_turned.any():
        most = math.degrees(float(turned[only_turned].max()))
        told.append(f"{int(only_turned.sum())} in place but turned, by {most:.0f} degrees at most")
    if out_of_reach:
        told.append(f"of all, {out_of_reach} proved to be out of reach as asked")
    return f"{len(tracked)} frames: " + "; ".join(told)


def _watch(steps: Iterable[int], total: int) -> None:
    """Run through ``steps``; show how far they are to whoever sits at a terminal."""
    if not sys.stderr.isatty():
        for _ in steps:
            pass
        return
    with click.progressbar(length=total, label="Solving", file=sys.stderr) as bar:
        for frames in steps:
            bar.update(frames)
