"""Owns colours: from the way people write them to the linear light that glTF wants."""

import numpy as np

from client_web.avatars.bake.arrays import Floats
from client_web.avatars.bake.mesh import Mesh


def linear(colour: str) -> Floats:
    """A colour written #rrggbb (sRGB) as linear red, green, blue."""
    value = np.array([int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)])
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def painted(mesh: Mesh, colour: Floats, tint: float = 0.0) -> Mesh:
    """The mesh in one linear colour, taking on the person's colour by ``tint``."""
    count = len(mesh.points)
    return mesh.with_columns(colour=np.tile(colour, (count, 1)), tint=np.full((count, 1), tint))


def mixed(a: Floats, b: Floats, share: Floats) -> Floats:
    """Rows of colour between ``a`` and ``b`` by ``share`` (n,)."""
    return a * (1 - share[:, None]) + b * share[:, None]


def bump(distance: Floats, width: float) -> Floats:
    """1 at no distance, falling softly to nothing within a few widths."""
    return np.exp(-((distance / width) ** 2))


def ramp(value: Floats, low: float, high: float) -> Floats:
    """0 below ``low``, 1 above ``high``, smooth between."""
    share = np.clip((value - low) / (high - low), 0, 1)
    return share * share * (3 - 2 * share)
