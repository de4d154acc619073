"""What pops: the rule at its edges, whatever the frame, the side or the quaternion's sign."""

import numpy as np
import pytest
from armspan.solvers.body.continuity import count_pops, turns
from scipy.spatial.transform import Rotation

ARM_M = 0.56


def still(frames: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Elbows, bones and hands of someone who holds still."""
    unit = np.array([0.0, 0.0, 0.0, 1.0])
    hands = np.zeros((frames, 2, 7))
    hands[..., 3:] = unit
    return np.zeros((frames, 2, 3)), np.tile(unit, (frames, 2, 3, 1)), hands


def turned(degrees: float) -> np.ndarray:
    return Rotation.from_euler("y", degrees, degrees=True).as_quat()


def test_stillness_does_not_pop():
    pops = count_pops(*still(), ARM_M)
    assert (pops.number, pops.steps, pops.worst) == (0, 4, 0.0)


@pytest.mark.parametrize(("step_m", "number"), [(0.049, 0), (0.051, 1)])
def test_an_elbow_may_go_50_mm_while_its_hand_is_calm(step_m: float, number: int):
    elbows, bones, hands = still()
    elbows[2, 1, 0] = step_m
    hands[2, 1, 1] = 0.019
    pops = count_pops(elbows, bones, hands, ARM_M)
    assert pops.number == number
    assert pops.worst == pytest.approx(step_m / 0.05)
    assert pops.worst_frame == 2
    assert pops.furthest_m == pytest.approx(step_m)


@pytest.mark.parametrize(("degrees", "number"), [(29.9, 0), (30.1, 1)])
@pytest.mark.parametrize("bone", [0, 1, 2])
def test_no_bone_may_turn_by_30_degrees_while_its_hand_is_calm(degrees, number, bone):
    elbows, bones, hands = still()
    bones[1:, 0, bone] = -turned(degrees)  # the same rotation as with the other sign
    pops = count_pops(elbows, bones, hands, ARM_M)
    assert pops.number == number
    assert pops.furthest_rad == pytest.approx(np.radians(degrees))


@pytest.mark.parametrize("extra", [-0.001, 0.001])
def test_a_fast_hand_explains_three_times_its_way_and_turn(extra: float):
    elbows, bones, hands = still()
    hands[1:, 0, 0] = 0.1
    hands[1:, 0, 3:] = turned(12.0)
    way, turn = 0.1 + ARM_M * np.radians(12.0), np.radians(12.0) + 0.1 / ARM_M
    elbows[1:, 0, 2] = 3.0 * way + extra
    assert count_pops(elbows, bones, hands, ARM_M).number == (extra > 0)
    elbows[:] = 0.0
    bones[1:, 0, 1] = turned(np.degrees(3.0 * turn + extra))
    assert count_pops(elbows, bones, hands, ARM_M).number == (extra > 0)


def test_the_other_hand_explains_nothing():
    elbows, bones, hands = still()
    hands[1:, 0, 0] = 0.2
    elbows[1:, 1, 0] = 0.06
    assert count_pops(elbows, bones, hands, ARM_M).number == 1


def test_only_steps_between_tracked_frames_are_judged():
    elbows, bones, hands = still()
    elbows[2, 1, 0] = 1.0
    tracked = np.ones((3, 2), np.bool_)
    tracked[1, 1] = False
    pops = count_pops(elbows, bones, hands, ARM_M, tracked)
    assert (pops.number, pops.steps) == (0, 2)


@pytest.mark.parametrize("frames", [0, 1])
def test_no_steps_are_no_pops(frames: int):
    pops = count_pops(*still(frames), ARM_M)
    assert (pops.number, pops.steps, pops.worst_frame) == (0, 0, 0)


def test_turns_are_angles_whatever_the_signs():
    rng = np.random.default_rng(0)
    way = Rotation.random(50, rng=rng)
    signs = rng.choice([-1.0, 1.0], size=(50, 1))
    expected = (way[1:] * way[:-1].inv()).magnitude()
    np.testing.assert_allclose(turns(signs * way.as_quat()), expected, atol=1e-9)
