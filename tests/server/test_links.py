"""The links that people open."""

import pytest
from armspan.server.links import base_url, session_url
from armspan.server.sessions import session_key
from armspan.server.settings import Settings

SECRET = "a secret of the server"


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:81"),
        ("::1", "http://[::1]:81"),
        ("avatars.example", "http://avatars.example:81"),
    ],
)
def test_links_name_the_address_listened_on(host: str, url: str):
    assert base_url(Settings(host=host), 81) == url


def test_a_server_on_every_address_names_one_that_can_be_opened():
    url = base_url(Settings(host="0.0.0.0"), 81)
    assert url.startswith("http://")
    assert "0.0.0.0" not in url


def test_the_key_is_in_the_fragment_where_keys_are_needed():
    public = Settings(host="10.0.0.1", public_url="https://avatars.example/")
    key = session_key(SECRET, "review")
    assert session_url(public, SECRET, 81, "review") == (
        f"https://avatars.example/s/review#key={key}"
    )
    assert session_url(Settings(), None, 81, "review") == "http://127.0.0.1:81/s/review"
