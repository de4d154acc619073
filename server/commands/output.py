"""Owns the writing of results: to standard output, and to files checked before the work."""

import contextlib
import errno
import os
import sys
from pathlib import Path
from typing import NoReturn

import click


def say(text: str) -> None:
    """Print ``text``; where nothing can be printed any more, end with one line that says so."""
    try:
        click.echo(text)
    except OSError as failure:
        if failure.errno == errno.EPIPE:  # whoever read has enough; click ends quietly
            raise
        with contextlib.suppress(OSError):  # what is still buffered would fail once more at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _unwritable("standard output", failure)


def check_writable(path: Path) -> None:
    """End with one line unless ``path`` can be written: told before the work, not after it."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        return  # a device or a pipe, which opening alone may change
    try:
        is_new = not path.exists()
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except OSError as failure:
        _unwritable(str(path), failure)


def write_text(path: Path, text: str) -> None:
    """Write a result; where that fails, end with one line that says so."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as failure:
        _unwritable(str(path), failure)


def _unwritable(what: str, failure: OSError) -> NoReturn:
    click.echo(f"armspan: {what}: cannot be written ({failure.strerror})", err=True)
    sys.exit(1)
