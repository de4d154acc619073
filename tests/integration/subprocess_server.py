"""`armspan serve` as a process of its own, as people start it."""

import asyncio
import contextlib
import os
import re
import signal
import sys
from collections.abc import AsyncGenerator

from tests.integration.harness import compiled


class ServerProcess:
    """A server that has said where it is."""

    def __init__(self, process: asyncio.subprocess.Process, lines: list[str]) -> None:
        self.process = process
        self.lines = lines
        self.port = int(re.search(r"https?://[^/ ]*:(\d+)", "\n".join(lines))[1])  # type: ignore[index]

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """Exit status, the rest of standard output, and standard error."""
        self.process.send_signal(number)
        out, err = await asyncio.wait_for(self.process.communicate(), 10)
        assert self.process.returncode is not None
        return self.process.returncode, out.decode(), err.decode()


@contextlib.asynccontextmanager
async def started(*arguments: str, **environment: str) -> AsyncGenerator[ServerProcess]:
    """`armspan serve` with these arguments; killed at the end if it still runs."""
    await asyncio.to_thread(compiled)  # so that the server is quick, and says nothing of it
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "armspan.server", "serve", "--port", "0", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **environment},
    )
    try:
        assert process.stdout is not None
        lines: list[str] = []
        async with asyncio.timeout(60):
            while not (lines and lines[-1].startswith("Ready")):
                line = await process.stdout.readline()
                assert line, (await process.communicate())[1].decode()
                lines.append(line.decode().rstrip())
        yield ServerProcess(process, lines)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


@contextlib.asynccontextmanager
async def served(*arguments: str) -> AsyncGenerator[tuple[int, int]]:
    """Port and process id of a running server."""
    async with started(*arguments) as server:
        yield server.port, server.process.pid
