"""Owns the bodies of a session: the newest samples in, one solved and packed snapshot out."""

from collections.abc import Sequence

import numpy as np
from armspan.protocol import AVATAR_RECORD_BYTES, SNAPSHOT_HEADER_BYTES, Lengths
from armspan.server.clock import Clock
from armspan.server.sessions.arrays import FIRST_ROWS, AvatarArrays
from armspan.server.sessions.hands import NEVER_US, HandsTurn
from armspan.server.sessions.latch import latch
from armspan.server.sessions.receiver import FRAME_HEADROOM_BYTES
from armspan.server.sessions.sample_clock import SampleClock
from armspan.server.wire import pack_snapshot, read_hands, read_tracker
from armspan.solvers import Method, solve_bodies
from numpy.typing import NDArray

_HEAD_TRACKED = 1
_DISCONTINUITIES = 16
_SMOOTHING = 0.05  # of the solve time: about the last twenty ticks


class PoseSlot:
    """Where one connection writes its samples; the newest one wins.

    A connection gets a slot of its own, so that its clock and its counter of discontinuities
    begin afresh when a person comes back.
    """

    __slots__ = (
        "_arrays",
        "_clock",
        "_discontinuity",
        "_hands_parts",
        "_hands_turn",
        "_inputs",
        "_poses",
        "_row",
        "shown",
    )

    def __init__(
        self, arrays: AvatarArrays, row: int, next_discontinuity: int, hands_turn: HandsTurn
    ) -> None:
        self._row = row
        self._hands_turn = hands_turn
        self._clock = SampleClock()
        self._discontinuity = next_discontinuity
        self.shown = False
        """Whether the head was ever tracked, so that there is a body to show."""
        self.bind(arrays)

    def bind(self, arrays: AvatarArrays) -> None:
        """Write into these arrays from now on."""
        self._arrays = arrays
        self._poses = arrays.poses[self._row]
        self._inputs = arrays.inputs[self._row]
        self._hands_parts = arrays.hands_parts[self._row]

    def write_hands(self, payload: bytes | memoryview, session_time_us: int) -> None:
        """Take a hands frame.

        Raises:
            ProtocolError: the frame breaks the protocol; the row is as it was.
        """
        self._arrays.hands_flags[self._row] = read_hands(payload, self._hands_parts)
        self._arrays.hands_heard_us[self._row] = session_time_us
        self._hands_turn.heard(session_time_us)

    def write(self, payload: bytes | memoryview, session_time_us: int) -> bool:
        """Take a tracker frame; True if the body is to be shown from now on.

        Raises:
            ProtocolError: the frame breaks the protocol; the row is as it was.
        """
        tracked, discontinuity, sample_us = read_tracker(payload, self._poses, self._inputs)
        arrays, row = self._arrays, self._row
        arrays.tracked_bits[row] = tracked
        arrays.sample_time_us[row] = self._clock.map(sample_us, session_time_us)
        if self.shown:
            jumps = (discontinuity + self._discontinuity) % _DISCONTINUITIES
            if jumps != arrays.discontinuity[row]:
                arrays.discontinuity[row] = jumps
                arrays.memory[row] = 0.0  # nothing blends across a jump
            return False
        # The first sample of a connection continues nothing, whatever its sender counts from.
        arrays.discontinuity[row] = self._discontinuity
        if tracked & _HEAD_TRACKED:
            self._discontinuity = (self._discontinuity - discontinuity) % _DISCONTINUITIES
            self.shown = True
        return self.shown


class Bodies:
    """All bodies of one session, solved in one call and packed into one frame."""

    def __init__(self, method: Method, most: int, clock: Clock, rate_hz: float = 60.0) -> None:
        self._method = method
        self._most = most
        self._clock = clock
        self._arrays = AvatarArrays.of(min(FIRST_ROWS, most))
        self._slots: dict[int, PoseSlot] = {}
        self._rows = np.empty(0, np.int32)
        self._frame = bytearray()
        self._packed = np.empty(0, np.uint8)
        self._hands_turn = HandsTurn(rate_hz)
        self._long_frame = bytearray()
        self._long_packed = np.empty(0, np.uint8)
        self.solve_us_per_body = 0.0
        self.refresh()

    def open(self, row: int, avatar_id: int, lengths: Lengths) -> PoseSlot:
        """A slot for a new connection; an older one of this row is cut off."""
        if row >= self._arrays.rows:
            self._grow(row + 1)
        arrays = self._arrays
        discontinuity = (int(arrays.discontinuity[row]) + 1) % _DISCONTINUITIES
        arrays.clear(row)
        arrays.ids[row] = avatar_id
        arrays.discontinuity[row] = discontinuity
        self.measure(row, lengths)
        slot = PoseSlot(arrays, row, discontinuity, self._hands_turn)
        self._slots[row] = slot
        self.refresh()
        return slot

    def close(self, row: int) -> None:
        """Show this body and its hands no longer."""
        self._slots.pop(row, None)
        self._arrays.hands_heard_us[row] = NEVER_US
        self.refresh()

    def measure(self, row: int, lengths: Lengths) -> None:
        """Use these lengths from the next tick on."""
        self._arrays.lengths[row] = lengths.as_row()

    def refresh(self) -> None:
        """Look again at which bodies are shown, and make the frame they fit into."""
        shown: Sequence[int] = sorted(row for row, slot in self._slots.items() if slot.shown)
        self._rows = np.array(shown, np.int32)
        self._records_bytes = SNAPSHOT_HEADER_BYTES + AVATAR_RECORD_BYTES * len(shown)
        self._frame, self._packed = _frame_of(self._records_bytes)

    def solve(self, dt_s: float, session_time_us: int) -> None:
        """Solve every shown body from its newest sample."""
        arrays, rows = self._arrays, self._rows
        if not len(rows):
            return
        started_us = self._clock()
        latch(
            session_time_us,
            rows,
            arrays.poses,
            arrays.tracked_bits,
            arrays.sample_time_us,
            arrays.world_from_head,
            arrays.head_rotation,
            arrays.world_from_hand,
            arrays.tracked,
            arrays.sample_age_us,
        )
        solve_bodies(
            self._method,
            dt_s,
            rows,
            arrays.lengths,
            arrays.world_from_head,
            arrays.world_from_hand,
            arrays.tracked,
            arrays.memory,
            arrays.world_from_chest,
            arrays.joint_angles,
            arrays.provenance,
            arrays.status,
        )
        spent_us = (self._clock() - started_us) / len(rows)
        self.solve_us_per_body += _SMOOTHING * (spent_us - self.solve_us_per_body)

    def pack(self, tick: int, session_time_us: int) -> bytearray:
        """The snapshot behind its headroom; a buffer that is used again, so copy or send at once.

        At some ticks it also tells the hands that were heard lately.
        """
        arrays = self._arrays
        frame, packed = self._frame, self._packed
        hands = self._hands_turn.take(session_time_us, arrays.hands_heard_us, arrays.hands_flags)
        if hands:
            frame, packed = self._with_room_for(hands)
            self._hands_turn.pack(
                arrays.ids, arrays.hands_flags, arrays.hands_parts, packed, self._records_bytes
            )
        pack_snapshot(
            tick,
            session_time_us,
            self._rows,
            arrays.ids,
            arrays.world_from_chest,
            arrays.head_rotation,
            arrays.joint_angles,
            arrays.sample_age_us,
            arrays.provenance,
            arrays.discontinuity,
            packed,
        )
        return frame

    def _with_room_for(self, sections_bytes: int) -> tuple[bytearray, NDArray[np.uint8]]:
        """The frame for records and sections; a new one only if the last had another size."""
        payload_bytes = self._records_bytes + sections_bytes
        if len(self._long_packed) != payload_bytes:
            self._long_frame, self._long_packed = _frame_of(payload_bytes)
        return self._long_frame, self._long_packed

    def _grow(self, rows: int) -> None:
        self._arrays = self._arrays.grown(min(max(rows, 2 * self._arrays.rows), self._most))
        for slot in self._slots.values():
            slot.bind(self._arrays)


def _frame_of(payload_bytes: int) -> tuple[bytearray, NDArray[np.uint8]]:
    """A buffer for a snapshot of this size, and the part of it behind the headroom."""
    frame = bytearray(FRAME_HEADROOM_BYTES + payload_bytes)
    return frame, np.frombuffer(frame, np.uint8)[FRAME_HEADROOM_BYTES:]
