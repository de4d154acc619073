"""Owns one session: who is in it, its ordered events, and its tick."""

from itertools import islice

from armspan.protocol import (
    PROTOCOL_REVISION,
    PROTOCOL_VERSION,
    ChangeVoice,
    CloseCode,
    Event,
    Hello,
    Joined,
    Left,
    Lengths,
    LengthsChanged,
    Look,
    LookChanged,
    Presence,
    Refused,
    Renamed,
    Role,
    Signal,
    Statistics,
    Voice,
    VoiceChanged,
    Welcome,
    encode,
)
from armspan.server.clock import Clock
from armspan.server.sessions.bodies import Bodies
from armspan.server.sessions.events import EventLane
from armspan.server.sessions.limits import Limits, require_room
from armspan.server.sessions.receiver import FRAME_HEADROOM_BYTES, Receiver
from armspan.server.sessions.roster import Avatar, NewToken, Roster, random_token
from armspan.server.sessions.schedule import Due
from armspan.server.sessions.seat import Seat
from armspan.server.sessions.statistics import Lateness, Rate
from armspan.server.sessions.talk import Talk
from armspan.server.sessions.voice_servers import VoiceHelp
from armspan.server.version import VERSION

_U16 = 0x10000
_U32 = 0x1_0000_0000


class Session:
    """People and spectators of one name. Everything happens in the caller's thread, at once.

    Invariants: events reach every receiver in the order of their numbers, without gaps; an
    avatar has at most one seat that is not vacated; ``len(people) <= limits.people``.
    """

    def __init__(
        self,
        name: str,
        limits: Limits,
        started_us: int,
        clock: Clock,
        new_token: NewToken = random_token,
        voice_help: VoiceHelp | None = None,
    ) -> None:
        self.name = name
        self.started_us = started_us
        self.tick_number = 0
        self._limits = limits
        self._roster = Roster(new_token)
        self._bodies = Bodies(limits.method, limits.people, clock, limits.rate_hz)
        self._talk = Talk(limits.voice_people)
        self._voice_help = voice_help or VoiceHelp()
        self._seats: dict[Receiver, Seat] = {}
        self.spectators = 0
        """Connections that only watch."""
        self._events = EventLane(self._send_to_all)
        self._bytes_out = Rate(started_us)
        self._last_tick_us: int | None = None

    # Who is here

    @property
    def people(self) -> int:
        """Participants, connected or away."""
        return len(self._roster)

    @property
    def connected(self) -> int:
        """Participants that have a connection."""
        return len(self._seats) - self.spectators

    @property
    def empty(self) -> bool:
        """Whether nobody is here and nobody may come back."""
        return not self._seats and not len(self._roster)

    @property
    def participants(self) -> list[Avatar]:
        """Who they are, connected or away."""
        return list(self._roster)

    def bearer(self, token: bytes) -> Avatar | None:
        """The connected participant who was given this token; compared in constant time."""
        avatar = self._roster.with_token(token)
        return avatar if avatar is not None and avatar.away_since_us is None else None

    # Coming and going

    def join(self, hello: Hello, receiver: Receiver, now_us: int) -> Seat:
        """Seat a newcomer, or give someone back the own avatar; sends the welcome.

        Raises:
            ProtocolError: the session is full; nothing has changed.
        """
        revision = min(hello.revision, PROTOCOL_REVISION)
        if hello.role is Role.SPECTATOR:
            require_room(self.name, self.spectators, self._limits.spectators, "spectators")
            seat = Seat(self, receiver, None, None, revision)
            self.spectators += 1
        else:
            avatar = self._roster.with_token(hello.token)
            if avatar is not None:
                self._take_over(avatar, hello)
            else:
                self._make_room()
                require_room(self.name, self.people, self._limits.people, "people")
                avatar = self._roster.add(hello.name, hello.lengths or Lengths(), hello.look)
                self._events.emit(Joined(sequence=0, person=avatar.as_person()))
            slot = self._bodies.open(avatar.row, avatar.id, avatar.lengths)
            seat = Seat(self, receiver, avatar, slot, revision)
        # Seated only after its own joining was told: the welcome contains that event already.
        self._seats[receiver] = seat
        receiver.send(encode(self._welcome(seat, now_us)))
        return seat

    def vacate(self, seat: Seat, now_us: int, *, for_good: bool, reason: str) -> None:
        """Free a seat; the avatar leaves for good, or waits for its token. Once for each seat."""
        if seat.vacated:
            return
        seat.vacated = True
        del self._seats[seat.receiver]
        avatar = seat.avatar
        if avatar is None:
            self.spectators -= 1
            return
        self._bodies.close(avatar.row)
        if for_good or self._limits.grace_us == 0:
            self._remove(avatar, reason or "lost the connection")
        else:
            avatar.away_since_us = now_us
            self._silence(avatar)
            self._events.emit(Presence(sequence=0, id=avatar.id, connected=False))

    def dissolve(self, code: CloseCode, text: str) -> None:
        """Send everyone away at once; nobody is told of the others' going."""
        receivers = list(self._seats)
        for seat in self._seats.values():
            seat.vacated = True
        self._seats.clear()
        for receiver in receivers:
            receiver.close(code, text)

    def expire(self, now_us: int) -> None:
        """Remove those whose grace is over."""
        for avatar in self._roster.gone_since(now_us - self._limits.grace_us):
            self._remove(avatar, "did not come back")

    def rename(self, avatar: Avatar, name: str) -> None:
        """Give an avatar another name, and tell everyone."""
        if name != avatar.name:
            avatar.name = name
            self._events.emit(Renamed(sequence=0, id=avatar.id, name=name))

    def measure(self, avatar: Avatar, lengths: Lengths) -> None:
        """Give an avatar other lengths, and tell everyone."""
        if lengths == avatar.lengths:
            return
        avatar.lengths = lengths
        avatar.lengths_version = (avatar.lengths_version + 1) % _U16
        self._bodies.measure(avatar.row, lengths)
        self._events.emit(
            LengthsChanged(
                sequence=0,
                id=avatar.id,
                lengths_version=avatar.lengths_version,
                lengths=lengths,
            )
        )

    def dress(self, avatar: Avatar, look: Look) -> None:
        """Give an avatar another look, and tell everyone."""
        if look != avatar.look:
            avatar.look = look
            self._tell(avatar, LookChanged(sequence=0, id=avatar.id, look=look))

    def voice(self, seat: Seat, avatar: Avatar, voice: Voice) -> None:
        """Let an avatar take part in the talk, or not; tells how to reach the others."""
        if voice is not Voice.OFF and not self._talk.admits(avatar):
            refusal = Refused(what=ChangeVoice.message_id, text=self._talk.refusal)
            seat.receiver.send(encode(refusal))
            return
        changed = self._talk.enter(avatar, seat.receiver, voice)
        if voice is not Voice.OFF:
            seat.receiver.send(encode(self._voice_help.for_person(avatar.id)))
        if changed and not seat.vacated:  # it may have been closed because it reads nothing
            self._tell(avatar, VoiceChanged(sequence=0, id=avatar.id, voice=voice))

    def pass_on(self, avatar: Avatar, signal: Signal) -> bool:
        """Hand a signal to the one it is for; whether that was done."""
        return self._talk.pass_on(avatar, signal)

    def show(self) -> None:
        """A body has its first sample."""
        self._bodies.refresh()

    # The tick

    def tick(self, due: Due, now_us: int, lateness: Lateness) -> None:
        """Solve, pack and send one snapshot, and this tick's share of the statistics."""
        session_time_us = now_us - self.started_us
        dt_s = 1 / self._limits.rate_hz
        if self._last_tick_us is not None:
            dt_s = max(now_us - self._last_tick_us, 1) / 1e6
        self._last_tick_us = now_us
        self.tick_number = (self.tick_number + 1 + due.missed) % _U32
        self._bodies.solve(dt_s, session_time_us)
        frame = self._bodies.pack(self.tick_number, session_time_us)
        sent = 0
        for receiver in self._seats:
            sent += receiver.offer_snapshot(frame)
        self._bytes_out.add(sent * (len(frame) - FRAME_HEADROOM_BYTES), now_us)
        self._offer_statistics(now_us, lateness)

    def _offer_statistics(self, now_us: int, lateness: Lateness) -> None:
        """Everyone's turn comes once a second; all at once would make that tick a long one."""
        turns = max(1, round(self._limits.rate_hz))
        for receiver in islice(self._seats, self.tick_number % turns, None, turns):
            receiver.offer(encode(self._statistics(receiver, now_us, lateness)))

    def _statistics(self, receiver: Receiver, now_us: int, lateness: Lateness) -> Statistics:
        return Statistics(
            tick_rate_hz=self._limits.rate_hz,
            tick_lateness_p50_ms=lateness.p50_ms,
            tick_lateness_p99_ms=lateness.p99_ms,
            people=self.people,
            spectators=self.spectators,
            bytes_per_s_out=self._bytes_out.per_s(now_us),
            snapshots_skipped=receiver.snapshots_skipped % _U32,
            solve_us_per_body=self._bodies.solve_us_per_body,
        )

    # Inside

    def _take_over(self, avatar: Avatar, hello: Hello) -> None:
        """Cut off the connection that still holds this avatar, if any, and take what is new."""
        for seat in list(self._seats.values()):
            if seat.avatar is avatar:
                seat.vacated = True
                del self._seats[seat.receiver]
                seat.receiver.close(CloseCode.REPLACED, CloseCode.REPLACED.sentence)
        self._silence(avatar)
        if avatar.away_since_us is not None:
            avatar.away_since_us = None
            self._events.emit(Presence(sequence=0, id=avatar.id, connected=True))
        self.rename(avatar, hello.name)
        if hello.lengths is not None:
            self.measure(avatar, hello.lengths)
        if hello.look is not None:
            self.dress(avatar, hello.look)

    def _make_room(self) -> None:
        """In a full session whoever is away longest gives way: waiting must not lock others out."""
        if self.people >= self._limits.people:
            away = self._roster.longest_away()
            if away is not None:
                self._remove(away, "gave way to someone new while away")

    def _remove(self, avatar: Avatar, reason: str) -> None:
        self._roster.remove(avatar)
        self._talk.leave(avatar)
        self._events.emit(Left(sequence=0, id=avatar.id, reason=reason))

    def _silence(self, avatar: Avatar) -> None:
        """Switch a voice off whose connection is gone, and tell everyone."""
        if self._talk.leave(avatar):
            self._tell(avatar, VoiceChanged(sequence=0, id=avatar.id, voice=Voice.OFF))

    def _tell(self, avatar: Avatar, event: Event) -> None:
        """Send an event of a later revision; peers of an older one hear the name again."""
        self._events.emit(event, Renamed(sequence=0, id=avatar.id, name=avatar.name))

    def _send_to_all(self, payload: bytes, revision: int, older: bytes) -> None:
        for receiver, seat in list(self._seats.items()):
            if receiver in self._seats:  # it may have been closed while another was sent to
                receiver.send(payload if seat.revision >= revision else older)

    def _welcome(self, seat: Seat, now_us: int) -> Welcome:
        avatar = seat.avatar
        return Welcome(
            protocol_version=PROTOCOL_VERSION,
            server_version=VERSION,
            session=self.name,
            your_id=0 if avatar is None else avatar.id,
            token=None if avatar is None else avatar.token,
            tick_rate_hz=self._limits.rate_hz,
            tick=self.tick_number,
            session_time_us=now_us - self.started_us,
            event_sequence=self._events.sequence,
            people=self._roster.people(),
            max_people=self._limits.people,
            method=self._limits.method.name.lower(),
            revision=seat.revision,
        )
