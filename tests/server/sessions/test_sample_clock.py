"""Sample times are mapped to session time, whatever the sender's clock does."""

from armspan.protocol import caps
from armspan.server.sessions.sample_clock import RESTART_US, SampleClock
from hypothesis import given
from hypothesis import strategies as st

times = st.integers(0, caps.TIME_US_MAX)


def test_delay_beyond_the_fastest_sample_is_age():
    clock = SampleClock()
    assert clock.map(5_000, 900_000) == 900_000
    assert clock.map(5_000 + 16_667, 900_000 + 16_667 + 4_000) == 900_000 + 16_667
    # A faster one corrects the offset: what seemed to be 3 ms younger was the delay of the first.
    assert clock.map(5_000 + 33_333, 900_000 + 33_333 - 3_000) == 900_000 + 33_333 - 3_000


@given(
    samples=st.lists(st.tuples(times, st.integers(0, 3_000_000)), min_size=1, max_size=60),
)
def test_mapped_times_never_decrease_and_never_exceed_the_receipt(
    samples: list[tuple[int, int]],
):
    clock, received_us, last_us = SampleClock(), 0, 0
    for sample_us, wait_us in samples:
        received_us += wait_us
        mapped_us = clock.map(sample_us, received_us)
        assert last_us <= mapped_us <= received_us
        last_us = mapped_us


def send(clock: SampleClock, *, seconds: float, drift: float, start_us: int, at_us: int) -> int:
    """Sixty samples a second, 1 to 5 ms under way; returns the largest error of the mapping."""
    worst_us = 0
    for n in range(round(seconds * 60)):
        sampled_us = at_us + n * 16_667
        delay_us = 1_000 + (n * 7919) % 4_000
        mapped_us = clock.map(start_us + round(n * 16_667 * (1 + drift)), sampled_us + delay_us)
        if n > 60:
            worst_us = max(worst_us, abs(mapped_us - sampled_us))
    return worst_us


def test_a_drifting_clock_is_followed():
    for drift in (-200e-6, 0.0, 200e-6):
        assert send(SampleClock(), seconds=60, drift=drift, start_us=10**9, at_us=0) < 4_500


def test_a_clock_that_is_set_anew_is_believed_at_once():
    clock = SampleClock()
    send(clock, seconds=3, drift=0, start_us=10**12, at_us=0)
    assert clock.map(0, 4_000_000) == 4_000_000
    assert send(clock, seconds=3, drift=0, start_us=99_000, at_us=4_100_000) < 5_001


def test_a_lie_about_the_future_is_forgotten_within_a_sample():
    clock = SampleClock()
    send(clock, seconds=2, drift=0, start_us=0, at_us=0)
    assert clock.map(caps.TIME_US_MAX, 2_100_000) == 2_100_000
    after_us = clock.map(2_116_667, 2_117_667)
    assert 2_117_667 - after_us <= RESTART_US
    assert send(clock, seconds=2, drift=0, start_us=2_150_000, at_us=2_150_000) < 5_001
