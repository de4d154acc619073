"""Owns the comparison's words: a markdown table, the ratios, what is missing, what falls short."""

from typing import Any

from tests.bench.peers.measure import RELIABLE, ROUNDS, SETS, TURN, WANTED_RATIO


def lines(told: dict[str, Any]) -> list[str]:
    """The result for people; the table is markdown."""
    head = "| | arms | " + " | ".join(f"{kind.value}: {_COLUMNS}" for kind in SETS) + " | ratio |"
    cells = head.count("|") - 1
    found = [
        f"{told['poses']:,} poses for each of the seeds {', '.join(map(str, told['seeds']))}, "
        f"in turns of {TURN}, medians of {ROUNDS} rounds, one core",
        "",
        head,
        "| --- " * cells + "|",
    ]
    for key, solver in told["solvers"].items():
        ratio = told["ratios"].get(key)
        found.append(_row(solver, f"{ratio:.1f}" if ratio else ""))
    found += ["", *_ratio_lines(told)]
    return found + [f"missing: {what}" for what in told["missing"]]


_COLUMNS = "solved % (1 mm, 1°) | µs mean, median, p99"


def _row(solver: dict[str, Any], ratio: str) -> str:
    cells = [f"{solver['name']} ({solver['version']})", str(solver["arms"])]
    for kind in SETS:
        figures = solver[kind.value]
        us = (f"{figures['us'][name]:.3g}" for name in ("mean", "median", "p99"))
        cells += [
            f"{_percent(figures['solved'])} ({_percent(figures['solved_1mm_1deg'])})",
            ", ".join(us),
        ]
    return "| " + " | ".join([*cells, ratio]) + " |"


def _percent(share: float) -> str:
    """Rounded down, so that 100 is all."""
    return f"{int(share * 1e4 + 1e-9) / 100:g}"


def _ratio_lines(told: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for best, what in (
        (told["best_peer"], "as installed"),
        (told["best_loop"], "counting the loop compiled here"),
    ):
        if best is not None:
            name = told["solvers"][best["solver"]]["name"]
            found.append(
                f"one arm by {name}, the quickest peer {what} that solves {100 * RELIABLE:g} % "
                f"inside the limits, takes {best['ratio']:.1f} times as long as both by Armspan"
            )
    return found


def shortcomings(told: dict[str, Any]) -> list[str]:
    """Where a result falls short of what is promised."""
    found = [
        f"{solver['name']}: {solver[kind.value]['unsolved']} {kind.value} poses unsolved, wanted 0"
        for key, solver in told["solvers"].items()
        for kind in SETS
        if key.startswith("armspan") and solver[kind.value]["unsolved"]
    ]
    best = told["best_peer"]
    if best is not None and best["ratio"] < WANTED_RATIO:
        name = told["solvers"][best["solver"]]["name"]
        found.append(
            f"{name} takes {best['ratio']:.1f} times as long for one arm as Armspan for both, "
            f"wanted {WANTED_RATIO:g}"
        )
    return found
