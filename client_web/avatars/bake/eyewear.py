"""Owns glasses: two rounded frames, a bridge and temples back to the ears."""

import numpy as np

from client_web.avatars.bake.arrays import Floats, Indices
from client_web.avatars.bake.body import Body
from client_web.avatars.bake.mesh import Mesh, join
from client_web.avatars.bake.paint import linear

HALF_WIDTH_M, HALF_HEIGHT_M = 0.0235, 0.0180
WIRE_M = 0.0013
BEFORE_EYE_M = 0.027  # from the eyeball's middle to the frame
EAR_BEHIND_M = 0.082


def glasses(body: Body, colour: str) -> Mesh:
    """Glasses on a face, moved by the head."""
    left = body.head("leftEye")
    turn = np.arange(20) * 2 * np.pi / 20
    # A superellipse: rounder than a rectangle, squarer than a lens.
    across = np.sign(np.cos(turn)) * np.abs(np.cos(turn)) ** 0.7 * HALF_WIDTH_M
    up = np.sign(np.sin(turn)) * np.abs(np.sin(turn)) ** 0.7 * HALF_HEIGHT_M
    parts: list[Mesh] = []
    for sign in (1.0, -1.0):
        centre = np.array([sign * (left[0] + 0.001), left[1] - 0.003, left[2] + BEFORE_EYE_M])
        bow = -0.10 * sign * across  # the frame follows the face backward
        rim = centre + np.stack([across, up, bow - 0.003 * (sign * across > 0)], axis=1)
        parts.append(tube(rim, closed=True))
        hinge = centre + np.array([sign * HALF_WIDTH_M, 0.008, -0.005])
        ear = np.array([sign * (abs(hinge[0]) + 0.018), left[1] + 0.006, left[2] - EAR_BEHIND_M])
        middle = hinge * 0.55 + ear * 0.45 + np.array([sign * 0.010, 0.0, 0.0])
        parts.append(tube(np.stack([hinge, middle, ear, ear - (0, 0.02, 0.012)]), closed=False))
    inner = left[0] + 0.001 - HALF_WIDTH_M
    arc = np.linspace(-1, 1, 5)
    height = left[1] + 0.003 + 0.002 * (1 - arc**2)
    depth = np.full(5, left[2] + BEFORE_EYE_M + 0.002)
    parts.append(tube(np.stack([arc * inner, height, depth], axis=1), closed=False))
    mesh = join(parts)
    count = len(mesh.points)
    weights = np.zeros((count, body.weights.shape[1]))
    weights[:, body.skeleton.index("head")] = 1.0
    colours = np.tile(linear(colour), (count, 1))
    return mesh.with_columns(weights=weights, colour=colours, tint=np.zeros((count, 1)))


def tube(path: Floats, closed: bool) -> Mesh:
    """A wire of square section along a path (n, 3)."""
    if closed:
        along = np.roll(path, -1, axis=0) - np.roll(path, 1, axis=0)
    else:
        along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    reference = (
        np.array([0.0, 0.0, 1.0]) if closed or np.ptp(path[:, 2]) < 0.02 else [0.0, 1.0, 0.0]
    )
    first = np.cross(along, reference)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(along, first)
    corners = [
        path + WIRE_M * (a * first + b * second) for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))
    ]
    count = len(path)
    points = np.concatenate(corners)
    steps = np.arange(count if closed else count - 1)
    after = (steps + 1) % count
    triangles: list[Indices] = []
    for corner in range(4):
        here, beside = corner * count, (corner + 1) % 4 * count
        triangles.append(np.stack([here + steps, here + after, beside + steps], 1))
        triangles.append(np.stack([beside + steps, here + after, beside + after], 1))
    return Mesh(np.concatenate(triangles)[:, ::-1], {"point": points})
