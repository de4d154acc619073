"""Tests that the page about the hand says what the code does."""

import re
from pathlib import Path

import numpy as np
from armspan.solvers.hand import ANGLE_LOWER, ANGLE_NAMES, ANGLE_UPPER, Digit, hand_sizes
from armspan.solvers.hand.anthropometry import DIGIT_SIZE

PAGE = (Path(__file__).parents[3] / "docs" / "hand.md").read_text(encoding="utf-8")
PAGE = PAGE.replace("\N{MINUS SIGN}", "-")


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def test_the_page_tells_every_limit():
    told: dict[str, list[float]] = {}
    for row in re.findall(r"^\| (`.*?) \| (-?\d+ … \d+) \|", PAGE, re.MULTILINE):
        first, *others = re.findall(r"`(\w+?)(?:_…)?`", row[0])
        joint = first.split("_", 1)[1]
        for name in (first, *(f"{other}_{joint}" for other in others)):
            told[name] = numbers(row[1])
    low, high = np.degrees(ANGLE_LOWER).round(6), np.degrees(ANGLE_UPPER).round(6)
    assert told == {name: [low[k], high[k]] for k, name in enumerate(ANGLE_NAMES)}


def test_the_page_tells_the_sizes_of_a_hand_of_190_mm():
    sizes = 1000.0 * hand_sizes(0.19)
    for digit in Digit:
        row = re.search(rf"^\| {digit.name.lower()} \|(.*)\|$", PAGE, re.MULTILINE)
        assert row is not None
        told = numbers(row.group(1))
        np.testing.assert_allclose(told, sizes[DIGIT_SIZE * digit :][:DIGIT_SIZE], atol=0.051)
