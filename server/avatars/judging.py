"""Owns the calling of the judge: a process for each file, one at a time, ended when it takes long.

A check in a thread of this process would hold the interpreter while JSON is read, and with it the
tick; and nothing could end it.
"""

import asyncio
import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from armspan.server.avatars.verdict import AvatarFault, Fault

WITHIN_S = 20.0
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

_log = logging.getLogger(__name__)


class Judge:
    """Whoever decides about avatars."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    async def judge(self, file: Path) -> None:
        """Take the file, or say why not. Raises AvatarFault."""
        async with self._turn:
            output = await asyncio.to_thread(self._run, file)
        verdict = _read(output)
        if verdict is not None:
            raise AvatarFault(Fault(verdict["fault"]), verdict["words"])

    def close(self) -> None:
        """End what is under way: the server goes, and waits for no verdict."""
        self._closed = True
        if self._process is not None:
            self._process.kill()

    def _run(self, file: Path) -> bytes:
        """In a thread: start the process, wait for it, and end it if it takes too long."""
        # -P: the folder that the server was started in may be anyone's, and is no place of modules.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMSPAN_")}
        self._process = process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-P", "-m", "armspan.server.avatars.judge", str(file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment | _ENVIRONMENT,
            start_new_session=True,  # Ctrl+C is for the server
        )
        if self._closed:
            process.kill()
        try:
            output, errors = process.communicate(timeout=WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
        finally:
            self._process = None
        if errors:
            _log.warning("An avatar's check failed: %s", errors.decode(errors="replace")[-500:])
        return output


def _read(output: bytes) -> dict[str, Any] | None:
    try:
        return json.loads(output)
    except ValueError:  # it was ended, or failed
        raise AvatarFault(
            Fault.TOO_MUCH,
            f"The avatar could not be checked within {WITHIN_S:g} s; make a simpler one.",
        ) from None
