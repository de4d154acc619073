"""Owns ``armspan warm``: compiles every kernel, so that no start ever waits for it."""

import contextlib
import threading
import time
from collections.abc import Callable, Generator

import click
from armspan.server.warm import warm_up, watching_compilation

_SIGN_OF_LIFE_S = 20.0


@contextlib.contextmanager
def compiling_told(
    every_s: float = _SIGN_OF_LIFE_S, takes: str = "about a minute and a half"
) -> Generator[Callable[[], None]]:
    """What to call as compiling begins: says why a first start takes long, and that it goes on.

    All of it goes where it is no part of what a command prints. Nothing is said after the block.
    """
    begun, done = threading.Event(), threading.Event()

    def keep_telling(started_s: float) -> None:
        while not done.wait(every_s):
            click.echo(f"Still compiling ({time.monotonic() - started_s:.0f} s)…", err=True)

    def begin() -> None:
        if begun.is_set():
            return
        begun.set()
        click.echo(f"Compiling the solvers, once for this installation; {takes}…", err=True)
        threading.Thread(target=keep_telling, args=(time.monotonic(),), daemon=True).start()

    try:
        yield begin
    finally:
        done.set()


@click.command()
def warm() -> None:
    """Compile every kernel, of the server and of objects, and keep the machine code."""
    from armspan.server.objects.warming import load_objects

    started_s = time.monotonic()
    with compiling_told(takes="a few minutes") as say_compiling:
        warm_up(say_compiling)
        with watching_compilation(say_compiling):
            load_objects()
    click.echo(f"Everything is compiled ({time.monotonic() - started_s:.1f} s).")
