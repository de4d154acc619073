"""Writes the golden vectors of the hand: angles to WebXR's joints, for every language.

Run ``python tests/golden/write_hand_vectors.py``; a test fails when the file is stale.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from armspan.solvers.body.skeleton import Side
from armspan.solvers.hand import (
    ANGLE_LOWER,
    ANGLE_NAMES,
    ANGLE_UPPER,
    FLAT,
    HAND_JOINTS,
    RELAXED,
    make_hand,
)

FILE = Path(__file__).parent / "hand.json"
LENGTHS_M = (0.165, 0.19, 0.21)
DECIMALS = 12
RANDOM_CASES = 8  # a side
SEEN = 0.2  # sum of squared cosines of a finger's bones above the palm, at least


def _rounded(values: Any) -> Any:
    return (np.round(np.asarray(values, np.float64), DECIMALS) + 0.0).tolist()


def _tells_its_spread(angles: np.ndarray) -> bool:
    """Whether every finger's spread can be read from its bones, seen from above the hand."""
    fingers = angles.reshape(5, 4)[1:, [0, 2, 3]]
    return bool(np.all(np.sum(np.cos(np.cumsum(fingers, axis=1)) ** 2, axis=1) > SEEN))


def _postures() -> list[tuple[str, np.ndarray]]:
    """Named ones, every joint by itself, and some anywhere within the limits."""
    random = np.random.default_rng(1992)
    postures = [("flat", FLAT), ("relaxed", RELAXED)]
    for joint, name in enumerate(ANGLE_NAMES):
        angles = np.zeros(len(ANGLE_NAMES))
        angles[joint] = 0.8 * ANGLE_UPPER[joint]
        postures.append((name, angles))
    while len(postures) < 2 + len(ANGLE_NAMES) + RANDOM_CASES:
        angles = random.uniform(ANGLE_LOWER, ANGLE_UPPER)
        if _tells_its_spread(angles):
            postures.append(("random", angles))
    return postures


def hand_vectors() -> dict[str, Any]:
    """Hands of three lengths and both sides, by turns."""
    cases: list[dict[str, Any]] = []
    for number, (name, angles) in enumerate(_postures()):
        angles = np.array(_rounded(angles))
        alone = name in ANGLE_NAMES
        for side in (Side.RIGHT,) if alone and number % 2 else (Side.LEFT, Side.RIGHT)[: 2 - alone]:
            length_m = LENGTHS_M[number % len(LENGTHS_M)]
            joints = make_hand(length_m, side).joints(angles)
            case = {"posture": name, "side": side.name.lower(), "hand_length_m": length_m}
            cases.append({**case, "angles": _rounded(angles), "joints": _rounded(joints)})
    return {
        "about": "Radians and metres, palm's frame (-Z to the fingers, +Y out of the back); a "
        "joint is position xyz, then rotation xyzw: -Z along its bone, +Y out of the back. Written "
        "by write_hand_vectors.py.",
        "angle_names": list(ANGLE_NAMES),
        "joint_names": list(HAND_JOINTS),
        "tolerance": {"position_m": 1e-9, "rotation": 1e-9},
        "cases": cases,
    }


def text() -> str:
    """What the file should hold."""
    data = hand_vectors()
    cases = ",\n".join(json.dumps(case) for case in data["cases"])
    head = json.dumps({**data, "cases": []}, indent=1)
    return head.replace('"cases": []', f'"cases": [\n{cases}\n ]') + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
