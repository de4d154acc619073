"""Owns ``armspan link``: the link to a session of a server that runs with the same settings."""

from pathlib import Path
from typing import Any

import click
from armspan.server.commands.settings_options import (
    check_session_name,
    fail,
    read_settings,
    settings_options,
)
from armspan.server.links import session_url
from armspan.server.settings import SettingsError


@click.command()
@click.argument("session", callback=check_session_name)
@settings_options
def link(session: str, config: Path | None, **flags: Any) -> None:
    """Print the link that opens SESSION, with its key where the server asks for keys."""
    settings, secret = read_settings(config, **flags)
    if settings.port == 0 and settings.public_url is None:
        fail(
            SettingsError(
                "Port 0 lets the server pick one, and a link has to name it; "
                "give --port the number that the server printed."
            )
        )
    click.echo(session_url(settings, secret, settings.port, session))
