"""Owns under which names and addresses others reach this machine."""

import array
import fcntl
import ipaddress
import re
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_SIOCGIFCONF = 0x8912
_REQUEST_BYTES = 40  # struct ifreq on 64-bit Linux: 16 bytes of name, then a sockaddr_in
_MOST = 128
_IF_INET6 = Path("/proc/net/if_inet6")
_DNS_NAME = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9_-]{1,63}(?<!-))*")
_DNS_NAME_CHARACTERS = 253


@dataclass(frozen=True, slots=True)
class Names:
    """What a certificate is for: DNS names in lower case, and addresses."""

    dns: tuple[str, ...] = ()
    addresses: tuple[Address, ...] = ()

    @classmethod
    def of(cls, words: Iterable[str]) -> "Names":
        """Sort words into names and addresses, each once.

        Raises:
            ValueError: one of them is neither.
        """
        dns: dict[str, None] = {}
        addresses: dict[Address, None] = {}
        for word in words:
            address = _address(word)
            if address is not None:
                addresses[address] = None
            elif len(word) <= _DNS_NAME_CHARACTERS and _DNS_NAME.fullmatch(word):
                dns[word.lower()] = None
            else:
                raise ValueError(
                    f"{word!r} is neither a host's name nor an address; "
                    "write it like avatars.example or 192.168.1.5"
                )
        return cls(tuple(dns), tuple(addresses))

    def __add__(self, other: "Names") -> "Names":
        """Both, each once, these first."""
        return Names(
            tuple(dict.fromkeys(self.dns + other.dns)),
            tuple(dict.fromkeys(self.addresses + other.addresses)),
        )

    def covers(self, other: "Names") -> bool:
        """Whether every one of the others is among these."""
        return set(other.dns) <= set(self.dns) and set(other.addresses) <= set(self.addresses)


def names_of_this_machine() -> Names:
    """Loopback, the host's name, that name on the local network, and all addresses."""
    host = host_name()
    words = ["localhost", "127.0.0.1", "::1"]
    if _DNS_NAME.fullmatch(host):
        words += [host, f"{host.partition('.')[0]}.local"]
    addresses = (*_ipv4_addresses(), *_ipv6_addresses())
    return Names.of(words) + Names(addresses=tuple(a for a in addresses if not a.is_loopback))


def host_name() -> str:
    """What this machine calls itself; never empty."""
    return socket.gethostname() or "localhost"


def _address(word: str) -> Address | None:
    try:
        return ipaddress.ip_address(word.strip("[]"))
    except ValueError:
        return None


def _ipv4_addresses() -> list[ipaddress.IPv4Address]:
    """Of all interfaces that are up, asked of the kernel."""
    room = array.array("B", bytes(_MOST * _REQUEST_BYTES))
    asked = struct.pack("iL", len(room), room.buffer_info()[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            answer = fcntl.ioctl(asking.fileno(), _SIOCGIFCONF, asked)
        except OSError:
            return []
    used_bytes = struct.unpack("iL", answer)[0]
    return [
        ipaddress.IPv4Address(bytes(room[start + 20 : start + 24]))
        for start in range(0, used_bytes, _REQUEST_BYTES)
    ]


def _ipv6_addresses() -> list[ipaddress.IPv6Address]:
    """Of all interfaces; those that need an interface's name to be reached are left out."""
    try:
        lines = _IF_INET6.read_text(encoding="ascii").splitlines()
    except OSError:  # no IPv6 here
        return []
    found = [ipaddress.IPv6Address(bytes.fromhex(line[:32])) for line in lines]
    return [address for address in found if not address.is_link_local]
