"""Owns the way from what a person types to a socket's address, and to the session's key."""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from armspan.protocol import caps
from armspan.server.client.errors import BadAddress, BadKeyFile

KEY_VARIABLE = "ARMSPAN_KEY"
_KEY_FILE = "name a file that holds what follows #key= in the session's link."
_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}


def socket_address(url: str, session: str) -> str:
    """The WebSocket's address of ``session`` at the server ``url`` (http, https, ws or wss).

    Raises BadAddress for a URL without host or scheme, or a name no session can have.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as broken:
        raise BadAddress(f"{url!r} is no URL ({broken}); write http://HOST:PORT") from broken
    if parts.scheme not in _SCHEMES or not parts.hostname or port == 0:
        raise BadAddress(f"{url!r} is no server's URL; write http://HOST:PORT")
    if not re.fullmatch(caps.SESSION_NAME_PATTERN, session):
        raise BadAddress(
            f"{session!r} is no session's name; it begins with a letter or digit and holds up to "
            "64 letters, digits, - and _"
        )
    return f"{_SCHEMES[parts.scheme]}://{parts.netloc}{parts.path.rstrip('/')}/ws/{session}"


def shown_url(url: str) -> str:
    """``url`` as it may be shown: without a key behind #, a query, or a password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def read_key(key_file: Path | None, environment: Mapping[str, str]) -> str | None:
    """The session's key from ``key_file``, else from the variable ARMSPAN_KEY, else None.

    Raises BadKeyFile if the file cannot be read or holds no one-line key.
    """
    if key_file is None:
        return environment.get(KEY_VARIABLE) or None
    try:
        key = key_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as failure:
        why = failure.strerror if isinstance(failure, OSError) else "it is not UTF-8"
        raise BadKeyFile(f"The key file {key_file} cannot be read ({why}); {_KEY_FILE}") from None
    if not key or len(key.encode()) > caps.KEY_BYTES or len(key.split()) != 1:
        raise BadKeyFile(
            f"The key file {key_file} holds no single key of at most {caps.KEY_BYTES} bytes; "
            f"{_KEY_FILE}"
        )
    return key
