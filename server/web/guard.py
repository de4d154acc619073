"""Owns what every HTTP response carries, and refuses requests under a foreign name."""

import re
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import urlsplit

from armspan.server.gateway import OriginPolicy
from armspan.server.gateway.upgrade import names_this_machine
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HOST = re.compile(r"[A-Za-z0-9._-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")
_FIXED = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": (
        "xr-spatial-tracking=(self), microphone=(self), camera=(), geolocation=()"
    ),
}


def content_security_policy(host: str) -> str:
    """Everything from this origin and nothing from any other; sockets to this host only.

    Not every browser takes 'self' to cover WebSockets, so they are named. A model's pictures are
    read through blob: addresses, which only its own page can make.
    """
    return (
        "default-src 'self'; "
        f"connect-src 'self' ws://{host} wss://{host} blob:; "
        "img-src 'self' data: blob:; worker-src 'self' blob:; "
        "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


def last_of_each(headers: Headers) -> Mapping[str, str]:
    """Of a header that came several times the last one: a proxy may add its own as a line."""
    return dict(headers.items())


class Guard:
    """Middleware around all pages and the API."""

    def __init__(self, app: ASGIApp, origins: OriginPolicy, public_url: str | None = None) -> None:
        self._app = app
        self._origins = origins
        public = urlsplit(public_url or "")
        self._encrypted_host = public.netloc.lower() if public.scheme == "https" else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with headers; or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asked = self._origins.asked(last_of_each(Headers(scope=scope)))
        host = asked.host
        if not _HOST.fullmatch(host) or not self._origins.host_allowed(host):
            refused = PlainTextResponse(
                f"{self._origins.foreign_host}\n", HTTPStatus.MISDIRECTED_REQUEST
            )
            await refused(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _FIXED.items():
                    headers[name] = value
                if asked.encrypted or self._trustworthy(host):
                    headers["cross-origin-opener-policy"] = "same-origin"
                headers["content-security-policy"] = content_security_policy(host)
                headers.setdefault("cache-control", "no-cache")
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _trustworthy(self, host: str) -> bool:
        """Whether browsers isolate pages of this host; on others they only complain when told to.

        That is what they know to be this machine, and what comes through the proxy's encryption.
        """
        return names_this_machine(host) or host.lower() == self._encrypted_host
