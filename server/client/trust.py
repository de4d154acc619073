"""Owns whom a program trusts behind https:// and wss://: an authority's file, or a fingerprint.

A fingerprint pins either the server's certificate itself or the authority that the server offers at
/ca.crt; nothing of a session, no name and no key, is sent before it was found to be right.
"""

import hashlib
import http.client
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from armspan.server.client.addresses import shown_url
from armspan.server.client.errors import BadAddress, ClientError, Disconnected, Untrusted

CA_VARIABLE = "ARMSPAN_CA"
FINGERPRINT_VARIABLE = "ARMSPAN_FINGERPRINT"
_CA_PATH = "/ca.crt"
_CA_BYTES = 65_536
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}")
_ENCRYPTED = ("https", "wss")


class BadTrust(ClientError):  # noqa: N818 - it is the file or the fingerprint that is bad
    """The authority's file, or the fingerprint, cannot be used."""


@dataclass(frozen=True, slots=True)
class Trust:
    """Certificates that a server may be vouched for by; small, and made of text, to be sent on."""

    pem: str
    names_matter: bool = True
    """False where the server's very certificate is known: then its names say nothing more."""

    def context(self) -> ssl.SSLContext:
        """What a connection is opened with."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cadata=self.pem)
        if not self.names_matter:
            context.check_hostname = False
            context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # it need not be an authority
        return context


def find_trust(
    url: str, ca: Path | None, fingerprint: str | None, environment: Mapping[str, str]
) -> Trust | None:
    """Whom to trust at ``url``: what is given, else what the environment names, else None.

    None leaves it to the system's authorities. A fingerprint is looked up at the server.
    Raises BadTrust, BadAddress, Disconnected or Untrusted.
    """
    if ca is None and fingerprint is None:
        named = environment.get(CA_VARIABLE)
        ca = Path(named) if named else None
        fingerprint = environment.get(FINGERPRINT_VARIABLE) or None
        if urlsplit(url).scheme not in _ENCRYPTED:  # meant for other servers
            return None
    if ca is None and fingerprint is None:
        return None
    if urlsplit(url).scheme not in _ENCRYPTED:
        raise BadTrust(
            f"{shown_url(url)} is not encrypted, so there is no certificate to check; write https://"
        )
    return read_authority(ca) if ca is not None else fetch_pinned(url, fingerprint or "")


def read_authority(file: Path) -> Trust:
    """Trust what this file of certificates in PEM vouches for. Raises BadTrust."""
    try:
        trust = Trust(file.read_text(encoding="ascii"))
        trust.context()
    except OSError as broken:
        if isinstance(broken, ssl.SSLError):
            raise _no_certificate(file) from None
        raise BadTrust(
            f"The authority's file {file} cannot be read ({broken.strerror}); name the file that "
            f"the server offers at {_CA_PATH}"
        ) from None
    except ValueError:
        raise _no_certificate(file) from None
    return trust


def fetch_pinned(url: str, fingerprint: str, timeout_s: float = 5.0) -> Trust:
    """Ask the server at ``url`` for its certificates; trust the one of this SHA-256 fingerprint.

    Raises BadTrust for what is no fingerprint, Untrusted if the server has none such.
    """
    if not _HEX.fullmatch(fingerprint):
        raise BadTrust(
            f"{fingerprint!r} is no SHA-256 fingerprint; it has 64 hexadecimal digits, as the "
            "server prints them when it starts"
        )
    wanted = bytes.fromhex(fingerprint.replace(":", ""))
    leaf, offered = _certificates_of(url, timeout_s)
    if hashlib.sha256(leaf).digest() == wanted:
        return Trust(ssl.DER_cert_to_PEM_cert(leaf), names_matter=False)
    if offered is not None and hashlib.sha256(offered).digest() == wanted:
        return Trust(ssl.DER_cert_to_PEM_cert(offered))
    shown = hashlib.sha256(offered or leaf).hexdigest().upper()
    raise Untrusted(
        f"{shown_url(url)} has another fingerprint ({shown[:16]}…) than the one given; compare "
        "with what the server printed when it started, and do not go on if it differs"
    )


def _certificates_of(url: str, timeout_s: float) -> tuple[bytes, bytes | None]:
    """The server's certificate and the authority that it offers, both in DER; nobody vouches."""
    parts = urlsplit(url)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # they are only compared with what is known of them
    asking = http.client.HTTPSConnection(
        parts.hostname or "", parts.port, timeout=timeout_s, context=context
    )
    try:
        asking.connect()
        leaf = asking.sock.getpeercert(binary_form=True) or b""
        asking.request("GET", _CA_PATH)
        answer = asking.getresponse()
        offered = _der(answer.read(_CA_BYTES)) if answer.status == http.client.OK else None
    except ssl.SSLError as broken:
        raise BadAddress(f"{shown_url(url)} cannot be reached over TLS ({broken})") from broken
    except (OSError, http.client.HTTPException) as broken:
        raise Disconnected(
            f"{shown_url(url)} cannot be reached ({broken}); is the server running there?"
        ) from broken
    finally:
        asking.close()
    return leaf, offered


def _der(pem: bytes) -> bytes | None:
    try:
        return ssl.PEM_cert_to_DER_cert(pem.decode("ascii"))
    except ValueError:  # binascii's error is one
        return None


def _no_certificate(file: Path) -> BadTrust:
    return BadTrust(
        f"The authority's file {file} holds no certificate in PEM; name the file that the server "
        f"offers at {_CA_PATH}"
    )
