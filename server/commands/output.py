"""Owns the writing of results: to standard output, and to files checked before the work."""

import contextlib
import errno
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import click
from armspan.server.objects.opening import open_at_once


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


def check_outputs(outputs: Iterable[Path | None], sources: Iterable[Path | None] = ()) -> None:
    """End with one line unless each output can be written, over no source and no other output."""
    taken = [(source, "what is read") for source in sources if source is not None]
    for path in outputs:
        if path is None:
            continue
        for other, what in taken:
            if _is_same_file(path, other):
                click.echo(f"armspan: {path}: is {what}, too; write to another file", err=True)
                sys.exit(1)
        check_writable(path)
        taken.append((path, "what something else is written to"))


def json_path(told: str | None) -> Path | None:
    """The file that a ``--json`` option names, if it names one."""
    return None if told in (None, "-") else Path(str(told))


def check_writable(path: Path) -> None:
    """End with one line unless ``path`` can be written: told before the work, not after it."""
    path = Path(os.path.realpath(path))  # of a link that leads nowhere yet, its target
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            return  # a device or a pipe, which opening alone may change
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
        with open(path, "w", encoding="utf-8", opener=open_at_once) as file:
            file.write(text)
    except OSError as failure:
        _unwritable(str(path), failure)


def _is_same_file(one: Path, other: Path) -> bool:
    """Whether both lead to one file that can be overwritten."""
    try:
        if one.exists() and other.exists():
            return one.samefile(other) and one.is_file()
        return os.path.realpath(one) == os.path.realpath(other)
    except OSError:
        return False  # whoever opens it will say


def _unwritable(what: str, failure: OSError) -> NoReturn:
    click.echo(f"armspan: {what}: cannot be written ({failure.strerror})", err=True)
    sys.exit(1)
