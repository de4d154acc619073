"""Owns the flags that ``serve`` and ``link`` share, and turns them into settings."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
from armspan.protocol import caps
from armspan.server.secret import find_secret
from armspan.server.settings import Settings, SettingsError, load_settings
from armspan.solvers import Method

_Command = TypeVar("_Command", bound=Callable[..., Any])

# A flag that is not given is None, and then the environment and the file decide.
_OPTIONS = (
    click.option("--host", help="Address to listen on.  [default: 127.0.0.1]"),
    click.option("--port", type=int, help="Port; 0 picks a free one.  [default: 8080]"),
    click.option(
        "--config", type=click.Path(path_type=Path), help="Settings in a TOML file, by name."
    ),
    click.option(
        "--secret-file",
        type=click.Path(path_type=Path),
        help="Where the secret is that sessions' keys are made from.",
    ),
    click.option(
        "--require-key", is_flag=True, default=None, help="Ask for keys on loopback, too."
    ),
    click.option("--public-url", help="What links begin with, where a proxy stands in front."),
    click.option(
        "--https",
        is_flag=True,
        default=None,
        help="Speak TLS, with an authority of the server's own unless --cert names one.",
    ),
)


def settings_options(command: _Command) -> _Command:
    """Add the shared flags to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_settings(config: Path | None, **flags: Any) -> tuple[Settings, str | None]:
    """The settings, and the secret where keys are needed; a bad one ends the program as bad use."""
    try:
        settings = load_settings(flags, config)
        return settings, find_secret(settings) if settings.keys_required else None
    except SettingsError as broken:
        fail(broken, 2)


def fail(error: Exception, status: int = 1) -> NoReturn:
    """One line on standard error, and an exit status: 1 for what failed, 2 for bad use."""
    click.echo(f"armspan: {error}", err=True)
    sys.exit(status)


METHODS = click.Choice([method.name.lower() for method in Method])


def check_session_name(_context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
    """Refuse what can be no session's name, as bad use."""
    for name in (value,) if isinstance(value, str) else value:
        if not re.fullmatch(caps.SESSION_NAME_PATTERN, name):
            raise click.BadParameter(
                f"{name!r} can be no session's name; use up to 64 letters, digits, _ and -, "
                "beginning with a letter or digit."
            )
    return value
