"""What the solvers' tests draw their cases from: hypothesis strategies and seeded arrays."""

import numpy as np
from armspan.solvers.body.skeleton import (
    ARM_LOWER,
    ARM_UPPER,
    DEFAULT_LENGTHS,
    JOINT_LOWER,
    JOINT_UPPER,
)
from armspan.solvers.dual_quaternion import dq_from_pose
from hypothesis import strategies as st
from numba import config

COMPILED = not config.DISABLE_JIT

coordinates = st.floats(-3.0, 3.0)
vectors = st.tuples(coordinates, coordinates, coordinates)


def few(compiled: int, interpreted: int) -> int:
    """How many cases: without the compiler a case costs a hundred times more."""
    return compiled if COMPILED else interpreted


@st.composite
def rotations(draw: st.DrawFn) -> tuple[float, float, float, float]:
    """Unit quaternions, evenly spread (Shoemake's square roots of uniform numbers)."""
    u, a, b = draw(st.tuples(*[st.floats(0.0, 1.0)] * 3))
    a, b = 2 * np.pi * a, 2 * np.pi * b
    s, c = np.sqrt(1 - u), np.sqrt(u)
    return (
        float(s * np.sin(a)),
        float(s * np.cos(a)),
        float(c * np.sin(b)),
        float(c * np.cos(b)),
    )


@st.composite
def frames(draw: st.DrawFn) -> tuple[float, ...]:
    """Unit dual quaternions."""
    return dq_from_pose(draw(vectors), draw(rotations()))


@st.composite
def poses(draw: st.DrawFn) -> np.ndarray:
    """(7,) position and rotation."""
    return np.array([*draw(vectors), *draw(rotations())])


def arm_angles() -> st.SearchStrategy[tuple[float, ...]]:
    """8 angles of a right arm inside its limits."""
    return st.tuples(
        *(st.floats(low, high) for low, high in zip(ARM_LOWER, ARM_UPPER, strict=True))
    )


def body_angles() -> st.SearchStrategy[np.ndarray]:
    """(15,) inside the limits."""
    bounds = zip(JOINT_LOWER.tolist(), JOINT_UPPER.tolist(), strict=True)
    return st.tuples(*(st.floats(low, high) for low, high in bounds)).map(np.array)


def lengths() -> st.SearchStrategy[np.ndarray]:
    """(11,) of people of many sizes."""
    return st.tuples(*[st.floats(0.75, 1.3)] * 11).map(lambda s: DEFAULT_LENGTHS * np.array(s))


def mirrored_angles(angles: np.ndarray) -> np.ndarray:
    """(..., 15) of the body in the mirror x = 0."""
    return np.concatenate([-angles[..., :1], angles[..., 8:15], angles[..., 1:8]], axis=-1)


def mirrored_poses(pose: np.ndarray) -> np.ndarray:
    """(..., 7) of the frames in the mirror x = 0."""
    return pose * np.array([-1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 1.0])


def mirrored_hands(hands: np.ndarray) -> np.ndarray:
    """(..., 2, 7) in the mirror: the left hand is the right one's image."""
    return mirrored_poses(hands)[..., ::-1, :]


def turn_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Angles in radians between rotations (..., 4)."""
    cosine = np.abs(np.sum(a * b, axis=-1)) / (
        np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    )
    return 2 * np.arccos(np.minimum(cosine, 1.0))
