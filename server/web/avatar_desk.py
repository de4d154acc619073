"""Owns who may bring an avatar, and when: everything that is decided before its bytes are read."""

import contextlib
import re
from collections.abc import Generator, Mapping
from http import HTTPStatus

from armspan.server.avatars.check import too_large
from armspan.server.avatars.limits import NotTaken
from armspan.server.avatars.store import Store
from armspan.server.clock import Clock
from armspan.server.gateway import OriginPolicy
from armspan.server.gateway.bucket import TokenBucket
from armspan.server.sessions import Registry
from armspan.server.sessions.session import Session

_BEARER = re.compile(r"Bearer ([0-9a-fA-F]{32})", re.IGNORECASE)
_WHO = "Authorization: Bearer and the token of your welcome, in hexadecimal digits"
_BUCKETS_MOST = 4_096
_MINUTE_US = 60_000_000


class Bringing:
    """One who was found to be a connected participant, and the session."""

    def __init__(self, registry: Registry, session: Session, person: int) -> None:
        self._registry = registry
        self._session = session
        self.name = session.name
        self.person = person

    def wears(self, look: str) -> bool:
        """Whether anyone in it wears this avatar."""
        return any(avatar.look.avatar == look for avatar in self._session.participants)

    def has(self, person: int) -> bool:
        """Whether this person is in it, connected or away."""
        return any(avatar.id == person for avatar in self._session.participants)

    @property
    def ended(self) -> bool:
        """Whether it is over; another one may have its name by now."""
        return self._registry.find(self.name) is not self._session


class AvatarDesk:
    """Where people bring avatars."""

    def __init__(
        self, store: Store, registry: Registry, origins: OriginPolicy, clock: Clock
    ) -> None:
        self.store = store
        self._registry = registry
        self._origins = origins
        self._clock = clock
        self._buckets: dict[tuple[str, int] | str | None, TokenBucket] = {}
        self._at_once: set[tuple[str, int]] = set()

    def admit(self, session: str, headers: Mapping[str, str]) -> Bringing:
        """Whoever asks, if they may bring an avatar now. Raises NotTaken."""
        self._require_own_page(headers)
        found = self._registry.find(session)
        if found is None:
            raise NotTaken(
                HTTPStatus.NOT_FOUND,
                f"There is no session {session[:64]!a} now; join it, then bring an avatar.",
            )
        bringing = Bringing(self._registry, found, self._person(found, headers))
        limits = self.store.limits
        if limits.per_person == 0:
            raise NotTaken(
                HTTPStatus.FORBIDDEN,
                "This server takes no avatars of people's own; choose one of those it offers.",
            )
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > limits.file_bytes:
            raise NotTaken(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                too_large(int(length), limits.file_bytes).words,
            )
        return bringing

    @contextlib.contextmanager
    def turn(self, bringing: Bringing) -> Generator[None]:
        """One upload: counted against everyone's rate, and one of so many at once."""
        mine = (bringing.name, bringing.person)
        if mine in self._at_once:
            raise NotTaken(
                HTTPStatus.TOO_MANY_REQUESTS,
                "You are bringing an avatar already; wait until that one is done.",
                5.0,
            )
        if not self._is_room_for(bringing.name):
            raise NotTaken(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"{len(self._at_once)} avatars are being brought at the same time; try again in a "
                "moment.",
                5.0,
            )
        self._count(bringing)  # not before: to be asked to come again costs nothing
        self._at_once.add(mine)
        try:
            yield
        finally:
            self._at_once.discard(mine)

    def _is_room_for(self, session: str) -> bool:
        """One place is always for the others: people of one session must not take all for long."""
        most = self.store.limits.at_once
        own = sum(name == session for name, _ in self._at_once)
        return len(self._at_once) < most and own < max(1, most - 1)

    def _require_own_page(self, headers: Mapping[str, str]) -> None:
        """Programs say nothing of where they come from; a page must be this server's own."""
        asked = self._origins.asked(headers)
        origin = headers.get("origin")
        foreign = origin is not None and not self._origins.is_own(
            origin, asked.host, encrypted=asked.encrypted
        )
        if foreign or headers.get("sec-fetch-site", "same-origin") != "same-origin":
            raise NotTaken(
                HTTPStatus.FORBIDDEN,
                "A page of another origin may not bring avatars here; use this server's own page.",
            )

    def _person(self, session: Session, headers: Mapping[str, str]) -> int:
        given = _BEARER.fullmatch(headers.get("authorization", ""))
        if given is None:
            raise NotTaken(
                HTTPStatus.UNAUTHORIZED,
                f"Only participants of the session may bring avatars; send {_WHO}.",
            )
        bearer = session.bearer(bytes.fromhex(given[1]))
        if bearer is None:
            raise NotTaken(
                HTTPStatus.UNAUTHORIZED,
                "This token is no connected participant's; join the session as a participant and "
                f"send {_WHO}.",
            )
        return bearer.id

    def _count(self, bringing: Bringing) -> None:
        limits, now_us = self.store.limits, self._clock()
        rates = (
            ((bringing.name, bringing.person), limits.person_per_minute, "You have"),
            (bringing.name, limits.session_per_minute, "This session has"),
            (None, limits.server_per_minute, "This server has"),
        )
        for key, per_minute, who in rates:
            if not self._bucket(key, per_minute, now_us).take(1, now_us):
                raise NotTaken(
                    HTTPStatus.TOO_MANY_REQUESTS,
                    f"{who} brought more than {per_minute:g} avatars within a minute; try again "
                    "in a minute.",
                    60.0 / per_minute,
                )

    def _bucket(
        self, key: tuple[str, int] | str | None, per_minute: float, now_us: int
    ) -> TokenBucket:
        bucket = self._buckets.get(key)
        if bucket is None:
            if len(self._buckets) >= _BUCKETS_MOST:
                # The oldest is forgotten; the session's and the server's rates bound what it gains.
                del self._buckets[next(iter(self._buckets))]
            bucket = self._buckets[key] = TokenBucket(per_minute / 60, max(1.0, per_minute))
        return bucket
