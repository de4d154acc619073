"""Owns the choice of a reader: any recording that Armspan knows, from its file."""

from pathlib import Path

from armspan.server.traces.arrays import Arrays
from armspan.server.traces.headset import is_headset, read_headset
from armspan.server.traces.motion_capture import is_motion_capture, read_motion_capture
from armspan.server.traces.recording import Recording
from armspan.server.traces.streams import is_stream, read_stream


def read_recording(path: Path) -> Recording:
    """The recording in ``path``: a stream of sensors, motion capture, or a headset's trace.

    Raises RecordingError, one line that names the file and what is wrong with it.
    """
    arrays = Arrays(path)
    if is_stream(arrays):
        return read_stream(arrays)
    if is_motion_capture(arrays):
        return read_motion_capture(arrays)
    if is_headset(arrays):
        return read_headset(arrays)
    raise arrays.error(
        "is no recording; it needs left_hand_position, or hand_quat with shoulder_half_width or t"
    )
