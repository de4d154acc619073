"""Owns the check of a certificate and key that an operator brings."""

import datetime
from pathlib import Path

from armspan.server.settings import SettingsError
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization


def check_own(cert_file: Path, key_file: Path, now: datetime.datetime) -> x509.Certificate:
    """The certificate of a server, after making sure that the two files can be used together.

    Raises:
        SettingsError: a file cannot be read or is no PEM, the key is encrypted or another's, or
            the certificate is not valid now; one line.
    """
    certificate = _certificate(cert_file)
    key = _key(key_file)
    if certificate.public_key() != key:
        raise SettingsError(
            f"The key in {key_file} is not the one of the certificate in {cert_file}; "
            "name the pair that was made together. The server's own certificate has to come "
            "first in its file, before those of its authorities."
        )
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now > end:
        raise SettingsError(
            f"The certificate in {cert_file} ended on {end:%Y-%m-%d}; renew it and start again."
        )
    if now < begin:
        raise SettingsError(
            f"The certificate in {cert_file} is valid from {begin:%Y-%m-%d %H:%M} UTC on; "
            "check this machine's clock, or wait until then."
        )
    return certificate


def _certificate(file: Path) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificates(_read(file, "certificate", "--cert"))[0]
    except ValueError:
        raise SettingsError(
            f"{file} holds no certificate in PEM; it has to begin with "
            "-----BEGIN CERTIFICATE-----. Turn DER into it with: "
            f"openssl x509 -inform der -in {file} -out cert.pem"
        ) from None


def _key(file: Path) -> object:
    """The public half of a private key."""
    try:
        return serialization.load_pem_private_key(_read(file, "key", "--key"), None).public_key()
    except TypeError:  # of cryptography: a password is missing
        raise SettingsError(
            f"The key in {file} is encrypted, and a server that starts alone has nobody to ask for "
            f"the password; write it without one: openssl pkey -in {file} -out key.pem"
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        raise SettingsError(
            f"{file} holds no private key in PEM; it has to begin with "
            "-----BEGIN PRIVATE KEY----- (or EC or RSA PRIVATE KEY)."
        ) from None


def _read(file: Path, what: str, flag: str) -> bytes:
    try:
        return file.read_bytes()
    except OSError as broken:
        raise SettingsError(
            f"The {what} {file} cannot be read ({broken.strerror}); check {flag}, and that this "
            "user may read the file."
        ) from None
