"""Owns a second view of a session, independent of the web client: what the server really sent.

It reads snapshots with the reference codec and the solver's own forward kinematics, so that nothing
of the TypeScript is trusted.
"""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from armspan.protocol import (
    PROTOCOL_VERSION,
    SNAPSHOT_ID,
    Hello,
    Person,
    Role,
    Welcome,
    decode_from_server,
    encode,
)
from armspan.protocol.frames import AvatarState, Snapshot, decode_snapshot
from armspan.solvers import LENGTH_NAMES, eyes_from_chest, forward_kinematics
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

_KEPT = 1200  # twenty seconds
_LATEST_S = 2.0
_OLDEST_US = 1_100_000  # no sample is told as older than this
Floats = NDArray[np.float64]
# What the page draws at each place: a part sits at its upper joint, a hand at its palm.
Places = Mapping[str, Floats]


class Witness:
    """A spectator over a plain WebSocket. Use it as a context manager."""

    def __init__(self, url: str, session: str) -> None:
        self._address = f"{url.replace('http', 'ws', 1)}/ws/{session}"
        self._owned = contextlib.ExitStack()
        self._snapshots: deque[Snapshot] = deque(maxlen=_KEPT)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self.people: dict[int, Person] = {}

    def __enter__(self) -> "Witness":
        self._socket = self._owned.enter_context(connect(self._address, max_size=2**20))
        hello = Hello(protocol_version=PROTOCOL_VERSION, name="Witness", role=Role.SPECTATOR)
        self._socket.send(encode(hello))
        welcome = decode_from_server(self._socket.recv(timeout=5))
        assert isinstance(welcome, Welcome)
        self.people = {person.id: person for person in welcome.people}
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._owned.close()
        self._thread.join(5)

    def places(self, id_: int, time_us: float, between_us: tuple[int, int]) -> Places | None:
        """Someone's places at a session time between two of their samples, told by their times.

        The chest moves straight and every bone turns evenly, as the architecture asks of receivers.
        Waits for the later sample; None if the earlier one arrived before this witness did.
        """
        first, second = (self._sample(id_, at_us) for at_us in between_us)
        if first is None or second is None:
            return None
        share = (time_us - between_us[0]) / max(between_us[1] - between_us[0], 1)
        lengths = self._lengths(id_)
        return _places(lengths, *_between(lengths, first, second, share))

    def _sample(self, id_: int, time_us: int) -> AvatarState | None:
        """The avatar as first told with a sample of this session time."""
        deadline = time.monotonic() + _LATEST_S
        while True:
            # Taken before looking: what arrives meanwhile is looked at in the next round.
            known = list(self._snapshots)
            for avatar, sampled_us in _told(id_, known):
                if sampled_us == time_us:
                    return avatar
            if known and known[0].session_time_us > time_us:
                return None
            told = known and known[-1].session_time_us > time_us + _OLDEST_US
            assert not told, f"the server never told {id_} as of {time_us} us"
            assert time.monotonic() < deadline, f"nothing of {id_} as of {time_us} us arrived"
            time.sleep(0.005)

    def _read(self) -> None:
        try:
            for payload in self._socket:
                assert isinstance(payload, bytes)
                if payload[0] == SNAPSHOT_ID:
                    self._snapshots.append(decode_snapshot(payload))
        except ConnectionClosed:
            pass

    def _lengths(self, id_: int) -> Floats:
        named = self.people[id_].lengths
        return np.array([getattr(named, name) for name in LENGTH_NAMES])


def _told(id_: int, snapshots: Iterable[Snapshot]) -> Iterator[tuple[AvatarState, int]]:
    """One avatar in all snapshots, with the session time of its sample."""
    for snapshot in snapshots:
        for avatar in snapshot.avatars:
            if avatar.id == id_:
                yield avatar, snapshot.session_time_us - avatar.sample_age_us


def _bones(lengths: Floats, avatar: AvatarState) -> Rotation:
    """World rotations of chest, torso, head, then upper arm, forearm and hand of either side."""
    chest = np.array([*avatar.chest_position_m, *avatar.chest_rotation])
    body = forward_kinematics(lengths, chest, np.array(avatar.joint_angles_rad))
    trunk = [chest[3:], body.torso_rotation, np.array(avatar.head_rotation)]
    return Rotation.from_quat(np.vstack([trunk, body.rotation.reshape(6, 4)]))


def _between(
    lengths: Floats, first: AvatarState, second: AvatarState, share: float
) -> tuple[Floats, Rotation]:
    """Where the chest is and how the bones are turned, this share of the way."""
    start, end = np.array(first.chest_position_m), np.array(second.chest_position_m)
    bones = _bones(lengths, first)
    turns = (_bones(lengths, second) * bones.inv()).as_rotvec()
    return start + share * (end - start), Rotation.from_rotvec(share * turns) * bones


def _places(lengths: Floats, chest: Floats, bones: Rotation) -> Places:
    length = dict(zip(LENGTH_NAMES, lengths, strict=True))
    frame = np.array([*chest, *bones[0].as_quat()])
    places = {"upperTrunk": chest, "head": eyes_from_chest(lengths, frame, bones[2].as_quat())}
    for index, side in enumerate(("left", "right")):
        across = length["shoulder_lateral_m"] * (2 * index - 1)
        at = chest + bones[1].apply([across, length["shoulder_up_m"], 0])
        offsets = ([0, -length["upper_arm_m"], 0], [0, -length["forearm_m"], 0])
        for part, bone, offset in zip(("UpperArm", "LowerArm"), (0, 1), offsets, strict=True):
            places[side + part] = at
            at = at + bones[3 + 3 * index + bone].apply(offset)
        places[side + "Hand"] = at + bones[5 + 3 * index].apply([0, 0, -length["palm_m"]])
    return places
