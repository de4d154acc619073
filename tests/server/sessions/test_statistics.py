"""The figures that a server tells of itself."""

from armspan.server.sessions.statistics import Lateness, Rate


def test_lateness_is_told_over_recent_ticks():
    lateness = Lateness()
    lateness.refresh()
    assert (lateness.p50_ms, lateness.p99_ms) == (0.0, 0.0)
    for _ in range(1000):
        lateness.add(90_000, 1)
    for n in range(600):
        lateness.add(1000 if n % 50 else 8000, 0)
    lateness.refresh()
    assert lateness.p50_ms == 1.0
    assert lateness.p99_ms == 8.0
    assert (lateness.ticks, lateness.missed) == (1600, 1000)


def test_a_rate_follows_what_is_added_within_two_seconds():
    rate = Rate(0)
    for n in range(300):
        rate.add(100, n * 16_667)
    assert abs(rate.per_s(300 * 16_667) - 6000) < 100
    assert rate.total == 30_000
    for n in range(300, 600):
        rate.add(0, n * 16_667)
    assert rate.per_s(600 * 16_667) == 0
