"""The easiest posture for a palm: where it says it is, inside limits, and none easier."""

import time

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.forward import arm_frames
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.body.swivel import CIRCLE_ROWS
from armspan.solvers.body.targets import pose_dual, pose_error
from armspan.solvers.grasp.easiest import posture_slack, write_easiest

from tests.solvers.drawing import COMPILED

LOWER, UPPER = np.array(ARM_LOWER), np.array(ARM_UPPER)
CIRCLE = np.empty((CIRCLE_ROWS, 3))


def drawn(count: int, room: float, seed: int) -> np.ndarray:
    """Angles (count, 8) whose joints all have at least so much slack."""
    shares = np.random.default_rng(seed).uniform(0.5 * room, 1.0 - 0.5 * room, (count, 8))
    return LOWER + shares * (UPPER - LOWER)


def palm_of(angles: np.ndarray):
    return arm_frames(tuple(angles), DEFAULT_LENGTHS)[3]


def test_slack_is_that_of_the_tightest_joint_in_halves_of_its_range():
    middle = 0.5 * (LOWER + UPPER)
    assert posture_slack(tuple(middle))[0] == pytest.approx(1.0)
    for joint in range(8):
        angles = middle.copy()
        angles[joint] += 0.35 * (UPPER - LOWER)[joint]
        assert posture_slack(tuple(angles)) == (pytest.approx(0.3), joint)
        angles[joint] = LOWER[joint] - 0.05 * (UPPER - LOWER)[joint]
        assert posture_slack(tuple(angles)) == (pytest.approx(-0.1), joint)


@pytest.mark.parametrize("room", [0.02, 0.1, 0.3])
def test_no_posture_that_made_the_palm_is_easier(room):
    for angles in drawn(60 if COMPILED else 1, room, seed=1):
        palm, found = palm_of(angles), np.empty(8)
        slack = write_easiest(palm, DEFAULT_LENGTHS, CIRCLE, found)
        off, turned = pose_error(palm, palm_of(found))
        assert (off, turned) == (pytest.approx(0.0, abs=1e-6), pytest.approx(0.0, abs=1e-6))
        assert slack == pytest.approx(posture_slack(tuple(found))[0])
        assert slack >= posture_slack(tuple(angles))[0] - 0.01
        assert (found >= LOWER).all()
        assert (found <= UPPER).all()


def test_out_of_reach_there_is_none():
    far = pose_dual(np.array([0.2, 0.0, -2.0, 0.0, 0.0, 0.0, 1.0]))
    assert write_easiest(far, DEFAULT_LENGTHS, CIRCLE, np.empty(8)) < -1e8


@pytest.mark.skipif(not COMPILED, reason="a speed of compiled code")
def test_it_takes_about_a_millisecond():
    palms, out = [palm_of(angles) for angles in drawn(20, 0.2, seed=2)], np.empty(8)
    spent = []
    for palm in palms:
        began = time.thread_time()
        write_easiest(palm, DEFAULT_LENGTHS, CIRCLE, out)
        spent.append(time.thread_time() - began)
    assert min(spent) < 0.005
