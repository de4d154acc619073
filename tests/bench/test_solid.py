"""The benchmark of what grasping asks of an object runs, and notices what is too slow."""

import pytest

from tests.bench import solid

pytestmark = pytest.mark.slow


def test_fields_and_looks_are_measured(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(solid, "ROUNDS", 1)
    monkeypatch.setattr(solid, "SCANS", ("025_mug",))
    monkeypatch.setattr(solid, "PLACES", 1000)
    monkeypatch.setattr(solid, "PALMS", 5)
    monkeypatch.setattr(solid, "HOLDS", 1)
    told = solid.run()
    assert told["fields"]["025_mug"]["step_m"] == 0.002
    assert told["epsilon_ms"][5] > 0.0
    assert len(solid.lines(told)) == 5
    told["look_ns"] = 101.0
    assert any("101" in short for short in solid.shortcomings(told))
