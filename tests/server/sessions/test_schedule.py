"""The schedule is absolute: late ticks are skipped and never replayed."""

from armspan.server.sessions import TickSchedule
from hypothesis import given
from hypothesis import strategies as st

rates = st.sampled_from([1.0, 24.0, 59.94, 60.0, 90.0, 120.0])


def test_nothing_is_due_before_its_time():
    schedule = TickSchedule(50, start_us=1_000)
    assert schedule.next_due_us == 21_000
    assert schedule.take(20_999) is None
    assert schedule.take(21_000) == (1, 0, 0)
    assert schedule.take(21_000) is None


def test_lateness_is_told_from_the_first_tick_that_was_missed():
    schedule = TickSchedule(50, start_us=0)
    due = schedule.take(20_000 * 3 + 5_000)
    assert due == (3, 45_000, 2)
    assert schedule.next_due_us == 80_000


@given(rate_hz=rates, waits_us=st.lists(st.integers(0, 200_000), min_size=1, max_size=200))
def test_ticks_only_go_forward_and_every_tick_runs_or_is_missed_once(
    rate_hz: float, waits_us: list[int]
):
    schedule = TickSchedule(rate_hz, start_us=0)
    now_us, accounted = 0, 0
    for wait_us in waits_us:
        now_us += wait_us
        due = schedule.take(now_us)
        if due is None:
            assert now_us < schedule.next_due_us
            continue
        assert due.tick == accounted + due.missed + 1
        accounted = due.tick
        assert due.lateness_us >= 0
        assert schedule.take(now_us) is None, "a stall brings one tick, not several"
        assert abs(accounted - now_us * rate_hz / 1e6) <= 1.001


@given(rate_hz=rates, late_us=st.integers(0, 900))
def test_being_late_every_time_does_not_add_up(rate_hz: float, late_us: int):
    schedule = TickSchedule(rate_hz, start_us=0)
    for tick in range(1, 2000):
        due = schedule.take(schedule.next_due_us + late_us)
        assert due == (tick, late_us, 0)
    assert abs(schedule.next_due_us - 2000 * 1e6 / rate_hz) <= 1
