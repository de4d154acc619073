"""The bodies that `protocol/README.md` describes are those of the solvers.

The formulas of its section "From a record to a body", written out with matrices, as somebody who
has read nothing else would.
"""

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS, LENGTH_NAMES, eyes_from_chest, forward_kinematics
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Floats = NDArray[np.float64]
AXES_RIGHT = ["+y", "+x", "+z", "+y", "+x", "+y", "-z", "+x"]
AXES_LEFT = ["+y", "+x", "-z", "-y", "+x", "-y", "+z", "+x"]
HAND = {+1: (-0.5, -0.5, -0.5, 0.5), -1: (-0.5, 0.5, 0.5, 0.5)}


def turn(rotation: Rotation) -> Floats:
    matrix = np.eye(4)
    matrix[:3, :3] = rotation.as_matrix()
    return matrix


def shift(x: float, y: float, z: float) -> Floats:
    matrix = np.eye(4)
    matrix[:3, 3] = (x, y, z)
    return matrix


def about(axis: str, angle_rad: float) -> Floats:
    vector = np.eye(3)["xyz".index(axis[1])] * (1.0 if axis[0] == "+" else -1.0)
    return turn(Rotation.from_rotvec(angle_rad * vector))


def arm(side: int, length: dict[str, float], chest: Floats, angles: Floats) -> list[Floats]:
    """World frames of shoulder, elbow, wrist and palm."""
    own = angles[8:] if side > 0 else angles[1:8]
    axes = AXES_RIGHT if side > 0 else AXES_LEFT
    r = [about(axis, angle) for axis, angle in zip(axes, (angles[0], *own), strict=True)]
    world_from_chest = shift(*chest[:3]) @ turn(Rotation.from_quat(chest[3:]))
    offset = shift(side * length["shoulder_lateral_m"], length["shoulder_up_m"], 0.0)
    shoulder = world_from_chest @ r[0] @ offset @ r[1] @ r[2] @ r[3]
    elbow = shoulder @ shift(0.0, -length["upper_arm_m"], 0.0) @ r[4] @ r[5]
    hand = turn(Rotation.from_quat(HAND[side]))
    wrist = elbow @ shift(0.0, -length["forearm_m"], 0.0) @ r[6] @ r[7] @ hand
    return [shoulder, elbow, wrist, wrist @ shift(0.0, 0.0, -length["palm_m"])]


@pytest.mark.parametrize("seed", range(20))
def test_arms_and_eyes_follow_from_the_formulas(seed: int):
    source = np.random.default_rng(seed)
    lengths = DEFAULT_LENGTHS * source.uniform(0.9, 1.1, 11)
    length = dict(zip(LENGTH_NAMES, lengths.tolist(), strict=True))
    chest = np.array([*source.uniform(-2.0, 2.0, 3), *Rotation.random(rng=source).as_quat()])
    head = Rotation.random(rng=source)
    angles = source.uniform(-np.pi, np.pi, 15)
    body = forward_kinematics(lengths, chest, angles)
    for index, side in enumerate((-1, +1)):
        frames = arm(side, length, chest, angles)
        np.testing.assert_allclose(
            [frame[:3, 3] for frame in frames], body.position[index], atol=1e-12
        )
        palm = Rotation.from_matrix(frames[3][:3, :3])
        apart = palm.inv() * Rotation.from_quat(body.rotation[index, 2])
        assert apart.magnitude() < 1e-6

    u = Rotation.from_quat(chest[3:]).apply([0.0, 1.0, 0.0])
    v = head.apply([0.0, 1.0, 0.0])
    eyes = chest[:3] + length["sternum_down_m"] * u
    eyes = eyes + length["neck_m"] * (u + v) / np.linalg.norm(u + v)
    eyes = eyes + head.apply([0.0, length["eyes_up_m"], -length["eyes_forward_m"]])
    np.testing.assert_allclose(eyes_from_chest(lengths, chest, head.as_quat()), eyes, atol=1e-12)
