"""Owns the certificates themselves: an authority of one's own, and what it signs. Pure.

The authority may only sign for this network: its name constraints (RFC 5280, 4.2.1.10) hold the
private ranges of addresses and this machine's own names, so a device that trusts it trusts it for
nothing on the internet, even if its key were stolen.
"""

import datetime
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from armspan.server.tls.names import Address, Names
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AUTHORITY_DAYS = 3650
LEAF_DAYS = 396  # with the day before: Apple's devices take 397 at most
RENEW_DAYS = 30
_CLOCKS_APART = datetime.timedelta(days=1)
_COMMON_NAME_CHARACTERS = 64

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_NETWORKS: tuple[Network, ...] = (
    *(
        ipaddress.IPv4Network(private)
        for private in (
            "127.0.0.0/8",
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "169.254.0.0/16",
            "100.64.0.0/10",  # of carriers, and of overlay networks between machines
        )
    ),
    *(ipaddress.IPv6Network(private) for private in ("::1/128", "fc00::/7", "fe80::/10")),
)
_DOMAINS = ("localhost", "local")


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its private key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    def pem(self) -> bytes:
        """Both, the key first; for nobody else's eyes."""
        return self.key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ) + certificate_pem(self.certificate)


def certificate_pem(certificate: x509.Certificate) -> bytes:
    """The certificate alone: nothing of it is secret."""
    return certificate.public_bytes(serialization.Encoding.PEM)


def fingerprint(certificate: x509.Certificate) -> str:
    """SHA-256 of a certificate as people compare it: AB:CD:…"""
    return certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def common_name(certificate: x509.Certificate) -> str:
    """What a certificate calls itself."""
    held = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(held[0].value) if held else ""


def make_authority(host: str, names: Names, now: datetime.datetime) -> Pair:
    """An authority that may sign for the networks at home, for this host and for these names."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _subject(f"Armspan on {host}")
    builder = (
        _beginning(subject, subject, key, now, AUTHORITY_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.NameConstraints(_permitted(names), None), critical=True)
    )
    return Pair(builder.sign(key, hashes.SHA256()), key)


def make_leaf(authority: Pair, names: Names, now: datetime.datetime) -> Pair:
    """A server's certificate for these names, signed by the authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    issuer = authority.certificate
    alternatives = [
        *(x509.DNSName(name) for name in names.dns),
        *(x509.IPAddress(address) for address in names.addresses),
    ]
    builder = (
        _beginning(_subject("Armspan server"), issuer.subject, key, now, LEAF_DAYS, issuer)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()),
            critical=False,
        )
    )
    return Pair(builder.sign(authority.key, hashes.SHA256()), key)


def names_in(certificate: x509.Certificate) -> Names:
    """What a certificate is for."""
    try:
        held = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return Names()
    addresses = held.get_values_for_type(x509.IPAddress)
    return Names(
        tuple(name.lower() for name in held.get_values_for_type(x509.DNSName)),
        tuple(a for a in addresses if isinstance(a, Address)),
    )


def permitted(authority: x509.Certificate, names: Names) -> Names:
    """Those of the names that the authority may sign for."""
    held = authority.extensions.get_extension_for_class(x509.NameConstraints).value
    allowed = held.permitted_subtrees or []
    domains = [name.value for name in allowed if isinstance(name, x509.DNSName)]
    networks = [
        name.value
        for name in allowed
        if isinstance(name, x509.IPAddress) and isinstance(name.value, Network)
    ]
    return Names(
        tuple(n for n in names.dns if any(n == d or n.endswith(f".{d}") for d in domains)),
        tuple(a for a in names.addresses if _is_inside(a, networks)),
    )


def ends_within(certificate: x509.Certificate, days: float, now: datetime.datetime) -> bool:
    """Whether a certificate is over then."""
    return certificate.not_valid_after_utc - now < datetime.timedelta(days=days)


def _is_inside(address: Address, networks: Iterable[Network]) -> bool:
    return any(address in network for network in networks)


def _permitted(names: Names) -> list[x509.GeneralName]:
    """The networks at home and these names, none twice."""
    others = [n for n in names.dns if n not in _DOMAINS and not n.endswith(".local")]
    outside = [a for a in names.addresses if not _is_inside(a, _NETWORKS)]
    networks = (*_NETWORKS, *(ipaddress.ip_network(address) for address in outside))
    return [
        *(x509.DNSName(name) for name in (*_DOMAINS, *others)),
        *(x509.IPAddress(network) for network in networks),
    ]


def _subject(name: str) -> x509.Name:
    return x509.Name(
        [x509.NameAttribute(NameOID.COMMON_NAME, name[:_COMMON_NAME_CHARACTERS])],
    )


def _beginning(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    now: datetime.datetime,
    days: int,
    signed_by: x509.Certificate | None = None,
) -> x509.CertificateBuilder:
    end = now + datetime.timedelta(days=days)
    if signed_by is not None:
        end = min(end, signed_by.not_valid_after_utc)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCKS_APART)
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
