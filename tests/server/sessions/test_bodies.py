"""What the solver carries over from tick to tick, and when it must forget."""

import numpy as np
from armspan.protocol.frames import TrackerFrame, encode_tracker
from armspan.server.sessions.arrays import AvatarArrays
from armspan.server.sessions.bodies import PoseSlot
from armspan.server.sessions.hands import HandsTurn

HEAD = (0.0, 1.6, 0.0, 0.0, 0.0, 0.0, 1.0)


def frame(discontinuity: int) -> bytes:
    return encode_tracker(
        TrackerFrame(
            sample_time_us=1000,
            head=HEAD,
            left_palm=HEAD,
            right_palm=HEAD,
            discontinuity=discontinuity,
        )
    )


def test_a_jump_makes_the_solver_forget_and_nothing_else_does():
    arrays = AvatarArrays.of(2)
    slot = PoseSlot(arrays, 1, next_discontinuity=4, hands_turn=HandsTurn(60.0))
    slot.write(frame(7), 0)
    arrays.memory[:] = 1.0
    slot.write(frame(7), 0)
    assert np.all(arrays.memory == 1.0)
    slot.write(frame(8), 0)
    assert np.all(arrays.memory[1] == 0.0)
    assert np.all(arrays.memory[0] == 1.0)
