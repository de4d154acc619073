"""Owns who is in a session: ids, rows, tokens, names, lengths and looks. Pure; knows no sockets."""

import hmac
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from armspan.protocol import Lengths, Look, Person, Voice, caps

NewToken = Callable[[], bytes]


def random_token() -> bytes:
    """A token nobody can guess."""
    return secrets.token_bytes(caps.TOKEN_BYTES)


@dataclass(slots=True, eq=False)
class Avatar:
    """A participant, connected or away."""

    id: int
    row: int
    token: bytes
    name: str
    lengths: Lengths
    lengths_version: int = 0
    look: Look = field(default_factory=Look)
    voice: Voice = Voice.OFF
    away_since_us: int | None = None
    """When the connection was lost; None while there is one."""

    def as_person(self) -> Person:
        """As the others see it."""
        return Person(
            id=self.id,
            name=self.name,
            connected=self.away_since_us is None,
            lengths_version=self.lengths_version,
            lengths=self.lengths,
            look=self.look,
            voice=self.voice,
        )


class Roster:
    """The avatars of one session.

    Ids count up and only come back after all others; rows are kept low and are reused at once.
    """

    def __init__(self, new_token: NewToken = random_token) -> None:
        self._avatars: dict[int, Avatar] = {}
        self._free_rows: list[int] = []
        self._rows_used = 0
        self._last_id = 0
        self._new_token = new_token

    def __len__(self) -> int:
        return len(self._avatars)

    def __iter__(self) -> Iterator[Avatar]:
        return iter(self._avatars.values())

    def __contains__(self, avatar: Avatar) -> bool:
        return self._avatars.get(avatar.id) is avatar

    def add(self, name: str, lengths: Lengths, look: Look | None = None) -> Avatar:
        """A new avatar with a free id, a free row and a token of its own."""
        if self._free_rows:
            row = self._free_rows.pop()
        else:
            row = self._rows_used
            self._rows_used += 1
        avatar = Avatar(self._free_id(), row, self._new_token(), name, lengths, look=look or Look())
        self._avatars[avatar.id] = avatar
        return avatar

    def remove(self, avatar: Avatar) -> None:
        """Forget an avatar; its row is free and its token opens nothing."""
        del self._avatars[avatar.id]
        self._free_rows.append(avatar.row)

    def with_token(self, token: bytes | None) -> Avatar | None:
        """The avatar that this token gives back, compared in constant time; None if none."""
        if token is None:
            return None
        found = None
        for avatar in self._avatars.values():
            if hmac.compare_digest(avatar.token, token):
                found = avatar
        return found

    def gone_since(self, before_us: int) -> list[Avatar]:
        """The avatars that were lost at this time or earlier and have not come back."""
        return [
            avatar
            for avatar in self._avatars.values()
            if avatar.away_since_us is not None and avatar.away_since_us <= before_us
        ]

    def longest_away(self) -> Avatar | None:
        """Whoever was lost first and has not come back; None if all are here."""
        away = [(a.away_since_us, a.id) for a in self if a.away_since_us is not None]
        return self._avatars[min(away)[1]] if away else None

    def people(self) -> tuple[Person, ...]:
        """Everyone, as a welcome tells it."""
        return tuple(avatar.as_person() for avatar in self._avatars.values())

    def _free_id(self) -> int:
        while True:
            self._last_id = self._last_id % caps.PERSON_ID_MAX + 1
            if self._last_id not in self._avatars:
                return self._last_id
