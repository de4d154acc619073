"""The report: the promised fields, whatever was measured."""

import json

import numpy as np
import pytest
from armspan.protocol import Statistics
from armspan.server.bots import Plan, Run, lines, report
from armspan.server.bots.audience import Sights
from armspan.server.bots.troupe import Outcome

FIELDS = {
    "clients",
    "seconds",
    "rate_hz",
    "snapshots_per_s",
    "pose_to_peer_ms",
    "pose_to_peer_synced_ms",
    "tick_lateness_ms",
    "bytes_per_avatar",
    "lost_events",
    "errors",
}
PLAN = Plan(url="http://h", session="s", count=4)


def an_outcome(first_bot: int) -> Outcome:
    sights = Sights(snapshots={first_bot: 600, first_bot + 1: 590}, payload_bytes=2_040, avatars=40)
    sights.first_ms[450] = 100  # 9 ms
    sights.synced_ms[500] = 100
    sights.errors["a head came back elsewhere than it was sent"] = 1
    told = Statistics(
        tick_rate_hz=60.0,
        tick_lateness_p50_ms=0.1,
        tick_lateness_p99_ms=0.4,
        people=4,
        spectators=0,
        bytes_per_s_out=1.0,
        snapshots_skipped=0,
        solve_us_per_body=5.0,
    )
    return Outcome(sights=sights, statistics=[told], lost_events=first_bot, cpu_s=1.0)


def test_a_run_is_summed_over_its_processes():
    told = report(Run(PLAN, [an_outcome(0), an_outcome(2)], seconds=10.0, processes=2))
    assert set(told) >= FIELDS
    assert told["snapshots_per_s"]["p50"] == pytest.approx(59.5)
    assert told["snapshots_per_s"]["p01"] == pytest.approx(59.0, abs=0.1)
    assert told["pose_to_peer_ms"]["p50"] == pytest.approx(9.01)
    assert told["pose_to_peer_synced_ms"]["p99"] == pytest.approx(10.01)
    assert told["bytes_per_avatar"] == 51.0
    assert told["tick_lateness_ms"] == {"p50": 0.1, "p99": 0.4}
    assert told["lost_events"] == 2
    assert told["errors"] == 2
    assert told["bots_cpu_cores"] == 0.2
    assert json.loads(json.dumps(told)) == told


def test_a_bot_that_received_nothing_counts_as_none():
    told = report(Run(PLAN, [an_outcome(0)], seconds=10.0, processes=1))
    assert told["snapshots_per_s"]["p50"] == pytest.approx(29.5)


def test_a_run_that_measured_nothing_still_tells_its_fields():
    told = report(Run(PLAN, [Outcome()], seconds=0.0, processes=1))
    assert set(told) >= FIELDS
    assert told["pose_to_peer_ms"] == {"p50": None, "p99": None}
    assert json.loads(json.dumps(told)) == told
    assert any("?" in line for line in lines(told))


def test_one_alone_is_told_why_nothing_came_back():
    alone = report(Run(Plan(url="http://h", session="s", count=1), [Outcome()], 3.0, 1))
    shown = [line for line in lines(alone) if "second bot" in line]
    assert [line.split("  ")[0] for line in shown] == [
        "pose to peer",
        "by synced clocks",
        "palms came back",
    ]
    assert not any("second bot" in line for line in lines(report(Run(PLAN, [Outcome()], 3.0, 1))))


@pytest.mark.parametrize(("count", "cores"), [(1, 8), (30, 8), (31, 8), (50, 2), (300, 2), (90, 1)])
def test_bots_are_shared_out_over_few_processes(count: int, cores: int):
    troupes = Plan(url="http://h", session="s", count=count).troupes(cores)
    assert sorted(np.concatenate([list(members) for members in troupes])) == list(range(count))
    assert len(troupes) == max(1, min(-(-count // 30), cores))
