"""Owns getting ready: every kernel compiled or loaded before anyone is let in."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
from armspan.protocol import Lengths
from armspan.server import wire
from armspan.server.clock import monotonic_us
from armspan.server.sessions.bodies import Bodies
from armspan.solvers import Method
from armspan.solvers import warm_up as warm_up_solvers
from numba.core import event


class _FirstCompilation(event.Listener):
    """Tells once that machine code is made, and not only loaded."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._told = False

    def on_start(self, event: Any) -> None:
        if not self._told:
            self._told = True
            self._tell()

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def watching_compilation(on_compiling: Callable[[], None]) -> Generator[None]:
    """Call ``on_compiling`` once if, within the block, something must be compiled."""
    with cast(Any, event).install_listener("numba:compile", _FirstCompilation(on_compiling)):
        yield


def warm_up(on_compiling: Callable[[], None] = lambda: None) -> None:
    """Compile, or load from the cache, all that a tick and a message run.

    ``on_compiling`` is called once, from this thread, if and when something must be compiled.
    """
    with watching_compilation(on_compiling):
        _call_everything()


def _call_everything() -> None:
    wire.warm_up()
    warm_up_solvers()
    frame = wire.write_tracker(
        np.tile([0.0, 1.6, 0.0, 0.0, 0.0, 0.0, 1.0], 3),
        np.zeros(8, np.uint8),
        tracked=7,
        discontinuity=0,
        sample_time_us=0,
    )
    hands = wire.write_hands(0, np.zeros(40), np.zeros(6))
    for method in Method:
        bodies = Bodies(method, 1, monotonic_us, rate_hz=1.0)
        slot = bodies.open(0, 1, Lengths())
        # Sockets hand over views, fragmented messages bytes; both are compiled for.
        for payload in (frame, memoryview(frame), memoryview(bytearray(frame))):
            slot.write(payload, 0)
        for payload in (hands, memoryview(hands), memoryview(bytearray(hands))):
            slot.write_hands(payload, 0)
        bodies.refresh()
        bodies.solve(1 / 60, 0)
        bodies.pack(0, 0)
