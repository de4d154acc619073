"""Owns ``armspan serve``: starts a server, says where to open it, and ends it in order."""

import asyncio
import contextlib
import gc
import importlib.util
import logging
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import click
from armspan.server.commands import STARTED_S
from armspan.server.commands.announcing import announce_links, draw_code, what_works
from armspan.server.commands.demonstration import DEMO_SESSION, check_recordings, demonstrate
from armspan.server.commands.settings_options import (
    METHODS,
    check_session_name,
    fail,
    read_settings,
    settings_options,
)
from armspan.server.commands.warm import compiling_told
from armspan.server.links import leads_elsewhere
from armspan.server.serving import Running, serving
from armspan.server.settings import Settings, SettingsError
from armspan.server.warm import warm_up

_FILE = click.Path(path_type=Path)
_LEVELS = click.Choice(["debug", "info", "warning", "error"])

_QR_HELP = (
    "Draw the first link as a QR code.  [default: on a terminal, if other devices can open it]"
)


def _none_if_empty(_context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
    """A flag that was not given, so that the environment and the file decide."""
    return value or None


@click.command()
@settings_options
@click.option("--cert", "cert_file", type=_FILE, help="A certificate of your own, in PEM.")
@click.option("--key", "key_file", type=_FILE, help="Its key, not encrypted.")
@click.option("--tls-folder", type=_FILE, help="Where the server's own authority is kept.")
@click.option(
    "--https-name",
    "https_names",
    multiple=True,
    callback=_none_if_empty,
    help="A further name or address for the server's own certificate; may be given several times.",
)
@click.option(
    "--behind-proxy",
    is_flag=True,
    default=None,
    help="A proxy ends TLS in front: believe its X-Forwarded headers.",
)
@click.option("--rate", "rate_hz", type=float, help="Snapshots a second.  [default: 60]")
@click.option("--method", type=METHODS, help="How bodies are solved.  [default: robust]")
@click.option(
    "--session",
    "sessions",
    multiple=True,
    callback=check_session_name,
    help="Print the link to this session; may be given several times.",
)
@click.option(
    "--demo",
    type=click.IntRange(0, 64),
    default=0,
    metavar="N",
    help=f"Let N recorded people meet in session {DEMO_SESSION}.",
)
@click.option("--qr/--no-qr", default=None, help=_QR_HELP)
@click.option("--log-level", type=_LEVELS, default="warning", show_default=True)
def serve(
    config: Path | None,
    sessions: tuple[str, ...],
    demo: int,
    qr: bool | None,
    log_level: str,
    **flags: Any,
) -> None:
    """Run the server with its web client.

    Settings come from flags, then from the environment (ARMSPAN_PORT=8080), then from the file,
    then from the defaults. On any address but loopback every session needs its key, which is part
    of the link that --session prints.
    """
    settings, secret = read_settings(config, **flags)
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("armspan").setLevel(log_level.upper())  # numba's own log is not for people
    if demo and DEMO_SESSION not in sessions:
        sessions = (DEMO_SESSION, *sessions)

    def announce(running: Running) -> None:
        first = announce_links(settings, secret, running.port, sessions)
        for line in what_works(settings, running.identity, running.port):
            click.echo(line)
        if qr or (qr is None and sys.stdout.isatty() and leads_elsewhere(first)):
            draw_code(first)
        click.echo(f"Ready after {time.monotonic() - STARTED_S:.1f} s. Ctrl+C ends the server.")

    failed: Exception | None = None
    try:
        if demo:
            check_recordings()
        _run(_serve(settings, secret, demo, announce))
    except* SettingsError as broken:
        failed = broken.exceptions[0]
    if failed is not None:  # an exit from inside would be an exception group again
        fail(failed)


def _allow_many_sockets() -> None:
    """Every peer is an open file, and the usual limit is below what a large session needs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def _serve(
    settings: Settings, secret: str | None, demo: int, announce: Callable[[Running], None]
) -> None:
    """Serve until a signal comes."""
    asked_to_stop = asyncio.Event()
    _on_signals(os._exit, 0)
    _allow_many_sockets()
    # In a thread, so that signals are heard meanwhile. It cannot be asked to stop, but nothing is
    # open yet either: they just end the process.
    with compiling_told() as say_compiling:
        await asyncio.to_thread(warm_up, say_compiling)
    _on_signals(asked_to_stop.set)
    async with contextlib.AsyncExitStack() as owned:
        running = await owned.enter_async_context(serving(settings, secret))
        # What start-up made stays; a full collection would only walk through it, for many ticks.
        gc.collect()
        gc.freeze()
        try:
            announce(running)
        except OSError as broken:
            _let_go_of_output()
            raise SettingsError(
                f"Where to open the server cannot be printed ({broken.strerror}); "
                "check where its output goes."
            ) from None
        if demo:
            await owned.enter_async_context(demonstrate(demo, settings, secret, running))
        await asked_to_stop.wait()


def _on_signals(call: Callable[..., object], *arguments: object) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, call, *arguments)


def _run(main: Coroutine[Any, Any, None]) -> None:
    if importlib.util.find_spec("uvloop") is not None:
        import uvloop

        uvloop.run(main)
    else:
        asyncio.run(main)


def _let_go_of_output() -> None:
    """Keep the interpreter from failing once more when it flushes at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
