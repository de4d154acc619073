"""Owns what one connection may do in a session, and for how long."""

from typing import Protocol

from armspan.protocol import CloseCode, Lengths, Look, ProtocolError, Signal, Voice
from armspan.server.sessions.bodies import PoseSlot
from armspan.server.sessions.receiver import Receiver
from armspan.server.sessions.roster import Avatar


class Room(Protocol):
    """What a seat asks of its session."""

    started_us: int

    def rename(self, avatar: Avatar, name: str) -> None: ...
    def measure(self, avatar: Avatar, lengths: Lengths) -> None: ...
    def dress(self, avatar: Avatar, look: Look) -> None: ...
    def voice(self, seat: "Seat", avatar: Avatar, voice: Voice) -> None: ...
    def pass_on(self, avatar: Avatar, signal: Signal) -> bool: ...
    def show(self) -> None: ...
    def vacate(self, seat: "Seat", now_us: int, *, for_good: bool, reason: str) -> None: ...


class Seat:
    """One connection's place in a session; a spectator's has no avatar.

    Everything a connection does goes through its seat. A vacated seat does nothing, so a socket
    that was replaced, or is closing, can no longer act however much of it still arrives.
    """

    __slots__ = ("_room", "_slot", "avatar", "receiver", "revision", "vacated")

    def __init__(
        self,
        room: Room,
        receiver: Receiver,
        avatar: Avatar | None,
        slot: PoseSlot | None,
        revision: int,
    ) -> None:
        self._room = room
        self._slot = slot
        self.avatar = avatar
        self.receiver = receiver
        self.revision = revision
        """Of the protocol, on this connection."""
        self.vacated = False

    def write_pose(self, payload: bytes | memoryview, now_us: int) -> None:
        """Take a tracker frame. Raises ProtocolError."""
        if self.vacated:
            return
        if self._slot is None:
            raise _not_allowed("tracker frames")
        if self._slot.write(payload, now_us - self._room.started_us):
            self._room.show()

    def write_hands(self, payload: bytes | memoryview, now_us: int) -> None:
        """Take a hands frame. Raises ProtocolError."""
        if self.vacated:
            return
        if self._slot is None:
            raise _not_allowed("hands frames")
        self._slot.write_hands(payload, now_us - self._room.started_us)

    def rename(self, name: str) -> None:
        """Call the participant something else. Raises ProtocolError."""
        if not self.vacated:
            self._room.rename(self._own_avatar("Rename"), name)

    def change_lengths(self, lengths: Lengths) -> None:
        """Take the participant's new lengths. Raises ProtocolError."""
        if not self.vacated:
            self._room.measure(self._own_avatar("ChangeLengths"), lengths)

    def change_look(self, look: Look) -> None:
        """Draw the participant otherwise. Raises ProtocolError."""
        if not self.vacated:
            self._room.dress(self._own_avatar("ChangeLook"), look)

    def change_voice(self, voice: Voice) -> None:
        """Take part in the talk, or not. Raises ProtocolError."""
        if not self.vacated:
            self._room.voice(self, self._own_avatar("ChangeVoice"), voice)

    def signal(self, signal: Signal) -> bool:
        """Pass a signal on; whether there was somebody to take it. Raises ProtocolError."""
        return not self.vacated and self._room.pass_on(self._own_avatar("Signal"), signal)

    def session_time_us(self, now_us: int) -> int:
        """What the session's clock shows."""
        return now_us - self._room.started_us

    def leave(self, now_us: int, reason: str = "left") -> None:
        """Leave for good: the avatar goes at once, and the others are told why."""
        self._room.vacate(self, now_us, for_good=True, reason=reason)

    def lose(self, now_us: int) -> None:
        """The connection is gone: the avatar waits for its token."""
        self._room.vacate(self, now_us, for_good=False, reason="")

    def _own_avatar(self, message: str) -> Avatar:
        if self.avatar is None:
            raise _not_allowed(message)
        return self.avatar


def _not_allowed(what: str) -> ProtocolError:
    return ProtocolError(
        CloseCode.NOT_ALLOWED,
        f"A spectator sent {what}, which only participants may; join as a participant.",
    )
