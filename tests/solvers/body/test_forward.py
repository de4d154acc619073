"""Forward kinematics: the conventions' sentences, pinocchio, mirrors, and golden vectors."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS, JOINT_NAMES, forward_kinematics
from armspan.solvers.body.forward import arm_angles as one_arm
from armspan.solvers.body.forward import arm_frames, arm_screws
from armspan.solvers.body.skeleton import JOINT_LOWER, JOINT_UPPER
from armspan.solvers.body.targets import twist_between
from armspan.solvers.dual_quaternion import dq_mirrored, dq_position, dq_real
from armspan.solvers.quaternion import quat_axes
from hypothesis import given

from tests.solvers.body.pinocchio_body import pinocchio_body, pinocchio_hand
from tests.solvers.drawing import (
    arm_angles,
    body_angles,
    few,
    lengths,
    mirrored_angles,
    mirrored_poses,
    poses,
    turn_between,
)

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden"
ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
LEFT, RIGHT = 0, 1


def posture(**degrees: float) -> np.ndarray:
    angles = np.zeros(15)
    for name, value in degrees.items():
        angles[JOINT_NAMES.index(name)] = np.radians(value)
    return angles


def palms(**degrees: float) -> np.ndarray:
    return forward_kinematics(DEFAULT_LENGTHS, ORIGIN, posture(**degrees)).position[:, 3]


def backs(**degrees: float) -> np.ndarray:
    """Where the backs of the hands face."""
    rotation = forward_kinematics(DEFAULT_LENGTHS, ORIGIN, posture(**degrees)).rotation[:, 2]
    return np.array([quat_axes(tuple(q))[1] for q in rotation])


def test_the_zero_posture_hangs_with_palms_facing_the_thighs():
    frames = forward_kinematics(DEFAULT_LENGTHS, ORIGIN, np.zeros(15))
    np.testing.assert_allclose(
        frames.position[RIGHT],
        [[0.18, 0.05, 0], [0.18, -0.25, 0], [0.18, -0.51, 0], [0.18, -0.59, 0]],
        atol=1e-12,
    )
    np.testing.assert_allclose(frames.position[LEFT], frames.position[RIGHT] * [-1, 1, 1])
    right, left = (np.array(quat_axes(tuple(q))) for q in frames.rotation[[RIGHT, LEFT], 2])
    np.testing.assert_allclose(right, [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-12)
    np.testing.assert_allclose(left, [[0, 0, -1], [-1, 0, 0], [0, 1, 0]], atol=1e-12)


@pytest.mark.parametrize(("side", "outward"), [("left", -1.0), ("right", 1.0)])
def test_positive_angles_move_as_the_conventions_say(side: str, outward: float):
    at = LEFT if side == "left" else RIGHT
    rest = palms()[at]

    def palm(**degrees: float) -> np.ndarray:
        return palms(**{f"{side}_{name}": value for name, value in degrees.items()})[at]

    def back(**degrees: float) -> np.ndarray:
        return backs(**{f"{side}_{name}": value for name, value in degrees.items()})[at]

    assert palm(shoulder_flexion=40)[2] < rest[2] - 0.1  # forward is -Z
    assert outward * palm(shoulder_abduction=40)[0] > outward * rest[0] + 0.1
    assert palm(elbow_flexion=90)[2] < rest[2] - 0.1
    # the bent forearm swings inward, the palm of the hanging hand turns backward (+Z)
    bent = palm(elbow_flexion=90)
    assert outward * palm(elbow_flexion=90, shoulder_rotation=40)[0] < outward * bent[0] - 0.1
    assert -back(forearm_pronation=70)[2] > 0.9
    # toward the palm, which faces inward; the thumb's side is in front
    assert outward * palm(wrist_flexion=40)[0] < outward * rest[0] - 0.02
    assert palm(wrist_deviation=20)[2] < rest[2] - 0.02


def test_torso_yaw_turns_left_and_carries_both_arms():
    turned = palms(torso_yaw=30)
    assert turned[RIGHT, 2] < -0.05
    assert turned[LEFT, 2] > 0.05
    frames = forward_kinematics(DEFAULT_LENGTHS, ORIGIN, posture(torso_yaw=30))
    np.testing.assert_allclose(
        frames.torso_rotation, [0, np.sin(np.pi / 12), 0, np.cos(np.pi / 12)]
    )


def test_the_t_pose_stretches_both_arms_sideways():
    spread = palms(left_shoulder_abduction=90, right_shoulder_abduction=90)
    np.testing.assert_allclose(spread, [[-0.82, 0.05, 0], [0.82, 0.05, 0]], atol=1e-12)


@given(angles=body_angles(), chest=poses(), size=lengths())
def test_the_mirrored_body_has_mirrored_frames(angles, chest, size):
    here = forward_kinematics(size, chest, angles)
    there = forward_kinematics(size, mirrored_poses(chest), mirrored_angles(angles))
    flipped = here.position[::-1] * [-1, 1, 1]
    np.testing.assert_allclose(there.position, flipped, atol=1e-12)
    image = here.rotation[::-1] * [1, -1, -1, 1]
    assert turn_between(there.rotation, image).max() < 1e-7


@given(angles=body_angles(), chest=poses(), size=lengths())
def test_bones_keep_their_lengths(angles, chest, size):
    joints = forward_kinematics(size, chest, angles).position
    bones = np.linalg.norm(np.diff(joints, axis=1), axis=2)
    np.testing.assert_allclose(bones, np.tile(size[2:5], (2, 1)), atol=1e-12)


@given(angles=arm_angles())
def test_screws_are_the_derivatives_of_the_palm(angles):
    screws, step = np.empty((8, 6)), 1e-6
    palm = arm_screws(angles, DEFAULT_LENGTHS, screws)
    np.testing.assert_allclose(palm, arm_frames(angles, DEFAULT_LENGTHS)[3], atol=1e-14)
    for joint in range(8):
        ahead, behind = list(angles), list(angles)
        ahead[joint] += step
        behind[joint] -= step
        after = arm_frames(tuple(ahead), DEFAULT_LENGTHS)[3]
        before = arm_frames(tuple(behind), DEFAULT_LENGTHS)[3]
        twist = np.array(twist_between(after, before)) / (2 * step)
        axis, moment = screws[joint, :3], screws[joint, 3:]
        np.testing.assert_allclose(twist[3:], axis, atol=1e-8)
        np.testing.assert_allclose(twist[:3], moment + np.cross(axis, dq_position(palm)), atol=1e-8)


def test_forward_kinematics_agrees_with_pinocchio():
    pin, model, wrists = pinocchio_body()
    assert tuple(model.names)[1:] == JOINT_NAMES
    facts = model.createData()
    random = np.random.default_rng(5)
    for _ in range(few(200, 10)):
        angles = random.uniform(JOINT_LOWER, JOINT_UPPER)
        pin.forwardKinematics(model, facts, angles)
        frames = forward_kinematics(DEFAULT_LENGTHS, ORIGIN, angles)
        for side, wrist in zip((LEFT, RIGHT), wrists, strict=True):
            placed = facts.oMi[wrist]
            palm, rotation = pinocchio_hand(facts, wrist, side)
            np.testing.assert_allclose(frames.position[side, 2], placed.translation, atol=1e-12)
            np.testing.assert_allclose(frames.position[side, 3], palm, atol=1e-12)
            ours = np.array(quat_axes(tuple(frames.rotation[side, 2]))).T
            np.testing.assert_allclose(ours, rotation, atol=1e-12)
            elbow = facts.oMi[wrist - 3].translation
            np.testing.assert_allclose(frames.position[side, 1], elbow, atol=1e-12)


@given(angles=body_angles())
def test_a_left_arm_is_a_mirrored_right_arm(angles):
    frames = forward_kinematics(DEFAULT_LENGTHS, ORIGIN, angles)
    palm = dq_mirrored(arm_frames(one_arm(angles, LEFT), DEFAULT_LENGTHS)[3])
    np.testing.assert_allclose(frames.position[LEFT, 3], dq_position(palm), atol=1e-12)
    assert turn_between(frames.rotation[LEFT, 2], np.array(dq_real(palm))) < 1e-7


def script():
    path = GOLDEN / "write_solver_vectors.py"
    spec = importlib.util.spec_from_file_location("write_solver_vectors", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_close(fresh: object, stored: object, where: str) -> None:
    """The same structure, numbers within 1e-10 (other processors round other last digits)."""
    if isinstance(stored, dict):
        assert isinstance(fresh, dict)
        assert list(fresh) == list(stored), where
        for key, value in stored.items():
            assert_close(fresh[key], value, f"{where}.{key}")
    elif isinstance(stored, list):
        assert isinstance(fresh, list)
        assert len(fresh) == len(stored), where
        for index, value in enumerate(stored):
            assert_close(fresh[index], value, f"{where}[{index}]")
    elif isinstance(stored, float):
        assert fresh == pytest.approx(stored, abs=1e-10), where
    else:
        assert fresh == stored, where


def test_the_golden_vectors_are_what_the_script_writes():
    for path, text in script().files().items():
        assert_close(json.loads(text), json.loads(path.read_text()), path.name)
