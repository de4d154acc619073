"""A real server that speaks TLS, and clients that trust it, for tests."""

import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

from armspan.server.serving import Running

from tests.integration.harness import RawSocket, in_time, server


def trusting(running: Running) -> ssl.SSLContext:
    assert running.identity is not None
    assert running.identity.authority_pem is not None
    return ssl.create_default_context(cadata=running.identity.authority_pem.decode())


def secure(context: ssl.SSLContext) -> type[RawSocket]:
    """RawSocket, over TLS."""

    class Secure(RawSocket):
        @classmethod
        async def connect(cls, port: int, receive_buffer_bytes: int | None = None) -> RawSocket:
            plain = await RawSocket.connect(port, receive_buffer_bytes)
            await plain.writer.start_tls(context, server_hostname="127.0.0.1")
            return cls(plain.reader, plain.writer)

    return Secure


@contextlib.asynccontextmanager
async def https(folder: Path, **settings: object) -> AsyncIterator[tuple[Running, type[RawSocket]]]:
    async with server(https=True, tls_folder=folder, **settings) as running:
        yield running, secure(trusting(running))


async def get(
    secured: type[RawSocket], port: int, path: str, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    async with await secured.connect(port) as raw:
        sent = {"Host": f"127.0.0.1:{port}", "Connection": "close", **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        raw.writer.write(f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode())
        status, answered = await raw.response()
        return status, answered, await in_time(raw.reader.read())
