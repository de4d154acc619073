"""Owns the command line ``armspan``; what a sub-command needs is imported when it is called."""

import importlib
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import IO, Any, NamedTuple, cast

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
    "calibrate": _Command(
        f"{_HERE}.calibrate", "calibrate", "Find a person's lengths from head and hands."
    ),
    "plumb": _Command(f"{_HERE}.plumb", "plumb", "Find the tubular parts of a mesh."),
    "grasp": _Command(f"{_HERE}.grasp", "grasp", "Search the posture that grasps an object."),
    "bench": _Command(f"{_HERE}.bench_ik", "bench", "Run the experiments on the solvers."),
    "fit": _Command(f"{_HERE}.fit", "fit", "Fit models to recorded people."),
    "warm": _Command(f"{_HERE}.warm", "warm", "Compile everything ahead of the first start."),
}


class _BadUse(click.UsageError):
    """A usage error that says itself in one line."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the line: what is wrong, and where the right use stands."""
        path = self.ctx.command_path if self.ctx else "armspan"
        what = " ".join(self.format_message().split()).rstrip(".")
        click.echo(f"armspan: {what}; `{path} --help` says what can be.", file=file, err=True)


@contextmanager
def _in_one_line() -> Generator[None]:
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as wrong:
        raise _BadUse(wrong.format_message(), wrong.ctx) from None


class _LazyGroup(click.Group):
    """A group whose ``--help`` imports none of its commands, and whose errors are one line."""

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        with _in_one_line():
            return super().make_context(*arguments, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        with _in_one_line():
            return super().invoke(ctx)

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
