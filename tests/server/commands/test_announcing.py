"""What a server says of who can open it, and what will work there."""

from pathlib import Path

import pytest
from armspan.server.commands.announcing import what_works
from armspan.server.settings import Settings
from armspan.server.tls import Identity

LAN = "0.0.0.0"
PROXY = "https://avatars.example"


def words(identity: Identity | None = None, **settings: object) -> str:
    return " ".join(what_works(Settings.model_validate(settings), identity, 8080))


def test_on_loopback_only_this_machine_and_a_headset_on_a_cable():
    said = words()
    assert "this machine alone" in said
    assert "adb reverse tcp:8080 tcp:8080" in said
    assert "--https" in said


def test_unencrypted_beyond_loopback_there_is_no_headset_and_no_microphone():
    said = words(host=LAN)
    assert "no headset and no microphone" in said
    assert "--https" in said
    assert "adb" not in said


@pytest.mark.parametrize("host", ["127.0.0.1", LAN])
def test_with_an_own_authority_everything_works_once_it_is_trusted(host: str, tmp_path: Path):
    settings = {"https": True, "tls_folder": tmp_path, "host": host}
    identity = Identity(Settings.model_validate(settings))
    said = words(identity, **settings)
    assert "Headsets and microphones work as well" in said
    assert ":8080/ca.crt" in said
    assert ":8080/trust" in said
    assert identity.fingerprint in said
    assert ("this machine alone" in said) is (host == "127.0.0.1")


def test_with_a_certificate_that_was_brought_there_is_nothing_to_install(tmp_path: Path):
    made = Identity(Settings(https=True, tls_folder=tmp_path))
    assert made.kept is not None
    pair = {"cert_file": made.kept.server_file, "key_file": made.kept.server_file, "host": LAN}
    identity = Identity(Settings.model_validate(pair))
    said = words(identity, **pair)
    assert "know who signed" in said
    assert "/ca.crt" not in said
    assert identity.fingerprint in said


@pytest.mark.parametrize("url", [PROXY, "http://avatars.example"])
def test_behind_a_proxy_it_depends_on_how_that_is_reached(url: str):
    said = words(behind_proxy=True, public_url=url)
    assert ("Headsets and microphones work as well" in said) is (url == PROXY)
