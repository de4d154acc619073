"""The links that people open."""

import shlex
from pathlib import Path

import pytest
from armspan.server.commands import main
from armspan.server.links import base_url, leads_elsewhere, link_command, session_url
from armspan.server.sessions import session_key
from armspan.server.settings import Settings
from click.testing import CliRunner

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


@pytest.mark.parametrize(
    "given", [{"https": True}, {"cert_file": "/cert.pem", "key_file": "/key.pem"}]
)
def test_links_to_a_server_that_speaks_tls_say_so(given: dict[str, object]):
    assert base_url(Settings.model_validate(given), 81) == "https://127.0.0.1:81"
    assert base_url(Settings.model_validate({**given, "host": "::1"}), 81) == "https://[::1]:81"


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


@pytest.mark.parametrize(
    ("url", "elsewhere"),
    [
        ("http://127.0.0.1:81/s/review", False),
        ("http://[::1]:81/", False),
        ("http://localhost:81/", False),
        ("http://192.168.1.5:81/s/review#key=x", True),
        ("https://avatars.example/s/review", True),
    ],
)
def test_only_links_beyond_loopback_are_for_other_devices(url: str, elsewhere: bool):
    assert leads_elsewhere(url) is elsewhere


@pytest.mark.parametrize(
    "given",
    [
        {"host": "0.0.0.0"},
        {"require_key": True},
        {"require_key": True, "public_url": "https://avatars.example"},
        {"behind_proxy": True, "public_url": "https://avatars.example"},
        {"host": "0.0.0.0", "https": True},
        {"host": "10.0.0.1", "cert_file": "/cert.pem", "key_file": "/key.pem"},
    ],
)
def test_the_command_that_is_told_prints_the_link_of_this_server(
    given: dict[str, object], tmp_path: Path
):
    file = tmp_path / "a secret"
    file.write_text(SECRET)
    settings = Settings.model_validate({**given, "secret_file": file})
    program, *words = shlex.split(link_command(settings, 81))
    assert program == "armspan"
    printed = CliRunner().invoke(main, words)
    assert printed.stdout == session_url(settings, SECRET, 81, "NAME") + "\n"
