"""Owns a Python client that follows a session: the newest bodies, and what led to them."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Self

import numpy as np
from armspan.protocol import Person, Role
from armspan.protocol.frames import AvatarState, decode_snapshot
from armspan.server.client import Disconnected, Invitation, SnapshotFrame, connect
from armspan.solvers import LENGTH_NAMES, forward_kinematics
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_KEPT = 600  # ten seconds
_DEADLINE_S = 15.0
_PALM = 3  # of shoulder, elbow, wrist, palm


class Follower:
    """A spectator over `armspan.server.client`, in a thread of its own."""

    def __init__(self, url: str, session: str) -> None:
        self._invitation = Invitation(url, session, "Follower", role=Role.SPECTATOR)
        self._history: deque[tuple[AvatarState, ...]] = deque(maxlen=_KEPT)
        self._people: dict[int, Person] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._follow()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join(5)

    async def _follow(self) -> None:
        try:
            async with connect(self._invitation) as connection:
                async for message in connection:
                    self._people = dict(connection.conversation.people)
                    if isinstance(message, SnapshotFrame):
                        self._history.append(tuple(decode_snapshot(message.payload).avatars))
                    if self._over.is_set():
                        return
        except Disconnected:
            pass  # the server was ended

    def id_of(self, name: str) -> int | None:
        """Of the person with this name, if one is there."""
        return next((id_ for id_, person in self._people.items() if person.name == name), None)

    def version(self, name: str) -> int:
        """Of a person's lengths: how often they were told anew."""
        id_ = self.id_of(name)
        return 0 if id_ is None else self._people[id_].lengths_version

    def forget(self) -> None:
        """Begin a new history."""
        self._history.clear()

    def history(self, name: str) -> list[AvatarState]:
        """What was told of a person, oldest first."""
        id_ = self.id_of(name)
        return [each for bodies in list(self._history) for each in bodies if each.id == id_]

    def wait_for(self, name: str, holds: Callable[[AvatarState], bool]) -> AvatarState:
        """The newest state of a person as soon as something holds of it."""
        deadline = time.monotonic() + _DEADLINE_S
        while True:
            known = self.history(name)
            if known and holds(known[-1]):
                return known[-1]
            assert time.monotonic() < deadline, f"in vain: the last of {name} was {known[-1:]}"
            time.sleep(0.01)

    def palm(self, name: str, side: str) -> Floats | None:
        """Where a palm is by the newest snapshot, metres (3,)."""
        known = self.history(name)
        return self.palm_of(name, known[-1], side) if known else None

    def palm_of(self, name: str, avatar: AvatarState, side: str) -> Floats:
        """Where a palm is in one record, by the solver's own kinematics."""
        id_ = self.id_of(name)
        assert id_ is not None
        named = self._people[id_].lengths
        lengths = np.array([getattr(named, each) for each in LENGTH_NAMES])
        chest = np.array([*avatar.chest_position_m, *avatar.chest_rotation])
        body = forward_kinematics(lengths, chest, np.array(avatar.joint_angles_rad))
        return np.array(body.position[("left", "right").index(side), _PALM])
