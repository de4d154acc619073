"""Owns what the server shows of itself over TLS, and keeps it current while the server runs."""

import asyncio
import datetime
import logging
import ssl
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from armspan.server.links import EVERY_ADDRESS
from armspan.server.secret import default_state_folder
from armspan.server.settings import Settings, SettingsError
from armspan.server.tls.authority import certificate_pem, common_name, fingerprint
from armspan.server.tls.keeping import Kept, keep
from armspan.server.tls.names import Names, host_name, names_of_this_machine
from armspan.server.tls.own import check_own
from cryptography import x509

LOOK_EVERY_S = 60.0
"""Addresses change when a machine moves to another network; certificates are renewed in place."""

Now = Callable[[], datetime.datetime]

_log = logging.getLogger(__name__)


def utc_now() -> datetime.datetime:
    """The time by which certificates are judged."""
    return datetime.datetime.now(datetime.UTC)


class Identity:
    """A certificate in use. New connections see a renewed one; those that are open stay."""

    def __init__(self, settings: Settings, now: Now = utc_now) -> None:
        """Read, or make, what the settings ask for.

        Raises:
            SettingsError: it cannot be used; one line.
        """
        self._settings = settings
        self._now = now
        self.kept: Kept | None = None
        """The folder of one's own authority; None where the operator brought a certificate."""
        self.certificate, files = self._find()
        self.context = _context(*files)

    @property
    def authority(self) -> x509.Certificate | None:
        """What a device has to trust; None if whoever signed is known to it already."""
        return None if self.kept is None else self.kept.authority

    @property
    def authority_name(self) -> str:
        """What devices list the authority as."""
        return "" if self.kept is None else common_name(self.kept.authority)

    @property
    def authority_pem(self) -> bytes | None:
        """The same as a file for devices: only the certificate, never a key."""
        return None if self.kept is None else certificate_pem(self.kept.authority)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the authority's certificate, or of an operator's own one: AB:CD:…"""
        return fingerprint(self.certificate if self.kept is None else self.kept.authority)

    async def look_after(self) -> None:
        """Renew what nears its end or no longer fits, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            await self.refresh()

    async def refresh(self) -> None:
        """Look once. What cannot be renewed is told, and the present certificate stays in use."""
        try:
            certificate, files = await asyncio.to_thread(self._find)
            if certificate != self.certificate:
                _load(self.context, *files)
                self.certificate = certificate
                _log.info("The server's certificate was renewed.")
        except SettingsError as broken:
            _log.warning("The server's certificate stays as it is: %s", broken)

    def _find(self) -> tuple[x509.Certificate, tuple[Path, Path | None]]:
        settings = self._settings
        if settings.cert_file is not None and settings.key_file is not None:
            certificate = check_own(settings.cert_file, settings.key_file, self._now())
            return certificate, (settings.cert_file, settings.key_file)
        folder = settings.tls_folder or default_state_folder() / "tls"
        names = names_of_this_machine()
        self.kept = keep(folder, host_name(), names, _asked_for(settings), self._now())
        return self.kept.server, (self.kept.server_file, None)


def _asked_for(settings: Settings) -> Names:
    """The names that the operator gave: https_names, and of what links and listening name.

    Raises:
        SettingsError: one of them is no name; one line.
    """
    words = list(settings.https_names)
    public = urlsplit(settings.public_url or "").hostname
    if public:
        words.append(public)
    if settings.host not in EVERY_ADDRESS:
        words.append(settings.host)
    try:
        return Names.of(words)
    except ValueError as wrong:
        raise SettingsError(
            f"There can be no certificate for what https_names, public_url or host name: {wrong}."
        ) from None


def _context(cert_file: Path, key_file: Path | None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    _load(context, cert_file, key_file)
    return context


def _load(context: ssl.SSLContext, cert_file: Path, key_file: Path | None) -> None:
    try:
        context.load_cert_chain(cert_file, key_file, _no_password)
    except (OSError, ssl.SSLError) as broken:
        raise SettingsError(
            f"The certificate {cert_file} cannot be used ({broken.strerror or broken}); "
            "check that the file holds the server's certificate, then those of its authorities."
        ) from None


def _no_password() -> str:
    """Without this a library would ask on the terminal."""
    return ""
