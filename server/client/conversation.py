"""Owns a client's side of a session as pure logic: bytes and times in, messages and state out."""

from dataclasses import dataclass

from armspan.protocol import (
    SNAPSHOT_HEADER_BYTES,
    SNAPSHOT_ID,
    ClockPing,
    ClockPong,
    Error,
    Event,
    Hello,
    Joined,
    Left,
    LengthsChanged,
    LookChanged,
    Message,
    Person,
    Presence,
    ProtocolError,
    Renamed,
    ServerMessage,
    Statistics,
    VoiceChanged,
    VoiceServers,
    Welcome,
    decode_from_server,
    encode,
    require_version,
)
from armspan.server.client.errors import BrokenServer, ClientError, OldServer, closed
from armspan.server.client.session_clock import SessionClock
from armspan.server.wire import SnapshotArrays, unpack_snapshot


@dataclass(frozen=True, slots=True)
class SnapshotFrame:
    """A snapshot as it came; nothing is decoded until somebody asks."""

    payload: bytes
    received_us: int  # local monotonic time

    def unpack(self, out: SnapshotArrays) -> int:
        """Decode into ``out``; returns the number of avatars. Raises BrokenServer."""
        try:
            return unpack_snapshot(self.payload, out)
        except ProtocolError as broken:
            raise BrokenServer(f"The server sent a broken snapshot: {broken.text}") from broken


class Conversation:
    """What this client knows of its session; fed with every message that the server sends.

    State: ``welcome`` (None before it), ``people`` by id, ``statistics`` (the last ones),
    ``voice_servers`` (the last ones), ``clock``, ``lost_events`` (gaps in the events' numbers),
    ``snapshots`` (how many came).
    """

    def __init__(self, hello: Hello) -> None:
        self.hello = hello
        self.welcome: Welcome | None = None
        self.people: dict[int, Person] = {}
        self.statistics: Statistics | None = None
        self.voice_servers: VoiceServers | None = None
        self.clock = SessionClock()
        self.lost_events = 0
        self.snapshots = 0
        self._event_sequence = 0
        self._error: Error | None = None

    def opening(self) -> bytes:
        """The first message to send."""
        return encode(self.hello)

    def ping(self, now_us: int) -> bytes:
        """A clock ping; its pong is taken in by ``receive``."""
        return encode(ClockPing(client_time_us=now_us))

    def receive(self, payload: bytes, now_us: int) -> ServerMessage | SnapshotFrame:
        """Take in one binary message that arrived at the local time ``now_us``.

        Raises BrokenServer if it breaks the protocol.
        """
        if payload and payload[0] == SNAPSHOT_ID:
            if len(payload) < SNAPSHOT_HEADER_BYTES or self.welcome is None:
                raise BrokenServer("The server sent a snapshot that is cut short, or too early.")
            self.snapshots += 1
            return SnapshotFrame(payload, now_us)
        try:
            message = decode_from_server(payload)
            self._take(message, now_us)
        except ProtocolError as broken:
            raise BrokenServer(f"The server broke the protocol: {broken.text}") from broken
        return message

    def require_revision(self, revision: int, what: str) -> None:
        """Keep from sending what the server does not know. Raises OldServer."""
        agreed = 0 if self.welcome is None else self.welcome.revision
        if revision > agreed:
            raise OldServer(
                f"The server speaks revision {agreed} of the protocol, but {what} came with "
                f"revision {revision}; update the server."
            )

    def ended(self, code: int | None, reason: str) -> ClientError:
        """The exception for the connection's end; the server's own words come first."""
        if self._error is not None:
            return closed(self._error.code, self._error.text)
        return closed(code, reason)

    def _take(self, message: Message, now_us: int) -> None:
        if self.welcome is None and not isinstance(message, Welcome | Error):
            raise BrokenServer(f"The server sent {type(message).__name__} before its welcome.")
        match message:
            case Welcome():
                require_version(message.protocol_version)
                self.welcome = message
                self.people = {person.id: person for person in message.people}
                self._event_sequence = message.event_sequence
            case Event():
                self._count(message)
                self._apply(message)
            case ClockPong():
                self.clock.add(message.client_time_us, message.received_us, message.sent_us, now_us)
            case Statistics():
                self.statistics = message
            case VoiceServers():
                self.voice_servers = message
            case Error():
                self._error = message
            case _:
                pass

    def _count(self, event: Event) -> None:
        sequence: int = getattr(event, "sequence")  # noqa: B009 - every event declares it
        self.lost_events += (sequence - self._event_sequence - 1) % 2**32
        self._event_sequence = sequence

    def _apply(self, event: Event) -> None:
        people = self.people
        match event:
            case Joined():
                people[event.person.id] = event.person
            case Left():
                people.pop(event.id, None)
            case Presence() if event.id in people:
                people[event.id] = _changed(people[event.id], connected=event.connected)
            case Renamed() if event.id in people:
                people[event.id] = _changed(people[event.id], name=event.name)
            case LengthsChanged() if event.id in people:
                people[event.id] = _changed(
                    people[event.id],
                    lengths_version=event.lengths_version,
                    lengths=event.lengths,
                )
            case LookChanged() if event.id in people:
                people[event.id] = _changed(people[event.id], look=event.look)
            case VoiceChanged() if event.id in people:
                people[event.id] = _changed(people[event.id], voice=event.voice)
            case _:
                pass


def _changed(person: Person, **fields: object) -> Person:
    return person.model_copy(update=fields)
