"""What is shown follows the solve without pops, winds nothing up, and forgets within a second."""

import math
from dataclasses import replace

import numpy as np
import pytest
from armspan.server.traces import Recording, read_recording, resample, shipped_recordings
from armspan.solvers import DEFAULT_LENGTHS, Method
from armspan.solvers.body.continuity import RATE_HZ, Pops, count_pops
from armspan.solvers.body.poses import PoseSet, make_poses, palms_of, path_between
from armspan.solvers.body.skeleton import FOREARM, JOINT_LOWER, JOINT_UPPER, UPPER_ARM
from armspan.solvers.body.stream import Stream, StreamAnswer, solve_stream

from tests.solvers.drawing import COMPILED, few, turn_between

ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
STEP_M = 0.01
ALIKE = 1e-6


def motion(hands: np.ndarray, rate_hz: float = RATE_HZ, tracked=(True, True)) -> Stream:
    flags = np.tile(np.array(tracked, np.bool_), (len(hands), 1))
    return Stream(
        DEFAULT_LENGTHS,
        hands,
        flags,
        chests=np.tile(ORIGIN, (len(hands), 1)),
        time_s=np.arange(len(hands)) / rate_hz,
    )


def shown(stream: Stream) -> StreamAnswer:
    answer = solve_stream(Method.ROBUST, stream)
    assert (answer.joint_angles >= JOINT_LOWER).all()
    assert (answer.joint_angles <= JOINT_UPPER).all()
    return answer


def pops_of(stream: Stream, answer: StreamAnswer) -> Pops:
    arm_m = float(stream.lengths[UPPER_ARM] + stream.lengths[FOREARM])
    return count_pops(
        answer.position[:, :, 1], answer.rotation, stream.hands, arm_m, stream.tracked
    )


def recorded(recording: Recording) -> Stream:
    poses = recording.poses.reshape(-1, 3, 7)[: few(len(recording.poses), 60)]
    return Stream(
        recording.lengths,
        np.ascontiguousarray(poses[:, 1:]),
        np.ascontiguousarray(recording.tracked[: len(poses), 1:]),
        heads=np.ascontiguousarray(poses[:, 0]),
        time_s=recording.time_s[: len(poses)],
    )


@pytest.mark.parametrize("tracked", [(True, True), (False, True)])
@pytest.mark.parametrize("kind", list(PoseSet))
@pytest.mark.parametrize("seed", range(few(3, 1)))
def test_no_way_through_any_poses_pops(kind: PoseSet, seed: int, tracked: tuple[bool, bool]):
    hands = path_between(make_poses(kind, few(60, 2), 50 + seed), STEP_M)[: few(None, 120)]
    stream = motion(hands, tracked=tracked)
    pops = pops_of(stream, shown(stream))
    assert pops.steps == sum(tracked) * (len(hands) - 1)
    assert pops.number == 0, pops


@pytest.mark.parametrize("clip", shipped_recordings(), ids=lambda path: path.stem)
def test_no_recorded_person_pops(clip):
    stream = recorded(resample(read_recording(clip), RATE_HZ))
    pops = pops_of(stream, shown(stream))
    assert pops.number == 0, pops


@pytest.mark.parametrize("rate_hz", [60.0, 120.0])
@pytest.mark.parametrize("clip", shipped_recordings(), ids=lambda path: path.stem)
def test_at_other_rates_a_frame_pops_no_more_than_its_share_of_time(clip, rate_hz: float):
    """What a calm hand's arm may do in a frame grows with the frame."""
    stream = recorded(resample(read_recording(clip), rate_hz))
    answer = shown(stream)
    longer = RATE_HZ / rate_hz
    hands = stream.hands[..., :3]
    moved = np.linalg.norm(np.diff(hands, axis=0), axis=-1) / longer
    turned = turn_between(stream.hands[1:, :, 3:], stream.hands[:-1, :, 3:]) / longer
    calm = (moved < 0.02) & (turned < math.radians(10.0))
    calm &= stream.tracked[1:] & stream.tracked[:-1]
    elbows = np.linalg.norm(np.diff(answer.position[:, :, 1], axis=0), axis=-1) / longer
    bones = turn_between(answer.rotation[1:], answer.rotation[:-1]).max(axis=-1) / longer
    assert elbows[calm].max() <= 0.05
    assert bones[calm].max() < math.radians(30.0)


def wheel(turns: int, frames: int) -> np.ndarray:
    """Palms (turns * frames + 1, 2, 7) at both sides of a steering wheel, gripping it."""
    angle = 2.0 * math.pi * (np.arange(turns * frames + 1) % frames) / frames
    hands = np.zeros((len(angle), 2, 7))
    for side, sign in ((0, -1.0), (1, 1.0)):
        hands[:, side, 0] = sign * 0.18 * np.cos(angle)
        hands[:, side, 1] = -0.1 + sign * 0.18 * np.sin(angle)
        hands[:, side, 2] = -0.42
        hands[:, side, 3:] = [0.0, 0.0, -sign * math.sqrt(0.5), math.sqrt(0.5)]
    return hands


@pytest.mark.parametrize("frames", [20, 90])
def test_ten_thousand_turns_of_a_wheel_end_where_the_first_did(frames: int):
    turns = few(10_000, 4) if frames == 20 else few(200, 2)
    answer = shown(motion(wheel(turns, frames))).joint_angles
    settled = few(math.ceil(RATE_HZ / frames), 1)  # turns in the second that a start may take
    early = answer[settled * frames : (settled + 1) * frames]
    np.testing.assert_allclose(answer[-frames - 1 : -1], early, atol=ALIKE)


def test_hands_that_turn_with_the_wheel_neither_pop_nor_leave_a_trace():
    """No wrist can follow them all the way round; once they are held, only they count."""
    frames, turns = 120, few(100, 1)
    hands = wheel(turns, frames)
    angle = 2.0 * math.pi * np.arange(len(hands)) / frames
    for side, sign in ((0, -1.0), (1, 1.0)):
        half = 0.5 * (angle - sign * math.pi / 2)
        hands[:, side, 3:5] = 0.0
        hands[:, side, 5], hands[:, side, 6] = np.sin(half), np.cos(half)
    held = np.tile(hands[-1], (few(int(RATE_HZ), 20), 1, 1))
    stream = motion(np.concatenate([hands, held]))
    answer = shown(stream)
    assert pops_of(stream, answer).number == 0
    if COMPILED:
        new = shown(motion(hands[-1:]))
        np.testing.assert_allclose(answer.position[-1], new.position[0], atol=ALIKE)


def at_random(seed: int, frames: int) -> np.ndarray:
    """Palms (frames, 2, 7) on a way through random poses."""
    way = path_between(make_poses(PoseSet.RANDOM, 12, seed), STEP_M)
    assert len(way) >= frames
    return way[:frames]


def apart(pasts: list[np.ndarray], held: np.ndarray, rate_hz: float) -> float:
    """How far (m) the joints of two bodies with different pasts are apart in the end."""
    ends = [shown(motion(np.concatenate([past, held]), rate_hz)).position[-1] for past in pasts]
    return float(np.abs(ends[0] - ends[1]).max())


@pytest.mark.parametrize("kind", list(PoseSet))
def test_two_different_pasts_are_forgotten_within_a_second(kind: PoseSet):
    pasts = [at_random(100 + k, few(150, 6)) for k in range(few(20, 2))]
    goals = make_poses(kind, few(150, 1), 60).hands
    rate_hz = few(int(RATE_HZ), 20)
    off = [
        apart([pasts[k % len(pasts)], pasts[(k + 1) % len(pasts)]],
              np.tile(goal, (rate_hz + 1, 1, 1)), rate_hz)
        for k, goal in enumerate(goals)
    ]  # fmt: skip
    assert max(off) < ALIKE, f"{sum(o >= ALIKE for o in off)} of {len(off)} remember"


def test_the_past_is_forgotten_while_the_hands_move_slowly_as_well():
    pasts = [at_random(200 + k, few(200, 6)) for k in range(few(20, 2))]
    rate_hz = few(int(RATE_HZ), 20)
    middle = 0.5 * (JOINT_LOWER + JOINT_UPPER)
    share = 0.1 * np.arange(rate_hz + 1)[:, None] / rate_hz
    off = []
    for k, goal in enumerate(make_poses(PoseSet.RANDOM, few(100, 1), 61).joint_angles):
        slowly = palms_of(goal + share * (middle - goal), np.zeros((rate_hz + 1, 2)))
        off.append(apart([pasts[k % len(pasts)], pasts[(k + 1) % len(pasts)]], slowly, rate_hz))
    assert max(off) < ALIKE, f"{sum(o >= ALIKE for o in off)} of {len(off)} remember"


def test_held_hands_end_at_the_posture_of_a_new_body_and_stand_still():
    rate_hz = few(int(RATE_HZ), 20)
    late, moving = [], []
    for row, goal in enumerate(make_poses(PoseSet.RANDOM, few(150, 2), 62).hands):
        held = np.tile(goal, (rate_hz + 3, 1, 1))
        new = shown(motion(goal[None])).position[0]
        past = at_random(300 + row % 20, few(100, 6))
        answer = shown(motion(np.concatenate([past, held]), rate_hz)).position
        late.append(np.abs(answer[-1] - new).max())
        moving.append(np.abs(answer[-1] - answer[-2]).max())
    assert max(late) < ALIKE, f"{sum(o >= ALIKE for o in late)} of {len(late)} are elsewhere"
    assert max(moving) < 1e-9


def test_hands_that_are_lost_and_come_back_jump_nowhere():
    """Blended over a quarter second: an elbow goes no faster than a whole arm in that time."""
    frames = few(int(3 * RATE_HZ), 60)
    random = np.random.default_rng(5)
    for seed in range(few(20, 1)):
        stream = motion(at_random(400 + seed, frames))
        tracked = np.ones((frames, 2), np.bool_)
        for side in range(2):
            for start in random.integers(1, frames, 4):
                tracked[start : start + random.integers(1, frames // 4), side] = False
        answer = shown(replace(stream, tracked=tracked))
        steps = np.linalg.norm(np.diff(answer.position[:, :, 1:], axis=0), axis=-1)
        turns = turn_between(answer.rotation[1:], answer.rotation[:-1])
        assert steps[:, :, 0].max() < 0.08
        assert steps.max() < 0.16
        assert turns.max() < math.radians(45.0)


@pytest.mark.parametrize("step_s", [0.0, -1.0, 1e-9, 10.0])
def test_a_clock_that_stalls_goes_back_or_jumps_does_no_harm(step_s: float):
    hands = at_random(500, few(300, 20))
    half = len(hands) // 2
    steps = np.full(len(hands), 1.0 / RATE_HZ)
    steps[half : half + 10] = step_s
    answer = shown(replace(motion(hands), time_s=np.cumsum(steps)))
    assert np.isfinite(answer.position).all()
    if step_s <= 0.0:  # and nothing moves further than in a frame
        moved = np.linalg.norm(np.diff(answer.position[half : half + 10, :, 1], axis=0), axis=-1)
        assert moved.max() < 0.05


@pytest.mark.parametrize("step_s", [0.0, -1.0])
def test_a_body_still_arrives_under_a_clock_that_does_not_go_on(step_s: float):
    goal = make_poses(PoseSet.RANDOM, 1, 63).hands
    hands = np.concatenate([at_random(501, few(50, 5)), np.tile(goal, (few(2000, 300), 1, 1))])
    time_s = step_s * np.arange(len(hands))
    late = shown(replace(motion(hands), time_s=time_s))
    np.testing.assert_allclose(late.position[-1], shown(motion(goal)).position[0], atol=ALIKE)


def test_palms_stay_in_their_places_while_the_elbow_is_on_its_way():
    """Hands in reach and turned as people turn them: nothing that is held back is seen in them."""
    frames = few(int(10 * RATE_HZ), 60)
    random = np.random.default_rng(6)
    for _ in range(few(10, 1)):
        phase, size = random.uniform(0.0, 2.0 * math.pi, (2, 15)), random.uniform(0.05, 0.25, 15)
        share = np.arange(frames)[:, None] / RATE_HZ
        wave = np.sin(phase[0] + 2.0 * share) * np.cos(phase[1] + 0.7 * share)
        middle = np.zeros(15)
        middle[[1, 8]], middle[[4, 11]] = 0.5, 1.3
        answer_of = motion(palms_of(middle + size * wave, np.zeros((frames, 2))))
        answer = shown(answer_of)
        assert answer.position_error_m.max() < 1e-4
        assert answer.rotation_error_rad.max() < math.radians(20.0)
