"""Progress of long work: a bar at a terminal, nothing in a pipe."""

import io
import sys

import pytest
from armspan.server.commands.progress import part_of, progress_shown


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    with progress_shown("a moment") as progress:
        for step in range(101):
            progress(step / 100, f"step {step}")
        progress(0.5, "never back")
    return stream.getvalue()


def test_a_terminal_sees_a_bar_that_reaches_its_end(monkeypatch: pytest.MonkeyPatch):
    told = shown(Terminal(), monkeypatch)
    assert "100%" in told
    assert "step 0" in told
    assert told.count("\n") == 1


def test_a_pipe_sees_nothing(monkeypatch: pytest.MonkeyPatch):
    assert shown(io.StringIO(), monkeypatch) == ""


def test_a_part_of_the_work_takes_its_share():
    told: list[tuple[float, str]] = []
    half = part_of(lambda share, words: told.append((share, words)), 0.5, 1.0)
    for share in (0.0, 0.5, 1.0):
        half(share, "rest")
    assert told == [(0.5, "rest"), (0.75, "rest"), (1.0, "rest")]
