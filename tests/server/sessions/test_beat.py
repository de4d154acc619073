"""The beat rings when a tick is due, and keeps ringing when one fails."""

import contextlib

import pytest
from armspan.server.sessions import Due
from armspan.server.sessions.beat import Beat

from tests.fakes import FakeAlarm, FakeClock


def test_the_alarm_is_set_for_the_next_tick_after_each():
    clock, alarms, ticks = FakeClock(0), [], []

    def make(on_ring):
        alarms.append(FakeAlarm(on_ring))
        return alarms[0]

    beat = Beat(50, clock, lambda due, now_us: ticks.append((due, now_us)), make)
    (alarm,) = alarms
    assert alarm.at_us == 20_000
    clock.now_us = 20_100
    alarm.ring()
    assert ticks == [(Due(1, 100, 0), 20_100)]
    assert alarm.at_us == 40_000
    alarm.ring()  # too early: nothing runs, and the alarm is set again
    assert len(ticks) == 1
    beat.close()
    assert alarm.at_us is None


def test_a_tick_that_fails_does_not_stop_the_beat():
    clock, alarms = FakeClock(0), []

    def fail(_due, _now_us):
        raise ZeroDivisionError

    def make(on_ring):
        alarms.append(FakeAlarm(on_ring))
        return alarms[0]

    Beat(50, clock, fail, make)
    clock.now_us = 20_000
    with contextlib.suppress(ZeroDivisionError):
        alarms[0].ring()
        pytest.fail("the failure was swallowed")
    assert alarms[0].at_us == 40_000
