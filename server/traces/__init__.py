"""Recorded people: reading, cutting and writing traces of head and hands."""

from armspan.server.traces.reading import read_recording
from armspan.server.traces.recording import POSE_SIZE, Recording, RecordingError
from armspan.server.traces.resampling import at_times, cut, resample
from armspan.server.traces.shipped import shipped_recordings
from armspan.server.traces.streams import write_stream

__all__ = [
    "POSE_SIZE",
    "Recording",
    "RecordingError",
    "at_times",
    "cut",
    "read_recording",
    "resample",
    "shipped_recordings",
    "write_stream",
]
