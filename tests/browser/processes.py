"""Owns the programs that browser tests start: a real server, and bots, each in its own process."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

READY_S = 180.0  # a first start compiles the kernels
STOP_S = 10.0
_PORT = re.compile(r"https?://[^/:]+:(\d+)/")


@dataclass
class Server:
    """A running `armspan serve`."""

    process: subprocess.Popen[str]
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def page(self, session: str) -> str:
        return f"{self.url}/s/{session}"

    def kill(self) -> None:
        """As a power cut ends it: nobody is told."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(STOP_S)


@contextlib.contextmanager
def server(*options: str, port: int = 0) -> Iterator[Server]:
    """A server that is ready, on this port or on a free one."""
    with _running("serve", "--port", str(port), "--no-qr", *options) as process:
        lines = _lines_until_ready(process)
        found = [match for line in lines if (match := _PORT.search(line))]
        assert found, f"the server did not come up: {''.join(lines)}"
        yield Server(process, int(found[0].group(1)))


def _lines_until_ready(process: subprocess.Popen[str]) -> list[str]:
    """What a server prints until it is ready, ends, or has taken too long and is killed."""
    too_long = threading.Timer(READY_S, process.kill)
    too_long.start()
    lines: list[str] = []
    for line in process.stdout or ():
        lines.append(line)
        if line.startswith("Ready"):
            break
    too_long.cancel()
    return lines


@contextlib.contextmanager
def bots(url: str, session: str, count: int, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Bots that stay until the block ends. They may still be joining when it begins."""
    counted = ("--count", str(count), *options)
    with _running("bots", "--url", url, "--session", session, *counted) as process:
        yield process


def key_link(session: str, secret_file: Path, port: int) -> str:
    """The whole link of a session, as `armspan link` prints it."""
    options = ("--require-key", "--secret-file", str(secret_file), "--port", str(port))
    result = subprocess.run(
        [sys.executable, "-m", "armspan.server", "link", session, *options],
        check=True,
        capture_output=True,
        text=True,
        env=_environment(),
    )
    return result.stdout.strip()


def _environment() -> dict[str, str]:
    """This one, without settings that would change what a test means."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ARMSPAN_")}
    return {**kept, "PYTHONUNBUFFERED": "1"}


@contextlib.contextmanager
def _running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "armspan.server", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=_environment(),
        start_new_session=True,
    )
    try:
        yield process
    finally:
        _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    """End a process and whatever it started, in order first and by force after a while."""
    deadline = time.monotonic() + STOP_S
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(STOP_S)
    if process.stdout:
        process.stdout.close()
