"""Owns where the server's secret comes from: the settings, a file, or one made and kept."""

import contextlib
import logging
import os
import secrets
import stat
from pathlib import Path

from armspan.server.setting_values import MIN_SECRET_CHARACTERS
from armspan.server.settings import Settings, SettingsError

_SECRET_BYTES = 32

_log = logging.getLogger(__name__)


def find_secret(settings: Settings, state_folder: Path | None = None) -> str:
    """The secret that sessions' keys are made from; makes and keeps one if none was given.

    Raises:
        SettingsError: the file cannot be read or written, or holds too little; one line.
    """
    if settings.secret is not None:
        return settings.secret.get_secret_value().strip()
    if settings.secret_file is not None:
        return _read(settings.secret_file)
    kept = (state_folder or default_state_folder()) / "secret"
    return _read(kept) if _is_there(kept) else _make(kept)


def find_turn_secret(settings: Settings) -> str:
    """The secret shared with the TURN server; "" if there is none.

    Raises:
        SettingsError: the file cannot be read, or holds too little; one line.
    """
    if settings.turn_secret is not None:
        return settings.turn_secret.get_secret_value().strip()
    return "" if settings.turn_secret_file is None else _read(settings.turn_secret_file)


def default_state_folder() -> Path:
    """Where this user's programs keep state (XDG base directories)."""
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "armspan"


def _is_there(file: Path) -> bool:
    try:
        return file.exists()
    except OSError:  # nobody may look: the reading says so
        return True


def _read(file: Path) -> str:
    try:
        secret = file.read_text(encoding="utf-8").strip()
        open_to_others = file.stat().st_mode & stat.S_IROTH
    except (OSError, UnicodeDecodeError) as broken:
        raise SettingsError(
            f"The secret file {file} cannot be read ({_why(broken)}); "
            "check that it exists and that this user may read it."
        ) from None
    if len(secret) < MIN_SECRET_CHARACTERS:
        raise SettingsError(
            f"The secret file {file} holds {len(secret)} characters, but a secret needs at least "
            f"{MIN_SECRET_CHARACTERS}; make one with: openssl rand -base64 32"
        )
    if open_to_others:
        _log.warning("Everyone on this machine can read the secret file %s; chmod 600 it.", file)
    return secret


def _make(file: Path) -> str:
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    written = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            opened.write(secret + "\n")
        # A link never replaces: of two servers that start at once, both use the first one's.
        os.link(written, file)
    except FileExistsError:
        return _read(file)
    except OSError as broken:
        raise SettingsError(
            f"No secret was given, and none can be kept in {file} ({_why(broken)}); "
            "name a file with --secret-file or set ARMSPAN_SECRET."
        ) from None
    finally:
        with contextlib.suppress(OSError):
            written.unlink()
    return secret


def _why(broken: OSError | UnicodeDecodeError) -> str:
    return broken.strerror or str(broken) if isinstance(broken, OSError) else "it is not UTF-8"
