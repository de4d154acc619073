"""Writes the golden vectors of forward kinematics and of the eyes; every client is tested on them.

Run ``python tests/golden/write_solver_vectors.py``; a test fails when the files are stale.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from armspan.solvers import (
    DEFAULT_LENGTHS,
    JOINT_NAMES,
    LENGTH_NAMES,
    eyes_from_chest,
    forward_kinematics,
)
from armspan.solvers.body.skeleton import JOINT_HOME, JOINT_LOWER, JOINT_UPPER

HERE = Path(__file__).parent
CASES = 50
DECIMALS = 12
CONVENTIONS = (
    "Metres, radians, +Y up, -Z forward, quaternions xyzw; sides are [left, right]; a pose is "
    "position xyz then rotation xyzw. A quaternion and its negative are the same rotation."
)


def _rounded(values: Any) -> Any:
    return (np.round(np.asarray(values, np.float64), DECIMALS) + 0.0).tolist()


def _rotation(random: np.random.Generator) -> np.ndarray:
    quaternion = random.normal(size=4)
    return quaternion / np.linalg.norm(quaternion)


def _inputs() -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Lengths, chest, angles, head rotation: the named postures first, then random ones."""
    random = np.random.default_rng(2001)
    upright = np.array([0.0, 1.4, 0.0, 0.0, 0.0, 0.0, 1.0])
    t_pose = np.zeros(15)
    t_pose[[2, 9]] = np.pi / 2
    cases = [(DEFAULT_LENGTHS, upright, a, upright[3:]) for a in (np.zeros(15), JOINT_HOME, t_pose)]
    while len(cases) < CASES:
        lengths = DEFAULT_LENGTHS * random.uniform(0.8, 1.25, len(LENGTH_NAMES))
        chest = np.concatenate([random.uniform(-3.0, 3.0, 3), _rotation(random)])
        angles = random.uniform(JOINT_LOWER, JOINT_UPPER)
        if len(cases) % 5 == 0:
            angles = random.uniform(-np.pi, np.pi, 15)  # the 2001 method knows no limits
        cases.append((lengths, chest, angles, _rotation(random)))
    return cases


def forward_kinematics_vectors() -> dict[str, Any]:
    """Joint angles to world frames."""
    cases: list[dict[str, Any]] = []
    for lengths, chest, angles, _ in _inputs():
        lengths, chest, angles = map(np.array, map(_rounded, (lengths, chest, angles)))
        frames = forward_kinematics(lengths, chest, angles)
        case = {
            "lengths": _rounded(lengths),
            "world_from_chest": _rounded(chest),
            "joint_angles": _rounded(angles),
        }
        for index, name in enumerate(("shoulder", "elbow", "wrist", "palm")):
            case[f"{name}_position"] = _rounded(frames.position[:, index])
        for index, name in enumerate(("upper_arm", "forearm", "hand")):
            case[f"{name}_rotation"] = _rounded(frames.rotation[:, index])
        case["torso_rotation"] = _rounded(frames.torso_rotation)
        cases.append(case)
    return {
        "about": f"{CONVENTIONS} Everything but the hand has the chest's rotation in the zero "
        "posture; the hand has the hand's frame; the forearm's rotation is after pronation.",
        "length_names": list(LENGTH_NAMES),
        "joint_names": list(JOINT_NAMES),
        "tolerance": {"position_m": 1e-9, "rotation": 1e-9},
        "cases": cases,
    }


def eyes_vectors() -> dict[str, Any]:
    """Chest and head rotation to the point between the eyes."""
    cases: list[dict[str, Any]] = []
    for lengths, chest, _, head in _inputs():
        lengths, chest, head = map(np.array, map(_rounded, (lengths, chest, head)))
        eyes = eyes_from_chest(lengths, chest, head)
        cases.append(
            {
                "lengths": _rounded(lengths),
                "world_from_chest": _rounded(chest),
                "head_rotation": _rounded(head),
                "eyes_position": _rounded(eyes),
            }
        )
    return {
        "about": f"{CONVENTIONS} From the chest's origin up the trunk by sternum_down_m, along "
        "the bisector of the trunk's up and the head's up by neck_m, then eyes_up_m up and "
        "eyes_forward_m forward in the head's axes.",
        "length_names": list(LENGTH_NAMES),
        "tolerance": {"position_m": 1e-9},
        "cases": cases,
    }


def files() -> dict[Path, str]:
    """What every file should hold."""
    contents = {
        "forward_kinematics.json": forward_kinematics_vectors(),
        "eyes_from_chest.json": eyes_vectors(),
    }
    return {HERE / name: _one_case_a_line(data) for name, data in contents.items()}


def _one_case_a_line(data: dict[str, Any]) -> str:
    cases = ",\n".join(json.dumps(case) for case in data["cases"])
    head = json.dumps({**data, "cases": []}, indent=1)
    return head.replace('"cases": []', f'"cases": [\n{cases}\n ]') + "\n"


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
