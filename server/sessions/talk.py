"""Owns who of a session takes part in the talk, and the passing of their signals."""

from armspan.protocol import Signal, Signalled, Voice, encode
from armspan.server.sessions.receiver import Receiver
from armspan.server.sessions.roster import Avatar


class Talk:
    """The people whose voice is on, with where to reach them; at most ``most`` of them.

    Each of them speaks to each other one directly, so that the server passes on no more than
    what their WebRTC needs to find one another.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._receivers: dict[int, Receiver] = {}

    def __len__(self) -> int:
        return len(self._receivers)

    @property
    def refusal(self) -> str:
        """Why somebody is not admitted."""
        if self.most == 0:
            return "Voice is switched off on this server; use another way to talk."
        return (
            f"{self.most} people have their voice on, the most there can be at once; "
            "wait until one of them is done."
        )

    def admits(self, avatar: Avatar) -> bool:
        """Whether this avatar may have its voice on."""
        return avatar.id in self._receivers or len(self._receivers) < self.most

    def enter(self, avatar: Avatar, receiver: Receiver, voice: Voice) -> bool:
        """Set a voice; whether that changed anything."""
        if voice is Voice.OFF:
            self._receivers.pop(avatar.id, None)
        else:
            self._receivers[avatar.id] = receiver
        changed = avatar.voice is not voice
        avatar.voice = voice
        return changed

    def leave(self, avatar: Avatar) -> bool:
        """Switch a voice off; whether it was on."""
        self._receivers.pop(avatar.id, None)
        was_on = avatar.voice is not Voice.OFF
        avatar.voice = Voice.OFF
        return was_on

    def pass_on(self, sender: Avatar, signal: Signal) -> bool:
        """Hand a signal to the one it is for, if both voices are on; whether that was done."""
        receiver = self._receivers.get(signal.to)
        if receiver is None or sender.id not in self._receivers or signal.to == sender.id:
            return False
        return receiver.pass_on(
            encode(Signalled(sender=sender.id, kind=signal.kind, text=signal.text))
        )
