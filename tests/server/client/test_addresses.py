"""From what a person types to a socket's address and a key."""

from pathlib import Path

import pytest
from armspan.server.client import BadAddress, BadKeyFile, read_key, socket_address


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1:8080", "ws://127.0.0.1:8080/ws/demo"),
        ("https://avatars.example/", "wss://avatars.example/ws/demo"),
        ("ws://[::1]:9", "ws://[::1]:9/ws/demo"),
        ("https://avatars.example/under/", "wss://avatars.example/under/ws/demo"),
    ],
)
def test_a_servers_url_leads_to_the_sessions_socket(url: str, address: str):
    assert socket_address(url, "demo") == address


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:8080", "ftp://host", "http://", "http://host:99999", "http://host:0"]
)
def test_a_url_that_leads_nowhere_is_refused_with_its_value(url: str):
    with pytest.raises(BadAddress, match="write http://HOST:PORT"):
        socket_address(url, "demo")


@pytest.mark.parametrize("session", ["", "-a", "a b", "ä", "a" * 65, "a/b", "a\n"])
def test_a_name_that_no_session_can_have_is_refused(session: str):
    with pytest.raises(BadAddress, match="session's name"):
        socket_address("http://host", session)


def test_a_key_comes_from_its_file_before_the_environment(tmp_path: Path):
    path = tmp_path / "key"
    path.write_text("from-file\n")
    assert read_key(path, {"ARMSPAN_KEY": "from-environment"}) == "from-file"
    assert read_key(None, {"ARMSPAN_KEY": "from-environment"}) == "from-environment"
    assert read_key(None, {}) is None
    assert read_key(None, {"ARMSPAN_KEY": ""}) is None


@pytest.mark.parametrize("content", [b"", b"\n", b"two words", b"two\nlines", b"\xff", b"k" * 129])
def test_a_file_without_one_key_is_refused_and_its_content_is_not_shown(
    tmp_path: Path, content: bytes
):
    path = tmp_path / "key"
    path.write_bytes(content)
    with pytest.raises(BadKeyFile) as refusal:
        read_key(path, {})
    assert str(path) in str(refusal.value)
    assert "words" not in str(refusal.value)


def test_a_missing_key_file_is_refused(tmp_path: Path):
    with pytest.raises(BadKeyFile, match=r"none cannot be read \(No such .*#key=") as refusal:
        read_key(tmp_path / "none", {})
    assert "Errno" not in str(refusal.value)
