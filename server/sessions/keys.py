"""Owns the keys of sessions: an HMAC of the session's name under the server's secret.

Nothing is stored and nothing can be guessed: whoever has the secret can make every link, and
whoever has one link can open one session.
"""

import base64
import hashlib
import hmac

KEY_LENGTH = 32
"""Characters of base64url: 192 bits of the HMAC."""


def session_key(secret: str, session: str) -> str:
    """The key that opens this session."""
    message = f"armspan session {session}".encode()
    digest = hmac.digest(secret.encode(), message, hashlib.sha256)
    return base64.urlsafe_b64encode(digest).decode("ascii")[:KEY_LENGTH]


def opens(secret: str, session: str, key: str | None) -> bool:
    """Whether a presented key opens this session; takes the same time for every wrong key."""
    if key is None:
        return False
    return hmac.compare_digest(session_key(secret, session).encode(), key.encode())
