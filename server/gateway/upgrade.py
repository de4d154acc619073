"""Owns which upgrade requests are answered: path, headers, host and origin. Pure.

A browser sends cookies and opens sockets for any page, so a page of another origin must not reach
a server on this machine, neither directly (its Origin differs) nor under a name of its own that
it lets point here (its Host is no name of this machine). Programs send no Origin.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from armspan.server.settings import is_loopback

SOCKET_PATH = "/ws/"


def names_this_machine(host: str) -> bool:
    """Whether a Host header, with or without port, is a name that machines have for themselves."""
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:  # brackets with no address inside
        return False


@dataclass(frozen=True, slots=True)
class Asked:
    """By which name a request came, and whether under encryption all the way."""

    host: str
    """As in a Host header; empty if there was none."""
    encrypted: bool


@dataclass(frozen=True, slots=True)
class OriginPolicy:
    """Which pages may talk to this server."""

    allowed_origins: frozenset[str] = frozenset()
    loopback_hosts_only: bool = True
    encrypted: bool = False
    """Whether this server speaks TLS itself."""
    proxy_host: str | None = None
    """The host, with port, that people open at the proxy in front. Only with it are the headers
    believed that tell how a request came to the proxy."""

    def asked(self, headers: Mapping[str, str]) -> Asked:
        """How a request came; header names in lower case.

        Of several values the last one counts: the nearest proxy wrote it, and whatever came
        before could be anyone's.
        """
        host, encrypted = headers.get("host", ""), self.encrypted
        if self.proxy_host is not None:
            host = _last(headers.get("x-forwarded-host")) or host
            encrypted = _last(headers.get("x-forwarded-proto")).lower() in ("https", "wss")
        return Asked(host, encrypted)

    def host_allowed(self, host: str | None) -> bool:
        """Whether a Host header names this server."""
        if not host:
            return False
        if self.proxy_host is None and not self.loopback_hosts_only:
            return True
        return (
            names_this_machine(host)
            or host.lower() == self.proxy_host
            or any(urlsplit(o).netloc == host.lower() for o in self.allowed_origins)
        )

    @property
    def foreign_host(self) -> str:
        """What is said to requests under another name."""
        if self.proxy_host is not None:
            return f"This server is known as {self.proxy_host}; open it by that name."
        return "This server is only for its own machine; open it as localhost."

    def origin_allowed(self, origin: str | None, host: str, *, encrypted: bool = False) -> bool:
        """Whether a page of this origin may open sockets here; programs have none."""
        if origin is None or origin.lower() in self.allowed_origins:
            return True
        return self.is_own(origin, host, encrypted=encrypted)

    def is_own(self, origin: str, host: str, *, encrypted: bool = False) -> bool:
        """Whether a page of this origin came from here; under encryption it has to be encrypted."""
        try:
            parts = urlsplit(origin)
        except ValueError:  # brackets with no address inside
            return False
        schemes = ("https",) if encrypted else ("http", "https")
        return parts.scheme in schemes and parts.netloc.lower() == host.lower()


def _last(values: str | None) -> str:
    return (values or "").rpartition(",")[2].strip()


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A request that is granted."""

    session: str
    """As asked for; whether there can be one of that name is said on the socket."""
    head: bytes
    """The request again, holding only what a WebSocket library needs to see."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request that is answered with a plain HTTP error."""

    status: HTTPStatus
    text: str

    def response(self) -> bytes:
        """The whole HTTP response."""
        body = self.text.encode()
        upgrade = "sec-websocket-version: 13\r\n" if self.status is _VERSION_STATUS else ""
        return (
            f"HTTP/1.1 {self.status.value} {self.status.phrase}\r\n"
            f"content-type: text/plain; charset=utf-8\r\ncontent-length: {len(body)}\r\n"
            f"{upgrade}connection: close\r\n\r\n"
        ).encode() + body


_VERSION_STATUS = HTTPStatus.UPGRADE_REQUIRED


def parse_head(head: bytes) -> tuple[str, str, dict[str, str]]:
    """Method, target and headers (names in lower case) of a head that an HTTP parser passed."""
    lines = head.decode("latin-1").split("\r\n")
    method, target = lines[0].split(" ")[:2]
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    return method, target, headers


def judge_upgrade(
    method: str, target: str, headers: Mapping[str, str], policy: OriginPolicy
) -> Upgrade | Refusal:
    """Grant or refuse a WebSocket upgrade; header names in lower case."""
    if method != "GET":
        return Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "A WebSocket is opened with GET.")
    asked = policy.asked(headers)
    if not policy.host_allowed(asked.host):
        return Refusal(HTTPStatus.MISDIRECTED_REQUEST, policy.foreign_host)
    if not policy.origin_allowed(headers.get("origin"), asked.host, encrypted=asked.encrypted):
        return Refusal(
            HTTPStatus.FORBIDDEN,
            "A page of another origin may not open sessions here; "
            "name its origin in allowed_origins to let it.",
        )
    path = target.partition("?")[0]
    if not path.startswith(SOCKET_PATH):
        return Refusal(HTTPStatus.NOT_FOUND, "Sessions are at /ws/NAME.")
    if headers.get("sec-websocket-version") != "13":
        return Refusal(_VERSION_STATUS, "WebSocket version 13 is spoken here.")
    if "transfer-encoding" in headers or headers.get("content-length", "0") != "0":
        return Refusal(HTTPStatus.BAD_REQUEST, "A request that opens a WebSocket has no body.")
    key = headers.get("sec-websocket-key", "")
    if not _is_websocket_key(key):
        return Refusal(HTTPStatus.BAD_REQUEST, "Sec-WebSocket-Key must be 16 bytes in base64.")
    return Upgrade(path[len(SOCKET_PATH) :], _plain_head(key))


def _is_websocket_key(key: str) -> bool:
    try:
        return len(base64.b64decode(key.encode("ascii"), validate=True)) == 16
    except (UnicodeEncodeError, binascii.Error):
        return False


def _plain_head(key: str) -> bytes:
    # picows takes "Connection: upgrade" alone, where Firefox sends "keep-alive, Upgrade"; and
    # extensions that a client offers are not to be looked at.
    return (
        "GET /ws HTTP/1.1\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
        f"sec-websocket-version: 13\r\nsec-websocket-key: {key}\r\n\r\n"
    ).encode()
