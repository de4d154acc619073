"""The benchmark of tubes runs, and notices what falls short; its figures are not judged here."""

import pytest

from tests.bench import plumb

pytestmark = pytest.mark.slow


def test_the_cost_of_tubes_is_measured(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plumb, "ROUNDS", 1)
    monkeypatch.setattr(plumb, "SPLITS", (1, 2))
    monkeypatch.setattr(plumb, "BALLS", 50)
    told = plumb.run()
    assert told["scan"]["faces"] == 16384
    assert told["sizes"][1]["faces"] == 4 * told["sizes"][0]["faces"]
    assert told["power"]["visits"] == pytest.approx(1.0, abs=0.2)
    assert told["power"]["visits_at_vertices"] == pytest.approx(2.0, abs=0.2)
    assert len(plumb.lines(told)) == 9
    told["scan"]["whole_s"] = 3.25
    assert any("3.25" in short for short in plumb.shortcomings(told))
