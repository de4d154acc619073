"""Tests of a drawn hand: its skin is closed and fits the capsules, and it follows the hand."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from armspan.server.plots.hand import SKIN, hand_surface, joined, moved
from armspan.server.plots.hand_postures import FIST, PINCH, draw_postures
from armspan.server.plots.shading import Surface
from armspan.solvers.body.skeleton import Side
from armspan.solvers.hand import ANGLE_LOWER, ANGLE_UPPER, RELAXED, make_hand
from scipy.spatial.transform import Rotation

HAND = make_hand(0.19, Side.RIGHT)


def distances(points: np.ndarray, capsules: np.ndarray) -> np.ndarray:
    """How far points are outside the nearest capsule."""
    nearest = np.full(len(points), np.inf)
    for capsule in capsules:
        along = capsule[3:6] - capsule[:3]
        share = np.clip((points - capsule[:3]) @ along / (along @ along), 0.0, 1.0)
        apart = np.linalg.norm(points - capsule[:3] - share[:, None] * along, axis=1) - capsule[6]
        nearest = np.minimum(nearest, apart)
    return nearest


@pytest.fixture(scope="module")
def skin() -> Surface:
    return hand_surface(HAND, RELAXED)


def test_the_skin_fits_the_capsules(skin: Surface):
    before_heel = skin.vertices[:, 2] < 0.05  # behind it lies the stump of a forearm
    away = distances(skin.vertices[before_heel], HAND.capsules(RELAXED))
    assert away.min() > -0.0025  # where the thumb narrows to its second joint
    assert away.max() < 0.0045  # in the fillet between thumb and palm
    assert np.quantile(np.abs(away), 0.9) < 0.0015


def test_the_skin_is_closed(skin: Surface):
    """Every edge is passed as often one way as the other."""
    passed = Counter(
        tuple(edge) for k in range(3) for edge in skin.faces[:, [k, (k + 1) % 3]].tolist()
    )
    assert all(passed[b, a] == count for (a, b), count in passed.items())


def test_the_skin_grows_with_the_hand(skin: Surface):
    small = hand_surface(make_hand(0.12, Side.RIGHT), RELAXED)
    np.testing.assert_array_equal(small.faces, skin.faces)
    np.testing.assert_allclose(small.vertices / 0.12, skin.vertices / 0.19, atol=1e-6)


def test_nails_are_on_the_backs_of_all_tips(skin: Surface):
    nails = skin.faces[(skin.colours != SKIN).any(axis=1)]
    middles = skin.vertices[nails].mean(axis=1)
    tips = HAND.joints(RELAXED)[[4, 9, 14, 19, 24]]
    away = np.linalg.norm(middles[:, None] - tips[:, :3], axis=2)
    digit = away.argmin(axis=1)
    assert away.min(axis=1).max() < 0.02
    assert set(digit) == {0, 1, 2, 3, 4}
    backs = Rotation.from_quat(tips[:, 3:]).apply([0.0, 1.0, 0.0])
    assert np.all(np.einsum("ij,ij->i", middles - tips[digit, :3], backs[digit]) > 0.0)


def test_a_surface_is_moved_by_a_pose_and_joined_to_others(skin: Surface):
    quarter = np.sqrt(0.5)
    there = moved(skin, np.array([1.0, 2.0, 3.0, 0.0, quarter, 0.0, quarter]))  # -Z turns to -X
    x, y, z = skin.vertices.T
    np.testing.assert_allclose(there.vertices, np.stack([1.0 + z, 2.0 + y, 3.0 - x], 1), atol=1e-12)
    both = joined([skin, there])
    assert len(both.faces) == 2 * len(skin.faces)
    moved_faces = both.vertices[both.faces[len(skin.faces) :]]
    np.testing.assert_array_equal(moved_faces, there.vertices[there.faces])


@pytest.mark.parametrize("posture", [FIST, PINCH], ids=["fist", "pinch"])
def test_drawn_postures_keep_the_limits(posture: np.ndarray):
    assert np.all((posture >= ANGLE_LOWER - 1e-12) & (posture <= ANGLE_UPPER + 1e-12))


@pytest.mark.slow
def test_postures_are_drawn(tmp_path: Path):
    path = tmp_path / "hand.png"
    draw_postures(path)
    assert path.stat().st_size > 50_000
