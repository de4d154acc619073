"""Owns getting ready: every kernel compiled or loaded before anyone is let in."""

import numpy as np
from armspan.protocol import Lengths
from armspan.server import wire
from armspan.server.clock import monotonic_us
from armspan.server.sessions.bodies import Bodies
from armspan.solvers import Method
from armspan.solvers import warm_up as warm_up_solvers


def warm_up() -> None:
    """Compile, or load from the cache, all that a tick and a message run."""
    wire.warm_up()
    warm_up_solvers()
    frame = wire.write_tracker(
        np.tile([0.0, 1.6, 0.0, 0.0, 0.0, 0.0, 1.0], 3),
        np.zeros(8, np.uint8),
        tracked=7,
        discontinuity=0,
        sample_time_us=0,
    )
    for method in Method:
        bodies = Bodies(method, 1, monotonic_us)
        slot = bodies.open(0, 1, Lengths())
        # Sockets hand over views, fragmented messages bytes; both are compiled for.
        for payload in (frame, memoryview(frame), memoryview(bytearray(frame))):
            slot.write(payload, 0)
        bodies.refresh()
        bodies.solve(1 / 60, 0)
        bodies.pack(0, 0)
