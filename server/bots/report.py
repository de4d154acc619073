"""Owns what a run tells at the end: the fields for machines, the lines for people."""

from collections import Counter
from typing import Any

import numpy as np
from armspan.protocol import Statistics
from armspan.server.bots.audience import Sights
from armspan.server.bots.crowd import Run
from armspan.server.bots.histogram import percentile_ms
from armspan.server.bots.matching import BACKWARDS, UNMATCHED
from armspan.server.bots.troupe import Outcome
from numpy.typing import NDArray

SENTENCES = 10  # of errors, at the most
ALONE = "? (it takes a second bot to see it: --count 2)"


def report(run: Run) -> dict[str, Any]:
    """The fields of ``--json``; None stands for what could not be measured."""
    outcomes = run.outcomes
    sights = [outcome.sights for outcome in outcomes]
    tallies = np.sum([seen.tallies for seen in sights], axis=0)
    palms_m = [away for seen in sights for away in seen.palms_m]
    errors = _errors(outcomes)
    told = _last_told(outcomes)
    return {
        "clients": run.plan.count,
        "seconds": round(run.seconds, 3),
        "rate_hz": run.plan.rate_hz,
        "snapshots_per_s": _snapshots_per_s(run),
        "pose_to_peer_ms": _milliseconds([seen.first_ms for seen in sights]),
        "pose_to_peer_synced_ms": _milliseconds([seen.synced_ms for seen in sights]),
        "tick_lateness_ms": {
            "p50": _rounded(told and told.tick_lateness_p50_ms),
            "p99": _rounded(told and told.tick_lateness_p99_ms),
        },
        "bytes_per_avatar": _bytes_per_avatar(sights),
        "lost_events": sum(outcome.lost_events for outcome in outcomes),
        "errors": sum(errors.values()),
        "error_sentences": [
            f"{sentence} ({times}x)" for sentence, times in errors.most_common(SENTENCES)
        ],
        "snapshots_skipped": told and told.snapshots_skipped,
        "solve_us_per_body": _rounded(told and told.solve_us_per_body),
        "samples_gone_backwards": int(tallies[BACKWARDS]),
        "samples_unmatched": int(tallies[UNMATCHED]),
        "poses_checked": sum(seen.checked for seen in sights),
        "palm_error_mm": _percentiles(np.array(palms_m) * 1000, p50=50, p99=99),
        "bots_cpu_cores": _cores(run),
        "processes": run.processes,
    }


def lines(told: dict[str, Any]) -> list[str]:
    """The same for people."""
    first, synced = told["pose_to_peer_ms"], told["pose_to_peer_synced_ms"]
    late, rate = told["tick_lateness_ms"], told["snapshots_per_s"]
    palm = told["palm_error_mm"]
    alone = told["clients"] == 1
    rows = [
        ("people", f"{told['clients']} for {told['seconds']:.1f} s at {told['rate_hz']:g} Hz"),
        ("snapshots", f"{_shown(rate['p50'])} a second (slowest 1 %: {_shown(rate['p01'])})"),
        ("pose to peer", ALONE if alone else _spread(first, "ms")),
        ("by synced clocks", ALONE if alone else _spread(synced, "ms")),
        ("tick lateness", _spread(late, "ms")),
        ("bytes an avatar", _shown(told["bytes_per_avatar"])),
        ("palms came back", ALONE if alone else f"off by {_spread(palm, 'mm')}"),
        ("events lost", str(told["lost_events"])),
        ("errors", str(told["errors"])),
    ]
    width = max(len(name) for name, _ in rows)
    return [f"{name:<{width}}  {value}" for name, value in rows] + told["error_sentences"]


def _bytes_per_avatar(sights: list[Sights]) -> float | None:
    """Bytes of snapshots, their headers included, over the avatars in them."""
    avatars = sum(seen.avatars for seen in sights)
    return round(sum(seen.payload_bytes for seen in sights) / avatars, 3) if avatars else None


def _cores(run: Run) -> float | None:
    """What the bots themselves took of the machine."""
    cpu_s = sum(outcome.cpu_s for outcome in run.outcomes)
    return round(cpu_s / run.seconds, 3) if run.seconds else None


def _errors(outcomes: list[Outcome]) -> Counter[str]:
    errors: Counter[str] = Counter()
    for outcome in outcomes:
        errors.update(outcome.losses)
        errors.update(outcome.sights.errors)
    return errors


def _snapshots_per_s(run: Run) -> dict[str, float | None]:
    """Over clients, those that got none among them."""
    counts = np.zeros(run.plan.count)
    for outcome in run.outcomes:
        for bot, snapshots in outcome.sights.snapshots.items():
            counts[bot] = snapshots
    if not run.seconds:
        return {"p50": None, "p01": None}
    return _percentiles(counts / run.seconds, p50=50, p01=1)


def _last_told(outcomes: list[Outcome]) -> Statistics | None:
    """The server's own figures at the end; its lateness covers the last ten seconds."""
    told = max((outcome.statistics for outcome in outcomes), key=len)
    return told[-1] if told else None


def _milliseconds(histograms: list[NDArray[np.int64]]) -> dict[str, float | None]:
    total = np.sum(histograms, axis=0)
    return {"p50": _rounded(percentile_ms(total, 0.5)), "p99": _rounded(percentile_ms(total, 0.99))}


def _percentiles(values: NDArray[np.float64], **wanted: float) -> dict[str, float | None]:
    return {
        name: _rounded(float(np.percentile(values, share)) if len(values) else None)
        for name, share in wanted.items()
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _spread(told: dict[str, float | None], unit: str) -> str:
    return f"{_shown(told['p50'])} {unit}, 99 % within {_shown(told['p99'])} {unit}"


def _shown(value: float | None) -> str:
    return "?" if value is None else f"{value:.1f}"
