"""Every part of shared work is done once, and what goes wrong in a thread is not lost."""

import threading
from typing import Any, cast

import pytest
from armspan.solvers.tubes.sharing import share_out


def scratches(count: int) -> list[Any]:
    return cast("list[Any]", list(range(count)))


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 1000, 12345])
def test_every_item_is_done_once(threads: int, count: int):
    done: list[int] = []  # appending is atomic
    told: list[float] = []
    share_out(
        count, lambda a, b, _: done.extend(range(a, b)), scratches(threads), told.append, 0.2, 0.7
    )
    assert sorted(done) == list(range(count))
    assert told == sorted(told)
    assert told[-1] == 0.7
    assert all(0.2 < share <= 0.7 for share in told)


def test_a_scratch_is_never_in_two_hands():
    busy = [threading.Lock() for _ in range(4)]

    def work(start: int, stop: int, scratch: Any) -> None:
        assert busy[scratch].acquire(blocking=False)
        sum(range(20_000))
        busy[scratch].release()

    share_out(5000, work, scratches(4), None, 0.0, 1.0)


@pytest.mark.parametrize("where", ["caller", "helper"])
def test_an_error_ends_the_work_and_is_raised(where: str):
    caller = threading.get_ident()
    both = threading.Barrier(2, timeout=5.0)
    begun: list[int] = []

    def work(start: int, stop: int, scratch: Any) -> None:
        begun.append(start)
        if len(begun) <= 2:
            both.wait()  # each of the two threads has a part
        if (threading.get_ident() == caller) == (where == "caller"):
            raise ValueError(where)

    with pytest.raises(ValueError, match=where):
        share_out(10_000, work, scratches(2), None, 0.0, 1.0)
    assert len(begun) <= 65
