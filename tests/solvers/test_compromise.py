"""The posture of an arm that cannot do what is asked: inside the limits, in its place, calm."""

import numpy as np
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.compromise import compromise
from armspan.solvers.dual_quaternion import dq_from_pose, dq_position
from armspan.solvers.forward import arm_frames
from armspan.solvers.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.swivel import CIRCLE_ROWS, drawn_into_reach
from armspan.solvers.targets import pose_error
from hypothesis import given
from hypothesis import strategies as st

from tests.solvers.drawing import few, frames


def answer_to(palm: tuple[float, ...], yaw: float) -> tuple[np.ndarray, tuple[float, ...]]:
    circle = np.empty((CIRCLE_ROWS, 3))
    angles = compromise(palm, yaw, DEFAULT_LENGTHS, circle)
    return np.array(angles), arm_frames(angles, DEFAULT_LENGTHS)[3]


@given(palm=frames(), yaw=st.floats(-0.7, 0.7))
def test_a_compromise_is_inside_the_limits_and_keeps_the_torso(palm, yaw):
    angles, _ = answer_to(palm, yaw)
    assert (angles >= ARM_LOWER).all()
    assert (angles <= ARM_UPPER).all()
    assert angles[0] == yaw


def badly_turned(random: np.random.Generator, degrees: float) -> tuple[tuple[float, ...], float]:
    """A palm in reach of a posture well inside the limits, turned further than asked of wrists."""
    middle = 0.5 * (np.array(ARM_LOWER) + ARM_UPPER)
    arm = middle + 0.7 * (random.uniform(ARM_LOWER, ARM_UPPER) - middle)
    arm[6:] = np.array(ARM_UPPER)[6:] + np.radians(degrees)
    return arm_frames(tuple(arm), DEFAULT_LENGTHS)[3], float(arm[0])


def test_the_palm_is_where_it_was_asked_to_be_when_only_its_turn_is_impossible():
    random = np.random.default_rng(0)
    missed = []
    for _ in range(few(300, 20)):
        palm, yaw = badly_turned(random, 20.0)
        _, reached = answer_to(palm, yaw)
        missed.append(pose_error(drawn_into_reach(palm, yaw, DEFAULT_LENGTHS), reached))
    off, turned = np.array(missed).T
    assert np.median(off) < 0.002
    assert np.mean(off < 0.02) > 0.7
    assert np.median(turned) < np.radians(20.0)


def test_a_small_move_of_the_palm_seldom_moves_the_elbow_far():
    random = np.random.default_rng(1)
    far = 0
    cases = few(300, 10)
    for _ in range(cases):
        palm, yaw = badly_turned(random, 20.0)
        x, y, z = dq_position(palm)
        nudged = dq_from_pose((x + 1e-3, y, z), palm[:4])
        elbows = [
            dq_position(arm_frames(tuple(answer_to(p, yaw)[0]), DEFAULT_LENGTHS)[2])
            for p in (palm, nudged)
        ]
        far += np.linalg.norm(np.subtract(*elbows)) > 0.03
    assert far <= 0.05 * cases
