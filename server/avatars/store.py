"""Owns the avatars of all sessions: taken after they were judged, found by hash, gone with their
session.

Everything here happens in the event loop but for the disk's work and the judge's, which wait in
threads; after each wait the session is looked at again, since it may have ended meanwhile.
"""

import asyncio
import hashlib
import logging
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Protocol

from armspan.protocol import caps
from armspan.server.avatars.folder import Folder
from armspan.server.avatars.judging import Judge
from armspan.server.avatars.limits import AvatarLimits, NotTaken
from armspan.server.avatars.shelf import Entry, Shelf
from armspan.server.avatars.verdict import AvatarFault

_HASH = re.compile(r"[0-9a-f]{64}")
_SESSION = re.compile(caps.SESSION_NAME_PATTERN)
_SUFFIX = ".vrm"

_log = logging.getLogger(__name__)


class Place(Protocol):
    """What the store asks of a running session."""

    name: str

    def wears(self, look: str) -> bool:
        """Whether anyone in it wears this avatar."""
        ...

    def has(self, person: int) -> bool:
        """Whether this person is in it, connected or away."""
        ...

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        ...


@dataclass(slots=True)
class _Cabinet:
    """A session's avatars and where they lie."""

    folder: Path
    shelf: Shelf
    judged: set[str] = field(default_factory=set[str])
    """Whom this very server has judged; kept ones come from a disk that anyone may have changed."""


class Store:
    """All avatars of a server."""

    def __init__(self, folder: Folder, limits: AvatarLimits, judge: Judge) -> None:
        self.limits = limits
        self.taken = 0
        self.refused = 0
        self._folder = folder
        self._judge = judge
        self._cabinets: dict[str, _Cabinet] = {}
        self._emptied: asyncio.Queue[Path] = asyncio.Queue()
        self._kept_elsewhere_bytes = _size_of(folder.root) if folder.kept else 0
        """Of kept sessions whose cabinets are not open."""

    @property
    def root(self) -> Path:
        """Where all of them lie."""
        return self._folder.root

    @property
    def count(self) -> int:
        """Avatars of the sessions there are."""
        return sum(len(cabinet.shelf) for cabinet in self._cabinets.values())

    @property
    def size_bytes(self) -> int:
        """Of all avatars, those of sessions that are over and were kept included."""
        opened = sum(cabinet.shelf.size_bytes for cabinet in self._cabinets.values())
        return opened + self._kept_elsewhere_bytes

    async def add(self, place: Place, owner: int, data: bytes | bytearray) -> str:
        """Take an avatar into a session; its hash.

        Raises:
            NotTaken: there is no room for it, or whoever brought it has left.
            AvatarFault: it is no avatar that could be shown.
        """
        name = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        cabinet = self._cabinet(place.name)
        if name in cabinet.shelf and name in cabinet.judged:
            return name
        self._require_room(place, cabinet, owner, len(data))
        part = self._folder.part()
        try:
            await asyncio.to_thread(part.write_bytes, data)
            await self._judge.judge(part)
            # While it was judged others came, or the session went.
            if place.ended or not place.has(owner):
                raise NotTaken(
                    HTTPStatus.GONE,
                    "You left while the avatar was checked; join again and bring it again.",
                )
            cabinet = self._cabinet(place.name)
            self._require_room(place, cabinet, owner, len(data))
            self._put(place, cabinet, part, name, Entry(len(data), owner))
        except AvatarFault:
            self.refused += 1
            raise
        finally:
            part.unlink(missing_ok=True)
        self.taken += 1
        return name

    async def find(self, session: str, name: str) -> Path | None:
        """The file of a session's avatar, by its hash; None if there is none."""
        if not _SESSION.fullmatch(session) or not _HASH.fullmatch(name):
            return None
        cabinet = self._cabinets.get(session)
        if cabinet is None:
            if not self._folder.kept or not (self._folder.root / session).is_dir():
                return None
            cabinet = self._cabinet(session)
        if name not in cabinet.shelf:
            return None
        file = cabinet.folder / f"{name}{_SUFFIX}"
        if name not in cabinet.judged and not await self._judge_again(cabinet, name, file):
            return None
        return file if file.is_file() else None

    def end(self, session: str) -> None:
        """A session is over: so are its avatars, unless they are kept."""
        cabinet = self._cabinets.pop(session, None)
        if cabinet is None:
            return
        if self._folder.kept:
            self._kept_elsewhere_bytes += cabinet.shelf.size_bytes
        else:
            self._emptied.put_nowait(cabinet.folder)

    async def clear_up(self) -> None:
        """Remove what ended sessions left, until cancelled."""
        while True:
            folder = await self._emptied.get()
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def close(self) -> None:
        """The server goes: end the judge, and give the folder up."""
        self._judge.close()
        self._folder.close()

    # Inside

    def _cabinet(self, session: str) -> _Cabinet:
        """The session's; a kept one has what lay there before."""
        cabinet = self._cabinets.get(session)
        if cabinet is None:
            cabinet = _Cabinet(self._folder.for_session(session), Shelf(self.limits))
            if self._folder.kept:
                for file in sorted(cabinet.folder.glob(f"*{_SUFFIX}")):
                    if _HASH.fullmatch(file.stem) and file.is_file():
                        cabinet.shelf.put(file.stem, Entry(file.stat().st_size, None))
                self._kept_elsewhere_bytes -= cabinet.shelf.size_bytes
            self._cabinets[session] = cabinet
        return cabinet

    def _require_room(self, place: Place, cabinet: _Cabinet, owner: int, size_bytes: int) -> None:
        cabinet.shelf.require_share(owner)
        cabinet.shelf.make_room(size_bytes, self._given_up(place))
        if self.size_bytes + size_bytes > self.limits.server_bytes:
            raise NotTaken(
                HTTPStatus.INSUFFICIENT_STORAGE,
                f"The server holds {self.size_bytes / 1e6:,.0f} MB of avatars, and at most "
                f"{self.limits.server_bytes / 1e6:,.0f} MB fit; wear one that somebody brought, or "
                "try again when other sessions are over.",
            )

    def _given_up(self, place: Place) -> Callable[[str, Entry], bool]:
        """Whether whoever brought an avatar has left, and nobody wears it. Kept ones never are."""

        def given_up(name: str, entry: Entry) -> bool:
            if self._folder.kept or entry.owner is None:
                return False
            return not place.has(entry.owner) and not place.wears(f"vrm:{name}")

        return given_up

    def _put(self, place: Place, cabinet: _Cabinet, part: Path, name: str, entry: Entry) -> None:
        for gone in cabinet.shelf.make_room(entry.size_bytes, self._given_up(place)):
            cabinet.shelf.drop(gone)
            cabinet.judged.discard(gone)
            (cabinet.folder / f"{gone}{_SUFFIX}").unlink(missing_ok=True)
        # A rename is done at once or not at all, and costs the loop next to nothing.
        cabinet.folder.mkdir(mode=0o700, exist_ok=True)
        part.replace(cabinet.folder / f"{name}{_SUFFIX}")
        cabinet.shelf.put(name, entry)
        cabinet.judged.add(name)

    async def _judge_again(self, cabinet: _Cabinet, name: str, file: Path) -> bool:
        """Look at a kept file before it is shown again: its disk may be anyone's."""
        try:
            if await asyncio.to_thread(_hash_of, file, self.limits.file_bytes) != name:
                raise OSError("its bytes have changed")
            await self._judge.judge(file)
        except (OSError, AvatarFault) as wrong:
            _log.warning("The kept avatar %s is not shown any more: %s", file, wrong)
            if name in cabinet.shelf:
                cabinet.shelf.drop(name)
            return False
        cabinet.judged.add(name)
        return name in cabinet.shelf


def _hash_of(file: Path, most_bytes: int) -> str:
    if file.stat().st_size > most_bytes:
        raise OSError("it is larger than avatars may be")
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _size_of(root: Path) -> int:
    return sum(file.stat().st_size for file in root.glob(f"*/*{_SUFFIX}") if file.is_file())
