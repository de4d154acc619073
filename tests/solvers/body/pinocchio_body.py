"""The body built a second time in another library: an oracle of forward kinematics."""

import numpy as np
import pytest
from armspan.solvers import DEFAULT_LENGTHS
from armspan.solvers.body.skeleton import PALM

LEFT, RIGHT = 0, 1
_HAND_AT_REST = {
    RIGHT: np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], float),  # columns: +Z, +X, +Y
    LEFT: np.array([[0, -1, 0], [0, 0, 1], [-1, 0, 0]], float),  # columns: -Z, -X, +Y
}


def pinocchio_body():
    """The 15 joints built a second time, from the conventions' table, in another library."""
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    lateral, up, upper, fore = DEFAULT_LENGTHS[:4]

    def add(parent: int, axis: list[float], offset: list[float], name: str) -> int:
        joint = pin.JointModelRevoluteUnaligned(np.array(axis, float))
        return model.addJoint(parent, joint, pin.SE3(np.eye(3), np.array(offset, float)), name)

    torso = add(0, [0, 1, 0], [0, 0, 0], "torso_yaw")
    wrists = []
    for side, s in (("left", -1.0), ("right", 1.0)):
        at = torso
        for name, axis, offset in (
            ("shoulder_flexion", [1, 0, 0], [s * lateral, up, 0]),
            ("shoulder_abduction", [0, 0, s], [0, 0, 0]),
            ("shoulder_rotation", [0, s, 0], [0, 0, 0]),
            ("elbow_flexion", [1, 0, 0], [0, -upper, 0]),
            ("forearm_pronation", [0, s, 0], [0, 0, 0]),
            ("wrist_flexion", [0, 0, -s], [0, -fore, 0]),
            ("wrist_deviation", [1, 0, 0], [0, 0, 0]),
        ):
            at = add(at, axis, offset, f"{side}_{name}")
        wrists.append(at)
    return pin, model, wrists


def pinocchio_hand(facts, wrist: int, side: int) -> tuple[np.ndarray, np.ndarray]:
    """The palm's position and the hand's rotation matrix, of computed ``facts``."""
    placed = facts.oMi[wrist]
    rotation = placed.rotation @ _HAND_AT_REST[side]
    return placed.translation + rotation @ [0, 0, -DEFAULT_LENGTHS[PALM]], rotation
