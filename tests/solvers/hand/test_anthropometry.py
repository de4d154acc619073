"""Tests of a hand's sizes: they add up, grow with the hand, and agree with measured people."""

import numpy as np
import pytest
from armspan.protocol.caps import LENGTHS
from armspan.solvers.hand import (
    FIRST_PALM,
    FLAT,
    HAND_JOINTS,
    LONGEST_HAND_M,
    PALM_DEPTH,
    SHORTEST_HAND_M,
    SIZES,
    Digit,
    HandError,
    hand_sizes,
)
from armspan.solvers.hand.anthropometry import (
    BASE,
    DIGIT_SIZE,
    LARGE_HAND_M,
    LENGTH,
    RADIUS,
    SMALL_HAND_M,
)

from tests.solvers.hand.hands import RIGHT_HAND

LENGTHS_M = (SHORTEST_HAND_M, SMALL_HAND_M, 0.19, LARGE_HAND_M, LONGEST_HAND_M)


def test_every_hand_that_the_wire_takes_has_sizes():
    cap = next(length for length in LENGTHS if length.name == "hand_length_m")
    assert (cap.low_m, cap.high_m) == (SHORTEST_HAND_M, LONGEST_HAND_M)


def place(joint: str) -> np.ndarray:
    return RIGHT_HAND.joints(FLAT)[HAND_JOINTS.index(joint), :3]


@pytest.mark.parametrize("length_m", LENGTHS_M)
def test_every_size_grows_with_the_hand(length_m: float):
    assert hand_sizes(length_m).shape == (SIZES,)
    np.testing.assert_allclose(hand_sizes(length_m) / length_m, hand_sizes(0.19) / 0.19, atol=1e-15)


@pytest.mark.parametrize("length_m", LENGTHS_M)
def test_a_hand_is_as_long_as_it_says(length_m: float):
    """From the wrist to the middle finger's knuckle, and its three segments."""
    sizes = hand_sizes(length_m)
    middle = sizes[DIGIT_SIZE * Digit.MIDDLE :][:DIGIT_SIZE]
    wrist_z = length_m * 0.08 / 0.19
    along = wrist_z - middle[BASE + 2] + middle[LENGTH:RADIUS].sum()
    assert along == pytest.approx(length_m, abs=1e-15)


def test_the_palm_lies_where_the_conventions_put_it():
    """0.08 m before the wrist of a hand of 0.19 m, 0.84 of the way to the middle knuckle."""
    wrist, knuckle = place("wrist"), place("middle-finger-phalanx-proximal")
    np.testing.assert_allclose(wrist, [0.0, 0.0, 0.08], atol=1e-15)
    np.testing.assert_allclose(wrist + 0.84 * (knuckle - wrist), 0.0, atol=1e-15)
    index, little = (place(f"{name}-finger-phalanx-proximal") for name in ("index", "pinky"))
    assert index[1] == pytest.approx(little[1], abs=1e-15)  # or the frame would be found rolled


def test_fingers_end_where_those_of_measured_people_do():
    """Between tips of fingers held together: 10.7 (4.1), 10.8 (1.4), 25.6 (2.7) mm in 51 people.

    Chatzioglou, Pinar & Govsa 2024, Anat. Cell Biol. 57(2), 172-182; means and deviations.
    """
    index, middle, ring, little = (
        1000.0 * place(f"{name}-finger-tip")[2] for name in ("index", "middle", "ring", "pinky")
    )
    assert index - middle == pytest.approx(10.7, abs=4.1)
    assert ring - middle == pytest.approx(10.8, abs=1.4)
    assert little - ring == pytest.approx(25.6, abs=2.7)


def test_a_hand_is_as_broad_as_soldiers_hands_are():
    """Of its length: 0.432 (0.021) in women, 0.457 (0.021) in men (ANSUR II, hand breadth)."""
    palm = RIGHT_HAND.capsules(FLAT)[FIRST_PALM : FIRST_PALM + 4]
    ends = np.concatenate([palm[:, [0, 6]], palm[:, [3, 6]]])
    breadth = (ends[:, 0] + ends[:, 1]).max() - (ends[:, 0] - ends[:, 1]).min()
    assert 0.432 - 0.021 < breadth / RIGHT_HAND.length_m < 0.457 + 0.021


def test_the_palms_skin_is_palm_depth_below_its_centre():
    middle = RIGHT_HAND.capsules(FLAT)[FIRST_PALM + 1]
    assert -middle[1] + middle[6] == pytest.approx(RIGHT_HAND.sizes[PALM_DEPTH], abs=1e-15)


@pytest.mark.parametrize("length_m", [0.0, -0.19, 0.069, 0.321, 19.0, np.inf, np.nan])
def test_lengths_of_no_hand_are_refused_in_one_line(length_m: float):
    with pytest.raises(HandError, match=r"^a hand .* metres$"):
        hand_sizes(length_m)
