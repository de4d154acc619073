"""A server in a process of its own, as people run it: for benchmarks and for tests of commands."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass

READY_WITHIN_S = 120.0  # kernels may have to be compiled first
STOP_WITHIN_S = 10.0


@dataclass(frozen=True)
class ServerProcess:
    """A server that takes people."""

    port: int
    process: subprocess.Popen[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return self.process.pid


@contextlib.contextmanager
def server_process(*flags: str, port: int = 0, **environment: str) -> Iterator[ServerProcess]:
    """``armspan serve`` on a free port of loopback; it has ended when the block has.

    ``environment`` are further variables, like ``ARMSPAN_PEOPLE_PER_SESSION="3"``.
    """
    command = [sys.executable, "-m", "armspan.server", "serve", "--port", str(port), *flags]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | environment
    )
    try:
        yield ServerProcess(_port_once_ready(process), process)
    finally:
        end(process)


def end(process: "subprocess.Popen[str]") -> int:
    """Ask a process to stop, insist after a while, and give its exit status."""
    process.send_signal(signal.SIGTERM)
    try:
        return process.wait(STOP_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()
    finally:
        if process.stdout is not None:
            process.stdout.close()


def _port_once_ready(process: "subprocess.Popen[str]") -> int:
    """Read what the server prints until it says that it is ready."""
    assert process.stdout is not None
    watchdog = threading.Timer(READY_WITHIN_S, process.kill)
    watchdog.start()
    port = 0
    try:
        for line in process.stdout:
            found = re.search(r"http://[^/]*:(\d+)", line)
            port = int(found.group(1)) if found else port
            if "Ready" in line:
                return port
    finally:
        watchdog.cancel()
    raise RuntimeError(f"the server ended before it was ready (status {process.wait()})")
