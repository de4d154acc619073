"""Owns the way between the reference codec's dataclasses and the server's arrays."""

from dataclasses import replace

import numpy as np
from armspan.protocol.frames import AvatarState, Snapshot
from armspan.protocol.hands import HandsState
from armspan.server.wire import SnapshotArrays, pack_snapshot
from numpy.typing import NDArray


def arrays_of(snapshot: Snapshot, room: int = 0) -> SnapshotArrays:
    """The snapshot's avatars as the first rows of arrays with `room` rows more."""
    state = SnapshotArrays(capacity=len(snapshot.avatars) + room)
    state.tick, state.session_time_us = snapshot.tick, snapshot.session_time_us
    for row, avatar in enumerate(snapshot.avatars):
        state.ids[row] = avatar.id
        state.world_from_chest[row] = (*avatar.chest_position_m, *avatar.chest_rotation)
        state.head_rotation[row] = avatar.head_rotation
        state.joint_angles[row] = avatar.joint_angles_rad
        state.sample_age_us[row] = avatar.sample_age_us
        state.provenance[row] = avatar.provenance
        state.discontinuity[row] = avatar.discontinuity
    return state


def snapshot_of(state: SnapshotArrays, count: int) -> Snapshot:
    """The first `count` rows as the reference codec would have decoded them."""
    return Snapshot(
        state.tick,
        state.session_time_us,
        tuple(
            AvatarState(
                id=int(state.ids[row]),
                chest_position_m=tuple(state.world_from_chest[row, :3].tolist()),
                chest_rotation=tuple(state.world_from_chest[row, 3:].tolist()),
                head_rotation=tuple(state.head_rotation[row].tolist()),
                joint_angles_rad=tuple(state.joint_angles[row].tolist()),
                sample_age_us=int(state.sample_age_us[row]),
                provenance=tuple(state.provenance[row].tolist()),
                discontinuity=int(state.discontinuity[row]),
            )
            for row in range(count)
        ),
        tuple(_hands_of(state, row) for row in range(state.hands_count)),
    )


def _hands_of(state: SnapshotArrays, row: int) -> HandsState:
    left, right = state.points[row].reshape(2, 3).tolist()
    return HandsState(
        id=int(state.hands_ids[row]),
        flags=int(state.hands_flags[row]),
        left_fingers_rad=tuple(state.fingers[row, :20].tolist()),
        right_fingers_rad=tuple(state.fingers[row, 20:].tolist()),
        left_point=tuple(left),
        right_point=tuple(right),
    )


def rounded(snapshot: Snapshot) -> Snapshot:
    """The same snapshot, the angles of its fingers as the arrays hold them: as float 32."""

    def float32(angles_rad: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(np.array(angles_rad, np.float32).tolist())

    hands = tuple(
        replace(
            told,
            left_fingers_rad=float32(told.left_fingers_rad),
            right_fingers_rad=float32(told.right_fingers_rad),
        )
        for told in snapshot.hands
    )
    return replace(snapshot, hands=hands)


def packed(state: SnapshotArrays, rows: NDArray[np.int32], out: NDArray[np.uint8]) -> bytes:
    """What `pack_snapshot` writes for these rows."""
    used = pack_snapshot(
        state.tick,
        state.session_time_us,
        rows,
        state.ids,
        state.world_from_chest,
        state.head_rotation,
        state.joint_angles,
        state.sample_age_us,
        state.provenance,
        state.discontinuity,
        out,
    )
    return out[:used].tobytes()
