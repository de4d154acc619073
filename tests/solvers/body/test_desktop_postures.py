"""People without a headset take postures that the solver finds: believable, and not by luck."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS, Method, forward_kinematics, solve_bodies
from armspan.solvers.body.blend import MEMORY_SIZE
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

# Written by client_web/tests/sensing/desktop_postures.test.ts, which holds the page to it.
POSTURES = json.loads((Path(__file__).parents[2] / "golden/desktop_postures.json").read_text())
SETTLED = 90  # ticks
PALM = 3  # of shoulder, elbow, wrist, palm
HAND = 2  # of upper arm, forearm, hand
PALM_OFF_M = 0.001
WRIST_GIVES_WAY_RAD = math.radians(15)


def solved(postures: list[dict[str, Any]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distance of each palm from its sensor, m, and angle of each hand from it, rad: (N, 2)."""
    count = len(postures)
    poses = np.array([each["poses"] for each in postures]).reshape(count, 3, 7)
    poses[:, :, 3:] /= np.linalg.norm(poses[:, :, 3:], axis=2, keepdims=True)
    lengths = np.tile(DEFAULT_LENGTHS, (count, 1))
    head, hands = poses[:, 0].copy(), poses[:, 1:].copy()
    tracked, status = np.ones((count, 3), np.uint8), np.zeros((count, 2), np.uint8)
    provenance = np.zeros((count, 3), np.uint8)
    memory, chest = np.zeros((count, MEMORY_SIZE)), np.zeros((count, 7))
    angles = np.zeros((count, 15))
    rows = np.arange(count, dtype=np.int32)
    for _ in range(SETTLED):
        solve_bodies(
            Method.ROBUST, 1 / 60, rows, lengths, head, hands, tracked, memory, chest, angles,
            provenance, status,
        )  # fmt: skip
    off, turned = np.zeros((count, 2)), np.zeros((count, 2))
    for row in range(count):
        body = forward_kinematics(lengths[row], chest[row], angles[row])
        for side in (0, 1):
            off[row, side] = np.linalg.norm(body.position[side, PALM] - hands[row, side, :3])
            wanted = Rotation.from_quat(hands[row, side, 3:])
            found = Rotation.from_quat(body.rotation[side, HAND])
            turned[row, side] = (found.inv() * wanted).magnitude()
    return off, turned


@pytest.fixture(scope="module")
def errors() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return solved(POSTURES)


def test_every_palm_is_where_the_desktop_put_it(
    errors: tuple[NDArray[np.float64], NDArray[np.float64]],
):
    missed = [each["what"] for each, off in zip(POSTURES, errors[0], strict=True)
              if off.max() > PALM_OFF_M]  # fmt: skip
    assert missed == []


def test_hands_are_turned_as_arms_can_turn_them(
    errors: tuple[NDArray[np.float64], NDArray[np.float64]],
):
    bent = [each["what"] for each, turned in zip(POSTURES, errors[1], strict=True)
            if turned.max() > WRIST_GIVES_WAY_RAD]  # fmt: skip
    assert bent == []
    assert np.median(errors[1]) < math.radians(0.1)


def test_a_hand_behind_the_back_would_be_noticed():
    poses = [*POSTURES[0]["poses"]]
    poses[14:17] = [0.0, 1.3, 0.6]
    off, turned = solved([{"poses": poses}])
    assert off.max() > PALM_OFF_M or turned.max() > WRIST_GIVES_WAY_RAD
