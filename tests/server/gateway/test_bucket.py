"""The bucket lets a steady sender through for ever and a flooding one for its burst."""

from armspan.server.gateway.bucket import TokenBucket
from hypothesis import given
from hypothesis import strategies as st


def test_a_full_bucket_holds_exactly_its_burst():
    bucket = TokenBucket(per_s=100, burst=40)
    assert sum(bucket.take(1, 5_000_000) for _ in range(100)) == 40


def test_a_sender_at_the_rate_is_never_refused():
    bucket = TokenBucket(per_s=200, burst=5)
    assert all(bucket.take(1, n * 5_000) for n in range(10_000))


def test_what_was_refused_costs_nothing():
    bucket = TokenBucket(per_s=10, burst=1)
    assert bucket.take(1, 0)
    assert not any(bucket.take(1, 50_000) for _ in range(100))
    assert bucket.take(1, 100_000)


@given(
    waits_us=st.lists(st.integers(0, 100_000), min_size=1, max_size=400),
    per_s=st.integers(1, 500),
    burst=st.integers(1, 100),
)
def test_no_more_passes_than_burst_and_rate_allow(waits_us: list[int], per_s: int, burst: int):
    bucket = TokenBucket(per_s, burst)
    now_us, passed = 0, 0
    for wait_us in waits_us:
        now_us += wait_us
        passed += bucket.take(1, now_us)
        assert passed <= burst + now_us * per_s / 1e6 + 1e-6
