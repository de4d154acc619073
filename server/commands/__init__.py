"""Owns the command line ``armspan``; what a sub-command needs is imported when it is called."""

import importlib
import time
from typing import NamedTuple, cast

import click

STARTED_S = time.monotonic()
"""When this program started, but for the interpreter's own start."""


class _Command(NamedTuple):
    module: str
    attribute: str
    help: str


_HERE = "armspan.server.commands"
_COMMANDS = {
    "serve": _Command(f"{_HERE}.serve", "serve", "Run the server with its web client."),
    "link": _Command(f"{_HERE}.link", "link", "Print the link that opens a session."),
    "bots": _Command(f"{_HERE}.bots", "bots", "Let people who are programs join a session."),
    "solve": _Command(f"{_HERE}.solve", "solve", "Solve a recorded stream without a server."),
    "bench": _Command(f"{_HERE}.bench_ik", "bench", "Run the experiments on the solvers."),
    "warm": _Command(f"{_HERE}.warm", "warm", "Compile everything ahead of the first start."),
}


class _LazyGroup(click.Group):
    """A group whose ``--help`` imports none of its commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        known = _COMMANDS.get(cmd_name)
        if known is None:
            return None
        return cast(click.Command, getattr(importlib.import_module(known.module), known.attribute))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help) for name, command in _COMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="armspan")
def main() -> None:
    """Real-time avatars: head and hands in, whole upper bodies out, to everyone in a session."""
