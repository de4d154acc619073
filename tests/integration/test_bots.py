"""``armspan bots`` against ``armspan serve``, both as people run them."""

import contextlib
import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import termios
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from armspan.server.sessions import session_key
from armspan.server.traces import shipped_recordings

from tests.bench.server_process import ServerProcess, end, server_process

DEADLINE_S = 60.0


@pytest.fixture(scope="module")
def running() -> Iterator[ServerProcess]:
    with server_process() as server:
        yield server


def command(server: ServerProcess, *more: str) -> list[str]:
    where = ("--url", server.url, "--session", "demo")
    return [sys.executable, "-m", "armspan.server", "bots", *where, *more]


def bots(server: ServerProcess, *more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(server, *more), capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )


def start(server: ServerProcess, *more: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        command(server, *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def figure(server: ServerProcess, name: str) -> float:
    """A number that the server tells Prometheus."""
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(f"armspan_{name} ")))


def wait_until(condition: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s, "it did not come true"
        time.sleep(0.05)


def test_five_bots_measure_what_is_promised(running: ServerProcess):
    done = bots(running, "--count", "5", "--seconds", "2", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert told["clients"] == 5
    assert told["seconds"] == pytest.approx(2, abs=0.2)
    assert told["rate_hz"] == 60
    # Generous: other tests may share the machine. What is exact is exact.
    assert 30 < told["snapshots_per_s"]["p01"] <= told["snapshots_per_s"]["p50"] < 70
    assert 3 < told["pose_to_peer_ms"]["p50"] < 60
    assert told["pose_to_peer_ms"]["p50"] < told["pose_to_peer_ms"]["p99"] < 450
    synced_ms, true_ms = told["pose_to_peer_synced_ms"]["p50"], told["pose_to_peer_ms"]["p50"]
    assert abs(synced_ms - true_ms) < 5
    assert 0 <= told["tick_lateness_ms"]["p50"] <= told["tick_lateness_ms"]["p99"]
    assert told["bytes_per_avatar"] == pytest.approx(47 + 16 / 5, abs=0.01)
    assert told["lost_events"] == 0
    assert told["errors"] == 0, told["error_sentences"]
    assert told["poses_checked"] > 20
    assert told["palm_error_mm"]["p50"] < 1


@pytest.mark.slow
def test_replayed_people_come_back_too(running: ServerProcess, tmp_path: Path):
    recordings = [str(path) for path in shipped_recordings()]
    out = tmp_path / "told.json"
    done = bots(
        running,
        *("--count", str(len(recordings)), "--seconds", "2", "--json", str(out)),
        *("--replay", *recordings),
    )
    assert done.returncode == 0, done.stderr
    assert "snapshots" in done.stdout
    told = json.loads(out.read_text())
    assert told["errors"] == 0, told["error_sentences"]
    assert told["poses_checked"] > 20
    assert told["palm_error_mm"]["p50"] < 5


@pytest.mark.slow
def test_an_interrupted_run_tells_what_it_measured(running: ServerProcess):
    process = start(running, "--count", "2", "--json", "-")
    wait_until(lambda: figure(running, "people") == 2)
    # It measures from a second after the last one joined: some 60 snapshots each.
    sent = figure(running, "snapshots_sent_total")
    wait_until(lambda: figure(running, "snapshots_sent_total") > sent + 300)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, err
    told = json.loads(out)
    assert told["seconds"] > 0.1
    assert told["snapshots_per_s"]["p50"] > 20
    assert figure(running, "people") == 0  # they said goodbye


@pytest.mark.slow
def test_bots_survive_a_restart_and_give_up_on_a_server_that_stays_away():
    with server_process() as first:
        process = start(first, "--count", "3", "--patience", "20", "--json", "-")
        try:
            wait_until(lambda: figure(first, "people_connected") == 3)
            end(first.process)
            with server_process(port=first.port) as second:
                wait_until(lambda: figure(second, "people_connected") == 3)
                process.send_signal(signal.SIGTERM)
                out, err = process.communicate(timeout=DEADLINE_S)
        finally:
            process.kill()
    assert process.returncode == 0, err
    told = json.loads(out)
    assert told["errors"] >= 3
    assert told["error_sentences"]


@pytest.mark.slow
def test_bots_give_up_on_a_server_that_is_gone_for_good():
    with server_process() as server:
        process = start(server, "--count", "2", "--patience", "2")
        wait_until(lambda: figure(server, "people_connected") == 2)
    out, err = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 1
    assert out == ""
    assert err.startswith("armspan: ")
    assert err.count("\n") == 1
    assert "Gave up after" in err


@pytest.mark.slow
def test_a_full_session_ends_the_run_with_the_servers_sentence():
    with server_process(ARMSPAN_PEOPLE_PER_SESSION="3") as server:
        done = bots(server, "--count", "5", "--seconds", "1")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "full" in done.stderr


@pytest.mark.slow
def test_a_key_comes_from_a_file(tmp_path: Path):
    secret, key = tmp_path / "secret", tmp_path / "key"
    secret.write_text("a secret of a test, long enough for any rule")
    key.write_text(session_key(secret.read_text(), "demo"))
    flags = ("--require-key", "--secret-file", str(secret), "--session", "demo")
    with server_process(*flags) as server:
        refused = bots(server, "--count", "1", "--seconds", "1")
        assert refused.returncode == 1
        assert "key" in refused.stderr
        done = bots(server, "--count", "1", "--seconds", "1", "--key-file", str(key))
        assert done.returncode == 0, done.stderr


NOWHERE = [
    *(sys.executable, "-m", "armspan.server", "bots"),
    *("--url", "http://127.0.0.1:1", "--session", "demo", "--count", "2"),
]


def test_nobody_at_the_address_ends_the_run():
    done = subprocess.run(
        [*NOWHERE, "--patience", "1"], capture_output=True, text=True, timeout=DEADLINE_S
    )
    assert done.returncode == 1
    assert "Gave up" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_server_without_a_certificate_is_told_in_one_line(running: ServerProcess):
    arguments = command(running, "--count", "2")
    arguments[arguments.index(running.url)] = running.url.replace("http:", "https:")
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "over TLS" in done.stderr


@pytest.mark.slow
def test_the_address_of_a_page_ends_the_run_with_the_right_one(running: ServerProcess):
    arguments = command(running, "--count", "1")
    arguments[arguments.index(running.url)] = f"{running.url}/s/demo#key=secret"
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 1
    assert done.stderr == (
        f"armspan: {running.url}/s/demo answers 404 (Not Found); "
        f"write the server's address alone, like {running.url}\n"
    )


@pytest.mark.slow
def test_a_result_that_cannot_be_written_is_told_in_one_line(running: ServerProcess):
    for more in ((), ("--json", "-"), ("--json", "/dev/full")):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                command(running, "--count", "1", "--seconds", "0.2", *more),
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=DEADLINE_S,
            )
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        assert "cannot be written (No space left on device)" in done.stderr


class Terminal:
    """``armspan bots`` at a terminal of its own, where Ctrl+C reaches all its processes."""

    def __init__(self, arguments: list[str]) -> None:
        self._terminal, inside = pty.openpty()
        self.said = ""
        self._process = subprocess.Popen(
            arguments,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(inside)

    def wait_for(self, words: str) -> None:
        deadline_s = time.monotonic() + DEADLINE_S
        while words not in self.said:
            assert time.monotonic() < deadline_s, self.said
            self._read()

    def press_ctrl_c(self) -> int:
        """The exit status; everything that was said is in ``said``."""
        os.write(self._terminal, b"\x03")
        with contextlib.suppress(OSError):  # its other end is closed
            while True:
                self._read()
        return self._process.wait(DEADLINE_S)

    def _read(self) -> None:
        self.said += os.read(self._terminal, 4096).decode()


@pytest.mark.slow
@pytest.mark.parametrize("later_s", [0.0, 0.4, 0.8, 1.6, 3.2])
def test_ctrl_c_before_anybody_joined_is_one_line(later_s: float):
    terminal = Terminal(NOWHERE)
    terminal.wait_for("waiting for http://127.0.0.1:1…")
    time.sleep(later_s)  # somewhere in the processes' starting, compiling or connecting
    assert terminal.press_ctrl_c() == 1
    last = terminal.said.rpartition("\033[K")[2]
    assert last.startswith("armspan: ")
    assert "http://127.0.0.1:1 " in last
    assert last.count("\n") == 1
    for never in ("Traceback", "Warning", "snapshots/s"):
        assert never not in terminal.said


@pytest.mark.slow
def test_whoever_is_ended_by_a_program_before_anybody_joined_is_quiet():
    process = subprocess.Popen(NOWHERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(3)  # the handlers stand; until then the system ends it
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 1
    assert (out, err) == ("", "")
