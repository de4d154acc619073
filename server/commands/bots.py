"""Owns ``armspan bots``: the command's options, its progress on a terminal, and its report."""

import json
import math
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click
from armspan.server.bots import (
    CrowdError,
    NobodyJoined,
    Plan,
    Progress,
    Run,
    lines,
    report,
    run_crowd,
)
from armspan.server.client import (
    BadAddress,
    ClientError,
    find_trust,
    read_key,
    shown_url,
    socket_address,
)
from armspan.server.commands.output import check_writable, say
from armspan.server.traces import RecordingError

PROGRESS_EVERY_S = 0.5
LONGEST_S = 31_536_000  # a year; without --seconds there is no end
_FILE = click.Path(path_type=Path, dir_okay=False)


class _Number(click.FloatRange):
    """A number in a range; what is no number is in none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


@click.command()
@click.option("--url", required=True, help="The server's address, like http://127.0.0.1:8080.")
@click.option("--session", required=True, help="The session to join.")
@click.option("--count", type=click.IntRange(1, 1000), required=True, help="How many people.")
@click.option("--poses", type=click.IntRange(2, 100_000), default=1000, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--rate", "rate_hz", type=_Number(1, 240), default=60, show_default=True)
@click.option(
    "--jitter-ms",
    type=_Number(0, 100),
    default=2,
    show_default=True,
    help="Standard deviation of a sample's moment.",
)
@click.option(
    "--seconds",
    type=_Number(0, LONGEST_S, min_open=True),
    help="How long to measure.",
)
@click.option("--replay", type=_FILE, multiple=True, help="A recorded person; may be repeated.")
@click.option("--key-file", type=_FILE, help="Where the session's key is (or set ARMSPAN_KEY).")
@click.option("--ca", type=_FILE, help="Whom to trust behind https (or set ARMSPAN_CA).")
@click.option(
    "--fingerprint",
    help="SHA-256 of the server's certificate or authority (or set ARMSPAN_FINGERPRINT).",
)
@click.option(
    "--patience",
    "give_up_s",
    type=_Number(1, 3600),
    default=30,
    show_default=True,
    help="Seconds that a lost server may stay away.",
)
@click.option("--json", "json_file", type=click.Path(), help="Write the result; - for stdout.")
@click.argument("more", nargs=-1, type=_FILE, metavar="[FILE]...")
def bots(
    *,
    replay: tuple[Path, ...],
    more: tuple[Path, ...],
    jitter_ms: float,
    key_file: Path | None,
    ca: Path | None,
    fingerprint: str | None,
    json_file: str | None,
    **options: Any,
) -> None:
    """Let people who are programs join a session.

    They move through random reachable poses, or replay recorded people (further FILEs follow
    --replay). They check what comes back, and say at the end how long poses took to each peer.
    Without --seconds they stay until they are interrupted.
    """
    if ca is not None and fingerprint is not None:
        raise click.UsageError("--ca and --fingerprint are two ways of the same; give one of them")
    if more and not replay:
        raise click.UsageError(f"{more[0]}: recorded people are named with --replay")
    try:
        socket_address(options["url"], options["session"])
    except BadAddress as wrong:
        click.echo(f"armspan: {wrong}", err=True)
        sys.exit(2)
    try:
        plan = Plan(
            key=read_key(key_file, os.environ),
            trust=find_trust(options["url"], ca, fingerprint, os.environ),
            jitter_s=jitter_ms / 1000,
            recordings=replay + more,
            **options,
        )
        plan.cast()  # a file that is no recording is told now, not by every process
    except (ClientError, RecordingError) as failure:
        _fail(str(failure))
    if json_file not in (None, "-"):
        check_writable(Path(json_file))
    _tell(report(_run(plan)), json_file)


def _run(plan: Plan) -> Run:
    interruption = _Interruption()
    progress = _progress(shown_url(plan.url))
    try:
        run = run_crowd(plan, asked_to_stop=interruption.came, on_progress=progress)
    except NobodyJoined as failure:
        if not interruption.by_person:
            sys.exit(1)  # a program that ends this one reads the status
        _fail(str(failure))
    except CrowdError as failure:
        _fail(str(failure))
    _end_progress()
    return run


class _Interruption:
    """Remembers that someone pressed Ctrl+C, or that the process shall end."""

    def __init__(self) -> None:
        self.by_person = False
        self._asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def came(self) -> bool:
        return self._asked

    def _ask(self, number: int, _frame: FrameType | None) -> None:
        self._asked = True
        self.by_person |= number == signal.SIGINT


def _progress(url: str) -> Callable[[Progress], None]:
    """A line that is written over, on a terminal; nothing in a pipe."""
    shown_s = 0.0
    before: Progress | None = None

    def show(now: Progress) -> None:
        nonlocal shown_s, before
        elapsed_s = time.monotonic() - shown_s
        if elapsed_s < PROGRESS_EVERY_S:
            return
        words = f"waiting for {url}…"
        if now.connected:
            rate = (now.snapshots - before.snapshots) / elapsed_s / now.connected if before else 0.0
            words = (
                f"{now.connected} people, {rate:.1f} snapshots/s each, "
                f"measured for {now.measured_s:.0f} s"
            )
        shown_s, before = time.monotonic(), now
        click.echo(f"\r\033[K{words}", err=True, nl=False)

    def hide(_now: Progress) -> None:
        pass

    return show if sys.stderr.isatty() else hide


def _end_progress() -> None:
    if sys.stderr.isatty():
        click.echo("\r\033[K", err=True, nl=False)


def _tell(told: dict[str, Any], json_file: str | None) -> None:
    text = json.dumps(told, indent=2)
    if json_file == "-":
        say(text)
        return
    if json_file is not None:
        try:
            Path(json_file).write_text(text + "\n", encoding="utf-8")
        except OSError as failure:
            _fail(f"{json_file}: cannot be written ({failure.strerror})")
    say("\n".join(lines(told)))


def _fail(words: str) -> NoReturn:
    _end_progress()
    click.echo(f"armspan: {words}", err=True)
    sys.exit(1)
