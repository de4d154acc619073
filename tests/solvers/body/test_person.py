"""The posture of a motion: the elbow as people hold it, the palm in its place, limits kept."""

import math

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS, Method
from armspan.solvers.body.arcs import LINES
from armspan.solvers.body.elbow import elbow_direction
from armspan.solvers.body.forward import arm_frames
from armspan.solvers.body.goals import both_goals
from armspan.solvers.body.person import person_arm
from armspan.solvers.body.poses import PoseSet, make_poses, palms_of
from armspan.solvers.body.reach import plan_yaw
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER, JOINT_LOWER, JOINT_UPPER
from armspan.solvers.body.stream import Stream, StreamAnswer, solve_stream
from armspan.solvers.body.swivel import CIRCLE_ROWS, shoulder_to_wrist, wrist_of
from armspan.solvers.body.targets import SOLVED_M, Task, make_task, pose_error
from armspan.solvers.dual_quaternion import dq_position, dq_real
from armspan.solvers.quaternion import quat_axes

from tests.solvers.drawing import few

ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
LOWER, UPPER = np.array(ARM_LOWER), np.array(ARM_UPPER)
TURNED_RAD = math.radians(30.0)
IN_PLACE_M = 1e-4


def posture(palm: tuple, yaw: float, lengths: np.ndarray = DEFAULT_LENGTHS) -> tuple:
    """A right arm's 8 angles."""
    goal = both_goals(Task((palm, palm), (False, True), lengths), yaw)[1]
    circle, lines = np.empty((CIRCLE_ROWS, 3)), np.empty((LINES, 3))
    return person_arm(palm, goal, yaw, lengths, circle, lines)


def model_elbow(palm: tuple, yaw: float) -> np.ndarray:
    """Unit direction from the line to the wrist, in the chest's frame of a torso not turned."""
    assert yaw == 0.0
    away = shoulder_to_wrist(wrist_of(palm, DEFAULT_LENGTHS), yaw, DEFAULT_LENGTHS)
    return np.array(elbow_direction(away, *quat_axes(dq_real(palm)), DEFAULT_LENGTHS))


def at_the_model(random: np.random.Generator) -> tuple | None:
    """A palm in a usual place, turned so that the model's elbow keeps all limits; or None."""
    arm = random.uniform(0.4 * LOWER, 0.4 * UPPER)
    arm[0], arm[4] = 0.0, random.uniform(0.6, 1.9)
    palm = arm_frames(tuple(arm.tolist()), DEFAULT_LENGTHS)[3]
    turned = pose_error(palm, arm_frames(posture(palm, 0.0), DEFAULT_LENGTHS)[3])[1]
    return palm if turned < 1e-6 else None


def test_where_limits_allow_the_elbow_is_where_the_model_has_it_and_the_hand_as_asked():
    random = np.random.default_rng(1)
    near = []
    for _ in range(few(400, 20)):
        palm = at_the_model(random)
        if palm is None:
            continue
        angles = posture(palm, 0.0)
        _, shoulder, forearm, reached = arm_frames(angles, DEFAULT_LENGTHS)
        off, turned = pose_error(palm, reached)
        assert off < 1e-6
        assert turned < 1e-6
        away = np.subtract(wrist_of(palm, DEFAULT_LENGTHS), dq_position(shoulder))
        away /= np.linalg.norm(away)
        elbow = np.subtract(dq_position(forearm), dq_position(shoulder))
        across = elbow - (elbow @ away) * away
        cosine = across @ model_elbow(palm, 0.0) / np.linalg.norm(across)
        near.append(math.degrees(math.acos(min(cosine, 1.0))))
    assert len(near) > few(100, 4)
    assert np.median(near) < 1e-3
    assert np.percentile(near, 90) < 15.0


@pytest.mark.parametrize("beyond_deg", [0.0, 40.0])
def test_all_angles_are_inside_the_limits_whatever_is_asked(beyond_deg: float):
    random = np.random.default_rng(2)
    for _ in range(few(500, 20)):
        arm = random.uniform(LOWER, UPPER)
        arm[5:] += np.radians(random.uniform(-beyond_deg, beyond_deg, 3))
        lengths = DEFAULT_LENGTHS * random.uniform(0.75, 1.3, 11)
        palm = arm_frames(tuple(arm.tolist()), lengths)[3]
        yaw = float(random.uniform(LOWER[0], UPPER[0]))
        angles = np.array(posture(palm, yaw, lengths))
        assert angles[0] == yaw
        assert (angles[1:] >= LOWER[1:]).all()
        assert (angles[1:] <= UPPER[1:]).all()


def test_a_hand_a_little_beyond_the_wrists_limits_is_in_its_place_and_turned_a_little():
    """What is given up is the turn: by about what the wrist is beyond its limits."""
    random = np.random.default_rng(3)
    placed, turned_by = [], []
    for _ in range(few(300, 20)):
        palm = at_the_model(random)
        if palm is None:
            continue
        arm = np.array(posture(palm, 0.0))
        arm[6] = UPPER[6] + math.radians(10.0) if arm[6] > 0.0 else LOWER[6] - math.radians(10.0)
        palm = arm_frames(tuple(arm.tolist()), DEFAULT_LENGTHS)[3]
        reached = arm_frames(posture(palm, 0.0), DEFAULT_LENGTHS)[3]
        off, turned = pose_error(palm, reached)
        placed.append(off)
        turned_by.append(turned)
    assert len(placed) > few(100, 4)
    # the solve polishes what a few rounds leave
    assert np.mean(np.array(placed) < IN_PLACE_M) > 0.7
    assert np.median(turned_by) < math.radians(15.0)


def first_frames(hands: np.ndarray) -> list[StreamAnswer]:
    """Each of ``hands`` (n, 2, 7) as the first frame of a motion."""
    both = np.ones((1, 2), np.bool_)
    return [
        solve_stream(
            Method.ROBUST,
            Stream(DEFAULT_LENGTHS, pair[None], both, chests=ORIGIN[None], time_s=np.zeros(1)),
        )
        for pair in hands
    ]


@pytest.mark.parametrize("kind", [PoseSet.RANDOM, PoseSet.STRETCHED])
def test_in_a_motion_hands_in_reach_are_in_their_places_and_turned_by_30_degrees_at_most(
    kind: PoseSet,
):
    answers = first_frames(make_poses(kind, few(400, 6), 9).hands)
    off = np.array([answer.position_error_m[0] for answer in answers])
    turned = np.array([answer.rotation_error_rad[0] for answer in answers])
    angles = np.array([answer.joint_angles[0] for answer in answers])
    assert (angles >= JOINT_LOWER).all()
    assert (angles <= JOINT_UPPER).all()
    assert all(answer.reachable.all() for answer in answers)
    assert off.max() <= SOLVED_M
    assert turned.max() <= TURNED_RAD
    assert (off.max(axis=1) <= IN_PLACE_M).mean() >= 0.9
    assert (turned.max(axis=1) < 1e-4).mean() >= 0.5


def test_a_wrist_beyond_its_limit_seldom_turns_the_torso():
    """By 10 degrees; the torso is there for the hands' places."""
    middle = np.zeros(15)
    middle[[1, 8]], middle[[4, 11]] = 0.6, 1.4
    random = np.random.default_rng(4)
    angles = middle + random.uniform(-0.2, 0.2, (few(200, 5), 15))
    wrists = random.choice([6, 13], len(angles))
    angles[np.arange(len(angles)), wrists] = UPPER[6] + math.radians(10.0)
    hands = palms_of(angles, np.zeros((len(angles), 2)))
    stayed = []
    for pair, answer in zip(hands, first_frames(hands), strict=True):
        plan = plan_yaw(make_task(ORIGIN, pair, True, True, DEFAULT_LENGTHS))
        stayed.append(answer.joint_angles[0, 0] == plan.preferred)
        assert answer.position_error_m.max() <= SOLVED_M
        assert answer.rotation_error_rad.max() <= TURNED_RAD
    assert np.mean(stayed) > few(65, 30) / 100
