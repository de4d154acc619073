"""The elbow model: defined and smooth wherever an arm can be, and human where arms are."""

import math

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.elbow import (
    elbow_direction,
    place_monomials,
    resting_elbow,
    swivel_tangent,
)
from armspan.solvers.body.elbow_coefficients import (
    ELBOW_REST,
    MOST_TANGENT,
    PLACE,
    REST_AHEAD,
    TURN,
)
from armspan.solvers.body.forward import arm_frames
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER, FOREARM, UPPER_ARM
from armspan.solvers.body.swivel import shoulder_to_wrist, wrist_of
from armspan.solvers.dual_quaternion import dq_position, dq_real
from armspan.solvers.quaternion import quat_axes
from hypothesis import given

from tests.solvers.drawing import few, lengths, rotations, vectors

Hand = tuple[tuple[float, float, float], ...]
REACH = 0.56
# Rows are the hand's X, Y and Z axes; fingers ahead.
PALM_DOWN: Hand = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
THUMB_UP: Hand = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
PALM_UP: Hand = ((-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0))


def elbow(away: np.ndarray | tuple[float, ...], hand: Hand) -> np.ndarray:
    return np.array(elbow_direction(tuple(away), *hand, DEFAULT_LENGTHS))


def turned(hand: Hand, axis: int, angle: float) -> Hand:
    """The hand turned about one of the chest's axes."""
    rotation = np.eye(3)
    i, j = [k for k in range(3) if k != axis]
    rotation[i, i] = rotation[j, j] = math.cos(angle)
    rotation[i, j], rotation[j, i] = -math.sin(angle), math.sin(angle)
    return tuple(tuple(rotation @ np.array(row)) for row in hand)


def random_arms(count: int) -> list[tuple[np.ndarray, Hand]]:
    """Shoulder to wrist and the hand's axes, of angles inside the limits, the torso straight."""
    random = np.random.default_rng(4)
    arms = []
    for _ in range(count):
        angles = (0.0, *random.uniform(ARM_LOWER, ARM_UPPER)[1:])
        palm = arm_frames(angles, DEFAULT_LENGTHS)[3]
        away = shoulder_to_wrist(wrist_of(palm, DEFAULT_LENGTHS), 0.0, DEFAULT_LENGTHS)
        arms.append((np.array(away), quat_axes(dq_real(palm))))
        assert all(math.isfinite(x) for x in dq_position(palm))
    return arms


def angle_to_singular(away: np.ndarray) -> float:
    return math.acos(np.clip(-np.dot(away, REST_AHEAD) / np.linalg.norm(away), -1.0, 1.0))


def height_of_elbow(away: np.ndarray, hand: Hand) -> float:
    """Above the shoulder, metres."""
    reach = float(np.linalg.norm(away))
    upper, fore = DEFAULT_LENGTHS[UPPER_ARM], DEFAULT_LENGTHS[FOREARM]
    along = (upper**2 + reach**2 - fore**2) / (2 * reach)
    aside = math.sqrt(max(upper**2 - along**2, 0.0))
    return float(along * away[1] / reach + aside * elbow(away, hand)[1])


def test_the_resting_directions_are_a_frame():
    assert math.hypot(*REST_AHEAD) == pytest.approx(1.0, abs=1e-15)
    assert math.hypot(*ELBOW_REST) == pytest.approx(1.0, abs=1e-15)
    assert abs(np.dot(REST_AHEAD, ELBOW_REST)) < 1e-15
    assert np.array_equal(TURN, np.triu(TURN))


@given(away=vectors, rotation=rotations(), size=lengths())
def test_the_direction_is_a_unit_vector_across_the_arm_for_everything(away, rotation, size):
    found = np.array(elbow_direction(away, *quat_axes(rotation), size))
    assert np.linalg.norm(found) == pytest.approx(1.0, abs=1e-6)
    reach = math.hypot(*away)
    if reach > 1e-6:
        assert abs(np.dot(found, away)) / reach < 1e-6


def test_degenerate_arms_have_a_finite_direction():
    opposite = tuple(-0.4 * x for x in REST_AHEAD)
    for away in ((0.0, 0.0, 0.0), (1e-12, 0.0, 0.0), opposite, (1e6, -1e6, 1e6)):
        found = elbow(away, PALM_DOWN)
        assert np.isfinite(found).all()
        assert np.linalg.norm(found) == pytest.approx(1.0, abs=1e-6)


@given(away=vectors, rotation=rotations())
def test_the_kernel_computes_the_formula_of_its_page(away, rotation):
    reach = math.hypot(*away)
    p = np.array(away) / max(reach, REACH)
    h = np.concatenate(quat_axes(rotation))
    pairs = [p[i] * p[j] for i in range(3) for j in range(i, 3)]
    m = np.array([1.0, *p, *pairs])
    s = m @ PLACE @ np.array([1.0, *h]) + h @ TURN @ h
    t = swivel_tangent(place_monomials(away, DEFAULT_LENGTHS), tuple(h))
    assert t == pytest.approx(s / math.sqrt(1.0 + (s / MOST_TANGENT) ** 2), abs=1e-12)
    if reach > 1e-6:
        u = np.array(away) / reach
        rest = np.array(resting_elbow(tuple(u)))
        swivel = 2.0 * math.atan(t)
        wanted = math.cos(swivel) * rest + math.sin(swivel) * np.cross(u, rest)
        np.testing.assert_allclose(elbow(away, quat_axes(rotation)), wanted, atol=1e-9)


@given(away=vectors, rotation=rotations())
def test_nobody_swivels_further_than_a_right_angle_from_rest(away, rotation):
    reach = math.hypot(*away)
    if reach > 1e-6:
        rest = resting_elbow(tuple(x / reach for x in away))
        assert np.dot(elbow(away, quat_axes(rotation)), rest) >= -1e-6


def test_out_of_reach_is_full_stretch_in_the_same_direction():
    for direction in ((0.1, 0.2, -0.9), (0.8, -0.3, 0.1), (-0.3, 0.7, -0.5)):
        u = np.array(direction) / math.hypot(*direction)
        at_stretch = elbow(REACH * u, THUMB_UP)
        for reach in (0.6, 1.0, 30.0):
            np.testing.assert_allclose(elbow(reach * u, THUMB_UP), at_stretch, atol=1e-9)


def test_the_elbow_turns_little_where_the_hand_moves_or_turns_little():
    """20 degrees and more from the singular direction; a shorter arm turns faster by itself."""
    step_m, step_rad = 1e-4, 1e-3
    fastest_move, fastest_turn = 0.0, 0.0
    for away, hand in random_arms(few(3000, 60)):
        if angle_to_singular(away) < math.radians(20):
            continue
        here = elbow(away, hand)
        moved = [elbow(away + step_m * axis, hand) - here for axis in np.eye(3)]
        swung = [elbow(away, turned(hand, axis, step_rad)) - here for axis in range(3)]
        a_centimetre = np.linalg.norm(moved, ord=2) / step_m * 0.01
        fastest_move = max(fastest_move, a_centimetre * np.linalg.norm(away) / REACH)
        fastest_turn = max(fastest_turn, np.linalg.norm(swung, ord=2) / step_rad)
    assert 0.0 < fastest_move < math.radians(8)
    assert 0.0 < fastest_turn < 1.5


def test_the_elbow_of_a_low_hand_ahead_stays_below_the_shoulder():
    random = np.random.default_rng(8)
    highest = {0.0: -math.inf, -0.1: -math.inf, -0.2: -math.inf}
    for away, hand in random_arms(few(4000, 100)):
        about = tuple(quat_axes(tuple((q := random.normal(size=4)) / np.linalg.norm(q))))
        for low in highest:
            if away[1] < low and away[2] < 0.0:
                reached = max(height_of_elbow(away, hand), height_of_elbow(away, about))
                highest[low] = max(highest[low], reached)
    assert highest[0.0] < 0.02
    assert highest[-0.1] < -0.04
    assert -1.0 < highest[-0.2] < -0.09


@pytest.mark.parametrize("away", [(0.05, -0.1, -0.3), (-0.1, -0.15, -0.3), (0.1, 0.1, -0.35)])
def test_turning_the_palm_down_lifts_the_elbow_outward(away):
    down, thumb, up = (elbow(away, hand) for hand in (PALM_DOWN, THUMB_UP, PALM_UP))
    assert down[0] > thumb[0] + 0.2 > up[0] + 0.4
    assert down[1] > thumb[1]
    assert thumb[1] < -0.8


def test_the_elbow_of_a_hanging_arm_points_backward():
    assert elbow((0.0, -0.5, -0.1), THUMB_UP)[2] > 0.7
