"""The default solve: every reachable pose, inside the limits, the same whatever came before."""

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS, Method, forward_kinematics
from armspan.solvers.body.poses import PoseSet, make_poses, palms_of
from armspan.solvers.body.skeleton import FOREARM, JOINT_LOWER, JOINT_UPPER, UPPER_ARM
from armspan.solvers.body.stream import Stream, StreamAnswer, solve_stream
from scipy.spatial.transform import Rotation

from tests.solvers.body.pinocchio_body import pinocchio_body, pinocchio_hand
from tests.solvers.drawing import few, mirrored_angles, mirrored_hands, turn_between

REACH = float(DEFAULT_LENGTHS[UPPER_ARM] + DEFAULT_LENGTHS[FOREARM])


EXACT_M, EXACT_RAD = 1e-4, np.radians(0.1)
ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def solved(
    hands: np.ndarray, tracked=(True, True), lengths=DEFAULT_LENGTHS, chest=ORIGIN
) -> StreamAnswer:
    flags = np.tile(np.array(tracked, np.bool_), (len(hands), 1))
    chests = np.tile(chest, (len(hands), 1))
    return solve_stream(Method.ROBUST, Stream(lengths, hands, flags, chests=chests))


def missed(answer: StreamAnswer) -> np.ndarray:
    """(T,) metres over both hands, a radian of turn as much as 0.1 m."""
    square = answer.position_error_m**2 + (0.1 * answer.rotation_error_rad) ** 2
    return np.sqrt(np.nansum(square, axis=1))


def assert_inside(answer: StreamAnswer) -> None:
    assert answer.in_limits.all()
    assert (answer.joint_angles >= JOINT_LOWER).all()
    assert (answer.joint_angles <= JOINT_UPPER).all()


def assert_solved(answer: StreamAnswer) -> None:
    """Within 0.1 mm and 0.1 degree, inside the limits."""
    assert_inside(answer)
    assert answer.reachable.all()
    bad = (answer.position_error_m > EXACT_M) | (answer.rotation_error_rad > EXACT_RAD)
    assert not bad.any(), np.flatnonzero(bad.any(axis=1))


@pytest.mark.parametrize("kind", [PoseSet.RANDOM, PoseSet.STRETCHED])
@pytest.mark.parametrize("seed", range(few(5, 1)))
def test_poses_made_inside_the_limits_are_all_solved_inside_the_limits(kind: PoseSet, seed: int):
    poses = make_poses(kind, few(1000, 12), seed)
    answer = solved(poses.hands)
    assert_solved(answer)
    np.testing.assert_allclose(answer.position[:, :, 3], poses.hands[..., :3], atol=EXACT_M)
    assert turn_between(answer.rotation[:, :, 2], poses.hands[..., 3:]).max() < EXACT_RAD


@pytest.mark.parametrize("kind", [PoseSet.RANDOM, PoseSet.STRETCHED])
def test_another_library_agrees_that_they_are_solved(kind: PoseSet):
    pin, model, wrists = pinocchio_body()
    facts = model.createData()
    poses = make_poses(kind, few(300, 5), 11)
    for angles, hands in zip(solved(poses.hands).joint_angles, poses.hands, strict=True):
        pin.forwardKinematics(model, facts, angles)
        for side in range(2):
            palm, rotation = pinocchio_hand(facts, wrists[side], side)
            off = np.linalg.norm(palm - hands[side, :3])
            asked = Rotation.from_quat(hands[side, 3:])
            turned = (Rotation.from_matrix(rotation) * asked.inv()).magnitude()
            assert off < EXACT_M
            assert turned < EXACT_RAD


def on_limits(share: float, count: int, seed: int) -> np.ndarray:
    """Angles (count, 15) of which so many stand on a limit; none: just one."""
    random = np.random.default_rng(seed)
    angles = random.uniform(JOINT_LOWER, JOINT_UPPER, (count, 15))
    on = random.random((count, 15)) < share
    if share == 0.0:
        on[np.arange(count), random.integers(0, 15, count)] = True
    return np.where(
        on, np.where(random.random((count, 15)) < 0.5, JOINT_UPPER, JOINT_LOWER), angles
    )


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_angles_on_the_very_limits_are_solved(share: float, rounded: bool):
    """Faces, edges and corners of the box; a corner's posture may be the only one there is."""
    angles = on_limits(share, few(1000, 6), 12)
    hands = palms_of(angles, np.zeros((len(angles), 2)))
    answer = solved(hands.astype(np.float32).astype(float) if rounded else hands)
    # the one yaw of a posture with several angles on limits can be missed, and rounding can put a
    # hand just out of reach
    assert_inside(answer)
    assert rounded or answer.reachable.all()
    bad = (answer.position_error_m > EXACT_M) | (answer.rotation_error_rad > EXACT_RAD)
    assert bad.any(axis=1).sum() <= (0 if share == 0.0 else few(40 if rounded else 20, 3))
    assert answer.position_error_m.max() < 0.06


def test_no_posture_on_the_limits_is_called_out_of_reach():
    for share in (0.0, 0.2, 0.5, 0.8, 1.0):
        angles = on_limits(share, few(1000, 6), 13)
        answer = solved(palms_of(angles, np.zeros((len(angles), 2))))
        assert answer.reachable.all()
        assert answer.position_error_m.max() < 0.1


def test_what_a_tracker_sends_in_single_precision_is_solved_all_the_same():
    """Far from the world's origin as well: 8 micrometres at 100 m."""
    chest = np.array([90.0, 1.4, -80.0, 0.0, 0.0, 0.0, 1.0])
    for kind in (PoseSet.RANDOM, PoseSet.STRETCHED):
        hands = make_poses(kind, few(1000, 10), 14).hands
        assert_solved(solved(hands.astype(np.float32).astype(float)))
        far = hands + np.array([*chest[:3], 0.0, 0.0, 0.0, 0.0])
        assert_solved(solved(far.astype(np.float32).astype(float), chest=chest))


def test_postures_that_people_name_are_solved():
    named = np.zeros((6, 15))
    named[1, [4, 11]] = np.pi / 2  # home
    named[2, [2, 9]] = np.pi / 2  # T-pose
    named[3, [1, 8]] = np.pi / 2  # straight ahead
    named[4, [1, 8]] = np.pi  # straight up
    named[5, [1, 8]], named[5, [4, 11]] = 0.9, 150.0 * np.pi / 180.0
    answer = solved(palms_of(named, np.zeros((6, 2))))
    assert_solved(answer)
    assert np.abs(answer.joint_angles[:, 0]).max() < 1e-12


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("off_rad", [0.0, 1e-9, 1e-6, 1e-4, 1e-2])
def test_the_t_pose_and_all_near_it_are_solved(off_rad: float, rounded: bool):
    """Straight arms at the shoulder's gimbal lock, where two of its angles have no say."""
    random = np.random.default_rng(16)
    angles = np.zeros((few(300, 5), 15))
    angles[:, [2, 9]] = np.pi / 2
    angles += off_rad * random.normal(size=angles.shape)
    angles = np.clip(angles, JOINT_LOWER, JOINT_UPPER)
    hands = palms_of(angles, np.zeros((len(angles), 2)))
    assert_solved(solved(hands.astype(np.float32).astype(float) if rounded else hands))


@pytest.mark.parametrize("bend", [0.0, 1e-4, 1.0])
def test_arms_sideways_are_solved_however_they_are_turned(bend: float):
    random = np.random.default_rng(17)
    angles = random.uniform(JOINT_LOWER, JOINT_UPPER, (few(500, 6), 15))
    angles[:, [2, 9]] = np.pi / 2
    angles[:, [4, 11]] = bend
    assert_solved(solved(palms_of(angles, np.zeros((len(angles), 2)))))


@pytest.mark.parametrize("kind", list(PoseSet))
def test_where_the_body_stands_and_how_it_is_turned_does_not_matter(kind: PoseSet):
    random = np.random.default_rng(15)
    hands = make_poses(kind, few(400, 6), 15).hands
    here = solved(hands)
    turn = Rotation.random(rng=random)
    chest = np.array([*random.uniform(-20.0, 20.0, 3), *turn.as_quat()])
    moved = hands.copy()
    moved[..., :3] = turn.apply(hands[..., :3].reshape(-1, 3)).reshape(-1, 2, 3) + chest[:3]
    turned = turn * Rotation.from_quat(hands[..., 3:].reshape(-1, 4))
    moved[..., 3:] = turned.as_quat().reshape(-1, 2, 4)
    there = solved(moved, chest=chest)
    back = turn.inv().apply((there.position - chest[:3]).reshape(-1, 3)).reshape(-1, 8, 3)
    apart = np.abs(back - here.position.reshape(-1, 8, 3)).max(axis=(1, 2))
    # a descent ends where a step wins little, and rounding may win it a step more
    assert (apart < (5e-3 if kind is PoseSet.UNREACHABLE else 1e-6)).mean() >= 0.95
    assert apart.max() < 0.05
    np.testing.assert_array_equal(there.reachable, here.reachable)
    np.testing.assert_allclose(missed(there), missed(here), rtol=0.05, atol=1e-5)


def test_one_arm_alone_is_solved_and_the_other_hangs():
    hands = make_poses(PoseSet.RANDOM, few(500, 10), 2).hands
    left, right = solved(hands, (True, False)), solved(hands, (False, True))
    for answer, side in ((left, 0), (right, 1)):
        assert answer.position_error_m[:, side].max() < EXACT_M
        assert answer.rotation_error_rad[:, side].max() < EXACT_RAD
    for answer, hanging in ((left, 1), (right, 0)):
        assert_inside(answer)
        assert not answer.converged[:, hanging].any()
        assert np.isnan(answer.position_error_m[:, hanging]).all()
        first = 1 + 7 * hanging
        assert np.ptp(answer.joint_angles[:, first : first + 7], axis=0).max() == 0.0
        palm = answer.position[:, hanging, 3]
        assert (palm[:, 1] < -0.45).all()


def test_unreachable_hands_are_told_and_come_as_near_as_the_arm_does():
    poses = make_poses(PoseSet.UNREACHABLE, few(500, 8), 3)
    answer = solved(poses.hands)
    assert_inside(answer)
    assert not answer.reachable.any()
    assert not answer.converged.any()
    shoulder, wrist = answer.position[:, :, 0], answer.position[:, :, 2]
    straightness = np.linalg.norm(wrist - shoulder, axis=2) / REACH
    assert np.median(straightness) > 0.999
    # the torso that the pose was made with misses by this; a straight arm may meet a limit
    excess = ((poses.pushed - 1.0) * REACH).sum(axis=1)
    missed = answer.position_error_m.sum(axis=1)
    assert np.median(missed - excess) < 0.005
    assert (missed < excess + 0.1).mean() > few(90, 60) / 100


def test_out_of_reach_straight_ahead_the_hand_keeps_its_orientation():
    angles = np.zeros((1, 15))
    angles[:, [1, 8]] = np.pi / 2  # both arms straight forward
    for far in (1.1, 1.3, 2.0):
        hands = palms_of(angles, np.full((1, 2), far))
        answer = solved(hands)
        assert answer.rotation_error_rad.max() < 1e-3
        np.testing.assert_allclose(answer.position_error_m, (far - 1.0) * REACH, atol=1e-4)


def test_one_hand_out_of_reach_does_not_keep_the_other_from_its_place():
    near = make_poses(PoseSet.RANDOM, few(200, 8), 4).hands
    hands = near.copy()
    hands[:, 0, :3] = [-3.0, 0.5, -0.5]
    answer = solved(hands)
    assert not answer.reachable[:, 0].any()
    assert answer.reachable[:, 1].all()
    assert answer.position_error_m[:, 1].max() < EXACT_M
    assert answer.rotation_error_rad[:, 1].max() < EXACT_RAD


def test_a_hand_turned_as_no_wrist_turns_is_where_it_should_be_all_the_same():
    random = np.random.default_rng(5)
    hands = make_poses(PoseSet.RANDOM, few(300, 8), 5).hands
    wrong = random.normal(size=hands[..., 3:].shape)
    hands[..., 3:] = wrong / np.linalg.norm(wrong, axis=-1, keepdims=True)
    answer = solved(hands)
    assert_inside(answer)
    assert np.median(answer.position_error_m) < 0.05


@pytest.mark.parametrize("kind", list(PoseSet))
def test_mirrored_hands_give_mirrored_angles(kind: PoseSet):
    hands = make_poses(kind, few(300, 8), 6).hands
    here, there = solved(hands), solved(mirrored_hands(hands))
    image = mirrored_angles(here.joint_angles)
    same = np.abs(there.joint_angles - image).max(axis=1) < 1e-6
    assert same.mean() >= (0.99 if kind is PoseSet.UNREACHABLE else 1.0)
    np.testing.assert_array_equal(there.reachable[:, ::-1], here.reachable)
    np.testing.assert_allclose(there.position_error_m[:, ::-1], here.position_error_m, atol=1e-3)


def test_the_answer_does_not_depend_on_what_was_solved_before():
    hands = make_poses(PoseSet.RANDOM, few(300, 8), 7).hands
    forward, backward = solved(hands), solved(hands[::-1])
    np.testing.assert_array_equal(forward.joint_angles, backward.joint_angles[::-1])
    np.testing.assert_array_equal(forward.joint_angles, solved(hands).joint_angles)


def test_turning_a_wheel_for_ever_winds_nothing_up():
    """The paper's reason to start afresh: after many turns the posture is that of the first."""
    turns = np.linspace(0.0, 2 * np.pi * 20, few(20 * 120, 20 * 6) + 1)
    hands = np.zeros((len(turns), 2, 7))
    for side, sign in ((0, -1.0), (1, 1.0)):
        hands[:, side, 0] = sign * 0.18 * np.cos(turns)
        hands[:, side, 1] = -0.1 + sign * 0.18 * np.sin(turns)
        hands[:, side, 2] = -0.42
        hands[:, side, 3:] = [0.0, 0.0, -sign * np.sqrt(0.5), np.sqrt(0.5)]
    angles = solved(hands).joint_angles
    per_turn = few(120, 6)
    np.testing.assert_allclose(angles[:per_turn], angles[-per_turn - 1 : -1], atol=1e-9)


def test_other_peoples_lengths_are_solved_as_well():
    random = np.random.default_rng(8)
    for _ in range(few(5, 1)):
        lengths = DEFAULT_LENGTHS * random.uniform(0.8, 1.25, 11)
        hands = np.empty((few(200, 6), 2, 7))
        angles = random.uniform(JOINT_LOWER, JOINT_UPPER, (len(hands), 15))
        for row, pose in enumerate(angles):
            frames = forward_kinematics(lengths, np.array([0, 0, 0, 0, 0, 0, 1.0]), pose)
            hands[row, :, :3] = frames.position[:, 3]
            hands[row, :, 3:] = frames.rotation[:, 2]
        assert_solved(solved(hands, lengths=lengths))


def test_a_small_move_of_the_hands_seldom_moves_an_elbow_far():
    random = np.random.default_rng(9)
    hands = make_poses(PoseSet.RANDOM, few(1000, 10), 9).hands
    nudged = hands.copy()
    nudged[..., :3] += random.uniform(-5e-4, 5e-4, nudged[..., :3].shape)
    here, there = solved(hands), solved(nudged)
    moved = np.linalg.norm(here.position[:, :, 1] - there.position[:, :, 1], axis=-1)
    assert np.median(moved) < 2e-3
    assert (moved < 0.05).mean() > few(97, 80) / 100
