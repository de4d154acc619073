"""Owns a run of bots from its beginning to its end: processes, measured time, stopping."""

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from multiprocessing.resource_tracker import ensure_running

from armspan.server.bots.plan import Plan
from armspan.server.bots.stage import (
    BEGIN_US,
    CONNECTED,
    END_US,
    EPOCH_US,
    PERSON_ID,
    SNAPSHOTS,
    STOP,
    Stage,
    shared_words,
)
from armspan.server.bots.troupe import Outcome, run_troupe
from armspan.server.client import monotonic_us, shown_url

LOOK_EVERY_S = 0.05
JOIN_WITHIN_S = 60.0
SETTLE_US = 1_000_000  # from the last one's joining to the beginning of the measured time
LAST_WORDS_S = 10.0
FIRST_WORDS_S = 1.0  # of processes that may still be starting, and have nothing to tell
END_S = 1.0


class CrowdError(Exception):
    """A run could not be done, or not go on; the message says why."""


class NobodyJoined(CrowdError):  # noqa: N818 - said of people
    """The run was asked to stop before anybody had joined."""


@dataclass(frozen=True)
class Progress:
    """How a run stands."""

    connected: int
    snapshots: int  # received by all bots since the beginning
    measured_s: float  # 0 until everyone joined and settled


@dataclass(frozen=True)
class Run:
    """A run that is over."""

    plan: Plan
    outcomes: list[Outcome]
    seconds: float  # measured
    processes: int


def run_crowd(
    plan: Plan, *, asked_to_stop: Callable[[], bool], on_progress: Callable[[Progress], None]
) -> Run:
    """Let the bots of ``plan`` join, send and receive, until its time is over or it is asked to.

    Raises CrowdError when a process fails or bots cannot join, NobodyJoined when it was stopped
    before the first one had. Never leaves a process behind.
    """
    spawn = multiprocessing.get_context("spawn")
    stage = Stage(plan.count, shared_words(spawn, plan.count))
    stage.run[EPOCH_US] = monotonic_us()
    with _processes(spawn, plan, stage) as troupes:
        _conduct(stage, plan, troupes, asked_to_stop, on_progress)
        anyone = bool(stage.bots[:, PERSON_ID].any())
        outcomes = _last_words(troupes, LAST_WORDS_S) if anyone else _first_words(troupes)
    failure = next((outcome.failure for outcome in outcomes if outcome.failure), "")
    if failure:
        raise CrowdError(failure)
    if not anyone:
        trouble = next((outcome.trouble for outcome in outcomes if outcome.trouble), "")
        raise NobodyJoined(trouble or f"nobody had joined {shown_url(plan.url)} yet")
    return Run(plan, outcomes, _measured_s(stage), len(troupes))


@contextlib.contextmanager
def _processes(
    spawn: SpawnContext, plan: Plan, stage: Stage
) -> Generator[list[tuple[BaseProcess, Pipe]]]:
    """Start the processes; at the end of the block all are gone, by force if need be."""
    troupes: list[tuple[BaseProcess, Pipe]] = []
    try:
        for number, members in enumerate(plan.troupes(os.cpu_count() or 1)):
            here, there = spawn.Pipe(duplex=False)
            process = spawn.Process(
                target=run_troupe,
                args=(plan, members, stage.memory, there),
                name=f"bots-{number}",
            )
            with _deaf():
                process.start()
            there.close()
            troupes.append((process, here))
        yield troupes
    finally:
        stage.run[STOP] = 1
        deadline_s = time.monotonic() + END_S
        for process, pipe in troupes:
            process.join(max(0.0, deadline_s - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
            pipe.close()


@contextlib.contextmanager
def _deaf() -> Generator[None]:
    """What is started in the block does not hear Ctrl+C, which a terminal sends to everyone.

    This process hears after the block what came meanwhile.
    """
    if not hasattr(signal, "pthread_sigmask"):  # there is none for Windows
        yield
        return
    ensure_running()  # else the first process would start it, and unblock the signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _conduct(
    stage: Stage,
    plan: Plan,
    troupes: list[tuple[BaseProcess, Pipe]],
    asked_to_stop: Callable[[], bool],
    on_progress: Callable[[Progress], None],
) -> None:
    """Set the measured time once everyone joined; say STOP when it is over."""
    join_by_s = time.monotonic() + JOIN_WITHIN_S
    while not asked_to_stop():
        # Before its end, a process only speaks up when it cannot go on.
        if wait([pipe for _, pipe in troupes], timeout=LOOK_EVERY_S):
            break
        connected = int(stage.bots[:, CONNECTED].sum())
        if not stage.run[BEGIN_US] and connected == plan.count:
            begin_us = monotonic_us() + SETTLE_US
            stage.run[END_US] = begin_us + plan.seconds * 1e6 if plan.seconds else 0
            stage.run[BEGIN_US] = begin_us
        elif not stage.run[BEGIN_US] and time.monotonic() > join_by_s:
            raise CrowdError(
                f"only {connected} of {plan.count} bots could join within {JOIN_WITHIN_S:.0f} s"
            )
        on_progress(Progress(connected, int(stage.bots[:, SNAPSHOTS].sum()), _measured_s(stage)))
        if stage.run[END_US] and monotonic_us() > stage.run[END_US]:
            break
    if not stage.run[END_US]:
        stage.run[END_US] = monotonic_us()
    stage.run[STOP] = 1


def _measured_s(stage: Stage) -> float:
    begin_us, end_us = int(stage.run[BEGIN_US]), int(stage.run[END_US])
    now_us = monotonic_us()
    end_us = min(end_us, now_us) if end_us else now_us
    return max(0.0, (end_us - begin_us) / 1e6) if begin_us else 0.0


def _last_words(troupes: Sequence[tuple[BaseProcess, Pipe]], within_s: float) -> list[Outcome]:
    """What each process tells. Raises CrowdError for one that ended or fell silent."""
    deadline_s = time.monotonic() + within_s
    outcomes: list[Outcome] = []
    for process, pipe in troupes:
        try:
            if not pipe.poll(max(0.0, deadline_s - time.monotonic())):
                raise CrowdError(f"the process {process.name} told nothing for {within_s:g} s")
            outcomes.append(pipe.recv())
        except EOFError as gone:
            process.join(END_S)
            raise CrowdError(
                f"the process {process.name} ended without a word (status {process.exitcode})"
            ) from gone
    return outcomes


def _first_words(troupes: Sequence[tuple[BaseProcess, Pipe]]) -> list[Outcome]:
    """What those processes tell that have already got that far."""
    pipes = [pipe for _, pipe in troupes]
    speaking = wait(pipes, timeout=FIRST_WORDS_S)
    return _last_words([each for each in troupes if each[1] in speaking], 0.0)
