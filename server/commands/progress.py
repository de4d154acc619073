"""Owns how long work is shown: a bar for whoever sits at a terminal, nothing in a pipe."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

import click
from armspan.server.commands.warm import compiling_told
from armspan.server.warm import watching_compilation

Progress = Callable[[float, str], None]

_STEPS = 1000
_EVERY_S = 0.05  # a bar drawn more often only costs time


@contextmanager
def progress_shown(takes_to_compile: str) -> Generator[Progress]:
    """What to call with a share done (0 to 1) and a few words, as often as one likes.

    If something must be compiled meanwhile, that is said, too: it is what makes a first call long.
    Both go to standard error.
    """
    with compiling_told(takes=takes_to_compile) as begin, watching_compilation(begin):
        if not sys.stderr.isatty():
            yield _silent
            return
        with click.progressbar(
            length=_STEPS, file=sys.stderr, show_eta=False, width=30, item_show_func=_words
        ) as bar:
            drawn_s = 0.0

            def show(share: float, words: str) -> None:
                nonlocal drawn_s
                now_s = time.monotonic()
                if now_s - drawn_s < _EVERY_S and share < 1.0:
                    return
                drawn_s = now_s
                step = min(max(round(_STEPS * share), bar.pos), _STEPS)
                bar.current_item = words if step < _STEPS else ""
                bar.update(step - bar.pos)
                bar.render_progress()  # the words may be new where the share is not

            yield show


def part_of(progress: Progress, low: float, high: float) -> Progress:
    """The progress of a part of the work, which takes the share from low to high."""
    return lambda share, words: progress(low + share * (high - low), words)


def _words(words: str | None) -> str:
    return words or ""


def _silent(_share: float, _words: str) -> None:
    pass
