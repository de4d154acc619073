"""Certificates: what they may sign for, how long, and that other programs accept them."""

import datetime
import ipaddress
import ssl
from pathlib import Path

import pytest
from armspan.server.tls.authority import (
    Pair,
    certificate_pem,
    common_name,
    fingerprint,
    make_authority,
    make_leaf,
    names_in,
    permitted,
)
from armspan.server.tls.names import Names, names_of_this_machine
from cryptography import x509

NOW = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)
HOME = Names.of(["localhost", "studio", "studio.local", "127.0.0.1", "192.168.1.5", "fd00::5"])


def shake_hands(authority: Pair, leaf: Pair, name: str, folder: Path) -> None:
    """A handshake in memory, as strict as a client can be. Raises ssl.SSLError."""
    file = folder / "leaf.pem"
    file.write_bytes(leaf.pem() + certificate_pem(authority.certificate))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(file)
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.load_verify_locations(cadata=certificate_pem(authority.certificate).decode())
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    asking = client.wrap_bio(back, there, server_hostname=name)
    answering = server.wrap_bio(there, back, server_side=True)
    for _ in range(3):
        for side in (asking, answering):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue


@pytest.mark.parametrize("name", ["localhost", "studio", "studio.local", "192.168.1.5", "fd00::5"])
def test_a_strict_client_accepts_every_name_of_the_certificate(name: str, tmp_path: Path):
    now = datetime.datetime.now(datetime.UTC)
    authority = make_authority("studio", HOME, now)
    shake_hands(authority, make_leaf(authority, HOME, now), name, tmp_path)


def test_a_client_refuses_another_name(tmp_path: Path):
    now = datetime.datetime.now(datetime.UTC)
    authority = make_authority("studio", HOME, now)
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(authority, make_leaf(authority, HOME, now), "other.local", tmp_path)


@pytest.mark.parametrize("name", ["www.example.com", "8.8.8.8", "2001:4860:4860::8888"])
def test_a_stolen_authority_can_vouch_for_nothing_on_the_internet(name: str, tmp_path: Path):
    now = datetime.datetime.now(datetime.UTC)
    authority = make_authority("studio", HOME, now)
    forged = make_leaf(authority, HOME + Names.of([name]), now)
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(authority, forged, name, tmp_path)


def test_an_authority_signs_no_other_authority_and_says_whose_it_is():
    authority = make_authority("studio", HOME, NOW).certificate
    basic = authority.extensions.get_extension_for_class(x509.BasicConstraints)
    assert basic.critical
    assert (basic.value.ca, basic.value.path_length) == (True, 0)
    assert authority.extensions.get_extension_for_class(x509.NameConstraints).critical
    assert common_name(authority) == "Armspan on studio"
    assert len(common_name(make_authority("x" * 200, HOME, NOW).certificate)) <= 64
    assert len(fingerprint(authority)) == 32 * 3 - 1


def test_a_servers_certificate_lives_as_long_as_every_device_takes_it():
    authority = make_authority("studio", HOME, NOW)
    leaf = make_leaf(authority, HOME, NOW).certificate
    assert leaf.not_valid_after_utc - leaf.not_valid_before_utc <= datetime.timedelta(days=397)
    assert leaf.not_valid_before_utc < NOW  # clocks of devices are never quite right
    life = authority.certificate.not_valid_after_utc - NOW
    assert datetime.timedelta(days=3640) < life < datetime.timedelta(days=3660)
    late = make_leaf(authority, HOME, NOW + datetime.timedelta(days=3500)).certificate
    assert late.not_valid_after_utc <= authority.certificate.not_valid_after_utc


def test_a_certificate_is_for_the_names_it_was_made_for():
    authority = make_authority("studio", HOME, NOW)
    assert names_in(make_leaf(authority, HOME, NOW).certificate) == HOME
    assert names_in(authority.certificate) == Names()


def test_an_authority_may_sign_for_private_networks_and_for_what_it_was_made_with():
    names = HOME + Names.of(["render.corp.example", "203.0.113.7"])
    authority = make_authority("studio", names, NOW).certificate
    assert permitted(authority, names) == names
    later = Names.of(["10.9.8.7", "printer.local", "203.0.113.8", "other.corp.example", "a.studio"])
    assert permitted(authority, later) == Names.of(["10.9.8.7", "printer.local", "a.studio"])


@pytest.mark.parametrize("word", ["", "a b", "-a", "a..b", "http://a", "a:80", "ä", "x" * 254])
def test_what_is_no_name_is_said(word: str):
    with pytest.raises(ValueError, match="neither a host's name nor an address"):
        Names.of([word])


def test_names_are_kept_once_and_in_lower_case():
    names = Names.of(["Studio", "studio", "10.0.0.1", "[::1]", "::1", "10.0.0.1"])
    assert names.dns == ("studio",)
    assert names.addresses == (ipaddress.ip_address("10.0.0.1"), ipaddress.ip_address("::1"))
    assert names.covers(Names.of(["STUDIO"]))
    assert not names.covers(Names.of(["10.0.0.2"]))


def test_this_machine_has_its_loopback_names_and_only_such_as_certificates_can_hold():
    names = names_of_this_machine()
    assert {"localhost"} <= set(names.dns)
    assert {ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("::1")} <= set(names.addresses)
    assert not any(a.is_link_local and a.version == 6 for a in names.addresses)
    authority = make_authority("studio", names, NOW)
    assert permitted(authority.certificate, names) == names
