"""Owns which avatars a session has, whose they are, and whether there is room for another. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from armspan.server.avatars.limits import AvatarLimits, NotTaken


@dataclass(frozen=True, slots=True)
class Entry:
    """One avatar of a session."""

    size_bytes: int
    owner: int | None
    """The person who brought it; None if that was before this server started."""


class Shelf:
    """The avatars of one session, oldest first."""

    def __init__(self, limits: AvatarLimits) -> None:
        self._limits = limits
        self._entries: dict[str, Entry] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def size_bytes(self) -> int:
        """Of all of them."""
        return sum(entry.size_bytes for entry in self._entries.values())

    def put(self, name: str, entry: Entry) -> None:
        """Add an avatar, named by its hash."""
        self._entries[name] = entry

    def drop(self, name: str) -> None:
        """Forget one."""
        del self._entries[name]

    def require_share(self, owner: int) -> None:
        """Raises NotTaken for one who has brought as many as anyone may."""
        most = self._limits.per_person
        brought = sum(entry.owner == owner for entry in self._entries.values())
        if brought >= most:
            raise NotTaken(
                HTTPStatus.CONFLICT,
                f"You have brought {brought} of at most {most} avatars to this session; wear one "
                "of them.",
            )

    def make_room(self, size_bytes: int, given_up: Callable[[str, Entry], bool]) -> list[str]:
        """The avatars that have to go for another of this size, oldest first; only given-up ones.

        Raises:
            NotTaken: there is no room even without those.
        """
        count, stored_bytes = len(self._entries), self.size_bytes
        gone: list[str] = []
        for name, entry in self._entries.items():
            if self._fits(count, stored_bytes + size_bytes):
                break
            if given_up(name, entry):
                gone.append(name)
                count -= 1
                stored_bytes -= entry.size_bytes
        if self._fits(count, stored_bytes + size_bytes):
            return gone
        raise NotTaken(
            HTTPStatus.INSUFFICIENT_STORAGE,
            f"This session holds {len(self)} avatars of {self.size_bytes / 1e6:,.0f} MB, and at "
            f"most {self._limits.per_session} of {self._limits.session_bytes / 1e6:,.0f} MB fit; "
            "wear one that somebody brought, or ask whoever runs the server for more room.",
        )

    def _fits(self, count: int, stored_bytes: int) -> bool:
        return count < self._limits.per_session and stored_bytes <= self._limits.session_bytes
