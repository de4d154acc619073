"""Owns the compiling of everything that bots call, before any of them joins."""

import multiprocessing

from armspan.protocol.frames import AvatarState, Snapshot, encode_snapshot
from armspan.server.bots.audience import Audience
from armspan.server.bots.casting import Part
from armspan.server.bots.stage import BEGIN_US, PERSON_ID, SENT, Stage, shared_words
from armspan.server.client import SessionClock, SnapshotFrame


def warm_up(part: Part) -> None:
    """Take one snapshot in, in a scene of two bots who both play ``part``.

    A compilation in the middle of a run would stand in its figures as lateness.
    """
    stage = Stage(2, shared_words(multiprocessing.get_context("spawn"), 2))
    stage.run[BEGIN_US] = 1
    stage.bots[1, PERSON_ID] = stage.bots[1, SENT] = 1
    stage.sent_us[1, 0] = 10
    clock = SessionClock()
    clock.add(0, 0, 0, 0)
    still = (0.0, 0.0, 0.0, 1.0)
    body = AvatarState(1, (0.0, 1.3, 0.0), still, still, (0.0,) * 15)
    payload = encode_snapshot(Snapshot(tick=1, session_time_us=10, avatars=(body,)))
    Audience(stage, [part, part]).take(0, SnapshotFrame(payload, 20), clock)
