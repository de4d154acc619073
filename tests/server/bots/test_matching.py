"""Which sample a snapshot shows, and how late: against logs whose truth is known."""

import numpy as np
from armspan.server.bots.histogram import new_histogram, percentile_ms
from armspan.server.bots.matching import (
    BACKWARDS,
    FIRST,
    MATCHED,
    UNMATCHED,
    bots_by_id,
    match_samples,
)
from armspan.server.bots.stage import LOG, PERSON_ID, SENT

ME, OTHER = 0, 1
IDS = {ME: 11, OTHER: 12}


class Scene:
    """Two bots; the other one sends at 60 Hz with jitter, starting at 1 s."""

    def __init__(self, samples: int = 400, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        jitter_us = random.normal(0, 2000, samples).clip(-6000, 6000)
        self.times_us = np.sort(1e6 + np.arange(samples) * 1e6 / 60 + jitter_us).astype(np.int64)
        self.bots = np.zeros((2, 4), dtype=np.int64)
        self.bots[ME, PERSON_ID], self.bots[OTHER, PERSON_ID] = IDS[ME], IDS[OTHER]
        self.sent_us = np.zeros((2, LOG), dtype=np.int64)
        self.newest = np.full(2, -1, dtype=np.int64)
        self.first, self.synced = new_histogram(), new_histogram()
        self.tallies = np.zeros(4, dtype=np.int64)
        self.samples = np.zeros(3, dtype=np.int64)
        self._sent = 0

    def send_until(self, now_us: float) -> int:
        """Log what was sent by ``now_us``; returns the number of the newest sample."""
        while self._sent < len(self.times_us) and self.times_us[self._sent] <= now_us:
            self.sent_us[OTHER, self._sent % LOG] = self.times_us[self._sent]
            self._sent += 1
            self.bots[OTHER, SENT] = self._sent
        return self._sent - 1

    def see(self, age_us: int, tick_us: float, received_us: float, *ids: int) -> None:
        seen = ids or (IDS[ME], IDS[OTHER], 999)
        match_samples(
            len(seen),
            np.array(seen, dtype=np.uint16),
            np.full(len(seen), age_us, dtype=np.int64),
            bots_by_id(self.bots),
            self.sent_us,
            self.bots,
            ME,
            tick_us,
            received_us,
            self.newest,
            self.first,
            self.synced,
            self.tallies,
            self.samples,
        )


def test_each_sample_is_recognised_from_an_age_in_steps_and_a_clock_that_errs():
    scene = Scene()
    late_us = []
    for tick in range(70, 350):
        tick_us = tick * 1e6 / 60
        shown = scene.send_until(tick_us)
        if shown < 0:
            continue
        age_us = int((tick_us - scene.times_us[shown]) // 250) * 250
        first = shown > scene.newest[OTHER]
        error_us = 1200 if tick % 2 else -900
        scene.see(age_us, tick_us + error_us, tick_us + 700)
        assert scene.samples[1] == shown
        if first:
            late_us.append(tick_us + 700 - scene.times_us[shown])
    assert scene.tallies[UNMATCHED] == 0
    assert scene.tallies[BACKWARDS] == 0
    assert scene.tallies[FIRST] == len(late_us) == scene.first.sum() == scene.synced.sum()
    for share in (0.5, 0.99):
        expected_ms = np.percentile(late_us, share * 100) / 1000
        assert abs(percentile_ms(scene.first, share) - expected_ms) < 0.15


def test_a_sample_that_is_shown_again_is_not_counted_again():
    scene = Scene()
    shown = scene.send_until(1.5e6)
    for tick_us in (1.5e6, 1.5167e6, 1.5333e6):
        scene.see(int(tick_us - scene.times_us[shown]), tick_us, tick_us)
    assert scene.tallies[MATCHED] == 3
    assert scene.tallies[FIRST] == 1


def test_my_own_body_and_people_who_are_no_bots_are_passed_over():
    scene = Scene()
    scene.send_until(1.5e6)
    scene.see(0, 1.5e6, 1.5e6, IDS[ME], 999, 65_535)
    assert not scene.tallies.any()
    assert (scene.samples == -1).all()


def test_a_sample_that_nobody_sent_is_told():
    scene = Scene()
    shown = scene.send_until(1.5e6)
    half_way_us = (scene.times_us[shown] + scene.times_us[shown - 1]) / 2
    scene.see(int(1.5e6 - half_way_us), 1.5e6, 1.5e6, IDS[OTHER])
    assert scene.tallies[UNMATCHED] == 1
    assert scene.samples[0] == -1


def test_going_back_to_an_older_sample_is_told():
    scene = Scene()
    shown = scene.send_until(1.5e6)
    scene.see(int(1.5e6 - scene.times_us[shown]), 1.5e6, 1.5e6, IDS[OTHER])
    scene.see(int(1.5e6 - scene.times_us[shown - 1]), 1.5e6, 1.5e6, IDS[OTHER])
    assert scene.tallies[BACKWARDS] == 1
    assert scene.tallies[FIRST] == 1


def test_an_age_that_saturated_says_nothing():
    scene = Scene()
    scene.send_until(3e6)
    scene.see(1_023_750, 3e6, 3e6, IDS[OTHER])
    assert not scene.tallies.any()


def test_a_log_that_wrapped_around_still_tells_the_last_samples():
    scene = Scene(samples=1000)
    shown = scene.send_until(1e6 + 900 / 60 * 1e6)
    assert shown > 3 * LOG
    now_us = float(scene.times_us[shown] + 5000)
    for back in (0, 1, 20):
        scene.newest[OTHER] = -1
        scene.see(int(now_us - scene.times_us[shown - back]), now_us, now_us, IDS[OTHER])
        assert scene.samples[0] == shown - back


def test_percentiles_of_a_histogram_are_those_of_the_values():
    values_us = np.random.default_rng(0).gamma(2, 4000, 5000)
    histogram = new_histogram()
    np.add.at(histogram, (values_us / 20).astype(int), 1)
    for share in (0.01, 0.5, 0.9, 0.99):
        expected_ms = np.percentile(values_us, share * 100) / 1000
        assert abs(percentile_ms(histogram, share) - expected_ms) < 0.1
    assert percentile_ms(new_histogram(), 0.5) is None
