"""A server behind a proxy that ends TLS: whose word it takes, and whose not."""

from armspan.protocol import CloseCode, encode

from tests.fakes import hello
from tests.integration.harness import (
    RawSocket,
    head,
    server,
)
from tests.integration.harness import get as get_plain


async def test_a_proxy_is_believed_only_where_the_settings_say_so():
    public = {"X-Forwarded-Host": "avatars.example", "X-Forwarded-Proto": "https"}
    believing = {"behind_proxy": True, "public_url": "https://avatars.example"}
    async with server("a secret of the server", **believing) as running:
        status, headers, _ = await get_plain(running.port, "/healthz", **public)
        assert status == 200
        assert "wss://avatars.example" in headers["content-security-policy"]
        assert headers["cross-origin-opener-policy"] == "same-origin"
        spoofed = {**public, "X-Forwarded-Host": "avatars.example, evil.example"}
        assert (await get_plain(running.port, "/healthz", **spoofed))[0] == 421
        for host, expected in (
            ("evil.example\r\nX-Forwarded-Host: avatars.example", 200),
            ("avatars.example\r\nX-Forwarded-Host: evil.example", 421),
        ):  # as two lines
            twice = {**public, "X-Forwarded-Host": host}
            assert (await get_plain(running.port, "/healthz", **twice))[0] == expected
        assert (await get_plain(running.port, "/healthz"))[0] == 200  # from this machine
        for origin, more, status in (
            ("https://avatars.example", public, 101),
            ("http://avatars.example", public, 403),
            ("https://evil.example", public, 403),
            (f"http://127.0.0.1:{running.port}", {}, 101),
        ):
            async with await RawSocket.connect(running.port) as raw:
                named = {name.replace("-", "_"): value for name, value in more.items()}
                raw.writer.write(head(running.port, Origin=origin, **named))
                assert (await raw.response())[0] == status, origin
        async with await RawSocket.open(running.port) as raw:
            raw.send(encode(hello("Ada")))  # no key, though the server listens on loopback alone
            assert (await raw.closing())[1].code == CloseCode.WRONG_KEY
    async with server() as running:
        assert (await get_plain(running.port, "/healthz", "evil.example", **public))[0] == 421
        origin = "https://avatars.example"
        async with await RawSocket.connect(running.port) as raw:
            raw.writer.write(head(running.port, Origin=origin, X_Forwarded_Host="avatars.example"))
            assert (await raw.response())[0] == 403
