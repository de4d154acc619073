"""Owns the opening of a session's socket, and what it means when it does not open."""

import ipaddress
import ssl
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from armspan.protocol import caps, printable
from armspan.server.client.addresses import shown_url
from armspan.server.client.errors import BadAddress, ClientError, Disconnected, Untrusted
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import InvalidHandshake, InvalidStatus, WebSocketException

# Refusals of the moment; every other status from 400 to 499 is an answer to the address itself.
_PASSING = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
)
_PAGE = "/s/"


async def open_at(
    address: str, url: str, tls: ssl.SSLContext | None, timeout_s: float
) -> ClientConnection:
    """Open the socket at ``address``, a session's at the server ``url``.

    Raises Disconnected if trying again may help, else BadAddress or Untrusted.
    """
    options: dict[str, Any] = {} if tls is None else {"ssl": tls}
    try:
        return await open_socket(
            address,
            proxy=None if _is_loopback(address) else True,
            compression=None,
            max_size=caps.SERVER_MESSAGE_BYTES,
            open_timeout=timeout_s,
            close_timeout=1.0,
            **options,
        )
    except (OSError, EOFError, ValueError, WebSocketException) as failure:
        raise unopened(url, failure) from failure


def unopened(url: str, failure: Exception) -> ClientError:
    """What a failure to open a socket at the server ``url`` means, as words for a person."""
    where = shown_url(url)
    match failure:
        case ssl.SSLCertVerificationError():
            return Untrusted(
                f"{where} shows a certificate that cannot be verified "
                f"({failure.verify_message.rstrip('.')}); if it is your own, name its authority's "
                "file (the server has it at /ca.crt) with --ca or in ARMSPAN_CA"
            )
        case ssl.SSLError() if not isinstance(failure, ssl.SSLEOFError | ssl.SSLZeroReturnError):
            return BadAddress(
                f"{where} cannot be reached over TLS ({failure}); "
                "a server without a certificate has an address with http://"
            )
        case InvalidStatus() if _is_final(failure.response.status_code):
            return BadAddress(f"{where} answers {_status(failure)}; {_right_form(url)}")
        case OSError() | EOFError() | InvalidHandshake():
            return Disconnected(
                f"{where} cannot be reached ({printable(str(failure)) or type(failure).__name__}); "
                "is the server running there?"
            )
        case _:
            return BadAddress(f"{where} cannot be opened ({printable(str(failure))})")


def _is_final(status: int) -> bool:
    return 400 <= status < 500 and status not in _PASSING


def _status(failure: InvalidStatus) -> str:
    status = failure.response.status_code
    try:
        return f"{status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return str(status)


def _right_form(url: str) -> str:
    """The next step: the server's address without the page's path, if that may be what is wrong."""
    parts = urlsplit(shown_url(url))
    before, page, _ = parts.path.rpartition(_PAGE)
    if not parts.path.strip("/"):
        return "is that an Armspan server?"
    server = f"{parts.scheme}://{parts.netloc}{before if page else ''}"
    return f"write the server's address alone, like {server}"


def _is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
