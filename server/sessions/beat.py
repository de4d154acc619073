"""Owns the beat of a server: rings the alarm on the schedule, and runs what is due."""

from collections.abc import Callable

from armspan.server.clock import Alarm, Clock
from armspan.server.sessions.schedule import Due, TickSchedule

OnTick = Callable[[Due, int], None]
MakeAlarm = Callable[[Callable[[], None]], Alarm]
"""Makes an alarm that calls what it is given."""


class Beat:
    """Calls ``on_tick`` at every tick of an absolute schedule, from the event loop's own callback.

    No task stands between the timer and the tick: a task would run only after every other socket
    that was ready in the same round.
    """

    def __init__(self, rate_hz: float, clock: Clock, on_tick: OnTick, alarm: MakeAlarm) -> None:
        self._clock = clock
        self._on_tick = on_tick
        self._schedule = TickSchedule(rate_hz, clock())
        self._alarm: Alarm = alarm(self._ring)
        self._alarm.set(self._schedule.next_due_us)

    def close(self) -> None:
        """Tick no more."""
        self._alarm.close()

    def _ring(self) -> None:
        now_us = self._clock()
        due = self._schedule.take(now_us)
        try:
            if due is not None:
                self._on_tick(due, now_us)
        finally:
            self._alarm.set(self._schedule.next_due_us)
