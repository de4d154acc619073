"""Owns the folder in which the authority and the server's certificate are kept.

Each of the two is one file that holds certificate and key, so no crash and no second server can
tear a pair apart: the authority's is made once and never replaced (the first of two servers wins),
the server's is replaced as a whole.
"""

import contextlib
import datetime
import logging
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from armspan.server.settings import SettingsError
from armspan.server.tls.authority import (
    RENEW_DAYS,
    Pair,
    certificate_pem,
    ends_within,
    make_authority,
    make_leaf,
    names_in,
    permitted,
)
from armspan.server.tls.names import Names
from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

AUTHORITY_FILE = "authority.pem"
SERVER_FILE = "server.pem"
CERTIFICATE_FILE = "ca.crt"
"""The authority's certificate alone: what devices install and ``--ca`` names."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kept:
    """What lies in the folder, sound and current."""

    authority: x509.Certificate
    server: x509.Certificate
    server_file: Path
    """Key, certificate and the authority's certificate: what a TLS context loads."""
    certificate_file: Path


def keep(folder: Path, host: str, found: Names, asked_for: Names, now: datetime.datetime) -> Kept:
    """The folder's certificates, made or renewed where they have to be.

    ``found`` are this machine's names, of which those are left out that the authority may not
    sign for; ``asked_for`` are the operator's, and must be possible.

    Raises:
        SettingsError: the folder cannot be used, holds something damaged, or its authority may
            not sign for a name that was asked for; one line.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        authority = _keep_authority(folder, host, found + asked_for, now)
        _refuse_beyond(folder, authority, asked_for)
        names = permitted(authority.certificate, found + asked_for)
        server = _keep_server(folder / SERVER_FILE, authority, names, now)
        _write_once(folder / CERTIFICATE_FILE, certificate_pem(authority.certificate))
    except OSError as broken:
        raise SettingsError(
            f"Certificates cannot be kept in {folder} ({broken.strerror}); "
            "choose another folder with tls_folder, or name your own with --cert and --key."
        ) from None
    return Kept(authority.certificate, server, folder / SERVER_FILE, folder / CERTIFICATE_FILE)


def _keep_authority(folder: Path, host: str, names: Names, now: datetime.datetime) -> Pair:
    file = folder / AUTHORITY_FILE
    if not file.exists():
        _create(file, make_authority(host, names, now).pem())
    kept = _read_authority(file)
    if ends_within(kept.certificate, RENEW_DAYS, now):
        _log.warning(
            "The authority in %s ends on %s and was made anew; devices have to trust the new one.",
            file,
            kept.certificate.not_valid_after_utc.date(),
        )
        _replace(file, make_authority(host, names, now).pem())
        kept = _read_authority(file)
    elif kept.certificate.not_valid_before_utc > now:
        _log.warning(
            "The authority in %s is valid from %s on only, and no device takes it before; check "
            "this machine's clock, or delete the file to make a new one.",
            file,
            kept.certificate.not_valid_before_utc.date(),
        )
    return kept


def _read_authority(file: Path) -> Pair:
    if file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        _log.warning("Others can read the authority's key in %s; chmod 600 it.", file)
    pair = _parse(file.read_bytes())
    if pair is None or not _may_sign(pair.certificate):
        raise SettingsError(
            f"{file} is damaged: it must hold an authority's key and its certificate; put the "
            "file back, or delete it to make a new authority, which devices have to trust anew."
        )
    return pair


def _keep_server(
    file: Path, authority: Pair, names: Names, now: datetime.datetime
) -> x509.Certificate:
    kept = _parse(file.read_bytes()) if file.exists() else None
    if kept is None or not _is_current(kept.certificate, authority, names, now):
        made = make_leaf(authority, names, now)
        _replace(file, made.pem() + certificate_pem(authority.certificate))
        return made.certificate
    return kept.certificate


def _is_current(
    server: x509.Certificate, authority: Pair, names: Names, now: datetime.datetime
) -> bool:
    try:
        server.verify_directly_issued_by(authority.certificate)
    except (ValueError, TypeError, InvalidSignature):
        return False
    begun = server.not_valid_before_utc <= now  # else it was made while a clock was ahead
    return begun and names_in(server).covers(names) and not ends_within(server, RENEW_DAYS, now)


def _parse(pem: bytes) -> Pair | None:
    """The key and the first certificate of a file, if they belong together."""
    try:
        key = serialization.load_pem_private_key(pem, None)
        certificate = x509.load_pem_x509_certificates(pem)[0]
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        return None
    return Pair(certificate, key) if certificate.public_key() == key.public_key() else None


def _may_sign(certificate: x509.Certificate) -> bool:
    try:
        held = certificate.extensions
        held.get_extension_for_class(x509.NameConstraints)
        return held.get_extension_for_class(x509.BasicConstraints).value.ca
    except (x509.ExtensionNotFound, ValueError):
        return False


def _refuse_beyond(folder: Path, authority: Pair, asked_for: Names) -> None:
    possible = permitted(authority.certificate, asked_for)
    beyond = [
        *(name for name in asked_for.dns if name not in possible.dns),
        *(str(address) for address in asked_for.addresses if address not in possible.addresses),
    ]
    if beyond:
        raise SettingsError(
            f"The authority in {folder} was made without {beyond[0]} and may not sign for it; "
            f"leave that name out, or delete {folder / AUTHORITY_FILE} to make a new authority, "
            "which devices have to trust anew."
        )


def _create(file: Path, content: bytes) -> None:
    """Write a file that is whole from the first moment on, unless there is one already."""
    written = _write_beside(file, content)
    try:
        with contextlib.suppress(FileExistsError):
            os.link(written, file)  # a link never replaces: both servers use the first one's
    finally:
        written.unlink()


def _replace(file: Path, content: bytes) -> None:
    written = _write_beside(file, content)
    try:
        written.replace(file)
    except OSError:
        written.unlink()
        raise


def _write_once(file: Path, content: bytes) -> None:
    if not file.exists() or file.read_bytes() != content:
        _replace(file, content)


def _write_beside(file: Path, content: bytes) -> Path:
    written = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())
    return written
