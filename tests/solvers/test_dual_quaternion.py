"""Rigid transforms as dual quaternions: the laws of composition, and of their shortcuts."""

import math

import numpy as np
from armspan.solvers.dual_quaternion import (
    dq_from_pose,
    dq_inverse,
    dq_mirrored,
    dq_mul,
    dq_normalised,
    dq_position,
    dq_real,
    dq_shift,
    dq_turn_x,
    dq_turn_y,
    dq_turn_z,
)
from armspan.solvers.quaternion import quat_mirrored, quat_mul, quat_rotate
from hypothesis import given
from hypothesis import strategies as st

from tests.solvers.drawing import frames, rotations, vectors

angles = st.floats(-math.pi, math.pi)
IDENTITY = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
ORIGIN = (0.0, 0.0, 0.0)


@given(a=frames(), b=frames(), c=frames())
def test_composition_is_associative(a, b, c):
    np.testing.assert_allclose(dq_mul(dq_mul(a, b), c), dq_mul(a, dq_mul(b, c)), atol=1e-13)


@given(a=frames())
def test_a_frame_after_its_inverse_is_the_identity(a):
    np.testing.assert_allclose(dq_mul(a, dq_inverse(a)), IDENTITY, atol=1e-13)
    np.testing.assert_allclose(dq_mul(dq_inverse(a), a), IDENTITY, atol=1e-13)


@given(position=vectors, rotation=rotations())
def test_a_pose_survives_the_round_trip(position, rotation):
    frame = dq_from_pose(position, rotation)
    np.testing.assert_allclose(dq_position(frame), position, atol=1e-13)
    assert dq_real(frame) == rotation


@given(a=frames(), b=frames())
def test_composition_moves_points_as_the_poses_do(a, b):
    c = dq_mul(a, b)
    expected = np.add(dq_position(a), quat_rotate(dq_real(a), dq_position(b)))
    np.testing.assert_allclose(dq_position(c), expected, atol=1e-12)
    np.testing.assert_allclose(dq_real(c), quat_mul(dq_real(a), dq_real(b)), atol=1e-14)


@given(a=frames(), t=vectors, angle=angles)
def test_the_shortcuts_are_compositions(a, t, angle):
    s, c = math.sin(angle / 2), math.cos(angle / 2)
    unturned = (0.0, 0.0, 0.0, 1.0)
    np.testing.assert_allclose(dq_shift(a, t), dq_mul(a, dq_from_pose(t, unturned)), atol=1e-13)
    for turn, rotation in (
        (dq_turn_x, (s, 0.0, 0.0, c)),
        (dq_turn_y, (0.0, s, 0.0, c)),
        (dq_turn_z, (0.0, 0.0, s, c)),
    ):
        expected = dq_mul(a, dq_from_pose(ORIGIN, rotation))
        np.testing.assert_allclose(turn(a, s, c), expected, atol=1e-13)


@given(a=frames(), b=frames())
def test_the_mirror_image_of_a_chain_is_the_chain_of_the_images(a, b):
    np.testing.assert_allclose(
        dq_mirrored(dq_mul(a, b)), dq_mul(dq_mirrored(a), dq_mirrored(b)), atol=1e-13
    )
    x, y, z = dq_position(a)
    np.testing.assert_allclose(dq_position(dq_mirrored(a)), (-x, y, z), atol=1e-13)
    assert dq_real(dq_mirrored(a)) == quat_mirrored(dq_real(a))


@given(a=frames(), scale=st.floats(0.1, 10.0), off=st.floats(-0.2, 0.2))
def test_normalising_a_drifted_frame_gives_the_frame_back(a, scale, off):
    real, dual = np.array(a[:4]), np.array(a[4:])
    drifted = (*(scale * real).tolist(), *(scale * dual + off * scale * real).tolist())
    np.testing.assert_allclose(dq_normalised(drifted), a, atol=1e-12)


def test_normalising_nothing_gives_the_identity():
    assert dq_normalised((0.0,) * 8) == IDENTITY
