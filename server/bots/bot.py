"""Owns one bot: it joins, sends as a headset does, hands on what it receives, and comes back."""

import asyncio
import contextlib
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from armspan.protocol import Statistics
from armspan.server.bots.audience import Audience
from armspan.server.bots.casting import Part
from armspan.server.bots.stage import (
    BEGIN_US,
    CONNECTED,
    END_US,
    EPOCH_US,
    LOG,
    PERSON_ID,
    SENT,
    Stage,
)
from armspan.server.client import (
    ClientError,
    Connection,
    Disconnected,
    Invitation,
    SnapshotFrame,
    monotonic_us,
    stay,
)
from armspan.server.client.connection import NO_INPUTS
from armspan.server.wire import write_tracker

GOODBYE_S = 0.5
JITTER_CUT = 3.0  # standard deviations
JITTERS = 4093  # over a minute of them, then again


@dataclass
class Bot:
    """One participant; ``run`` goes on until it is cancelled or the session is over for it.

    Afterwards: ``lost_events``, ``losses`` (connections that broke, by sentence), ``statistics``
    (what the server told within the measured time), ``trouble`` (why it last could not connect).
    """

    index: int
    part: Part
    invitation: Invitation
    stage: Stage
    audience: Audience
    rate_hz: float
    jitter_s: float
    seed: int
    give_up_s: float
    lost_events: int = 0
    losses: Counter[str] = field(default_factory=Counter[str])
    statistics: list[Statistics] = field(default_factory=list[Statistics])
    trouble: str = ""

    async def run(self) -> None:
        """Join and stay. Raises Disconnected (gone for good), Refused or BrokenServer."""
        comings = stay(self.invitation, give_up_s=self.give_up_s, on_failure=self._note)
        async with contextlib.aclosing(comings):
            async for connection in comings:
                self.audience.forget(self.index)
                try:
                    await self._attend(connection)
                except Disconnected as loss:
                    self.losses[str(loss)] += 1

    def _note(self, failure: Disconnected) -> None:
        self.trouble = str(failure)

    async def _attend(self, connection: Connection) -> None:
        words = self.stage.bots[self.index]
        words[PERSON_ID] = connection.welcome.your_id
        words[CONNECTED] = 1
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._send(connection), name=f"bot-{self.index}-send")
                tasks.create_task(self._receive(connection), name=f"bot-{self.index}-receive")
        except ExceptionGroup as ended:
            raise _first(ended) from None
        finally:
            words[CONNECTED] = 0
            self.lost_events += connection.conversation.lost_events
            with contextlib.suppress(ClientError, TimeoutError):
                async with asyncio.timeout(GOODBYE_S):
                    await connection.leave()

    async def _send(self, connection: Connection) -> None:
        """Send a sample at each tick of this bot's clock, early or late by the jitter.

        A clock that was held up goes on with the next tick, as a headset shows the next frame.
        """
        stage, words, log = self.stage, self.stage.bots[self.index], self.stage.sent_us[self.index]
        jitter_us = self._jitter_us()
        period_us = 1e6 / self.rate_hz
        first_us = int(stage.run[EPOCH_US]) + self.part.phase * period_us
        pose = np.empty(21)
        tick = 0
        while True:
            tick = max(tick + 1, int((monotonic_us() - first_us) / period_us))
            due_us = first_us + tick * period_us + jitter_us[tick % len(jitter_us)]
            await asyncio.sleep(max(0.0, (due_us - monotonic_us()) / 1e6))
            now_us = monotonic_us()
            tracked = self.part.pose((now_us - int(stage.run[EPOCH_US])) / 1e6, pose)
            frame = write_tracker(pose, NO_INPUTS, tracked, 0, self.part.clock_us + now_us)
            sent = int(words[SENT])
            log[sent % LOG] = now_us
            words[SENT] = sent + 1
            await connection.send_frame(frame)

    def _jitter_us(self) -> list[float]:
        """How early or late each of many samples is: normally distributed, within three sigmas."""
        random = np.random.default_rng([self.seed, 3, self.index])
        sigmas = random.normal(size=JITTERS).clip(-JITTER_CUT, JITTER_CUT)
        return (sigmas * self.jitter_s * 1e6).tolist()

    async def _receive(self, connection: Connection) -> None:
        conversation = connection.conversation
        async for message in connection:
            if isinstance(message, SnapshotFrame):
                self.audience.take(self.index, message, conversation.clock)
            elif isinstance(message, Statistics):
                self._keep(message, monotonic_us())

    def _keep(self, told: Statistics, now_us: int) -> None:
        """Keep a second's statistics if most of that second was measured."""
        begin_us, end_us = self.stage.run[BEGIN_US], self.stage.run[END_US]
        begun = begin_us != 0 and begin_us < now_us - 500_000
        if begun and (end_us == 0 or now_us <= end_us):
            self.statistics.append(told)


def _first(group: ExceptionGroup[Exception]) -> Exception:
    """The most telling of a connection's errors: what is for good before what may pass."""
    errors = group.exceptions  # of two tasks that hold no groups of their own
    return next((error for error in errors if not isinstance(error, Disconnected)), errors[0])
