"""Owns time: the monotonic clock, and the alarm that wakes the event loop at an absolute time.

Everything below the edges takes ``now_us`` as an argument; only adapters read a clock.
"""

import asyncio
import ctypes
import os
import sys
import time
from collections.abc import Callable
from typing import Protocol

Clock = Callable[[], int]
"""Monotonic microseconds; tests inject their own."""

_CLOCK_MONOTONIC = 1
_TFD_TIMER_ABSTIME = 1


def monotonic_us() -> int:
    """The machine's monotonic clock, in microseconds."""
    return time.monotonic_ns() // 1000


class Alarm(Protocol):
    """Rings once for each ``set``, from the event loop, at or after the time set."""

    def set(self, at_us: int) -> None:
        """Ring at this monotonic time; replaces a time set before and not yet rung."""
        ...

    def close(self) -> None:
        """Never ring again."""
        ...


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _TimerSpec(ctypes.Structure):
    _fields_ = (("interval", _Timespec), ("value", _Timespec))


class _TimerfdAlarm:
    """Linux's timerfd: exact to the kernel's wake-up, where loop timers count whole milliseconds.

    uvloop's own timers also ring up to a millisecond early.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, on_ring: Callable[[], None]) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor: int = self._libc.timerfd_create(
            _CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC
        )
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create failed")
        self._loop = loop
        self._on_ring = on_ring
        loop.add_reader(self._descriptor, self._ready)

    def set(self, at_us: int) -> None:
        # A value of zero would disarm the timer; a microsecond after boot is long past anyway.
        seconds, micros = divmod(max(at_us, 1), 1_000_000)
        spec = _TimerSpec(_Timespec(0, 0), _Timespec(seconds, micros * 1000))
        self._libc.timerfd_settime(self._descriptor, _TFD_TIMER_ABSTIME, ctypes.byref(spec), None)

    def _ready(self) -> None:
        try:
            os.read(self._descriptor, 8)
        except BlockingIOError:  # set again after it had become readable
            return
        self._on_ring()

    def close(self) -> None:
        if self._descriptor >= 0:
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1


class _LoopAlarm:
    """The event loop's own timers, for systems without timerfd."""

    def __init__(self, loop: asyncio.AbstractEventLoop, on_ring: Callable[[], None]) -> None:
        self._loop = loop
        self._on_ring = on_ring
        self._handle: asyncio.TimerHandle | None = None

    def set(self, at_us: int) -> None:
        self._cancel()
        wait_s = (at_us - monotonic_us()) / 1e6
        self._handle = self._loop.call_later(max(wait_s, 0.0), self._ready, at_us)

    def _ready(self, at_us: int) -> None:
        if monotonic_us() < at_us:  # the loop's clock is coarser than ours
            self.set(at_us)
        else:
            self._on_ring()

    def _cancel(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def close(self) -> None:
        self._cancel()


def make_alarm(
    loop: asyncio.AbstractEventLoop,
    on_ring: Callable[[], None],
    *,
    precise: bool = sys.platform == "linux",
) -> Alarm:
    """The most exact alarm this system has; ``precise=False`` asks for the portable one."""
    return _TimerfdAlarm(loop, on_ring) if precise else _LoopAlarm(loop, on_ring)
