"""Alarms ring at the time set, never before it, and once."""

import asyncio
import sys

import pytest
from armspan.server.clock import make_alarm, monotonic_us

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="timerfd is Linux's")


@pytest.mark.parametrize("precise", [False, pytest.param(True, marks=LINUX)])
async def test_alarms_ring_in_time_once_for_each_set(precise: bool):
    rung: list[int] = []
    ringing = asyncio.Event()

    def ring() -> None:
        rung.append(monotonic_us())
        ringing.set()

    alarm = make_alarm(asyncio.get_running_loop(), ring, precise=precise)
    try:
        alarm.set(monotonic_us() + 60_000_000)  # replaced before it rings
        for wait_us in (30_000, 0, -5_000, 1_500):
            ringing.clear()
            at_us = monotonic_us() + wait_us
            alarm.set(at_us)
            await asyncio.wait_for(ringing.wait(), 5)
            assert rung[-1] >= at_us
        assert len(rung) == 4
        alarm.set(monotonic_us() + 20_000)
    finally:
        alarm.close()
        alarm.close()
    await asyncio.sleep(0.04)
    assert len(rung) == 4
