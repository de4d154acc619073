"""The nearest posture: as good as brute force, inside the limits, still at the edge of reach."""

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS, forward_kinematics
from armspan.solvers.nearest import NearestScratch, nearest, nearest_from, nearest_scratch
from armspan.solvers.poses import PoseSet, make_poses, palms_of
from armspan.solvers.skeleton import ARM_REST, JOINT_LOWER, JOINT_UPPER
from armspan.solvers.targets import Task

from tests.solvers.drawing import COMPILED, few, turn_between
from tests.solvers.optimum import CHEST, KEPT, KINDS, cases, missed, task_of

GLIDE_RAD = 0.1
SETTLED_M = 2e-4  # what is missed less than that is found by other means
REST = np.array([ARM_REST, ARM_REST])


def fifteen(arms: np.ndarray) -> np.ndarray:
    return np.concatenate([arms[1, :1], arms[0, 1:], arms[1, 1:]])


def nearest_to(task: Task, thorough: bool = True) -> np.ndarray:
    arms = REST.copy()
    nearest(task, 0.0, thorough, arms, nearest_scratch())
    assert arms[0, 0] == -arms[1, 0]
    return fifteen(arms)


def over_optimum(kind: str, thorough: bool) -> np.ndarray:
    """What is missed over the least that can be, where that is something."""
    with np.load(KEPT) as kept:
        least = kept[kind]
    hands, tracked = cases(kind, len(least), 1)
    hands, tracked, least = (each[: few(len(least), 3)] for each in (hands, tracked, least))
    ratios = []
    for case, best in zip(zip(hands, tracked, strict=True), least, strict=True):
        task = task_of(*case)
        angles = nearest_to(task, thorough)
        assert (angles >= JOINT_LOWER).all()
        assert (angles <= JOINT_UPPER).all()
        if best > SETTLED_M:
            ratios.append(missed(angles, task) / best)
    return np.array(ratios)


@pytest.mark.parametrize("kind", ["out of reach", "one out of reach", "far away"])
def test_out_of_reach_the_constrained_optimum_is_met(kind: str):
    ratios = over_optimum(kind, thorough=True)
    assert len(ratios) >= few(35, 1)
    assert ratios.max() < 1.05
    assert (over_optimum(kind, thorough=False) < 1.05).mean() >= few(90, 60) / 100


@pytest.mark.skipif(not COMPILED, reason="shares of a few cases say nothing")
@pytest.mark.parametrize("kind", KINDS)
def test_of_other_impossible_hands_most_meet_it(kind: str):
    ratios = over_optimum(kind, thorough=True)
    assert (ratios < 1.05).mean() >= 0.85
    assert np.median(ratios) < 1.005


def test_a_hand_without_a_target_is_left_alone():
    hands, tracked = cases("one out of reach", few(20, 2), 3)
    for case in zip(hands, tracked, strict=True):
        for thorough in (False, True):
            arms = REST.copy()
            nearest(task_of(*case), 0.3, thorough, arms, nearest_scratch())
            still = int(not case[1][1])
            np.testing.assert_array_equal(arms[still, 1:], ARM_REST[1:])
            nearest_from(task_of(*case), np.inf, arms, nearest_scratch())
            np.testing.assert_array_equal(arms[still, 1:], ARM_REST[1:])


def test_where_every_hand_is_met_from_the_start_nothing_is_missed_and_the_torso_stays():
    hands = palms_of(np.tile(fifteen(REST), (1, 1)), np.zeros((1, 2)))
    task = task_of(hands[0], np.array([True, True]))
    arms = REST.copy()
    arms[:, 0] = 0.0
    nearest_from(task, np.inf, arms, nearest_scratch())
    np.testing.assert_allclose(fifteen(arms)[1:], fifteen(REST)[1:], atol=1e-6)
    assert missed(nearest_to(task), task) < 1e-3


def test_posture_given_or_fresh_comes_downhill_only():
    random = np.random.default_rng(4)
    scratch = nearest_scratch()
    for hands in make_poses(PoseSet.UNREACHABLE, few(40, 2), 4).hands:
        task = task_of(hands, np.array([True, True]))
        arms = random.uniform(-1.5, 1.5, (2, 8))
        arms[0, 0] = -arms[1, 0]
        before = np.clip(fifteen(arms), JOINT_LOWER, JOINT_UPPER)
        nearest_from(task, np.inf, arms, scratch)
        assert missed(fifteen(arms), task) <= missed(before, task) * (1 + 1e-9)


def way_through_the_edge(random: np.random.Generator, frames: int) -> np.ndarray:
    """Palms (T, 2, 7), a millimetre a frame: outward beyond reach, sideways there, and back."""
    angles = 0.5 * random.uniform(JOINT_LOWER, JOINT_UPPER)
    angles[[4, 11]] = random.uniform(0.3, 0.6, 2)
    ends = palms_of(angles[None], np.zeros((1, 2)))[0]
    hands = np.empty((4 * frames + 1, 2, 7))
    for side, shoulder in enumerate(([-0.18, 0.05, 0.0], [0.18, 0.05, 0.0])):
        out = ends[side, :3] - shoulder
        out /= np.linalg.norm(out)
        across = np.cross(out, random.normal(size=3))
        across /= np.linalg.norm(across)
        legs = np.repeat([out, across, -out, -across], frames, axis=0)
        way = np.concatenate([np.zeros((1, 3)), np.cumsum(1e-3 * legs, axis=0)])
        hands[:, side, :3] = ends[side, :3] + way
        hands[:, side, 3:] = ends[side, 3:]
    return hands


def shown_along(hands: np.ndarray, scratch: NearestScratch) -> np.ndarray:
    """(T, 15) each frame from the one before."""
    arms = REST.copy()
    shown = []
    for frame, pair in enumerate(hands):
        task = task_of(pair, np.array([True, True]))
        if frame == 0:
            nearest(task, 0.0, True, arms, scratch)
        else:
            nearest_from(task, GLIDE_RAD, arms, scratch)
        shown.append(fifteen(arms))
    return np.array(shown)


@pytest.mark.parametrize("seed", range(few(6, 1)))
def test_through_the_edge_of_reach_and_back_nothing_shakes(seed: int):
    """At the edge itself an elbow goes as a square root does: 15 mm where the hand goes one."""
    hands = way_through_the_edge(np.random.default_rng(seed), few(350, 30))
    bodies = [
        forward_kinematics(DEFAULT_LENGTHS, CHEST, angles)
        for angles in shown_along(hands, nearest_scratch())
    ]
    points = np.array([body.position[:, 1:] for body in bodies])  # elbow, wrist, palm
    steps = np.linalg.norm(np.diff(points, axis=0), axis=-1)
    assert steps[:, :, 0].max() < 0.05
    assert np.percentile(steps[:, :, 0], few(99, 95)) < 0.015
    assert np.percentile(steps[:, :, 2], 99) < 4e-3
    bones = np.array([body.rotation for body in bodies])
    turns = np.degrees(turn_between(bones[1:], bones[:-1]))
    assert turns.max() < 30.0
    # no shaking: what moves goes on its way, so a frame's second difference is no larger
    shaken = np.linalg.norm(np.diff(points, n=2, axis=0), axis=-1)
    assert np.percentile(shaken, few(99, 95)) < 2e-3


def test_the_posture_fades_into_the_reachable_one_at_the_edge():
    angles = np.zeros((1, 15))
    angles[:, [1, 8]] = np.pi / 2
    for excess in (1e-2, 1e-3, 1e-4):
        hands = palms_of(angles, np.full((1, 2), 1.0 + excess / 0.56))
        task = task_of(hands[0], np.array([True, True]))
        assert missed(nearest_to(task), task) <= np.sqrt(2.0) * excess * 1.01 + 1e-5
