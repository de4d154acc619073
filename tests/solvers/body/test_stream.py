"""Recorded frames, solved one by one or as a motion."""

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS, MEMORY_SIZE, Method, eyes_from_chest
from armspan.solvers.body.blend import BLEND_S
from armspan.solvers.body.poses import PoseSet, make_poses
from armspan.solvers.body.stream import (
    Stream,
    StreamAnswer,
    solve_part,
    solve_stream,
    solve_stream_into,
)

from tests.solvers.drawing import few, turn_between

ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def stream_of(count: int, **changes: object) -> Stream:
    hands = make_poses(PoseSet.RANDOM, count, 0).hands
    given: dict[str, object] = {
        "lengths": DEFAULT_LENGTHS,
        "hands": hands,
        "tracked": np.ones((count, 2), np.bool_),
        "chests": np.tile(ORIGIN, (count, 1)),
    }
    return Stream(**{**given, **changes})


def test_what_it_reports_is_what_the_posture_does():
    count = few(300, 8)
    stream = stream_of(count)
    answer = solve_stream(Method.ROBUST, stream)
    off = np.linalg.norm(answer.position[:, :, 3] - stream.hands[..., :3], axis=-1)
    turned = turn_between(answer.rotation[:, :, 2], stream.hands[..., 3:])
    np.testing.assert_allclose(off, answer.position_error_m, atol=1e-9)
    np.testing.assert_allclose(turned, answer.rotation_error_rad, atol=1e-6)
    expected = (answer.position_error_m <= 1e-3) & (answer.rotation_error_rad <= np.radians(1))
    np.testing.assert_array_equal(answer.converged, expected)
    np.testing.assert_array_equal(answer.chest, stream.chests)


def test_frames_that_stand_alone_know_nothing_of_each_other():
    stream = stream_of(few(100, 6))
    order = np.random.default_rng(0).permutation(len(stream.hands))
    tracked = np.random.default_rng(1).random((len(order), 2)) > 0.3
    here = solve_stream(Method.ROBUST, stream_of(len(order), tracked=tracked))
    there = solve_stream(
        Method.ROBUST,
        stream_of(len(order), tracked=tracked[order], hands=stream.hands[order]),
    )
    np.testing.assert_array_equal(here.joint_angles[order], there.joint_angles)


def test_a_motion_blends_a_lost_hand_out():
    count = 40
    hands = np.tile(make_poses(PoseSet.RANDOM, 2, 0).hands[:1], (count, 1, 1))
    tracked = np.ones((count, 2), np.bool_)
    tracked[10:, 0] = False
    time_s = np.arange(count) / 60.0
    moving = stream_of(count, hands=hands, tracked=tracked, time_s=time_s)
    motion = solve_stream(Method.ROBUST, moving)
    alone = solve_stream(Method.ROBUST, stream_of(count, hands=hands, tracked=tracked))
    left = slice(1, 8)
    assert (alone.joint_angles[10, left] == alone.joint_angles[-1, left]).all()
    assert (motion.joint_angles[10, left] != alone.joint_angles[10, left]).any()
    settled = 10 + round(BLEND_S * 60) + 1
    np.testing.assert_allclose(
        motion.joint_angles[settled:, left], alone.joint_angles[settled:, left], atol=1e-12
    )


def test_a_chest_that_is_found_is_the_one_the_eyes_belong_to():
    count = few(50, 5)
    random = np.random.default_rng(3)
    heads = np.tile([0.0, 1.6, 0.0, 0.0, 0.0, 0.0, 1.0], (count, 1))
    heads[:, 3:] = random.normal(size=(count, 4)) * [0.2, 0.2, 0.1, 0.1] + [0, 0, 0, 1]
    heads[:, 3:] /= np.linalg.norm(heads[:, 3:], axis=1, keepdims=True)
    hands = np.tile([[-0.2, 1.1, -0.4, 0, 0, 0, 1], [0.2, 1.1, -0.4, 0, 0, 0, 1.0]], (count, 1, 1))
    answer = solve_stream(Method.ROBUST, stream_of(count, hands=hands, chests=None, heads=heads))
    for head, chest in zip(heads, answer.chest, strict=True):
        eyes = eyes_from_chest(DEFAULT_LENGTHS, chest, head[3:])
        np.testing.assert_allclose(eyes, head[:3], atol=1e-12)


def test_long_streams_are_solved_in_parts_that_join():
    count = few(5000, 12)
    stream = stream_of(
        count,
        hands=np.resize(make_poses(PoseSet.RANDOM, 10, 0).hands, (count, 2, 7)),
        time_s=np.arange(count) / 60.0,
    )
    answer = StreamAnswer.empty(count)
    parts = list(solve_stream_into(Method.ROBUST, stream, answer))
    assert sum(parts) == count
    assert len(parts) == few(2, 1)
    whole = StreamAnswer.empty(count)
    solve_part(Method.ROBUST, stream, slice(None), np.zeros(MEMORY_SIZE), whole)()
    np.testing.assert_array_equal(answer.joint_angles, whole.joint_angles)


def test_no_frames_give_no_answers():
    nobody = stream_of(
        1,
        hands=np.zeros((0, 2, 7)),
        tracked=np.zeros((0, 2), np.bool_),
        chests=np.zeros((0, 7)),
    )
    assert solve_stream(Method.ROBUST, nobody).joint_angles.shape == (0, 15)


def test_a_stream_needs_a_head_or_a_chest():
    with pytest.raises(ValueError, match="needs heads or chests"):
        solve_stream(Method.ROBUST, stream_of(2, chests=None))
