"""Owns what every garment needs: loose cloth from tights, edges, patches, and layers in order."""

from dataclasses import dataclass

import numpy as np

from client_web.avatars.bake.arrays import Floats, Indices
from client_web.avatars.bake.body import Body
from client_web.avatars.bake.mesh import Mesh, flange, join, loops, smooth, split, unit
from client_web.avatars.bake.paint import painted

UP = np.array([0.0, 1.0, 0.0])
# An edge turned inward shows the cloth's thickness; then it goes on to the skin, so that one never
# looks through a sleeve: (beyond the rim, out of the surface), metres.
HEM = [(0.0, 0.0), (0.0012, -0.0015), (-0.001, -0.0035), (-0.026, -0.022)]


@dataclass(frozen=True)
class Outfit:
    """What a person wears; colours as #rrggbb, lengths in metres."""

    top: str
    trousers: str
    shoes: str
    soles: str
    trim: str  # collar and cuffs, where they are not of the top's cloth
    sleeve: float  # where sleeves end: share of the way from the shoulder to the wrist
    own_collar: bool  # the collar is of the top's cloth
    placket_m: float  # how far the buttons go down; 0 for none
    buttons: int
    tucked: bool = False  # the shirt in the trousers, with a belt
    cuffs: bool = False  # a shirt's cuffs show under the sleeves
    pocket: bool = False
    hem_m: float = 0.02  # the shirt's lower edge above the hip joints
    slack_m: float = 0.008
    leg_m: float = 0.080  # least radius of a trouser leg at the ankle


def loosened(mesh: Mesh, slack_m: Floats | float, rounds: int) -> Mesh:
    """Cloth over a part of the tights: without the body's small forms, and off the skin."""
    relaxed = mesh.with_columns(point=smooth(mesh, mesh.points, rounds))
    normals = relaxed.normals()
    depth = ((mesh.points - relaxed.points) * normals).sum(1, keepdims=True)
    depth = smooth(mesh, np.maximum(depth, 0.0), 6)
    off = np.broadcast_to(np.reshape(slack_m, (-1, 1)), depth.shape)
    return relaxed.with_columns(point=relaxed.points + (off + depth) * normals)


def hems(mesh: Mesh, rims: list[Indices], colour: Floats, tint: float) -> list[Mesh]:
    """The inward turned edges along some rims, a little darker than the cloth."""
    return [painted(flange(mesh, rim, HEM), 0.8 * colour, tint) for rim in rims]


NEIGHBOURS = 6


def nearest(points: Floats, surface: Mesh) -> tuple[Floats, Floats]:
    """How far each point (n, 3) is outside a surface (n,), and the normal there (n, 3).

    Measured along the normals of the surface's nearest vertices, the nearer the more.
    """
    used = np.unique(surface.triangles)
    at, facing = surface.points[used], surface.normals()[used]
    outside, normal = np.empty(len(points)), np.empty((len(points), 3))
    for start in range(0, len(points), 512):
        rows = slice(start, start + 512)
        apart = ((points[rows, None] - at[None]) ** 2).sum(2)
        near = np.argpartition(apart, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
        weight = 1 / (np.take_along_axis(apart, near, axis=1) + 1e-5)
        weight /= weight.sum(1, keepdims=True)
        height = ((points[rows, None] - at[near]) * facing[near]).sum(2)
        outside[rows] = (weight * height).sum(1)
        normal[rows] = unit((weight[:, :, None] * facing[near]).sum(1))
    return outside, normal


def between(points: Floats, surface: Mesh, low_m: float, high_m: float) -> Floats:
    """The points moved along the surface's normals to stand ``low_m`` to ``high_m`` outside it."""
    outside, normal = nearest(points, surface)
    return points + (np.clip(outside, low_m, high_m) - outside)[:, None] * normal


def patch(mesh: Mesh, sides: list[tuple[Floats, float]], out_m: float) -> Mesh:
    """A piece of cloth sewn on: the part with ``point · direction > offset`` for all sides."""
    piece = mesh
    for direction, offset in sides:
        piece, _ = split(piece, piece.points @ direction - offset)
    piece = piece.with_columns(point=piece.points + out_m * piece.normals())
    edge = [(0.0, 0.0), (0.0, -out_m)]
    return join([piece, *(flange(piece, rim, edge) for rim in loops(piece))])


def disc(centre: Floats, normal: Floats, like: Mesh, radius_m: float) -> Mesh:
    """A button: a small eight-sided dome on a mesh, moved with its nearest vertex."""
    nearest_vertex = int(((like.points - centre) ** 2).sum(1).argmin())
    aside = np.cross(UP, normal)
    aside /= np.linalg.norm(aside)
    turn = np.arange(8) * np.pi / 4
    circle = np.cos(turn)[:, None] * aside + np.sin(turn)[:, None] * np.cross(normal, aside)
    points = np.concatenate(
        [centre + radius_m * circle, centre + 0.75 * radius_m * circle + 0.0015 * normal]
    )
    this, after = np.arange(8), np.roll(np.arange(8), -1)
    wall = [np.stack([this, after, this + 8], 1), np.stack([after, after + 8, this + 8], 1)]
    cap = [np.array([[8, 8 + corner, 9 + corner] for corner in range(1, 7)])]
    columns = {
        name: np.tile(values[nearest_vertex], (16, 1)) for name, values in like.columns.items()
    }
    return Mesh(np.concatenate(wall + cap), columns | {"point": points})


def front(body: Body, mesh: Mesh, x: float, y: float) -> tuple[Floats, Floats]:
    """Where a straight line from inside the body forward leaves the mesh, and the normal there."""
    facing = mesh.points[:, 2] > body.head("spine")[2]
    away = np.hypot(mesh.points[:, 0] - x, mesh.points[:, 1] - y)
    order = np.argsort(np.where(facing, away, np.inf))[:6]
    weight = 1 / (away[order] + 1e-4) ** 2
    weight /= weight.sum()
    normal = weight @ mesh.normals()[order]
    normal /= np.linalg.norm(normal)
    near = weight @ mesh.points[order]
    # On the plane through the neighbours' mean, at the wanted place.
    z = near[2] - ((x - near[0]) * normal[0] + (y - near[1]) * normal[1]) / normal[2]
    return np.array([x, y, z]), normal
