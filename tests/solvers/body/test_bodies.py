"""The one compiled call: what it touches, what it says, and how tracking comes and goes."""

from dataclasses import dataclass

import numpy as np
import pytest
from armspan.solvers import (
    CONVERGED,
    DEFAULT_LENGTHS,
    IN_LIMITS,
    MEMORY_SIZE,
    REACHABLE,
    Method,
    eyes_from_chest,
    forward_kinematics,
    solve_bodies,
    warm_up,
)
from armspan.solvers.body.blend import BLEND_S
from armspan.solvers.body.skeleton import ARM_REST, JOINT_LOWER, JOINT_UPPER
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.solvers.drawing import few, turn_between

TICK_S = 1.0 / 60.0
LOST, INFERRED, TRACKED = 0, 1, 2
ALL = (True, True, True)


@dataclass
class People:
    """The arrays of a session, as a server owns them."""

    count: int

    def __post_init__(self):
        n = self.count
        self.lengths = np.tile(DEFAULT_LENGTHS, (n, 1))
        self.heads = np.tile([0.0, 1.62, -0.09, 0.0, 0.0, 0.0, 1.0], (n, 1))
        # forearms forward, palms inward: a right hand's X points down, a left hand's X up
        half = np.sqrt(0.5)
        left = [-0.2, 1.15, -0.45, 0.0, 0.0, half, half]
        right = [0.2, 1.15, -0.45, 0.0, 0.0, -half, half]
        self.hands = np.tile(np.array([left, right]), (n, 1, 1))
        self.tracked = np.ones((n, 3), np.uint8)
        self.memory = np.zeros((n, MEMORY_SIZE))
        self.chests = np.zeros((n, 7))
        self.angles = np.zeros((n, 15))
        self.provenance = np.zeros((n, 3), np.uint8)
        self.status = np.zeros((n, 2), np.uint8)

    def tick(self, rows=None, method=Method.ROBUST, dt_s: float = TICK_S) -> None:
        chosen = np.arange(self.count, dtype=np.int32) if rows is None else np.array(rows, np.int32)
        solve_bodies(
            method,
            dt_s,
            chosen,
            self.lengths,
            self.heads,
            self.hands,
            self.tracked,
            self.memory,
            self.chests,
            self.angles,
            self.provenance,
            self.status,
        )

    def see(self, head: bool, left: bool, right: bool) -> None:
        self.tracked[:] = [head, left, right]

    def palms(self, row: int = 0) -> np.ndarray:
        frames = forward_kinematics(self.lengths[row], self.chests[row], self.angles[row])
        return frames.position[:, 3]


def arm(angles: np.ndarray, side: int) -> np.ndarray:
    return angles[1 + 7 * side : 8 + 7 * side]


def test_both_palms_are_where_they_are_tracked_and_the_status_says_so():
    people = People(1)
    people.tick()
    np.testing.assert_allclose(people.palms(), people.hands[0, :, :3], atol=1e-3)
    assert (people.status == CONVERGED | IN_LIMITS | REACHABLE).all()
    assert (people.provenance == TRACKED).all()


def test_only_the_given_rows_are_touched():
    people = People(5)
    for array in (people.chests, people.angles, people.memory):
        array[:] = 77.0
    people.provenance[:], people.status[:] = 9, 9
    people.memory[[1, 3]] = 0.0
    people.tick(rows=[3, 1])
    for row, touched in enumerate((False, True, False, True, False)):
        changed = [
            bool((people.chests[row] != 77.0).any()),
            bool((people.angles[row] != 77.0).any()),
            bool((people.memory[row] != 77.0).all()),
            bool((people.status[row] != 9).all()),
            bool((people.provenance[row] != 9).all()),
        ]
        assert changed == [touched] * 5


def test_nobody_to_solve_is_no_trouble():
    People(3).tick(rows=[])


def test_a_body_does_not_depend_on_its_neighbours():
    random = np.random.default_rng(0)
    together = People(20)
    together.hands[..., :3] += random.uniform(-0.3, 0.3, (20, 2, 3))
    alone = People(20)
    alone.hands[:] = together.hands
    together.tick()
    for row in range(20):
        alone.tick(rows=[row])
    np.testing.assert_array_equal(together.angles, alone.angles)


@pytest.mark.parametrize("method", list(Method))
def test_the_same_sensors_give_the_same_posture_whatever_came_before(method: Method):
    """At once, or where what is shown must not pop, within a second."""
    random = np.random.default_rng(1)
    wanderer, fresh = People(1), People(1)
    goal = wanderer.hands.copy()
    for _ in range(few(50, 3)):
        wanderer.hands[..., :3] = goal[..., :3] + random.uniform(-0.3, 0.3, (1, 2, 3))
        wanderer.tick(method=method)
    wanderer.hands[:] = goal
    fresh.tick(method=method)
    for _ in range(round(1.0 / TICK_S) if method is Method.ROBUST else 1):
        wanderer.tick(method=method)
    same = 1e-9 if method is Method.ROBUST else 0.0
    np.testing.assert_allclose(wanderer.angles, fresh.angles, atol=same, rtol=0.0)


def test_a_new_body_shows_its_first_posture_at_once():
    people = People(1)
    people.tick()
    first = people.angles.copy()
    people.tick()
    np.testing.assert_array_equal(people.angles, first)


def test_a_lost_hand_is_inferred_on_its_way_down_and_then_hangs():
    people = People(1)
    people.tick()
    held = arm(people.angles[0], 1).copy()
    people.see(True, True, False)
    steps = []
    for _ in range(round(BLEND_S / TICK_S) - 1):
        people.tick()
        assert people.provenance[0].tolist() == [TRACKED, TRACKED, INFERRED]
        steps.append(arm(people.angles[0], 1).copy())
    for _ in range(3):
        people.tick()
    assert people.provenance[0].tolist() == [TRACKED, TRACKED, LOST]
    np.testing.assert_allclose(arm(people.angles[0], 1), ARM_REST[1:], atol=1e-12)
    way = np.abs(np.diff(np.array([held, *steps]), axis=0)).max(axis=1)
    assert way.max() < 0.25 * np.abs(held - ARM_REST[1:]).max()  # no jump, and no glide for ever
    assert people.status[0, 1] == IN_LIMITS
    # the other hand never left its place
    np.testing.assert_allclose(people.palms()[0], people.hands[0, 0, :3], atol=1e-3)


def test_a_hand_that_comes_back_is_in_its_place_after_a_quarter_second_and_comes_from_rest():
    people = People(1)
    people.see(True, True, False)
    for _ in range(30):
        people.tick()
    hanging = people.palms()[1]
    people.see(True, True, True)
    palms = [hanging]
    for _ in range(round(BLEND_S / TICK_S) + 1):
        people.tick()
        assert people.provenance[0, 2] == TRACKED
        palms.append(people.palms()[1])
    np.testing.assert_allclose(palms[-1], people.hands[0, 1, :3], atol=1e-3)
    assert people.status[0, 1] & CONVERGED
    steps = np.linalg.norm(np.diff(palms, axis=0), axis=1)
    assert steps.max() < 0.15
    near = [min(np.linalg.norm(p - hanging), np.linalg.norm(p - palms[-1])) for p in palms]
    assert max(near) < 0.5  # never by way of the world's origin


def test_a_gap_of_one_frame_jerks_nothing():
    people = People(1)
    people.tick()
    before = people.palms()
    people.see(True, False, True)
    people.tick()
    people.see(True, True, True)
    people.tick()
    assert np.linalg.norm(people.palms() - before, axis=1).max() < 0.05


def test_the_eyes_stay_where_they_are_tracked_while_a_hand_comes_and_goes():
    people = People(1)
    people.heads[0, 3:] = [0.1, 0.3, 0.0, np.sqrt(1 - 0.1)]
    turned = []
    for right in (True, False, True):
        people.see(True, True, right)
        for _ in range(20):
            people.tick()
            eyes = eyes_from_chest(people.lengths[0], people.chests[0], people.heads[0, 3:])
            np.testing.assert_allclose(eyes, people.heads[0, :3], atol=1e-12)
            turned.append(people.chests[0, 3:].copy())
    steps = turn_between(np.array(turned[1:]), np.array(turned[:-1]))
    assert np.sum(steps) > np.radians(5.0)  # one hand more does turn the trunk,
    assert steps.max() < np.radians(10.0)  # but not at once


def test_without_hands_both_arms_hang():
    people = People(1)
    people.see(True, False, False)
    people.tick()
    assert people.angles[0, 0] == 0.0
    for side in range(2):
        np.testing.assert_allclose(arm(people.angles[0], side), ARM_REST[1:])
    assert people.provenance[0].tolist() == [TRACKED, LOST, LOST]
    assert (people.status[0] == IN_LIMITS).all()


def test_without_a_head_the_chest_stays_and_comes_back_smoothly():
    people = People(1)
    people.tick()
    chest = people.chests[0].copy()
    people.see(False, True, True)
    people.heads[0, :3] = 0.0  # whatever a dead sensor says
    for _ in range(40):
        people.tick()
        np.testing.assert_array_equal(people.chests[0], chest)
    assert people.provenance[0, 0] == LOST
    people.see(True, True, True)
    people.heads[0] = [0.5, 1.6, -0.09, 0.0, 0.0, 0.0, 1.0]
    walked = [chest[:3]]
    for _ in range(20):
        people.tick()
        walked.append(people.chests[0, :3].copy())
    steps = np.linalg.norm(np.diff(walked, axis=0), axis=1)
    assert steps[0] < 0.1
    assert steps.max() < 0.1
    assert walked[-1][0] == pytest.approx(0.5, abs=0.1)
    assert np.linalg.norm(people.chests[0, 3:]) == pytest.approx(1.0)


def test_someone_who_was_never_tracked_stands_at_the_origin():
    people = People(1)
    people.see(False, False, False)
    people.tick()
    np.testing.assert_allclose(people.chests[0], [0, 1.365, 0, 0, 0, 0, 1], atol=1e-12)
    assert people.provenance[0].tolist() == [LOST, LOST, LOST]


def test_blending_keeps_every_angle_inside_the_limits():
    random = np.random.default_rng(2)
    people = People(few(50, 3))
    for _ in range(few(60, 10)):
        people.hands[..., :3] += random.normal(0.0, 0.03, people.hands[..., :3].shape)
        people.tracked[:, 1:] = random.random((people.count, 2)) > 0.2
        people.tick()
        assert (people.angles >= JOINT_LOWER - 1e-12).all()
        assert (people.angles <= JOINT_UPPER + 1e-12).all()


def test_a_stalled_or_backward_clock_does_no_harm():
    people = People(1)
    people.tick()
    people.see(True, False, True)
    for dt_s in (0.0, -1.0, 1e9):
        people.tick(dt_s=dt_s)
        assert np.isfinite(people.angles).all()


finite = st.floats(-100.0, 100.0, allow_nan=False)
components = st.floats(-1e3, 1e3, allow_nan=False)


@settings(max_examples=few(300, 30))
@given(
    positions=arrays(np.float64, (3, 3), elements=finite),
    rotations=arrays(np.float64, (3, 4), elements=components),
    scales=arrays(np.float64, 11, elements=st.floats(0.5, 1.6)),
    tracked=st.lists(st.booleans(), min_size=3, max_size=3),
    method=st.sampled_from(list(Method)),
)
def test_no_finite_input_ever_gives_a_number_that_is_not(
    positions, rotations, scales, tracked, method
):
    people = People(1)
    people.lengths[0] *= scales
    for _ in range(2):
        people.heads[0] = [*positions[0], *rotations[0]]
        people.hands[0, :, :3], people.hands[0, :, 3:] = positions[1:], rotations[1:]
        people.see(*tracked)
        people.tick(method=method)
        for array in (people.chests, people.angles, people.memory):
            assert np.isfinite(array).all()
        assert np.linalg.norm(people.chests[0, 3:]) == pytest.approx(1.0, abs=1e-9)
        if method is Method.ROBUST:
            assert (people.angles >= JOINT_LOWER - 1e-12).all()
            assert (people.angles <= JOINT_UPPER + 1e-12).all()
            assert (people.status & IN_LIMITS).all()


def test_warming_up_compiles_what_a_session_calls():
    warm_up()
    people = People(1)
    for method in Method:
        people.tick(method=method)
