"""Making the shipped recordings: every clip from its file, cut and at 60 Hz."""

from pathlib import Path

import numpy as np
from armspan.server.traces import read_recording
from armspan.server.traces.prepare import CLIPS, prepare
from armspan.server.traces.shipped import shipped_recordings

from tests.server.traces.test_reading import headset, motion

SECONDS = 30


def test_every_clip_is_cut_named_and_credited(tmp_path: Path):
    source, target = tmp_path / "source", tmp_path / "target"
    target.mkdir()
    for file, *_ in CLIPS:
        path = source / file
        path.parent.mkdir(parents=True, exist_ok=True)
        arrays = headset(90 * SECONDS) if file.startswith("vr") else motion(120 * SECONDS)
        np.savez(path, **arrays)
    written = prepare(source, target)
    assert [path.name for path in sorted(written)] == [p.name for p in shipped_recordings()]
    for path, (_, name, (start_s, end_s), credit) in zip(written, CLIPS, strict=True):
        recording = read_recording(path)
        assert (recording.name, recording.credit) == (name, credit)
        assert abs(recording.duration_s - (end_s - start_s)) < 0.05
        assert np.allclose(np.diff(recording.time_s), 1 / 60)
        assert bool(recording.group) == name.startswith("handover")
