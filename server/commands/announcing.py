"""Owns what a started server says: where to open it, and what will work there."""

from collections.abc import Iterator

import click
from armspan.server.links import base_url, leads_elsewhere, link_command, session_url
from armspan.server.settings import Settings
from armspan.server.tls import Identity


def announce_links(
    settings: Settings, secret: str | None, port: int, sessions: tuple[str, ...]
) -> str:
    """Say where to open the server; the first link of those."""
    links = {f"Session {name}": session_url(settings, secret, port, name) for name in sessions}
    if not links or not settings.keys_required:
        links["Start page"] = f"{base_url(settings, port)}/"
    for label, url in links.items():
        click.echo(f"{label}: {url}")
    if settings.keys_required and not sessions:
        click.echo("Every session needs its key. This prints a link that has it:")
        click.echo(f"  {link_command(settings, port)}")
    return next(iter(links.values()))


def what_works(settings: Settings, identity: Identity | None, port: int) -> Iterator[str]:
    """Lines that say which devices can do what at the printed address."""
    base = base_url(settings, port)
    if settings.public_url is not None and not settings.encrypted:
        yield from _through_proxy(base)
    elif identity is None and settings.on_loopback:
        yield "Works on this machine alone, emulated headsets included. A headset on a cable comes"
        yield f"in with: adb reverse tcp:{port} tcp:{port} (then http://localhost:{port} in it)."
        yield "For other devices start it with --host 0.0.0.0 --https."
    elif identity is None:
        yield "Other devices can watch and take part as on a desktop. Without encryption browsers"
        yield "give them no headset and no microphone: start it with --https for those."
    else:
        yield from _encrypted(identity, base)


def _through_proxy(base: str) -> Iterator[str]:
    if base.startswith("https:") or not leads_elsewhere(base):
        yield "Headsets and microphones work as well, wherever the proxy in front is reached."
    else:
        yield "Other devices can watch and take part as on a desktop. For headsets and microphones"
        yield "the proxy has to be reached by https://, and public_url to say so."


def _encrypted(identity: Identity, base: str) -> Iterator[str]:
    if not leads_elsewhere(base):
        yield "Reached from this machine alone; --host 0.0.0.0 opens it to other devices."
    if identity.authority is None:
        yield "Headsets and microphones work as well, on devices that know who signed the"
        yield "certificate. Its fingerprint (SHA-256):"
        yield f"  {identity.fingerprint}"
        return
    yield "Headsets and microphones work as well, once a device goes past the browser's warning or"
    yield f"trusts {base}/ca.crt (how: {base}/trust). Its fingerprint (SHA-256):"
    yield f"  {identity.fingerprint}"


def draw_code(url: str) -> None:
    """A QR code on the terminal."""
    import segno

    segno.make(url, micro=False).terminal(compact=True)
