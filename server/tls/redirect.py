"""Owns the answer to someone who speaks plain HTTP where TLS is spoken. Pure.

It leads browsers to the same page over https and tells programs what is wrong. Nothing else can be
had without encryption: no page, no certificate, no socket.
"""

import re
from collections.abc import Callable
from http import HTTPStatus

HEAD_BYTES = 8192
"""No plain request may be longer; its answer depends on nothing that would need more."""
_REQUEST = re.compile(rb"([A-Z]{3,10}) (/[\x21-\x7e]*) HTTP/1\.[01]\r?\n")
_HOST = re.compile(
    rb"\r?\nhost:[ \t]*([A-Za-z0-9._-]+(?::\d{1,5})?|\[[0-9A-Fa-f:.]+\](?::\d{1,5})?)[ \t]*\r?\n",
    re.I,
)
_METHODS = re.compile(rb"[A-Z]{1,10}(?: |$)")


def looks_like_http(begun: bytes) -> bool:
    """Whether a connection that began like this may become a plain HTTP request."""
    return _METHODS.match(begun[:11]) is not None


def is_whole(head: bytes) -> bool:
    """Whether a request's head has come to its end."""
    return b"\r\n\r\n" in head or b"\n\n" in head


def answer(head: bytes, host_allowed: Callable[[str], bool]) -> bytes:
    """The whole response to a plain request's head."""
    request, host = _REQUEST.match(head), _HOST.search(head)
    if request is None or host is None:
        return _response(HTTPStatus.BAD_REQUEST, "This port speaks https:// only.")
    named = host[1].decode("ascii")
    if not host_allowed(named):
        return _response(
            HTTPStatus.MISDIRECTED_REQUEST,
            "This server is not known by that name; open it by the address that it printed.",
        )
    address = f"https://{named}{request[2].decode('ascii')}"
    if request[1] not in (b"GET", b"HEAD"):
        return _response(HTTPStatus.UPGRADE_REQUIRED, f"This port speaks https://: {address}")
    return _response(
        HTTPStatus.TEMPORARY_REDIRECT, f"This port speaks https://: {address}", address
    )


def _response(status: HTTPStatus, text: str, location: str | None = None) -> bytes:
    body = f"{text}\n".encode()
    # Never a permanent redirect: the same port may speak plain HTTP after the next start.
    more = f"location: {location}\r\n" if location else ""
    if status is HTTPStatus.UPGRADE_REQUIRED:
        more = "upgrade: TLS/1.2\r\n"
    return (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        f"content-type: text/plain; charset=utf-8\r\ncontent-length: {len(body)}\r\n{more}"
        "cache-control: no-store\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n"
    ).encode() + body
