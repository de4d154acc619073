"""The options of ``armspan bots``: what is no use is told before anything starts."""

from pathlib import Path

import pytest
from armspan.server.commands.bots import bots
from click.testing import CliRunner

USUAL = ("--url", "http://127.0.0.1:9", "--session", "demo", "--count", "2")


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("--count", "0"), 2, "--count"),
        (("--rate", "1000"), 2, "--rate"),
        (("--jitter-ms", "-1"), 2, "--jitter-ms"),
        (("--seconds", "0"), 2, "'--seconds': 0.0 is not in the range 0<x<="),
        *(
            ((option, wrong), 2, f"'{option}': {float(wrong)} is not in the range ")
            for option in ("--seconds", "--rate", "--jitter-ms", "--patience")
            for wrong in ("nan", "inf", "-inf", "-1", "1e300")
        ),
        (("--seconds", "soon"), 2, "'soon' is not a valid float range"),
        *(
            ((option, wrong), 2, f"'{option}': ")
            for option in ("--count", "--poses", "--seed")
            for wrong in ("nan", "-1", "1.5")
        ),
        (("--session", "a b"), 2, "'a b' is no session's name"),
        (("--url", "somewhere"), 2, "'somewhere' is no server's URL; write http://HOST:PORT"),
        (("stray.npz",), 2, "--replay"),
        (("--replay", "none.npz"), 1, "none.npz: cannot be read"),
        (("--key-file", "none"), 1, "The key file none cannot be read (No such file"),
    ],
)
def test_bad_use_is_told_with_its_value(
    arguments: tuple[str, ...],
    status: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(bots, [*USUAL, *arguments])
    assert done.exit_code == status
    assert words in done.stderr
    assert done.stdout == ""


def test_there_is_help():
    done = CliRunner().invoke(bots, ["--help"])
    assert done.exit_code == 0
    for option in (
        "url",
        "session",
        "count",
        "poses",
        "seed",
        "rate",
        "jitter-ms",
        "seconds",
        "replay",
        "key-file",
        "json",
    ):
        assert f"--{option}" in done.stdout
