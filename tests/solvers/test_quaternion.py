"""Quaternions as tuples: the laws of rotations, with SciPy as the second opinion."""

import math

import numpy as np
from armspan.solvers.quaternion import (
    quat_axes,
    quat_conj,
    quat_from_rotation_vector,
    quat_log,
    quat_mirrored,
    quat_mul,
    quat_normalised,
    quat_rotate,
)
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from tests.solvers.drawing import rotations, turn_between, vectors


@given(a=rotations(), b=rotations(), c=rotations())
def test_the_product_is_associative_and_turns_by_the_right_factor_first(a, b, c):
    np.testing.assert_allclose(quat_mul(quat_mul(a, b), c), quat_mul(a, quat_mul(b, c)), atol=1e-14)
    ours = np.array(quat_mul(a, b))
    theirs = (Rotation.from_quat(a) * Rotation.from_quat(b)).as_quat()
    assert turn_between(ours, theirs) < 1e-7


@given(q=rotations(), v=vectors)
def test_rotating_a_vector_agrees_with_scipy_and_with_the_axes(q, v):
    turned = quat_rotate(q, v)
    np.testing.assert_allclose(turned, Rotation.from_quat(q).apply(v), atol=1e-12)
    np.testing.assert_allclose(turned, np.array(quat_axes(q)).T @ np.array(v), atol=1e-12)
    np.testing.assert_allclose(quat_rotate(quat_conj(q), turned), v, atol=1e-12)


@given(q=rotations())
def test_the_logarithm_and_the_exponential_undo_each_other(q):
    back = quat_from_rotation_vector(quat_log(q))
    sign = math.copysign(1.0, sum(x * y for x, y in zip(q, back, strict=True)))
    np.testing.assert_allclose(np.multiply(sign, back), q, atol=1e-12)
    assert math.hypot(*quat_log(q)) <= math.pi + 1e-12


@given(v=st.tuples(*[st.floats(-1e-6, 1e-6)] * 3))
def test_small_turns_lose_no_digits(v):
    np.testing.assert_allclose(quat_log(quat_from_rotation_vector(v)), v, rtol=1e-9, atol=1e-18)


@given(q=rotations(), v=vectors)
def test_the_mirrored_rotation_does_in_the_mirror_what_the_rotation_does(q, v):
    mirror = np.array([-1.0, 1.0, 1.0])
    in_the_mirror = quat_rotate(quat_mirrored(q), tuple((mirror * v).tolist()))
    np.testing.assert_allclose(in_the_mirror, mirror * quat_rotate(q, v), atol=1e-12)


@given(q=rotations(), scale=st.floats(1e-100, 1e100))
def test_normalising_takes_away_the_length_only(q, scale):
    np.testing.assert_allclose(quat_normalised(tuple(scale * x for x in q)), q, atol=1e-12)


def test_a_zero_quaternion_becomes_the_identity():
    assert quat_normalised((0.0, 0.0, 0.0, 0.0)) == (0.0, 0.0, 0.0, 1.0)
