"""Owns the people of ``armspan serve --demo``: bots in a process of their own."""

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import AsyncGenerator
from typing import cast

from armspan.server.client.trust import CA_VARIABLE, FINGERPRINT_VARIABLE
from armspan.server.serving import Running
from armspan.server.sessions import session_key
from armspan.server.settings import Settings, SettingsError
from armspan.server.tls import Identity
from armspan.server.traces import shipped_recordings
from armspan.server.traces.shipped import FOLDER as RECORDINGS_FOLDER

DEMO_SESSION = "demo"
_NOT_THEIRS = ("ARMSPAN_SECRET", CA_VARIABLE, FINGERPRINT_VARIABLE)
_END_S = 1.0
_PATIENCE_S = 2
"""A server that ends without a word is not waited for longer than this."""

_log = logging.getLogger(__name__)


def check_recordings() -> None:
    """Make sure that there is someone to show.

    Raises:
        SettingsError: no recordings came with Armspan; one line.
    """
    if not shipped_recordings():
        raise SettingsError(
            f"--demo replays recorded people, and there are none in {RECORDINGS_FOLDER}; "
            "install Armspan again, whole, or leave --demo out."
        )


@contextlib.asynccontextmanager
async def demonstrate(
    people: int, settings: Settings, secret: str | None, running: Running
) -> AsyncGenerator[None]:
    """Let bots replay recorded people inside the block; they end with it.

    If this process dies, their sockets close and they end by themselves.
    """
    environment = {k: v for k, v in os.environ.items() if k not in _NOT_THEIRS}
    if secret is not None:
        environment["ARMSPAN_KEY"] = session_key(secret, DEMO_SESSION)
    environment |= _trust(running.identity)
    scheme = "http" if running.identity is None else "https"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "armspan.server", "bots"),
        *(
            "--url",
            f"{scheme}://{_reachable(settings.host)}:{running.port}",
            "--session",
            DEMO_SESSION,
        ),
        *("--count", str(people), "--rate", str(settings.rate_hz)),
        *("--patience", str(_PATIENCE_S)),
        *(argument for trace in shipped_recordings() for argument in ("--replay", str(trace))),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,  # and so no progress on the server's terminal
        env=environment,
        start_new_session=True,  # Ctrl+C is for the server, which ends them in order
    )
    try:
        async with asyncio.TaskGroup() as tasks:
            watching = tasks.create_task(_watch(process), name="demonstration")
            try:
                yield
            finally:
                watching.cancel()
    finally:
        await _end(process)


def _trust(identity: Identity | None) -> dict[str, str]:
    """What lets a program on this machine know the server by its certificate."""
    if identity is None:
        return {}
    if identity.kept is None:
        return {FINGERPRINT_VARIABLE: identity.fingerprint}
    return {CA_VARIABLE: str(identity.kept.certificate_file)}


async def _watch(process: asyncio.subprocess.Process) -> None:
    async for line in cast(asyncio.StreamReader, process.stderr):
        _log.warning("The demonstration says: %s", line.decode(errors="replace").strip())
    status = await process.wait()
    _log.warning("The demonstration ended with status %d; the server goes on.", status)


async def _end(process: asyncio.subprocess.Process) -> None:
    for ask in (process.terminate, process.kill):
        if process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            ask()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _END_S)


def _reachable(host: str) -> str:
    """Where a program on this machine finds a server that listens there."""
    if host in ("0.0.0.0", ""):  # noqa: S104 - compared with, not listened on
        return "127.0.0.1"
    if host == "::":
        return "[::1]"
    return f"[{host}]" if ":" in host else host
