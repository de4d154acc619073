"""Who waits for compiling is told why, and that it goes on."""

import time

import pytest
from armspan.server.commands.warm import compiling_told


def test_who_waits_is_told_why_and_that_it_goes_on_until_it_is_over(
    capsys: pytest.CaptureFixture[str],
):
    with compiling_told(every_s=0.02) as say_compiling:
        say_compiling()
        deadline = time.monotonic() + 30
        told = ""
        while told.count("Still compiling") < 2:
            assert time.monotonic() < deadline
            told += capsys.readouterr().err
            time.sleep(0.005)
    assert told.startswith("Compiling the solvers")
    assert capsys.readouterr().out == ""


def test_nothing_is_said_where_nothing_is_compiled(capsys: pytest.CaptureFixture[str]):
    with compiling_told(every_s=0.001):
        time.sleep(0.01)
    assert capsys.readouterr().err == ""
