"""``armspan bots`` against ``armspan serve``, both as people run them."""

import json
import signal
import subprocess
import sys
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


def test_nobody_at_the_address_ends_the_run():
    here = ["--url", "http://127.0.0.1:1", "--session", "demo", "--count", "1", "--patience", "1"]
    arguments = [sys.executable, "-m", "armspan.server", "bots", *here]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 1
    assert "Gave up" in done.stderr
    assert done.stderr.count("\n") == 1
