"""A palm is within a millimetre of what the solver gave, after the trip over the wire."""

import math

import numpy as np
import pytest
from armspan.protocol import LENGTH_NAMES, SNAPSHOT_HEADER_BYTES, caps, layout
from armspan.server.wire import SnapshotArrays, unpack_snapshot
from armspan.solvers import DEFAULT_LENGTHS, forward_kinematics
from armspan.solvers.body.skeleton import JOINT_LOWER, JOINT_UPPER
from numpy.typing import NDArray

from tests.server.wire.arrays import packed

Floats = NDArray[np.float64]
FIELDS = {field.name: field for field in layout.AVATAR_RECORD}
JOINT_STEPS = np.array([FIELDS[name].step for name in layout.JOINT_FIELDS])
POSES = 1000
ALIGNED_POSES = 300
LONG_ARMS = DEFAULT_LENGTHS.copy()
for _name in ("shoulder_lateral_m", "shoulder_up_m", "upper_arm_m", "forearm_m", "palm_m"):
    LONG_ARMS[LENGTH_NAMES.index(_name)] *= 1.2
LONGEST = np.array([cap.high_m for cap in caps.LENGTHS])
BODIES = {
    "of default lengths": DEFAULT_LENGTHS,
    "a fifth longer": LONG_ARMS,
    "as long as the caps allow": LONGEST,
}


def random_bodies(
    source: np.random.Generator, lower: Floats, upper: Floats, count: int = POSES
) -> SnapshotArrays:
    state = SnapshotArrays(capacity=count)
    state.ids[:] = 1
    state.world_from_chest[:, :3] = source.uniform(-99.0, 99.0, (count, 3))
    rotations = source.normal(size=(2, count, 4))
    rotations /= np.linalg.norm(rotations, axis=2, keepdims=True)
    state.world_from_chest[:, 3:], state.head_rotation[:] = rotations
    state.joint_angles[:] = source.uniform(lower, upper, (count, 15))
    return state


def over_the_wire(state: SnapshotArrays) -> SnapshotArrays:
    received = SnapshotArrays(capacity=state.capacity)
    out = np.zeros(SNAPSHOT_HEADER_BYTES + 47 * state.capacity, np.uint8)
    rows = np.arange(state.capacity, dtype=np.int32)
    assert unpack_snapshot(packed(state, rows, out), received) == state.capacity
    return received


def palms(lengths: Floats, state: SnapshotArrays) -> tuple[Floats, Floats]:
    """Positions (N, 2, 3) and rotations (N, 2, 4) of the palms."""
    bodies = [
        forward_kinematics(lengths, chest, angles)
        for chest, angles in zip(state.world_from_chest, state.joint_angles, strict=True)
    ]
    positions = np.array([body.position[:, 3] for body in bodies])
    return positions, np.array([body.rotation[:, 2] for body in bodies])


def worst(lengths: Floats, state: SnapshotArrays) -> tuple[float, float]:
    """The largest errors of any palm: metres, radians."""
    sent, sent_rotations = palms(lengths, state)
    received, received_rotations = palms(lengths, over_the_wire(state))
    distance_m = np.linalg.norm(received - sent, axis=2).max()
    cosine = np.abs((sent_rotations * received_rotations).sum(axis=2)).min()
    return float(distance_m), 2.0 * math.acos(min(1.0, cosine))


def with_aligned_errors(
    lengths: Floats, state: SnapshotArrays, source: np.random.Generator
) -> SnapshotArrays:
    """The same poses, moved so that every joint's error pushes one palm the same way.

    The angles go to just within half a step of the codes' edges, each to the side that moves the
    palm along one random direction: the worst that rounding can do near each pose.
    """
    state = over_the_wire(state)  # every angle now sits on a code
    for row in range(state.capacity):
        chest, angles = state.world_from_chest[row], state.joint_angles[row]
        side = row % 2
        direction = source.normal(size=3)
        rest = forward_kinematics(lengths, chest, angles).position[side, 3]
        for joint in range(15):
            turned = angles.copy()
            turned[joint] += 1e-5
            moved = forward_kinematics(lengths, chest, turned).position[side, 3] - rest
            sign = math.copysign(1.0, float(moved @ direction))
            angles[joint] += sign * 0.499 * JOINT_STEPS[joint]
        chest[:3] += 0.499 * FIELDS["chest_x_m"].step * np.sign(direction)
    return state


@pytest.mark.parametrize("lengths", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("limits", ["within limits", "anywhere"])
def test_palms_of_random_bodies_are_within_a_millimetre(lengths: Floats, limits: str):
    source = np.random.default_rng(11)
    anywhere = np.full(15, math.pi)
    lower, upper = (
        (JOINT_LOWER, JOINT_UPPER) if limits == "within limits" else (-anywhere, anywhere)
    )
    distance_m, turn_rad = worst(lengths, random_bodies(source, lower, upper))
    assert distance_m < 0.001
    assert turn_rad < math.radians(0.15)


@pytest.mark.parametrize("lengths", BODIES.values(), ids=BODIES)
def test_palms_are_within_a_millimetre_when_every_error_pushes_the_same_way(lengths: Floats):
    source = np.random.default_rng(12)
    # Stretched arms at every shoulder angle: the longest levers.
    upper = np.full(15, math.pi)
    upper[[4, 11]] = 0.05
    lower = -upper
    bodies = random_bodies(source, lower, upper, ALIGNED_POSES)
    state = with_aligned_errors(lengths, bodies, source)
    distance_m, _ = worst(lengths, state)
    assert 0.0004 < distance_m < 0.001  # beyond what random poses show: the corners were reached


def test_the_edge_of_space_is_as_precise_as_its_middle():
    state = SnapshotArrays(capacity=8)
    state.ids[:] = 1
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, 8).T
    state.world_from_chest[:, :3] = caps.COORDINATE_M * corners
    state.world_from_chest[:, 6] = state.head_rotation[:, 3] = 1.0
    distance_m, _ = worst(DEFAULT_LENGTHS, state)
    assert distance_m < 0.001
