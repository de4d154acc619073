"""A session's key opens that session and no other."""

import base64
import hashlib
import hmac

from armspan.server.sessions import opens, session_key

SECRET = "a secret of the server"


def test_the_key_is_the_documented_hmac():
    digest = hmac.new(SECRET.encode(), b"armspan session review", hashlib.sha256).digest()
    assert session_key(SECRET, "review") == base64.urlsafe_b64encode(digest)[:32].decode()


def test_a_key_opens_its_own_session_only():
    key = session_key(SECRET, "review")
    assert opens(SECRET, "review", key)
    assert not opens(SECRET, "review2", key)
    assert not opens(SECRET + "x", "review", key)
    for wrong in (None, "", key[:-1], key + "x", "ключ"):
        assert not opens(SECRET, "review", wrong)
