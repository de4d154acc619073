"""A socket that does not open says why, in words, and whether trying again may help."""

import asyncio
import contextlib
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path

import pytest
from armspan.protocol import PROTOCOL_VERSION, Welcome, encode
from armspan.server.client import (
    BadAddress,
    Disconnected,
    Invitation,
    Untrusted,
    connect,
    stay,
)
from armspan.server.client.opening import unopened
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

OPENSSL = shutil.which("openssl")


async def welcome(socket: ServerConnection) -> None:
    await socket.recv()
    sentence = Welcome(
        protocol_version=PROTOCOL_VERSION,
        server_version="1",
        session="demo",
        your_id=1,
        token=bytes(16),
        tick_rate_hz=60.0,
        tick=0,
        session_time_us=0,
        event_sequence=0,
        people=(),
        max_people=8,
        method="robust",
    )
    await socket.send(encode(sentence))
    await socket.wait_closed()


def port_of(server: object) -> int:
    return next(iter(server.sockets)).getsockname()[1]  # type: ignore[attr-defined]


@contextlib.asynccontextmanager
async def answering(status: HTTPStatus) -> AsyncIterator[tuple[int, list[str]]]:
    """A web server that answers every upgrade with ``status``; its port, and what was asked."""
    asked: list[str] = []

    def answer(socket: ServerConnection, request: Request) -> Response:
        asked.append(request.path)
        return socket.respond(status, "no\n")

    async with serve(welcome, "127.0.0.1", 0, process_request=answer) as server:
        yield port_of(server), asked


@pytest.mark.parametrize(
    "status", [HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND]
)
async def test_an_address_that_is_answered_with_an_error_is_not_tried_again(status: HTTPStatus):
    async with answering(status) as (port, asked):
        url = f"http://ada:password@127.0.0.1:{port}/s/demo?a=b#key=secret"
        with pytest.raises(BadAddress) as refusal:
            await anext(stay(Invitation(url, "demo", "Ada")))
    server = f"http://127.0.0.1:{port}"
    assert str(refusal.value) == (
        f"{server}/s/demo answers {status.value} ({status.phrase}); "
        f"write the server's address alone, like {server}"
    )
    assert asked == ["/s/demo/ws/demo"]


@pytest.mark.parametrize(
    ("path", "advice"),
    [
        ("", "is that an Armspan server?"),
        ("/", "is that an Armspan server?"),
        ("/other", "alone, like {server}"),
        ("/under/s/demo", "alone, like {server}/under"),
    ],
)
async def test_the_right_form_keeps_what_was_right(path: str, advice: str):
    async with answering(HTTPStatus.NOT_FOUND) as (port, _):
        server = f"http://127.0.0.1:{port}"
        with pytest.raises(BadAddress) as refusal:
            await anext(stay(Invitation(server + path, "demo", "Ada")))
    assert str(refusal.value).endswith(advice.format(server=server))


@pytest.mark.parametrize(
    "status", [HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE]
)
async def test_a_server_that_may_recover_is_tried_again(status: HTTPStatus):
    failures: list[Disconnected] = []
    async with answering(status) as (port, asked):
        invitation = Invitation(f"http://127.0.0.1:{port}", "demo", "Ada")
        with pytest.raises(Disconnected, match="Gave up after"):
            await anext(stay(invitation, give_up_s=1, on_failure=failures.append))
    assert len(asked) == len(failures) + 1 > 1
    assert str(status.value) in str(failures[0])


async def test_a_host_that_no_name_can_have_is_a_bad_address():
    with pytest.raises(BadAddress, match="cannot be opened"):
        async with connect(Invitation(f"http://{'a' * 70}.example", "demo", "Ada")):
            raise AssertionError("nobody is there")


def test_every_failure_is_one_line_without_secrets():
    url = "https://ada:password@host/#key=secret"
    expired = ssl.SSLCertVerificationError("all of it")
    expired.verify_message = "certificate has expired"
    for failure in (
        expired,
        ssl.SSLError("x"),
        OSError(),
        TimeoutError(),
        EOFError(),
        ValueError(1),
    ):
        words = str(unopened(url, failure))
        assert words.startswith("https://host/ ")
        for never in ("\n", "password", "secret", "()"):
            assert never not in words
    assert "has expired" in str(unopened(url, expired))


async def test_a_server_without_tls_is_said_to_have_none():
    async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"https://127.0.0.1:{port_of(server)}"
        with pytest.raises(BadAddress, match="an address with http://"):
            await anext(stay(Invitation(url, "demo", "Ada")))


def sign_oneself(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that no authority knows, and its key."""
    assert OPENSSL is not None
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        [
            *(OPENSSL, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key)),
            *("-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    return certificate, key


@contextlib.asynccontextmanager
async def encrypted(folder: Path) -> AsyncIterator[tuple[str, Path]]:
    """A server behind a certificate that it signed itself, and that certificate's file."""
    certificate, key = sign_oneself(folder)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    async with serve(welcome, "127.0.0.1", 0, ssl=tls) as server:
        yield f"https://127.0.0.1:{port_of(server)}", certificate


@pytest.mark.skipif(OPENSSL is None, reason="openssl makes the certificate")
async def test_a_certificate_is_verified_and_may_be_ones_own(tmp_path: Path):
    async with encrypted(tmp_path) as (url, certificate):
        invitation = Invitation(url, "demo", "Ada")
        with pytest.raises(Untrusted, match=r"cannot be verified \(self.signed certificate\)"):
            await anext(stay(invitation))
        tls = ssl.create_default_context(cafile=certificate)
        async with asyncio.timeout(5), connect(Invitation(url, "demo", "Ada", tls=tls)) as me:
            assert me.welcome.your_id == 1
