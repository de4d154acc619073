"""One process's event loop: it ends in order however early, and says what broke."""

import asyncio
import gc
import multiprocessing

import pytest
from armspan.server.bots import Plan
from armspan.server.bots.bot import Bot
from armspan.server.bots.stage import EPOCH_US, STOP, Stage, shared_words
from armspan.server.bots.troupe import Outcome, perform, run_troupe
from armspan.server.client import Refused, monotonic_us

PLAN = Plan(url="http://127.0.0.1:1", session="demo", count=2, poses=2)


@pytest.fixture
def stage():
    stage = Stage(PLAN.count, shared_words(multiprocessing.get_context("spawn"), PLAN.count))
    stage.run[EPOCH_US] = monotonic_us()
    yield stage
    gc.unfreeze()


@pytest.mark.filterwarnings("error")
async def test_a_run_that_is_stopped_before_it_began_leaves_nothing_behind(
    stage: Stage, recwarn: pytest.WarningsRecorder
):
    stage.run[STOP] = 1
    outcome = await perform(PLAN, range(PLAN.count), stage)
    gc.collect()  # what was never awaited says so when it goes
    assert outcome.failure == ""
    assert not recwarn.list


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (Refused(4503, "The session is full."), "The session is full."),
        (ValueError("two\nlines"), "a bot broke down: ValueError: two lines (test_troupe.py:"),
    ],
)
async def test_whatever_breaks_in_a_bot_is_one_line(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, failure: Exception, words: str
):
    async def run(_bot: Bot) -> None:
        raise failure

    monkeypatch.setattr(Bot, "run", run)
    outcome = await perform(PLAN, range(PLAN.count), stage)
    assert outcome.failure.startswith(words)
    assert "\n" not in outcome.failure


async def test_what_nobody_waits_for_is_counted_and_not_printed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    async def run(_bot: Bot) -> None:
        asyncio.get_running_loop().create_future().set_exception(ValueError("stray"))
        gc.collect()
        raise Refused(4503, "The session is full.")

    monkeypatch.setattr(Bot, "run", run)
    outcome = await perform(PLAN, range(PLAN.count), stage)
    assert outcome.failure == "The session is full."
    assert any("ValueError: stray" in sentence for sentence in outcome.losses)
    assert not caplog.records


def test_whatever_breaks_in_a_process_is_told_too():
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe(duplex=False)
    broken = Plan(url="http://127.0.0.1:1", session="demo", count=0)
    process = spawn.Process(target=run_troupe, args=(broken, [0], shared_words(spawn, 0), there))
    process.start()
    there.close()
    assert here.poll(60)
    outcome = here.recv()
    process.join(10)
    assert isinstance(outcome, Outcome)
    assert outcome.failure.startswith("a bot broke down: ")
    assert process.exitcode == 0
