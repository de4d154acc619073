"""What bots see: bodies that came back as sent, ticks in order, only in the measured time."""

import multiprocessing

import numpy as np
import pytest
from armspan.protocol.frames import AvatarState, Snapshot, encode_snapshot
from armspan.server.bots.audience import Audience
from armspan.server.bots.casting import Part, cast_random
from armspan.server.bots.checking import deviation
from armspan.server.bots.matching import FIRST
from armspan.server.bots.stage import (
    BEGIN_US,
    END_US,
    PERSON_ID,
    SENT,
    Stage,
    shared_words,
)
from armspan.server.client import BrokenServer, SessionClock, SnapshotFrame
from armspan.server.wire import SnapshotArrays
from armspan.solvers.body.chest import neck_offset

PARTS = cast_random(2, 20, seed=1)
ME, OTHER = 0, 1


def a_body(part: Part, elapsed_s: float) -> AvatarState:
    """A body whose head is where ``part`` sent it; its chest looks ahead."""
    pose = np.empty(21)
    part.pose(elapsed_s, pose)
    chest_rotation = (0.0, 0.0, 0.0, 1.0)
    lengths = np.array(part.lengths.as_row())
    offset = neck_offset(lengths, chest_rotation, tuple(float(x) for x in pose[3:7]))
    chest = pose[:3] - np.array(offset)
    return AvatarState(
        id=7,
        chest_position_m=tuple(chest),
        chest_rotation=chest_rotation,
        head_rotation=tuple(float(x) for x in pose[3:7]),
        joint_angles_rad=(0.0,) * 15,
        sample_age_us=5_000,
    )


def snapshot(tick: int, tick_us: int, body: AvatarState, received_us: int) -> SnapshotFrame:
    payload = encode_snapshot(Snapshot(tick=tick, session_time_us=tick_us, avatars=(body,)))
    return SnapshotFrame(payload, received_us)


def a_stage() -> Stage:
    stage = Stage(2, shared_words(multiprocessing.get_context("spawn"), 2))
    stage.bots[:, PERSON_ID] = (6, 7)
    stage.sent_us[OTHER, :3] = (2_000_000, 2_016_000, 2_033_000)
    stage.bots[OTHER, SENT] = 3
    return stage


def a_clock() -> SessionClock:
    clock = SessionClock()
    clock.add(0, 500, 500, 0)  # session time runs 500 us ahead
    return clock


def test_a_body_with_its_head_where_it_was_sent_does_not_deviate():
    arrays = SnapshotArrays(4)
    snapshot(1, 0, a_body(PARTS[OTHER], 3.0), 0).unpack(arrays)
    found = deviation(arrays, 0, PARTS[OTHER], 3.0)
    assert not found.wrong
    assert found.eyes_m < 0.002
    assert len(found.palms_m) == 2
    assert min(found.palms_m) > 0.01  # arms that hang are not the random pose


@pytest.mark.parametrize("shift_s", [-0.5, 0.5])
def test_a_body_that_belongs_to_another_moment_deviates(shift_s: float):
    arrays = SnapshotArrays(4)
    snapshot(1, 0, a_body(PARTS[OTHER], 3.0 + shift_s), 0).unpack(arrays)
    assert deviation(arrays, 0, PARTS[OTHER], 3.0).wrong


def test_only_the_measured_time_counts():
    stage, clock = a_stage(), a_clock()
    audience = Audience(stage, PARTS)
    body = a_body(PARTS[OTHER], 2.033)
    audience.take(ME, snapshot(1, 2_038_500, body, 2_039_000), clock)
    assert not audience.sights.snapshots
    stage.run[BEGIN_US], stage.run[END_US] = 2_050_000, 2_100_000
    for tick, sent_us in enumerate((2_050_000, 2_066_000, 2_083_000), start=2):
        stage.sent_us[OTHER, stage.bots[OTHER, SENT]] = sent_us
        stage.bots[OTHER, SENT] += 1
        tick_us = sent_us + 5_000
        at = snapshot(tick, tick_us + 500, a_body(PARTS[OTHER], sent_us / 1e6), tick_us + 400)
        audience.take(ME, at, clock)
    audience.take(ME, snapshot(9, 2_105_500, body, 2_105_000), clock)
    sights = audience.sights
    assert sights.snapshots == {ME: 3}
    assert sights.avatars == 3
    assert sights.payload_bytes == 3 * (16 + 47)
    assert sights.tallies[FIRST] == 3
    assert sights.first_ms.nonzero()[0].tolist() == [5_400 // 20]
    assert sights.checked == 1  # once a second
    assert not sights.errors


def test_a_tick_that_does_not_follow_is_an_error_and_a_new_connection_may_begin_anywhere():
    audience, clock = Audience(a_stage(), PARTS), a_clock()
    body = a_body(PARTS[OTHER], 2.0)
    for tick in (5, 6, 9):
        audience.take(ME, snapshot(tick, 2_040_000, body, 2_040_000), clock)
    assert not audience.sights.errors
    audience.take(ME, snapshot(9, 2_040_000, body, 2_040_000), clock)
    assert audience.sights.errors.total() == 1
    audience.forget(ME)
    audience.take(ME, snapshot(2, 2_040_000, body, 2_040_000), clock)
    assert audience.sights.errors.total() == 1


def test_ticks_go_on_after_their_largest():
    audience, clock = Audience(a_stage(), PARTS), a_clock()
    body = a_body(PARTS[OTHER], 2.0)
    for tick in (2**32 - 1, 0, 1):
        audience.take(ME, snapshot(tick, 2_040_000, body, 2_040_000), clock)
    assert not audience.sights.errors


def test_a_wrong_head_is_an_error():
    stage, clock = a_stage(), a_clock()
    stage.run[BEGIN_US] = 1
    audience = Audience(stage, PARTS)
    wrong = a_body(PARTS[OTHER], 9.0)
    audience.take(ME, snapshot(1, 2_038_500, wrong, 2_039_000), clock)
    assert audience.sights.errors.total() == 1


def test_a_broken_snapshot_is_told():
    audience = Audience(a_stage(), PARTS)
    with pytest.raises(BrokenServer):
        audience.take(ME, SnapshotFrame(b"\x02\x00\x02\x00" + bytes(12 + 47), 0), a_clock())
