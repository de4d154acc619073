"""How a server comes to be trusted: its own authority, one that was brought, a fingerprint."""

import asyncio
import datetime
import ssl
from pathlib import Path

import pytest
from armspan.server.client import BadAddress, Invitation, Untrusted, connect, find_trust
from armspan.server.client.trust import BadTrust
from armspan.server.settings import SettingsError
from armspan.server.tls.authority import certificate_pem, fingerprint, make_authority, make_leaf
from armspan.server.tls.names import Names
from armspan.server.tls.own import check_own
from cryptography import x509

from tests.integration.harness import get as get_plain
from tests.integration.harness import (
    server,
)
from tests.integration.secure import get, https, secure
from tests.integration.subprocess_server import started


async def test_the_certificate_is_offered_and_the_key_never(tmp_path: Path):
    async with https(tmp_path) as (running, secured):
        status, headers, body = await get(secured, running.port, "/ca.crt")
        assert status == 200
        assert headers["content-type"] == "application/x-x509-ca-cert"
        assert b"PRIVATE" not in body
        assert running.identity is not None
        assert x509.load_pem_x509_certificate(body) == running.identity.authority
        status, headers, body = await get(secured, running.port, "/trust")
        assert status == 200
        page = body.decode()
        assert running.identity.fingerprint in page
        assert f"127.0.0.1:{running.port}" in page
        assert "%" not in page.replace("100%", "")
        for device in ("Quest", "Android", "iPhone", "Windows", "macOS", "Linux", "Firefox"):
            assert f"<h2>{device}" in page or f"{device}" in page
        for path in ("/authority.pem", "/server.pem", "/tls/authority.pem", "/../authority.pem"):
            assert (await get(secured, running.port, path))[0] == 404


async def test_without_an_authority_there_is_nothing_to_trust():
    async with server() as running:
        for path in ("/ca.crt", "/trust"):
            status, _, body = await get_plain(running.port, path)
            assert status == 404
            assert "armspan serve --https" in body.decode()


async def test_the_python_client_comes_in_by_authority_or_by_fingerprint(tmp_path: Path):
    async with https(tmp_path) as (running, _):
        assert running.identity is not None
        assert running.identity.kept is not None
        url = f"https://127.0.0.1:{running.port}"
        file, print_ = running.identity.kept.certificate_file, running.identity.fingerprint
        leaf = running.identity.certificate.fingerprint(
            running.identity.certificate.signature_hash_algorithm  # type: ignore[arg-type]
        ).hex()
        for ca, pinned, environment in (
            (file, None, {}),
            (None, None, {"ARMSPAN_CA": str(file)}),
            (None, print_, {}),
            (None, print_.replace(":", "").lower(), {}),
            (None, leaf, {}),
            (None, None, {"ARMSPAN_FINGERPRINT": print_}),
        ):
            trust = await asyncio.to_thread(find_trust, url, ca, pinned, environment)
            assert trust is not None
            invitation = Invitation(url, "review", "Ada", tls=trust.context())
            async with connect(invitation) as connection:
                assert connection.welcome.your_id
        with pytest.raises(Untrusted, match="--ca"):
            async with connect(Invitation(url, "review", "Ada")):
                pass
        with pytest.raises(Untrusted, match="another fingerprint"):
            await asyncio.to_thread(find_trust, url, None, "00" * 32, {})
        assert find_trust(url, None, None, {}) is None
        assert running.counters.sockets_opened == 6


@pytest.mark.parametrize(
    ("url", "ca", "fingerprint", "words"),
    [
        ("http://127.0.0.1:1", None, "00" * 32, "not encrypted"),
        ("https://127.0.0.1:1", None, "00" * 31, "64 hexadecimal digits"),
        ("https://127.0.0.1:1", "nowhere.crt", None, "nowhere.crt cannot be read"),
        ("https://127.0.0.1:1", "empty.crt", None, "no certificate in PEM"),
        ("https://127.0.0.1:1", "binary.crt", None, "no certificate in PEM"),
    ],
)
def test_trust_that_cannot_be_is_explained(
    url: str, ca: str | None, fingerprint: str | None, words: str, tmp_path: Path
):
    (tmp_path / "empty.crt").touch()
    (tmp_path / "binary.crt").write_bytes(b"\x30\x82\xff")
    with pytest.raises(BadTrust, match=words):
        find_trust(url, tmp_path / ca if ca else None, fingerprint, {})


async def test_a_plain_server_that_is_asked_for_its_certificate_is_explained():
    async with server() as running:
        with pytest.raises(BadAddress, match="TLS"):
            await asyncio.to_thread(
                find_trust, f"https://127.0.0.1:{running.port}", None, "00" * 32, {}
            )


def write_own(folder: Path, names: Names) -> tuple[Path, Path]:
    now = datetime.datetime.now(datetime.UTC)
    authority = make_authority("elsewhere", names, now)
    leaf = make_leaf(authority, names, now)
    cert, key = folder / "cert.pem", folder / "key.pem"
    cert.write_bytes(certificate_pem(leaf.certificate) + certificate_pem(authority.certificate))
    key.write_bytes(leaf.pem())
    (folder / "ca.crt").write_bytes(certificate_pem(authority.certificate))
    return cert, key


async def test_a_certificate_that_was_brought_is_shown_and_its_renewal_taken_up(tmp_path: Path):
    names = Names.of(["127.0.0.1"])
    cert, key = write_own(tmp_path, names)
    async with server(cert_file=cert, key_file=key) as running:
        assert running.identity is not None

        def shown() -> bytes:
            return ssl.PEM_cert_to_DER_cert(
                ssl.get_server_certificate(("127.0.0.1", running.port), timeout=5)
            )

        before = await asyncio.to_thread(shown)
        trusted = secure(ssl.create_default_context(cafile=str(tmp_path / "ca.crt")))
        assert (await get(trusted, running.port, "/healthz"))[0] == 200
        assert (await get(trusted, running.port, "/ca.crt"))[0] == 404
        key.write_bytes(b"half a key")
        await running.identity.refresh()
        assert await asyncio.to_thread(shown) == before
        write_own(tmp_path, names)
        await running.identity.refresh()
        assert await asyncio.to_thread(shown) != before
        check_own(cert, key, datetime.datetime.now(datetime.UTC))


async def test_a_certificate_that_cannot_be_used_ends_the_start(tmp_path: Path):
    with pytest.raises(SettingsError, match="cannot be read"):
        async with server(cert_file=tmp_path / "no.pem", key_file=tmp_path / "no.key"):
            pass


async def test_it_says_what_works_and_how_to_trust_it(tmp_path: Path):
    async with started(
        *("--https", "--tls-folder", str(tmp_path), "--session", "review", "--host", "0.0.0.0"),
        ARMSPAN_SECRET="a secret that is long enough",
    ) as running:
        said = "\n".join(running.lines)
        assert running.lines[0].startswith("Session review: https://")
        assert "/ca.crt" in said
        assert "/trust" in said
        certificate = x509.load_pem_x509_certificate((tmp_path / "ca.crt").read_bytes())
        assert fingerprint(certificate) in said
        status, _, errors = await running.stop()
        assert (status, errors) == (0, "")


@pytest.mark.slow
async def test_the_demonstration_comes_over_https_too(tmp_path: Path):
    async with started("--https", "--tls-folder", str(tmp_path), "--demo", "2") as running:
        secured = secure(ssl.create_default_context(cafile=str(tmp_path / "ca.crt")))
        connected = b""
        async with asyncio.timeout(60):
            while b'"connected":2' not in connected:
                await asyncio.sleep(0.1)
                connected = (await get(secured, running.port, "/api/sessions"))[2]
