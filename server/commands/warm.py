"""Owns ``armspan warm``: compiles every kernel, so that no start ever waits for it."""

import time

import click
from armspan.server.warm import warm_up


def say_compiling() -> None:
    """Say why a first start takes long, where it is no part of what the command prints."""
    click.echo("Compiling the solvers, once for this machine; about a minute and a half…", err=True)


@click.command()
def warm() -> None:
    """Compile every kernel that the server uses, and keep the machine code for later starts."""
    started_s = time.monotonic()
    warm_up(say_compiling)
    click.echo(f"Everything is compiled ({time.monotonic() - started_s:.1f} s).")
