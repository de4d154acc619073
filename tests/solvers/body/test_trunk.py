"""The habits of trunks: continuous, blind to place, the same in a mirror, calm."""

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.chest import chest_from_head
from armspan.solvers.body.trunk import HABITS, heading, trunk_rotation
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from tests.solvers.drawing import poses, turn_between, vectors

SKULL = (0.0, 1.55, 0.0)
AHEAD = (0.0, 0.0, 0.0, 1.0)
NO_TURN = np.array([0.0, 0.0, 0.0, 1.0])


def trunk(hands: np.ndarray, left=True, right=True, skull=SKULL, head=AHEAD):
    up, ahead = trunk_rotation(HABITS, DEFAULT_LENGTHS, skull, head, hands, left, right)
    return np.array(up), np.array(ahead)


def hands_at(left: tuple[float, ...], right: tuple[float, ...]) -> np.ndarray:
    return np.array([[*left, 0, 0, 0, 1], [*right, 0, 0, 0, 1]], float)


def right_of_ahead(ahead: np.ndarray) -> float:
    """Degrees to the right of -Z."""
    return float(np.degrees(np.arctan2(ahead[0], -ahead[1])))


def test_a_single_hand_or_none_leaves_the_trunk_ahead_of_the_head():
    hands = hands_at((-0.1, 1.2, -0.6), (0.6, 1.6, -0.1))
    for left, right in ((True, False), (False, True), (False, False)):
        up, ahead = trunk(hands, left, right)
        np.testing.assert_allclose(ahead, [0.0, -1.0], atol=1e-12)
        np.testing.assert_allclose(up, [0.0, 1.0, 0.0], atol=1e-12)


def test_the_trunk_turns_from_the_hand_that_is_further_ahead():
    _, ahead = trunk(hands_at((-0.2, 1.2, -0.2), (0.2, 1.2, -0.6)))
    assert -50.0 < right_of_ahead(ahead) < -10.0


def test_the_trunk_turns_to_where_both_hands_are():
    _, ahead = trunk(hands_at((0.1, 1.1, -0.3), (0.5, 1.1, -0.3)))
    assert 5.0 < right_of_ahead(ahead) < 60.0


@pytest.mark.parametrize("reach_m", [1.0, 10.0, 100.0])
def test_hands_that_no_arm_could_reach_pull_no_more_than_the_furthest(reach_m: float):
    _, far = trunk(hands_at((-0.2, 1.2, -0.3), (reach_m, 1.5, -reach_m)))
    assert abs(right_of_ahead(far)) < 90.0


def test_a_lowered_head_that_looks_down_leans_and_one_that_is_high_does_not():
    look_down = tuple(Rotation.from_euler("x", -40, degrees=True).as_quat().tolist())
    hands = hands_at((-0.2, 0.9, -0.3), (0.2, 0.9, -0.3))
    for skull, low, high in (((0.0, 1.55, 0.0), 0.0, 8.0), ((0.0, 1.2, -0.3), 30.0, 70.0)):
        up, ahead = trunk(hands, skull=skull, head=look_down)
        lean = np.degrees(np.arccos(up[1]))
        assert low < lean < high
        assert up[0] * ahead[0] + up[2] * ahead[1] > 0.0


@given(head=poses(), left=vectors, right=vectors)
def test_up_and_ahead_are_unit_and_the_trunk_stays_within_a_right_angle(head, left, right):
    up, ahead = trunk(
        hands_at(left, right), skull=tuple(head[:3].tolist()), head=tuple(head[3:].tolist())
    )
    assert np.linalg.norm(up) == pytest.approx(1.0, abs=1e-9)
    assert np.linalg.norm(ahead) == pytest.approx(1.0, abs=1e-9)
    assert np.dot(ahead, heading(tuple(head[3:].tolist()))) > 0.0


@given(
    seed=st.integers(0, 2**32 - 1), turn=st.floats(-180.0, 180.0), pitch=st.floats(-60.0, 90.0),
    low=st.floats(0.7, 1.7),
)  # fmt: skip
def test_at_90_hz_no_motion_of_a_hand_or_the_head_makes_the_chest_jump(seed, turn, pitch, low):
    """20 mm and 10 degrees of every sensor at once, the most that counts as calm."""
    rng = np.random.default_rng(seed)
    head = np.array([0.0, low, 0.0, *Rotation.from_euler("yx", [turn, -pitch], True).as_quat()])
    hands = np.concatenate(
        [rng.normal(size=(2, 3)) * 0.3 + [0, low - 0.3, 0], Rotation.random(2, rng=rng).as_quat()],
        axis=1,
    )
    here, there = np.empty(7), np.empty(7)
    chest_from_head(DEFAULT_LENGTHS, head, hands, True, True, here)
    chest_from_head(
        DEFAULT_LENGTHS, nudged(head, rng), np.stack([nudged(hand, rng) for hand in hands]), True,
        True, there,
    )  # fmt: skip
    assert np.linalg.norm(there[:3] - here[:3]) < 0.1
    assert np.degrees(turn_between(there[3:], here[3:])) < 45.0


def nudged(pose: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    way, axis = rng.normal(size=(2, 3))
    turn = Rotation.from_rotvec(np.radians(10) * axis / np.linalg.norm(axis))
    moved = pose[:3] + 0.02 * way / np.linalg.norm(way)
    return np.concatenate([moved, (turn * Rotation.from_quat(pose[3:])).as_quat()])


@given(head=poses(), left=vectors, right=vectors, scale=st.floats(1e-7, 1e-5))
def test_the_chest_goes_where_its_sensors_go_without_a_step(head, left, right, scale):
    """Continuity: a millionth of a change moves the chest by as little, times some factor."""
    up = Rotation.from_quat(head[3:]).apply([0.0, 1.0, 0.0])[1]
    if up < -0.9:  # a head upside down faces nowhere
        return
    hands = hands_at(left, right)
    moved = hands.copy()
    moved[:, :3] += scale
    turned = head.copy()
    turned[3:] = (Rotation.from_rotvec([scale] * 3) * Rotation.from_quat(head[3:])).as_quat()
    here, there = np.empty(7), np.empty(7)
    chest_from_head(DEFAULT_LENGTHS, head, hands, True, True, here)
    chest_from_head(DEFAULT_LENGTHS, turned, moved, True, True, there)
    assert np.linalg.norm(there[:3] - here[:3]) < 50.0 * scale
    assert turn_between(there[3:], here[3:]) < 200.0 * scale
