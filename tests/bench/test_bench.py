"""The benchmarks run, and notice what goes wrong; their figures are not judged here."""

import pytest

from tests.bench import fanout, large_session

pytestmark = pytest.mark.slow


def test_the_fan_out_is_measured_both_ways(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fanout, "ROUNDS", 1)
    monkeypatch.setattr(fanout, "TURN_S", 0.5)
    told = fanout.run()
    assert told["ticks_each_way"] > 5
    for way in (fanout.DEFAULTS, fanout.UNCOMPRESSED, fanout.GATEWAY):
        assert told[way]["received_mb"] > 0
    assert told["ratio"] > 1
    assert len(fanout.lines(told)) > 3
    told["ratio"] = 2.9
    assert any("2.9" in short for short in fanout.shortcomings(told))


def test_a_large_session_is_measured(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(large_session, "PEOPLE", 8)
    monkeypatch.setattr(large_session, "MEASURING", 2)
    monkeypatch.setattr(large_session, "SECONDS", 2.0)
    told = large_session.run()
    assert told["people"] == 8
    assert told["bytes_per_avatar"] == pytest.approx(47 + 16 / 8, abs=0.01)
    assert 0 < told["server_cores"] < 2
    assert told["drained_mb_s"] > 0.01
    assert told["errors"] == 0
    assert len(large_session.lines(told)) > 3
    told["tick_lateness_ms"]["p99"] = 5.1
    assert any("5.1" in short for short in large_session.shortcomings(told))
