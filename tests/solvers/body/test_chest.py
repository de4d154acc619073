"""The chest from the head: the exact inverse, and how people hold their trunks."""

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS, eyes_from_chest
from armspan.solvers.body.chest import chest_from_head, upright_to
from armspan.solvers.body.trunk import heading
from armspan.solvers.quaternion import quat_rotate
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from tests.solvers.drawing import (
    lengths,
    mirrored_hands,
    mirrored_poses,
    poses,
    rotations,
    turn_between,
    vectors,
)

NO_HANDS = np.tile([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0], (2, 1))
UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])
CHEST = np.array([0.0, 1.365, 0.0, 0.0, 0.0, 0.0, 1.0])  # of someone 1.62 m to the eyes


def chest_of(head: np.ndarray, hands=None, size=DEFAULT_LENGTHS) -> np.ndarray:
    chest = np.empty(7)
    tracked = hands is not None
    chest_from_head(size, head, NO_HANDS if hands is None else hands, tracked, tracked, chest)
    return chest


def head_on(chest: np.ndarray, rotation: Rotation) -> np.ndarray:
    """The head of someone whose trunk is there and who looks that way."""
    turned = rotation.as_quat()
    return np.concatenate([eyes_from_chest(DEFAULT_LENGTHS, chest, turned), turned])


def hands_at(left: tuple[float, ...], right: tuple[float, ...]) -> np.ndarray:
    return np.array([[*left, 0, 0, 0, 1], [*right, 0, 0, 0, 1]], float)


def yaw_of(chest: np.ndarray) -> float:
    """Degrees to the left of -Z."""
    x, z = heading(tuple(chest[3:]))
    return float(np.degrees(np.arctan2(-x, -z)))


@given(head=poses(), left=vectors, right=vectors, size=lengths())
def test_the_eyes_of_the_chest_are_where_they_were_tracked(head, left, right, size):
    chest = chest_of(head, hands_at(left, right), size)
    np.testing.assert_allclose(eyes_from_chest(size, chest, head[3:]), head[:3], atol=1e-12)
    assert np.linalg.norm(chest[3:]) == pytest.approx(1.0, abs=1e-12)


@given(head=poses(), left=vectors, right=vectors)
def test_the_mirrored_person_has_a_mirrored_chest(head, left, right):
    hands = hands_at(left, right)
    here = mirrored_poses(chest_of(head, hands))
    there = chest_of(mirrored_poses(head), mirrored_hands(hands))
    np.testing.assert_allclose(there[:3], here[:3], atol=1e-9)
    assert turn_between(there[3:], here[3:]) < 1e-6


def test_someone_who_stands_and_looks_ahead_stands_upright():
    chest = chest_of(np.array([0.0, 1.62, -0.09, 0.0, 0.0, 0.0, 1.0]))
    np.testing.assert_allclose(chest, CHEST, atol=1e-12)


@pytest.mark.parametrize("pitch", [-30, -15, 15, 30, 45, 60])
def test_looking_up_or_down_moves_the_chest_by_less_than_two_centimetres(pitch: float):
    head = head_on(CHEST, Rotation.from_euler("x", -pitch, degrees=True))
    np.testing.assert_allclose(chest_of(head)[:3], CHEST[:3], atol=0.02)


def test_bending_forward_leans_the_trunk_and_does_not_stretch_it():
    lean = Rotation.from_euler("x", -45, degrees=True)
    hips = np.array([0.0, 0.95, 0.0])
    bent = np.concatenate([hips + lean.apply(CHEST[:3] - hips), lean.as_quat()])
    chest = chest_of(head_on(bent, lean))
    up = quat_rotate(tuple(chest[3:]), (0.0, 1.0, 0.0))
    tilt = np.degrees(np.arccos(up[1]))
    assert 30 < tilt < 60
    assert np.linalg.norm(chest[:3] - bent[:3]) < 0.05
    spine = np.linalg.norm(chest[:3] - hips)
    assert spine == pytest.approx(np.linalg.norm(CHEST[:3] - hips), abs=0.05)


def test_hands_keep_the_chest_ahead_when_only_the_head_turns():
    hands = hands_at((-0.25, 1.1, -0.4), (0.25, 1.1, -0.4))
    for turn in (-60, 60):
        head = head_on(CHEST, Rotation.from_euler("y", turn, degrees=True))
        alone, held = yaw_of(chest_of(head)), yaw_of(chest_of(head, hands))
        assert alone == pytest.approx(turn, abs=1.0)
        assert abs(held) < 0.65 * abs(turn)
        assert held * turn > 0


def test_the_chest_turns_with_the_whole_person():
    hands = hands_at((-0.25, 1.1, -0.4), (0.25, 1.2, -0.3))
    head = head_on(CHEST, Rotation.from_euler("yx", [20, -10], degrees=True))
    here = chest_of(head, hands)
    turn = Rotation.from_euler("y", 137, degrees=True)
    shift = np.array([2.0, 0.0, -1.0])

    def moved(pose: np.ndarray) -> np.ndarray:
        rotation = (turn * Rotation.from_quat(pose[3:])).as_quat()
        return np.concatenate([turn.apply(pose[:3]) + shift, rotation])

    there = chest_of(moved(head), np.array([moved(hand) for hand in hands]))
    np.testing.assert_allclose(there[:3], moved(here)[:3], atol=1e-9)
    assert turn_between(there[3:], moved(here)[3:]) < 1e-6


def test_crossed_hands_never_turn_the_trunk_round():
    head = head_on(CHEST, Rotation.identity())
    for apart in np.linspace(0.0, 1.4, 15):
        chest = chest_of(head, hands_at((apart, 1.2, -0.1), (-apart, 1.2, -0.1)))
        assert abs(yaw_of(chest)) < 90


def test_one_hand_straight_ahead_of_its_shoulder_turns_nobody():
    head = head_on(CHEST, Rotation.identity())
    chest = np.empty(7)
    hands = hands_at((9.0, 9.0, 9.0), (0.18, 1.2, -0.5))
    chest_from_head(DEFAULT_LENGTHS, head, hands, False, True, chest)
    assert yaw_of(chest) == pytest.approx(0.0, abs=1e-9)


@given(rotation=rotations())
def test_a_frame_is_its_heading_tilted(rotation):
    up = quat_rotate(rotation, (0.0, 1.0, 0.0))
    if up[1] > -0.99:
        again = upright_to(up, heading(rotation))
        assert turn_between(np.array(again), np.array(rotation)) < 1e-5


@given(pitch=st.floats(-80.0, 100.0), turn=st.floats(-180.0, 180.0))
def test_small_moves_of_the_head_move_the_chest_little(pitch, turn):
    head = np.array([0.0, 1.5, 0.0, 0.0, 0.0, 0.0, 1.0])
    nudged = head.copy()
    head[3:] = Rotation.from_euler("yx", [turn, -pitch], degrees=True).as_quat()
    nudged[3:] = Rotation.from_euler("yx", [turn + 0.1, -pitch + 0.1], degrees=True).as_quat()
    hands = hands_at((-0.2, 1.1, -0.3), (0.2, 1.1, -0.3))
    here, there = chest_of(head, hands), chest_of(nudged, hands)
    assert np.linalg.norm(here[:3] - there[:3]) < 0.003
    assert turn_between(here[3:], there[3:]) < np.radians(2.5)
