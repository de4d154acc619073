"""Owns where avatars lie on the disk: a folder that is this server's alone while it runs.

A lock says who is alive. It ends with its process however that ends, so what a killed server left
behind is found and removed by the next one.
"""

import fcntl
import logging
import os
import shutil
import tempfile
import time
from pathlib import Path

from armspan.server.settings import Settings, SettingsError

_PREFIX = "armspan-avatars-"
_LOCK = ".lock"
_PART = ".part"
_YOUNG_S = 60.0
"""A folder may be without its lock for a moment after it was made."""

_log = logging.getLogger(__name__)


class Folder:
    """An open folder. Its files are named by hash, in a folder for each session."""

    def __init__(self, root: Path, lock: int, *, kept: bool) -> None:
        self.root = root
        self.kept = kept
        self._lock = lock
        self._sessions = 0

    def for_session(self, name: str) -> Path:
        """Where a session's avatars go. Kept ones are found under its name again, others never."""
        self._sessions += 1
        return self.root / (name if self.kept else f"{name}.{self._sessions}")

    def part(self) -> Path:
        """Where something is written that is no avatar yet; the caller makes its name unique."""
        return self.root / f"{os.urandom(8).hex()}{_PART}"

    def close(self) -> None:
        """Give the folder up; what is not kept on purpose goes with it."""
        if self.kept:
            _remove_parts(self.root)
        else:
            shutil.rmtree(self.root, ignore_errors=True)
        os.close(self._lock)


def open_folder(settings: Settings) -> Folder:
    """The folder that the settings ask for, free of what others left behind.

    Raises:
        SettingsError: it cannot be written, or another server uses it; one line.
    """
    base = settings.avatar_folder
    try:
        if settings.keep_avatars and base is not None:
            return _open_kept(base)
        return _open_temporary(base or Path(tempfile.gettempdir()))
    except OSError as broken:
        raise SettingsError(
            f"Avatars cannot be stored in {base or tempfile.gettempdir()} ({broken.strerror}); "
            "name another folder with avatar_folder."
        ) from None


def _open_kept(root: Path) -> Folder:
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = _take(root / _LOCK)
    if lock is None:
        raise SettingsError(
            f"The avatar folder {root} is in use by another server; name another one with "
            "avatar_folder, or end that server."
        )
    _remove_parts(root)
    return Folder(root, lock, kept=True)


def _open_temporary(base: Path) -> Folder:
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    _remove_leftovers(base)
    root = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
    lock = _take(root / _LOCK)
    if lock is None:
        raise SettingsError(f"The new folder {root} is locked already; start again.")
    return Folder(root, lock, kept=False)


def _take(lock: Path) -> int | None:
    """The lock, or None if a living process has it."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _remove_leftovers(base: Path) -> None:
    for left in base.glob(f"{_PREFIX}*"):
        try:
            status = left.lstat()
            if status.st_uid != os.getuid() or left.is_symlink():
                continue
            if not (left / _LOCK).exists() and time.time() - status.st_mtime < _YOUNG_S:
                continue
            lock = _take(left / _LOCK)
        except OSError:  # gone meanwhile, or not ours to look at
            continue
        if lock is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)
            _log.info("Removed the avatars that a server had left in %s.", left)


def _remove_parts(root: Path) -> None:
    for part in root.glob(f"*{_PART}"):
        part.unlink(missing_ok=True)
