"""Owns the few quaternion steps that recordings need, over whole arrays (xyzw, unit)."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def multiply(a: Array, b: Array) -> Array:
    """``a * b`` for (..., 4) arrays that broadcast: first b turns, then a."""
    ax, ay, az, aw = np.moveaxis(a, -1, 0)
    bx, by, bz, bw = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ],
        axis=-1,
    )


def rotate(rotation_xyzw: Array, vector: Array) -> Array:
    """``vector`` (..., 3) turned by ``rotation_xyzw`` (..., 4)."""
    axis, w = rotation_xyzw[..., :3], rotation_xyzw[..., 3:]
    twice = 2.0 * np.cross(axis, vector)
    return vector + w * twice + np.cross(axis, twice)


def about_y(angle_rad: float) -> Array:
    """The rotation (4,) about +Y: turns left."""
    return np.array([0.0, np.sin(angle_rad / 2), 0.0, np.cos(angle_rad / 2)])


def unrolled(rotation_xyzw: Array) -> Array:
    """The same rotations (T, ..., 4), normalised, each with the sign nearest to the one before.

    q and -q are one rotation; without this, interpolation would take the long way round.
    """
    unit = rotation_xyzw / np.linalg.norm(rotation_xyzw, axis=-1, keepdims=True)
    flips = np.sum(unit[1:] * unit[:-1], axis=-1, keepdims=True) < 0
    signs = np.cumprod(np.where(flips, -1.0, 1.0), axis=0)
    unit[1:] *= signs
    return unit
