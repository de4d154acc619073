"""The search over the torso's yaw: what it finds is a posture, what it proves empty is empty."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.forward import arm_angles, arm_frames
from armspan.solvers.body.goals import both_goals, own_yaw
from armspan.solvers.body.poses import PoseSet, make_poses
from armspan.solvers.body.reach import plan_yaw
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER, JOINT_LOWER, JOINT_UPPER
from armspan.solvers.body.swivel import angles_at, elbow_flexion
from armspan.solvers.body.targets import Task, make_task, pose_error
from armspan.solvers.body.yaw_search import Found, Reach, SearchScratch, arm_serves, find_yaw
from armspan.solvers.body.yaw_search import search_scratch as new_scratch

from tests.solvers.body.brute import best_inside, swivels
from tests.solvers.drawing import few

ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
LOWEST, HIGHEST = ARM_LOWER[0], ARM_UPPER[0]
YAWS = np.linspace(LOWEST, HIGHEST, few(91, 13))
ALL_AROUND = swivels(few(90, 30))
CLEAR_RAD = 1e-4
WRISTS = [5, 6, 7, 12, 13, 14]
ELBOWS = [4, 11]


def palms_as_right_arms(joint_angles: np.ndarray, lengths: np.ndarray) -> tuple:
    return tuple(arm_frames(arm_angles(joint_angles, side), lengths)[3] for side in range(2))


def tasks(kind: str, count: int, seed: int) -> Iterator[Task]:
    """Tasks of a kind; in ``mixed torsos`` each arm has a torso of its own to want."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        angles = random.uniform(JOINT_LOWER, JOINT_UPPER)
        lengths, tracked = DEFAULT_LENGTHS, (True, True)
        other = angles.copy()
        match kind:
            case "turned wrists":
                angles[WRISTS] += random.uniform(-0.8, 0.8, 6)
                other = angles
            case "mixed torsos":
                angles[ELBOWS] *= random.uniform(0.0, 0.6)
                other = angles.copy()
                other[0] = random.uniform(LOWEST, HIGHEST)
            case "stretched":
                angles[ELBOWS] *= 0.03
                other[[*ELBOWS, 0]] = angles[[*ELBOWS, 0]]
            case "bent":
                angles[ELBOWS] = JOINT_UPPER[4] * random.uniform(0.95, 1.0, 2)
                other = angles.copy()
                other[0] = random.uniform(LOWEST, HIGHEST)
            case "other people":
                lengths = DEFAULT_LENGTHS * random.uniform(0.75, 1.3, 11)
                angles[WRISTS] += random.uniform(-0.5, 0.5, 6)
                other = angles
            case "one arm":
                angles[WRISTS] += random.uniform(-0.8, 0.8, 6)
                other = angles
                tracked = (False, True) if random.random() < 0.5 else (True, False)
            case _:
                raise ValueError(kind)
        palms = (palms_as_right_arms(other, lengths)[0], palms_as_right_arms(angles, lengths)[1])
        yield Task(palms, tracked, lengths)


KINDS = ("turned wrists", "mixed torsos", "stretched", "bent", "other people", "one arm")


def searched(task: Task, wanted: float, scratch: SearchScratch) -> tuple[Reach, Found]:
    who = Reach(both_goals(task, wanted), task.tracked, task.lengths)
    return who, find_yaw(who, wanted, LOWEST, HIGHEST, scratch)


def inside_at(who: Reach, yaw: float) -> float:
    """How far (rad) inside the limits brute force gets both arms at a yaw."""
    least = math.inf
    for side in range(2):
        if who.tracked[side] and least > 0.0:
            goal = who.goals[side]
            least = min(least, best_inside(goal, own_yaw(yaw, side), who.lengths, ALL_AROUND))
    return least


@pytest.mark.parametrize("kind", KINDS)
def test_brute_force_finds_nothing_where_the_search_proved_that_there_is_nothing(kind: str):
    scratch, proved, served = new_scratch(), 0, 0
    for task in tasks(kind, few(150, 2), 1):
        who, found = searched(task, 0.0, scratch)
        if found.served:
            served += 1
            continue
        best = max(inside_at(who, yaw) for yaw in YAWS)
        assert best < CLEAR_RAD
        proved += found.certain
    assert kind == "stretched" or proved >= few(4, 0)
    assert served >= few(4, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_found_is_a_posture_inside_the_limits_with_the_palms_in_their_places(kind: str):
    scratch = new_scratch()
    for task in tasks(kind, few(500, 4), 2):
        who, found = searched(task, 0.1, scratch)
        if not found.served:
            continue
        assert found.certain
        assert LOWEST <= found.yaw <= HIGHEST
        for side in range(2):
            if task.tracked[side]:
                yaw = own_yaw(found.yaw, side)
                serves, _ = arm_serves(who.goals[side], yaw, task.lengths, side, scratch)
                assert serves
                c, s, branch, reach = scratch.posture[side].tolist()
                at = (c, s, int(branch))
                bend = elbow_flexion(reach, task.lengths)
                held = np.clip(
                    np.array(angles_at(scratch.circle[side], at, yaw, bend)), ARM_LOWER, ARM_UPPER
                )
                palm = arm_frames(tuple(held.tolist()), task.lengths)[3]
                off, turned = pose_error(task.palms[side], palm)
                assert off < 1e-4
                assert turned < math.radians(0.1)


@pytest.mark.parametrize("kind", ["turned wrists", "mixed torsos", "one arm"])
def test_the_torso_turns_no_further_than_it_must(kind: str):
    """But for a tenth of a degree, and for gaps and patches narrower than the first steps."""
    scratch, turned = new_scratch(), 0
    farther = []
    for task in tasks(kind, few(40, 2), 3):
        who, found = searched(task, 0.0, scratch)
        if found.served and abs(found.yaw) > 0.0:
            turned += 1
            serving = [abs(yaw) for yaw in YAWS if inside_at(who, yaw) > CLEAR_RAD]
            farther.append(abs(found.yaw) - min(serving, default=math.inf))
    assert turned >= few(4, 0)
    if turned:
        assert max(farther) < math.radians(3.0)
        assert np.median(farther) < math.radians(0.2)


def test_a_wanted_yaw_that_serves_is_taken():
    scratch = new_scratch()
    random = np.random.default_rng(4)
    for _ in range(few(200, 8)):
        angles = random.uniform(JOINT_LOWER, JOINT_UPPER)
        task = Task(palms_as_right_arms(angles, DEFAULT_LENGTHS), (True, True), DEFAULT_LENGTHS)
        _, found = searched(task, float(angles[0]), scratch)
        assert (found.served, found.yaw) == (True, angles[0])


@pytest.mark.parametrize("half_deg", [0.01, 0.3, 3.0, 20.0])
def test_an_interval_that_is_proved_empty_is_empty_at_every_yaw_within(half_deg: float):
    """The search confined to a short interval is the bound that it is made of."""
    scratch, half = new_scratch(), math.radians(half_deg)
    random = np.random.default_rng(5)
    proved = 0
    for task in tasks("one arm", few(400, 6), 6):
        middle = float(random.uniform(LOWEST + half, HIGHEST - half))
        who = Reach(both_goals(task, middle), task.tracked, task.lengths)
        found = find_yaw(who, middle, middle - half, middle + half, scratch)
        if found.served or not found.certain:
            continue
        proved += 1
        for yaw in [middle - half, middle + half, *random.uniform(-half, half, 6) + middle]:
            side = 0 if task.tracked[0] else 1
            own = own_yaw(float(yaw), side)
            assert not arm_serves(who.goals[side], own, task.lengths, side, scratch)[0]
    assert proved > few(50, 0)


@pytest.mark.parametrize("kind", [PoseSet.RANDOM, PoseSet.STRETCHED])
@pytest.mark.parametrize("seed", range(few(4, 1)))
def test_whatever_was_made_inside_the_limits_is_found(kind: PoseSet, seed: int):
    scratch = new_scratch()
    for hands in make_poses(kind, few(300, 6), 20 + seed).hands:
        task = make_task(ORIGIN, hands, True, True, DEFAULT_LENGTHS)
        plan = plan_yaw(task)
        who = Reach(both_goals(task, plan.preferred), task.tracked, task.lengths)
        assert find_yaw(who, plan.preferred, plan.low, plan.high, scratch).served


def test_hands_out_of_reach_are_proved_to_be():
    scratch = new_scratch()
    for hands in make_poses(PoseSet.UNREACHABLE, few(200, 5), 24).hands:
        task = make_task(ORIGIN, hands, True, True, DEFAULT_LENGTHS)
        found = searched(task, 0.0, scratch)[1]
        assert (found.served, found.certain) == (False, True)


def test_an_interval_of_no_width_is_asked_as_it_stands():
    angles = 0.5 * (JOINT_LOWER + JOINT_UPPER)
    angles[0] = 0.3
    task = Task(palms_as_right_arms(angles, DEFAULT_LENGTHS), (True, True), DEFAULT_LENGTHS)
    who = Reach(both_goals(task, 0.3), task.tracked, task.lengths)
    found = find_yaw(who, 0.3, 0.3, 0.3, new_scratch())
    assert (found.served, found.yaw) == (True, 0.3)
