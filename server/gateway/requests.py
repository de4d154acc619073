"""Owns what a seated peer may ask in control messages, and how often."""

from typing import Final, Protocol

from armspan.protocol import (
    ChangeLengths,
    ChangeLook,
    ChangeVoice,
    ClientMessage,
    ClockPing,
    ClockPong,
    CloseCode,
    Hello,
    Leave,
    ProtocolError,
    Refused,
    Rename,
    Signal,
    encode,
)
from armspan.server.counters import Counters
from armspan.server.gateway.bucket import TokenBucket
from armspan.server.gateway.patience import Patience
from armspan.server.sessions import Seat

HANDS_REVISION: Final = 1
"""The revision that hands frames came with."""


class Host(Protocol):
    """What requests ask of the gateway."""

    counters: Counters
    patience: Patience

    def clock(self) -> int: ...


class Asker(Protocol):
    """What requests ask of their peer."""

    def send(self, payload: bytes) -> None: ...
    def offer(self, payload: bytes) -> None: ...
    def close(self, code: CloseCode, text: str) -> None: ...


class Requests:
    """The control messages of one peer after its hello."""

    __slots__ = ("_asker", "_changes", "_counters", "_host", "_signals", "_told_to_slow_down")

    def __init__(self, host: Host, asker: Asker) -> None:
        patience = host.patience
        self._host = host
        self._counters = host.counters
        self._asker = asker
        self._changes = TokenBucket(patience.changes_per_s, patience.changes_burst)
        self._signals = TokenBucket(patience.signals_per_s, patience.signals_burst)
        self._told_to_slow_down = False

    def take(self, message: ClientMessage, seat: Seat, now_us: int) -> None:
        """Do what a message asks. Raises ProtocolError."""
        require_revision(seat, message.since_revision, type(message).__name__)
        match message:
            case ClockPing():
                self._answer_clock(message, seat, now_us)
            case Signal():
                self._pass_on(message, seat, now_us)
            case Leave():
                seat.leave(now_us)
                self._asker.close(CloseCode.LEFT, CloseCode.LEFT.sentence)
            case Hello():
                raise ProtocolError(CloseCode.SECOND_HELLO, CloseCode.SECOND_HELLO.sentence)
            case _:
                self._count_change(now_us)
                _change(message, seat)

    def _count_change(self, now_us: int) -> None:
        if not self._changes.take(1, now_us):
            patience = self._host.patience
            raise ProtocolError(
                CloseCode.FLOOD,
                "Name, lengths, look or voice changed more than "
                f"{patience.changes_per_s:g} times a second, {patience.changes_burst:g} at once; "
                "everyone is told of each.",
            )

    def _pass_on(self, signal: Signal, seat: Seat, now_us: int) -> None:
        """Too many are dropped, not punished: calls that fail must not cost the session."""
        in_time = self._signals.take(1, now_us)
        if in_time and seat.signal(signal):
            self._counters.signals_passed += 1
        else:
            self._counters.signals_dropped += 1
        if not in_time and not self._told_to_slow_down:
            self._asker.send(encode(Refused(what=Signal.message_id, text=self._too_fast())))
        self._told_to_slow_down = not in_time

    def _too_fast(self) -> str:
        patience = self._host.patience
        return (
            f"Signals came faster than {patience.signals_per_s:g} a second, "
            f"{patience.signals_burst:g} at once, and are dropped; wait a little and call again."
        )

    def _answer_clock(self, ping: ClockPing, seat: Seat, now_us: int) -> None:
        pong = ClockPong(
            client_time_us=ping.client_time_us,
            received_us=seat.session_time_us(now_us),
            sent_us=seat.session_time_us(self._host.clock()),
        )
        self._asker.offer(encode(pong))


def require_revision(seat: Seat, revision: int, what: str) -> None:
    """Refuse what this connection has not agreed on."""
    if revision > seat.revision:
        raise ProtocolError(
            CloseCode.UNKNOWN_MESSAGE,
            f"{what} came in revision {seat.revision} of the protocol, but belong to revision "
            f"{revision}; say in hello that this client knows it.",
        )


def _change(message: Rename | ChangeLengths | ChangeLook | ChangeVoice, seat: Seat) -> None:
    match message:
        case Rename():
            seat.rename(message.name)
        case ChangeLengths():
            seat.change_lengths(message.lengths)
        case ChangeLook():
            seat.change_look(message.look)
        case ChangeVoice():
            seat.change_voice(message.voice)
