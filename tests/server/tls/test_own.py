"""A certificate that an operator brings: every way in which it cannot be used is said."""

import datetime
from pathlib import Path

import pytest
from armspan.server.settings import Settings, SettingsError
from armspan.server.tls.authority import certificate_pem, make_authority, make_leaf
from armspan.server.tls.identity import Identity
from armspan.server.tls.names import Names
from armspan.server.tls.own import check_own
from cryptography.hazmat.primitives import serialization

NOW = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
HOME = Names.of(["avatars.example"])
AUTHORITY = make_authority("studio", HOME, NOW)
LEAF = make_leaf(AUTHORITY, HOME, NOW)
CERT = certificate_pem(LEAF.certificate)


def key_pem(password: bytes | None = None) -> bytes:
    return LEAF.key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()
        if password is None
        else serialization.BestAvailableEncryption(password),
    )


def files(folder: Path, cert: bytes, key: bytes) -> tuple[Path, Path]:
    cert_file, key_file = folder / "cert.pem", folder / "key.pem"
    cert_file.write_bytes(cert)
    key_file.write_bytes(key)
    return cert_file, key_file


def test_a_pair_with_its_authorities_behind_it_is_taken(tmp_path: Path):
    chain = CERT + certificate_pem(AUTHORITY.certificate)
    assert check_own(*files(tmp_path, chain, key_pem()), NOW) == LEAF.certificate


@pytest.mark.parametrize(
    ("cert", "key", "days", "words"),
    [
        (CERT, key_pem(b"a password"), 0, "openssl pkey"),
        (CERT, AUTHORITY.pem(), 0, "is not the one of the certificate"),
        (certificate_pem(AUTHORITY.certificate) + CERT, key_pem(), 0, "has to come first"),
        (CERT, key_pem(), 500, "ended on 2027-04-01"),
        (CERT, key_pem(), -3, "check this machine's clock"),
        (b"\x30\x82", key_pem(), 0, "-inform der"),
        (b"", key_pem(), 0, "holds no certificate in PEM"),
        (CERT, CERT, 0, "holds no private key in PEM"),
        (CERT, b"\0\xff", 0, "holds no private key in PEM"),
    ],
)
def test_what_cannot_be_used_is_said_with_the_next_step(
    cert: bytes, key: bytes, days: int, words: str, tmp_path: Path
):
    with pytest.raises(SettingsError) as told:
        check_own(*files(tmp_path, cert, key), NOW + datetime.timedelta(days=days))
    assert words in str(told.value)
    assert "\n" not in str(told.value)
    assert str(tmp_path) in str(told.value)


@pytest.mark.parametrize("missing", ["cert.pem", "key.pem"])
def test_a_file_that_cannot_be_read_is_said(missing: str, tmp_path: Path):
    pair = files(tmp_path, CERT, key_pem())
    (tmp_path / missing).unlink()
    with pytest.raises(SettingsError, match=f"{missing} cannot be read") as told:
        check_own(*pair, NOW)
    assert f"--{missing.partition('.')[0]}" in str(told.value)


@pytest.mark.parametrize("name", [":::::", "..", "-x", "a..b"])
def test_a_name_that_no_certificate_can_hold_is_told(tmp_path: Path, name: str):
    with pytest.raises(SettingsError, match="https_names") as refused:
        Identity(Settings(https=True, tls_folder=tmp_path, https_names=(name,)))
    assert repr(name) in str(refused.value)
