"""The command line as a whole: fast help, and words for bad use."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from armspan.server.commands import main
from armspan.server.traces import shipped
from click.testing import CliRunner


def run(*arguments: str, **environment: str):
    return CliRunner().invoke(main, arguments, env=environment)


def test_help_lists_every_command_and_imports_none_of_them():
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "armspan.server", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    for command in ("serve", "link", "bots", "solve", "bench", "warm"):
        assert f"\n  {command} " in done.stdout
    for heavy in ("numba", "numpy", "fastapi", "matplotlib", "pydantic"):
        assert f"| {heavy}\n" not in done.stderr.replace(" " * 2, " ")
        assert f" {heavy}\n" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [("dance",), ("serve", "--dance"), ("serve", "--session", "a b"), ("link",), ("link", "-x-")],
)
def test_bad_use_is_status_2(arguments: tuple[str, ...]):
    assert run(*arguments).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("serve", "--port", "70000"), "70000"),
        (("serve", "--rate", "0"), "rate_hz"),
        (("serve", "--config", "/nowhere.toml"), "/nowhere.toml"),
        (("serve", "--require-key", "--secret-file", "/nowhere"), "/nowhere"),
    ],
)
def test_a_bad_setting_is_bad_use_and_one_line(arguments: tuple[str, ...], word: str):
    done = run(*arguments)
    assert done.exit_code == 2
    assert word in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_demonstration_without_recordings_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    refused = run("serve", "--demo", "2")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("armspan: --demo replays recorded people, and there are none")
    assert refused.stderr.count("\n") == 1
    assert refused.stdout == ""


def test_a_link_needs_a_port_or_a_public_url():
    refused = run("link", "review", "--port", "0")
    assert refused.exit_code == 1
    assert "Port 0" in refused.stderr
    assert refused.stdout == ""
    named = run("link", "review", "--port", "0", "--public-url", "https://avatars.example")
    assert named.stdout == "https://avatars.example/s/review\n"


def test_link_prints_the_link_with_its_key():
    secret = "a secret that is long enough"
    plain = run("link", "review", "--port", "81")
    assert plain.stdout == "http://127.0.0.1:81/s/review\n"
    keyed = run("link", "review", "--require-key", "--port", "81", ARMSPAN_SECRET=secret)
    assert keyed.stdout.startswith("http://127.0.0.1:81/s/review#key=")
    assert keyed.exit_code == 0


@pytest.mark.parametrize(
    "words",
    ["bots --count x", "nope", "bench ik --arms three", "solve", "serve --port x", "--what"],
)
def test_bad_use_is_told_in_one_line_that_names_the_help(words: str):
    done = run(*words.split())
    assert done.exit_code == 2
    assert done.stdout == ""
    assert re.fullmatch(r"armspan: .+; `.+ --help` says what can be\.\n", done.stderr)
