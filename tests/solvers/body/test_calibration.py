"""Lengths from head and hands: what a T-pose and movement tell of people who are known."""

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS, eyes_from_chest, forward_kinematics
from armspan.solvers.body.calibration import (
    CalibrationError,
    CalibrationPose,
    Source,
    calibrate,
)
from armspan.solvers.body.skeleton import (
    EYE_HEIGHT,
    FOREARM,
    JOINT_LOWER,
    JOINT_NAMES,
    JOINT_UPPER,
    LENGTH_NAMES,
    SHOULDER_LATERAL,
    UPPER_ARM,
)
from scipy.spatial.transform import Rotation

FRAMES = 180
AHEAD = np.array([0.0, 0.0, 0.0, 1.0])


def person(scale: float = 1.0, arm: float = 1.0, shoulder: float = 1.0) -> np.ndarray:
    """Someone ``scale`` times as tall as usual, with arms and shoulders of their own besides."""
    lengths = DEFAULT_LENGTHS * scale
    whole = arm * (lengths[UPPER_ARM] + lengths[FOREARM])
    lengths[UPPER_ARM], lengths[FOREARM] = 0.511 * whole, 0.489 * whole
    lengths[SHOULDER_LATERAL] *= shoulder
    return lengths


def seen(lengths: np.ndarray, angles: np.ndarray, drop_m: float = 0.0):
    """Heads, palms and flags of someone upright whose joints go through ``angles`` (T, 15)."""
    chest = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    chest[1] = lengths[EYE_HEIGHT] - eyes_from_chest(lengths, chest, AHEAD)[1] - drop_m
    eyes = eyes_from_chest(lengths, chest, AHEAD)
    heads = np.tile(np.concatenate([eyes, AHEAD]), (len(angles), 1))
    hands = np.empty((len(angles), 2, 7))
    for row, posture in enumerate(angles):
        frames = forward_kinematics(lengths, chest, posture)
        hands[row, :, :3], hands[row, :, 3:] = frames.position[:, 3], frames.rotation[:, 2]
    return heads, hands, np.ones((len(angles), 2), np.bool_)


def t_pose(frames: int = 20, elbow_rad: float = 0.0) -> np.ndarray:
    angles = np.zeros((frames, 15))
    for name, value in (("shoulder_abduction", np.pi / 2), ("elbow_flexion", elbow_rad)):
        for side in ("left", "right"):
            angles[:, JOINT_NAMES.index(f"{side}_{name}")] = value
    return angles


def exercise(seed: int = 0, stretched: bool = True) -> np.ndarray:
    """Arms that go through their range, elbows bent or nearly straight."""
    rng = np.random.default_rng(seed)
    angles = rng.uniform(0.6 * JOINT_LOWER, 0.6 * JOINT_UPPER, (FRAMES, 15))
    angles[:, 0] = 0.0
    for side in ("left", "right"):
        elbow = JOINT_NAMES.index(f"{side}_elbow_flexion")
        angles[:, elbow] = rng.uniform(0.0, 0.6, FRAMES) if stretched else 1.8
    return angles


def arm_of(lengths: np.ndarray) -> float:
    return float(lengths[UPPER_ARM] + lengths[FOREARM])


@pytest.mark.parametrize("scale", [0.9, 1.0, 1.1])
def test_someone_of_usual_proportions_comes_out_of_a_t_pose_as_they_are(scale: float):
    truth = person(scale)
    found = calibrate(*seen(truth, t_pose()))
    assert found.pose is CalibrationPose.T
    np.testing.assert_allclose(found.lengths, truth, atol=5e-3)


@pytest.mark.parametrize("arm", [0.92, 1.08])
def test_a_t_pose_tells_long_arms_from_short_ones(arm: float):
    truth = person(1.0, arm)
    found = calibrate(*seen(truth, t_pose()), CalibrationPose.T)
    usual = arm_of(person())
    assert abs(arm_of(found.lengths) - arm_of(truth)) < 0.45 * abs(usual - arm_of(truth))
    span = [found.lengths[i] - truth[i] for i in (SHOULDER_LATERAL, UPPER_ARM, FOREARM)]
    assert abs(sum(span)) < 0.01


def test_drooping_arms_of_a_t_pose_are_straightened():
    angles = t_pose()
    for side in ("left", "right"):
        angles[:, JOINT_NAMES.index(f"{side}_shoulder_abduction")] = np.radians(75)
    found = calibrate(*seen(person(), angles), CalibrationPose.T)
    assert arm_of(found.lengths) == pytest.approx(arm_of(person()), abs=0.01)


def test_movement_lengthens_arms_that_reach_further_than_usual_ones():
    truth = person(1.0, 1.12)
    found = calibrate(*seen(truth, exercise()))
    assert found.pose is CalibrationPose.MOVEMENT
    usual = arm_of(person())
    assert usual + 0.3 * (arm_of(truth) - usual) < arm_of(found.lengths) < arm_of(truth) + 0.02
    assert found.sources[UPPER_ARM] is Source.MEASURED


def test_arms_that_never_stretch_tell_nothing_of_their_length():
    found = calibrate(*seen(person(1.05), exercise(stretched=False)))
    assert found.sources[UPPER_ARM] is Source.PROPORTIONS
    assert arm_of(found.lengths) == pytest.approx(arm_of(person(1.05)), abs=0.01)
    assert found.deviations[UPPER_ARM] > 0.02


def test_looking_down_and_crouching_do_not_make_anyone_smaller():
    heads, hands, tracked = seen(person(), exercise())
    low = heads.copy()
    low[60:, 1] -= 0.4
    low[:30, 3:] = Rotation.from_euler("x", -60, degrees=True).as_quat()
    low[:30, 1] -= 0.1
    found = calibrate(low, hands, tracked)
    assert found.lengths[EYE_HEIGHT] == pytest.approx(1.62, abs=0.01)


def test_someone_who_sits_keeps_an_adults_arms():
    found = calibrate(*seen(person(), exercise(stretched=False), drop_m=0.42))
    assert found.lengths[EYE_HEIGHT] == pytest.approx(1.20, abs=0.01)
    assert arm_of(found.lengths) == pytest.approx(arm_of(person()), abs=0.02)
    assert found.sources[LENGTH_NAMES.index("neck_m")] is Source.USUAL
    assert found.sources[EYE_HEIGHT] is Source.MEASURED


def test_a_childs_t_pose_makes_a_child():
    truth = person(0.7)
    found = calibrate(*seen(truth, t_pose()), CalibrationPose.T)
    assert arm_of(found.lengths) == pytest.approx(arm_of(truth), abs=0.03)
    assert found.lengths[EYE_HEIGHT] == pytest.approx(truth[EYE_HEIGHT], abs=0.01)


def test_a_ladder_makes_nobody_taller():
    found = calibrate(*seen(person(), exercise(), drop_m=-1.5))
    assert 1.4 < found.lengths[EYE_HEIGHT] < 1.9
    assert found.sources[EYE_HEIGHT] is Source.USUAL


def test_a_body_in_the_mirror_or_elsewhere_in_the_room_is_as_long():
    heads, hands, tracked = seen(person(1.03, 1.05), exercise(3))
    here = calibrate(heads, hands, tracked).lengths
    turn, shift = Rotation.from_euler("y", 211, degrees=True), np.array([3.0, 0.0, -7.0])

    def moved(poses: np.ndarray) -> np.ndarray:
        flat = poses.reshape(-1, 7)
        rotation = (turn * Rotation.from_quat(flat[:, 3:])).as_quat()
        return np.hstack([turn.apply(flat[:, :3]) + shift, rotation]).reshape(poses.shape)

    there = calibrate(moved(heads), moved(hands), tracked).lengths
    np.testing.assert_allclose(there, here, atol=1e-9)
    flip = np.array([-1, 1, 1, 1, -1, -1, 1])
    image = calibrate(heads * flip, hands[:, ::-1] * flip, tracked).lengths
    np.testing.assert_allclose(image, here, atol=1e-9)


def test_hands_that_are_not_tracked_have_no_say():
    heads, hands, tracked = seen(person(), exercise())
    wild = hands.copy()
    wild[::2, 0, :3] += 50.0
    tracked[::2, 0] = False
    cut = tracked.copy()
    expected = calibrate(heads, hands, cut).lengths
    np.testing.assert_allclose(calibrate(heads, wild, tracked).lengths, expected, atol=1e-9)
    none = np.zeros_like(tracked)
    alone = calibrate(heads, hands, none)
    np.testing.assert_allclose(alone.lengths, person(), atol=5e-3)


def test_a_long_recording_takes_no_more_memory_than_a_short_one():
    heads, hands, tracked = seen(person(), exercise())
    many = 500
    found = calibrate(
        np.tile(heads, (many, 1)), np.tile(hands, (many, 1, 1)), np.tile(tracked, (many, 1))
    )
    assert found.frames <= 20_000


def test_nothing_comes_from_no_frames_and_no_t_pose_from_other_ones():
    heads, hands, tracked = seen(person(), exercise(stretched=False))
    with pytest.raises(CalibrationError, match="no frames"):
        calibrate(heads[:0], hands[:0], tracked[:0])
    with pytest.raises(CalibrationError, match="no frame shows a T-pose"):
        calibrate(heads, hands, tracked, CalibrationPose.T)
