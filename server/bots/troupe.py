"""Owns one process of a run: its bots in one event loop, and what it tells at the end."""

import asyncio
import contextlib
import gc
import multiprocessing
import signal
import ssl
import time
import traceback
from collections import Counter
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any

from armspan.protocol import Statistics
from armspan.server.bots.audience import Audience, Sights
from armspan.server.bots.bot import Bot
from armspan.server.bots.plan import Plan
from armspan.server.bots.stage import BEGIN_US, STOP, Stage
from armspan.server.bots.warm import warm_up
from armspan.server.client import ClientError, Invitation
from armspan.server.version import VERSION

LOOK_EVERY_S = 0.05
STAGGER_S = 0.005  # between two bots' first connections


@dataclass
class Outcome:
    """What one process saw and did; ``failure`` is a sentence if it could not go on.

    ``trouble``: why a connection could not be had, if one could not.
    """

    sights: Sights = field(default_factory=Sights)
    statistics: list[Statistics] = field(default_factory=list[Statistics])
    lost_events: int = 0
    losses: Counter[str] = field(default_factory=Counter[str])
    cpu_s: float = 0.0  # within the measured time
    failure: str = ""
    trouble: str = ""


def run_troupe(plan: Plan, members: Sequence[int], memory: Any, pipe: Pipe) -> None:
    """The main function of a process: run until the stage says STOP, then send the Outcome."""
    # The parent is who gets Ctrl+C; it says STOP, and then wants to hear how it went.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    try:
        outcome = _run(perform(plan, members, Stage(plan.count, memory)))
    except Exception as defect:
        outcome = Outcome(failure=_sentence(defect))
    with contextlib.suppress(OSError):  # nobody listens any more
        pipe.send(outcome)


async def perform(plan: Plan, members: Sequence[int], stage: Stage) -> Outcome:
    """Let the bots ``members`` play in this event loop until STOP, or until one cannot go on."""
    parts = plan.cast()
    warm_up(parts[0])
    audience = Audience(stage, parts)
    tls = None if plan.trust is None else plan.trust.context()
    bots = [_bot(plan, index, stage, audience, tls) for index in members]
    gc.collect()
    gc.freeze()  # a collection while it is measured would look like lateness
    outcome = Outcome(audience.sights)
    asyncio.get_running_loop().set_exception_handler(partial(_count_stray, outcome))
    try:
        async with asyncio.TaskGroup() as tasks:
            running = [
                tasks.create_task(_after(order * STAGGER_S, bot), name=f"bot-{bot.index}")
                for order, bot in enumerate(bots)
            ]
            outcome.cpu_s = await _wait_for_stop(stage)
            for task in running:
                task.cancel()
    except ExceptionGroup as failures:
        outcome.failure = _sentence(failures.exceptions[0])
    for bot in bots:
        outcome.lost_events += bot.lost_events
        outcome.losses.update(bot.losses)
    outcome.statistics = max((bot.statistics for bot in bots), key=len)
    outcome.trouble = next((bot.trouble for bot in bots if bot.trouble), "")
    return outcome


def _bot(
    plan: Plan, index: int, stage: Stage, audience: Audience, tls: ssl.SSLContext | None
) -> Bot:
    part = audience.parts[index]
    invitation = Invitation(
        url=plan.url,
        session=plan.session,
        name=part.name,
        key=plan.key,
        lengths=part.lengths,
        client=f"bots {VERSION}",
        tls=tls,
    )
    return Bot(
        index=index,
        part=part,
        invitation=invitation,
        stage=stage,
        audience=audience,
        rate_hz=plan.rate_hz,
        jitter_s=plan.jitter_s,
        seed=plan.seed,
        give_up_s=plan.give_up_s,
    )


async def _after(delay_s: float, bot: Bot) -> None:
    await asyncio.sleep(delay_s)
    await bot.run()


async def _wait_for_stop(stage: Stage) -> float:
    """Until STOP is said or the parent is gone; returns the CPU seconds since BEGIN_US."""
    parent = multiprocessing.parent_process()
    began_cpu_s: float | None = None
    while not stage.run[STOP] and (parent is None or parent.is_alive()):
        if began_cpu_s is None and stage.run[BEGIN_US]:
            began_cpu_s = time.process_time()
        await asyncio.sleep(LOOK_EVERY_S)
    return 0.0 if began_cpu_s is None else time.process_time() - began_cpu_s


def _count_stray(
    outcome: Outcome, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]
) -> None:
    """Count what nobody waits for any more, like the failure of an attempt that was cancelled."""
    failure = context.get("exception")
    words = _sentence(failure) if isinstance(failure, Exception) else str(context["message"])
    outcome.losses[words] += 1


def _sentence(failure: Exception) -> str:
    """One line: a client's own words, or what broke in the program, and where."""
    if isinstance(failure, ClientError):
        return str(failure)
    words = " ".join(f"{type(failure).__name__}: {failure}".split())
    places = traceback.extract_tb(failure.__traceback__)
    where = f" ({Path(places[-1].filename).name}:{places[-1].lineno})" if places else ""
    return f"a bot broke down: {words}{where}"


def _run(main: Coroutine[Any, Any, Outcome]) -> Outcome:
    try:
        import uvloop
    except ImportError:  # there is none for Windows
        return asyncio.run(main)
    return uvloop.run(main)
