"""Owns shaded pictures of triangle meshes: orthographic views, hidden by depth, lit softly.

matplotlib sorts triangles by their middles, which is wrong wherever a large one lies behind a
small one; here every pixel keeps what is nearest.
"""

import math
from dataclasses import dataclass

import numpy as np
from armspan.solvers.kernel import kernel
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter  # pyright: ignore

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

_OVER = 2  # samples a pixel along either axis, averaged: no jagged outlines
_CREASE = 0.8  # faces that meet at more than this cosine are lit as one smooth surface
_LIGHTS = ((0.35, 0.5, 0.8, 0.62), (-0.7, 0.1, 0.5, 0.22), (0.1, -0.8, 0.3, 0.10))
_AMBIENT = 0.34
_ROUNDING = 1e-9  # no gaps between triangles that share an edge
_COARSE = 8  # hollows are soft, so every eighth sample tells them


@dataclass(frozen=True, slots=True)
class Camera:
    """Looks along -z of its own axes: ``axes`` (3, 3) rows right, up, toward the eye.

    ``middle`` (3,) m is in the picture's middle; ``pixel_m`` is a pixel's size on the object.
    """

    axes: Floats
    middle: Floats
    pixel_m: float
    width: int
    height: int

    def project(self, points: Floats) -> Floats:
        """Points (..., 3) m to (..., 3): pixels right, pixels down, metres toward the eye."""
        seen = (points - self.middle) @ self.axes.T
        right = seen[..., 0] / self.pixel_m + 0.5 * self.width
        down = 0.5 * self.height - seen[..., 1] / self.pixel_m
        return np.stack([right, down, seen[..., 2]], axis=-1)


@dataclass(frozen=True, slots=True)
class Surface:
    """What is drawn: vertices (V, 3) m, faces (F, 3), and each face's colour (F, 3) in 0 to 1."""

    vertices: Floats
    faces: Ints
    colours: Floats


@dataclass(frozen=True, slots=True)
class Picture:
    """``rgb`` (H, W, 3) and ``cover`` (H, W), 0 to 1; ``depth`` (H, W) m toward the eye, -inf
    where there is nothing; ``face`` (H, W) the face seen, or -1."""

    rgb: Floats
    cover: Floats
    depth: Floats
    face: Ints


def look_along(toward_eye: Floats, up: Floats) -> Floats:
    """Rows right, up, toward the eye; for a camera whose up is as near ``up`` as can be."""
    back = np.asarray(toward_eye, dtype=np.float64) / np.linalg.norm(toward_eye)
    right = np.cross(up, back)
    if np.linalg.norm(right) < 1e-9:
        right = np.cross(np.eye(3)[int(np.argmin(np.abs(back)))], back)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(back, right), back])


def render(surface: Surface, camera: Camera) -> Picture:
    """Draw the surface, both sides of it, lit from the camera's own upper right."""
    fine = Camera(
        camera.axes,
        camera.middle,
        camera.pixel_m / _OVER,
        camera.width * _OVER,
        camera.height * _OVER,
    )
    depth, face, weights = _nearest(surface, fine)
    seen = face >= 0
    rgb = np.ones((*depth.shape, 3))
    lit = _light(surface, fine, face[seen], weights[seen])
    rgb[seen] = surface.colours[face[seen]] * lit[:, None] * _hollows(depth, fine)[seen][:, None]
    rgb[seen] = np.minimum(rgb[seen] + _gloss(lit)[:, None], 1.0)
    rgb[seen] *= _outline(depth, fine)[seen][:, None]
    shape = (camera.height, _OVER, camera.width, _OVER)
    cover = seen.reshape(shape).mean(axis=(1, 3))
    whole = np.where(seen[..., None], rgb, 0.0).reshape(*shape, 3).sum(axis=(1, 3))
    mixed = whole / np.maximum(cover * _OVER * _OVER, 1e-12)[..., None]
    return Picture(mixed, cover, depth[::_OVER, ::_OVER], face[::_OVER, ::_OVER])


def visible_faces(surface: Surface, camera: Camera) -> Ints:
    """The face in each pixel (H, W), or -1; quicker than a whole picture."""
    return _nearest(surface, camera)[1]


def _nearest(surface: Surface, camera: Camera) -> tuple[Floats, Ints, Floats]:
    """Depth, face and the face's corner weights in every pixel."""
    corners = np.ascontiguousarray(camera.project(surface.vertices)[surface.faces])
    size = (camera.height, camera.width)
    depth = np.full(size, -np.inf)
    face = np.full(size, -1, dtype=np.int32)
    weights = np.zeros((*size, 3))
    _keep_nearest(corners, depth, face, weights)
    return depth, face, weights


@kernel
def _keep_nearest(corners: Floats, depth: Floats, face: Ints, weights: Floats) -> None:
    """Draw triangles (F, 3, 3) of pixels right, pixels down and depth into what lies deeper.

    A pixel belongs to a triangle that its middle is in.
    """
    height, width = depth.shape
    for f in range(len(corners)):
        ax, ay, az = corners[f, 0, 0], corners[f, 0, 1], corners[f, 0, 2]
        bx, by, bz = corners[f, 1, 0], corners[f, 1, 1], corners[f, 1, 2]
        cx, cy, cz = corners[f, 2, 0], corners[f, 2, 1], corners[f, 2, 2]
        twice = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if twice == 0.0:
            continue
        left = max(0, math.ceil(min(ax, bx, cx) - 0.5))
        right = min(width - 1, math.floor(max(ax, bx, cx) - 0.5))
        top = max(0, math.ceil(min(ay, by, cy) - 0.5))
        bottom = min(height - 1, math.floor(max(ay, by, cy) - 0.5))
        for row in range(top, bottom + 1):
            y = row + 0.5
            for column in range(left, right + 1):
                x = column + 0.5
                u = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / twice
                v = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / twice
                w = 1.0 - u - v
                if u < -_ROUNDING or v < -_ROUNDING or w < -_ROUNDING:
                    continue
                near = u * az + v * bz + w * cz
                if near > depth[row, column]:
                    depth[row, column] = near
                    face[row, column] = f
                    weights[row, column, 0] = u
                    weights[row, column, 1] = v
                    weights[row, column, 2] = w


def _light(surface: Surface, camera: Camera, face: Ints, weights: Floats) -> Floats:
    """Brightness of every seen point; backs of faces are lit as fronts."""
    corners = surface.vertices[surface.faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    flat = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
    at_corners = np.empty((len(across), 3, 3))
    order = np.argsort(surface.faces, axis=None, kind="stable")
    starts = np.searchsorted(surface.faces.ravel()[order], np.arange(len(surface.vertices) + 1))
    around = (order // 3).astype(np.int32)
    _smooth(surface.faces, across, flat, around, starts.astype(np.int32), at_corners)
    normals: Floats = np.einsum("nk,nkc->nc", weights, at_corners[face]) @ camera.axes.T
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    normals *= np.where(normals[:, 2:] < 0.0, -1.0, 1.0)
    bright = np.full(len(face), _AMBIENT)
    for x, y, z, strength in _LIGHTS:
        bright += strength * np.maximum(normals @ _unit(x, y, z), 0.0)
    return bright


@kernel
def _smooth(
    faces: Ints, across: Floats, flat: Floats, around: Ints, starts: Ints, out: Floats
) -> None:
    """Write the normal at every corner (F, 3, 3): the mean of the faces there that bend little.

    ``around[starts[v] : starts[v + 1]]`` are the faces at vertex v; larger ones count for more.
    """
    for f in range(len(faces)):
        for k in range(3):
            out[f, k] = 0.0
            for at in range(starts[faces[f, k]], starts[faces[f, k] + 1]):
                g = around[at]
                bend = flat[f, 0] * flat[g, 0] + flat[f, 1] * flat[g, 1] + flat[f, 2] * flat[g, 2]
                if bend >= _CREASE:
                    for c in range(3):
                        out[f, k, c] += across[g, c]
            length = math.sqrt(out[f, k, 0] ** 2 + out[f, k, 1] ** 2 + out[f, k, 2] ** 2)
            for c in range(3):
                out[f, k, c] /= max(length, 1e-300)


def _unit(x: float, y: float, z: float) -> Floats:
    way = np.array([x, y, z])
    return way / np.linalg.norm(way)


def _gloss(bright: Floats) -> Floats:
    return 0.10 * np.maximum(bright - 0.85, 0.0) / 0.3


def _hollows(depth: Floats, camera: Camera) -> Floats:
    """Darker where the neighbourhood is nearer to the eye: corners and holes read as deep."""
    coarse = depth[::_COARSE, ::_COARSE]
    seen = np.isfinite(coarse)
    if not seen.any():
        return np.ones_like(depth)
    deepest = float(coarse[seen].min())
    filled = np.where(seen, coarse, deepest)
    shade = np.zeros_like(depth)
    for reach in (0.01, 0.03):
        sigma = reach * max(coarse.shape)
        weight = _blurred(seen.astype(np.float64), sigma)
        mean = _blurred(np.where(seen, filled - deepest, 0.0), sigma)
        mean = deepest + mean / np.maximum(weight, 1e-6)
        across = np.repeat(np.repeat(mean, _COARSE, axis=0), _COARSE, axis=1)
        across = _blurred(across[: depth.shape[0], : depth.shape[1]], 0.5 * _COARSE)
        higher = np.where(np.isfinite(depth), across - depth, 0.0)
        shade += np.clip(higher / (sigma * _COARSE * camera.pixel_m), 0.0, 1.0)
    return 1.0 - 0.22 * shade


def _blurred(values: Floats, sigma: float) -> Floats:
    return np.asarray(gaussian_filter(values, sigma), dtype=np.float64)  # pyright: ignore


def _outline(depth: Floats, camera: Camera) -> Floats:
    """Darker along edges where the depth jumps, so that one tube before another is told apart."""
    filled = np.where(np.isfinite(depth), depth, -1e9)
    jump = 0.02 * max(depth.shape) * camera.pixel_m
    ahead = np.zeros(depth.shape, dtype=bool)
    for axis in (0, 1):
        for shift in (-1, 1):
            ahead |= np.roll(filled, shift, axis=axis) - filled > jump
            ahead |= filled - np.roll(filled, shift, axis=axis) > jump
    return np.where(ahead, 0.45, 1.0)
