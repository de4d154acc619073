"""Tests of names, order and limits of a hand's angles."""

import numpy as np
import pytest
from armspan.protocol.caps import FINGER_JOINTS
from armspan.solvers.hand import (
    ANGLE_LOWER,
    ANGLE_NAMES,
    ANGLE_UPPER,
    FLAT,
    RELAXED,
    dip_from_pip,
)


def test_angles_are_named_and_ordered_as_on_the_wire():
    assert list(ANGLE_NAMES) == [joint.name for joint in FINGER_JOINTS]


def test_limits_lie_within_what_the_wire_can_say():
    low = np.radians([joint.low_deg for joint in FINGER_JOINTS])
    high = np.radians([joint.high_deg for joint in FINGER_JOINTS])
    assert np.all(low < ANGLE_LOWER)
    assert np.all(high > ANGLE_UPPER)
    assert np.all(ANGLE_LOWER <= 0.0)
    assert np.all(ANGLE_UPPER > 0.0)


@pytest.mark.parametrize("posture", [FLAT, RELAXED])
def test_named_postures_keep_the_limits_and_cannot_be_changed(posture: np.ndarray):
    assert np.all(posture >= ANGLE_LOWER)
    assert np.all(posture <= ANGLE_UPPER)
    with pytest.raises(ValueError, match="read-only"):
        posture[0] = 1.0


def test_the_last_joint_follows_the_one_before_and_keeps_its_limits():
    pip = np.linspace(-0.3, ANGLE_UPPER[ANGLE_NAMES.index("index_pip_flexion")], 50)
    dip = np.array([dip_from_pip(value) for value in pip])
    assert np.all(np.diff(dip) >= 0.0)
    assert np.all(dip[pip <= 0.0] == 0.0)
    assert dip.max() < ANGLE_UPPER[ANGLE_NAMES.index("index_dip_flexion")]


def test_the_last_joint_bends_as_it_did_in_people_at_their_daily_work():
    """39 degrees with 60 of the middle joint, on the mean of eleven activities (Hume 1990)."""
    assert np.degrees(dip_from_pip(np.radians(60.0))) == pytest.approx(39.0, abs=2.0)
