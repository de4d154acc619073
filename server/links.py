"""Owns the links that people open: the address of this server, the session, and its key."""

import fcntl
import shlex
import socket
import struct
from urllib.parse import urlsplit

from armspan.server.sessions import session_key
from armspan.server.settings import Settings, is_loopback

_SIOCGIFADDR = 0x8915
EVERY_ADDRESS = ("0.0.0.0", "::", "")  # noqa: S104 - compared with, not listened on
_FLAGS = {
    "host": "--host",
    "port": "--port",
    "secret_file": "--secret-file",
    "require_key": "--require-key",
    "public_url": "--public-url",
    "https": "--https",
}
"""Of ``armspan link``: what a link is made of."""


def base_url(settings: Settings, port: int) -> str:
    """What all links of this server begin with."""
    if settings.public_url is not None:
        return settings.public_url.rstrip("/")
    host = settings.host
    if host in EVERY_ADDRESS:
        host = _address_of_this_machine() or socket.gethostname()
    scheme = "https" if settings.encrypted else "http"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def session_url(settings: Settings, secret: str | None, port: int, session: str) -> str:
    """The link to a session; the key is in its fragment, which browsers send to nobody."""
    url = f"{base_url(settings, port)}/s/{session}"
    if settings.keys_required and secret is not None:
        return f"{url}#key={session_key(secret, session)}"
    return url


def leads_elsewhere(url: str) -> bool:
    """Whether other machines, such as a phone, can open a link."""
    return not is_loopback(urlsplit(url).hostname or "")


def link_command(settings: Settings, port: int) -> str:
    """The command that prints the link to any session of the server with these settings."""
    named = {
        **settings.model_dump(include=set(_FLAGS)),
        "port": port,
        "require_key": settings.require_key or settings.behind_proxy,
        "https": settings.encrypted,
    }
    words = ["armspan", "link", "NAME"]
    for name, flag in _FLAGS.items():
        value = named[name]
        if value is True:
            words.append(flag)
        elif value != Settings.model_fields[name].default:
            words += (flag, str(value))
    return shlex.join(words)


def _address_of_this_machine() -> str | None:
    """The first IPv4 address that others can reach, asked of the kernel; None if there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _index, name in socket.if_nameindex():
            request = struct.pack("256s", name.encode()[:15])
            try:
                answer = fcntl.ioctl(asking.fileno(), _SIOCGIFADDR, request)
            except OSError:  # an interface without an address
                continue
            address = socket.inet_ntoa(answer[20:24])
            if not address.startswith("127."):
                return address
    return None
