"""Tests of a hand's joints against the words of the conventions, and of the laws they keep."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from armspan.solvers.body.skeleton import Side
from armspan.solvers.hand import ANGLE_NAMES, FLAT, HAND_JOINTS, make_hand
from armspan.solvers.hand.anthropometry import DIGIT_SIZE, LENGTH, RADIUS
from scipy.spatial.transform import Rotation

from tests.solvers.hand.hands import (
    LEFT_HAND,
    RIGHT_HAND,
    degrees,
    mirrored_poses,
    some_angles,
)

GOLDEN = Path(__file__).parents[2] / "golden"
DIGITS = ("thumb", "index-finger", "middle-finger", "ring-finger", "pinky-finger")
FIRST = [1, 6, 11, 16, 21]


def tip(digit: int, angles: np.ndarray) -> np.ndarray:
    return RIGHT_HAND.joints(angles)[5 * digit + 4, :3]


def chain(place: np.ndarray, bones: np.ndarray, at_rest: np.ndarray, turns: list[Rotation]):
    """Where joints come to lie; each turn is about axes that those before it carry."""
    places = [place]
    turned = Rotation.identity()
    for bone, turn in zip(bones, turns, strict=True):
        turned = turned * turn
        places.append(places[-1] + bone * turned.apply(at_rest))
    return np.array(places)


def from_the_table(digit: int, angles: np.ndarray) -> np.ndarray:
    """The four joints of a right digit, by the table of docs/conventions.md and nothing else."""
    sizes = RIGHT_HAND.sizes[DIGIT_SIZE * digit :][:DIGIT_SIZE]
    a, b, c, d = angles[4 * digit :][:4]
    about = lambda axis, angle: Rotation.from_rotvec(angle * np.asarray(axis, dtype=float))  # noqa: E731
    if digit > 0:
        bend, spread = [-1, 0, 0], [0, 1, 0]
        turns = [about(spread, b) * about(bend, a), about(bend, c), about(bend, d)]
        return chain(sizes[:3], sizes[LENGTH:RADIUS], np.array([0.0, 0.0, -1.0]), turns)
    at_rest = np.array([-np.sqrt(0.5), 0.0, -np.sqrt(0.5)])
    across = np.cross(at_rest, [0.0, -1.0, 0.0])  # in the palm's plane; lifts the thumb to -Y
    bend = [0, -1, 0]
    turns = [about(bend, a) * about(across, b), about(bend, c), about(bend, d)]
    return chain(sizes[:3], sizes[LENGTH:RADIUS], at_rest, turns)


@pytest.mark.parametrize("digit", range(5))
def test_joints_are_where_the_conventions_table_puts_them(digit: int):
    for angles in (FLAT, *some_angles()):
        joints = RIGHT_HAND.joints(angles)[FIRST[digit] :][:4, :3]
        np.testing.assert_allclose(joints, from_the_table(digit, angles), atol=1e-15)


def test_a_left_hand_is_a_mirrored_right_hand():
    for angles in some_angles():
        mirrored = mirrored_poses(RIGHT_HAND.joints(angles))
        np.testing.assert_allclose(LEFT_HAND.joints(angles), mirrored, atol=1e-15)


def test_joints_grow_with_the_hand_and_turn_alike():
    for angles in some_angles():
        small = make_hand(0.16, Side.RIGHT).joints(angles)
        large = make_hand(0.20, Side.RIGHT).joints(angles)
        np.testing.assert_allclose(large[:, :3], 1.25 * small[:, :3], atol=1e-15)
        np.testing.assert_allclose(large[:, 3:], small[:, 3:], atol=1e-15)


@pytest.mark.parametrize("hand", [LEFT_HAND, RIGHT_HAND], ids=["left", "right"])
def test_a_joint_looks_along_its_bone(hand):
    """WebXR: -Z along the bone that begins at the joint; a tip as the bone before it."""
    for angles in (FLAT, *some_angles()):
        joints = hand.joints(angles)
        turns = Rotation.from_quat(joints[:, 3:])
        np.testing.assert_allclose(np.linalg.norm(joints[:, 3:], axis=1), 1.0, atol=1e-12)
        ahead = turns.apply([0.0, 0.0, -1.0])
        for joint, name in enumerate(HAND_JOINTS[1:], start=1):
            start = joint - 1 if name.endswith("tip") else joint
            bone = joints[start + 1, :3] - joints[start, :3]
            np.testing.assert_allclose(ahead[joint], bone / np.linalg.norm(bone), atol=1e-12)


@pytest.mark.parametrize("hand", [LEFT_HAND, RIGHT_HAND], ids=["left", "right"])
def test_backs_point_out_of_the_back_of_the_hand_and_thumbs_to_their_side(hand):
    turns = Rotation.from_quat(hand.joints(FLAT)[:, 3:])
    backs = turns.apply([0.0, 1.0, 0.0])
    for joint, name in enumerate(HAND_JOINTS):
        if name.startswith("thumb"):
            to_its_side = np.array([-1.0 if hand is RIGHT_HAND else 1.0, 0.0, 1.0]) / np.sqrt(2.0)
            np.testing.assert_allclose(backs[joint], to_its_side, atol=1e-12)
        elif "metacarpal" in name:
            assert backs[joint, 1] > 0.99
        else:
            np.testing.assert_allclose(backs[joint], [0.0, 1.0, 0.0], atol=1e-12)


def test_every_digit_bends_to_its_own_palmar_side():
    """A bone that a joint turns moves to the -Y of that joint's own frame."""
    for angles in some_angles():
        joints = RIGHT_HAND.joints(angles)
        for digit in range(5):
            for bone, name in ((1, 2), (2, 3)):
                more = angles.copy()
                more[4 * digit + name] += 1e-6
                joint = FIRST[digit] + bone
                moved = RIGHT_HAND.joints(more)[joint + 1, :3] - joints[joint + 1, :3]
                inner = Rotation.from_quat(joints[joint, 3:]).inv().apply(moved)
                assert inner[1] < 0.0
                assert abs(inner[0]) < 1e-3 * abs(inner[1])


def test_positive_angles_go_where_the_conventions_say():
    flat = {digit: tip(digit, FLAT) for digit in range(5)}
    for finger, name in enumerate(("index", "middle", "ring", "little"), start=1):
        for joint in ("mcp", "pip", "dip"):
            assert tip(finger, degrees(**{f"{name}_{joint}_flexion": 20}))[1] < flat[finger][1]
        assert tip(finger, degrees(**{f"{name}_mcp_spread": 10}))[0] < flat[finger][0]
    for joint in ("cmc", "mcp", "ip"):
        moved = tip(0, degrees(**{f"thumb_{joint}_flexion": 20}))
        assert moved[0] > flat[0][0]  # to the fingers,
        assert moved[1] == pytest.approx(flat[0][1], abs=1e-15)  # in the palm's plane
    assert tip(0, degrees(thumb_cmc_abduction=20))[1] < flat[0][1]


def test_bones_keep_their_lengths():
    flat = RIGHT_HAND.joints(FLAT)[:, :3]
    for angles in some_angles():
        joints = RIGHT_HAND.joints(angles)[:, :3]
        for joint, name in enumerate(HAND_JOINTS[:-1]):
            if name == "wrist" or name.endswith("tip"):
                continue
            length = np.linalg.norm(joints[joint + 1] - joints[joint])
            assert length == pytest.approx(np.linalg.norm(flat[joint + 1] - flat[joint]), abs=1e-15)


def test_wrist_and_knuckles_do_not_move_with_the_fingers():
    still = [
        joint
        for joint, name in enumerate(HAND_JOINTS)
        if name == "wrist" or "metacarpal" in name or name.endswith("finger-phalanx-proximal")
    ]
    for angles in some_angles():
        moved = RIGHT_HAND.joints(angles)[still, :3]
        np.testing.assert_allclose(moved, RIGHT_HAND.joints(FLAT)[still, :3], atol=1e-15)


def test_hands_need_the_right_number_of_angles():
    with pytest.raises(ValueError, match="20"):
        RIGHT_HAND.joints(np.zeros(len(ANGLE_NAMES) - 1))


def test_the_golden_vectors_are_what_the_script_writes():
    spec = importlib.util.spec_from_file_location("hand_vectors", GOLDEN / "write_hand_vectors.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    fresh, stored = json.loads(script.text()), json.loads(script.FILE.read_text())
    assert {**fresh, "cases": []} == {**stored, "cases": []}
    for new, old in zip(fresh["cases"], stored["cases"], strict=True):
        assert (new["posture"], new["side"]) == (old["posture"], old["side"])
        np.testing.assert_allclose(new["angles"], old["angles"], atol=1e-10)
        np.testing.assert_allclose(new["joints"], old["joints"], atol=1e-10)
