"""Owns the hair: strands laid from the crown over the scalp, ending at the hairline or lower."""

from dataclasses import dataclass

import numpy as np

from client_web.avatars.bake.arrays import Floats
from client_web.avatars.bake.body import Body
from client_web.avatars.bake.mesh import Mesh
from client_web.avatars.bake.paint import linear


@dataclass(frozen=True)
class Hair:
    """A hairstyle. Tables go around the head: degrees from the front, the same on both sides."""

    colour: str
    light: str  # the colour of the lighter strands
    thickness_m: float
    around: tuple[float, ...]
    line: tuple[float, ...]  # elevation of the hairline from the head's middle, degrees
    hang_m: float = 0.0  # how much further the ends hang, at the sides and the back
    strands: int = 56
    rows: int = 11
    ripple: float = 0.14


def middle(body: Body) -> Floats:
    """The point inside the head that directions are counted from."""
    eyes = (body.head("leftEye") + body.head("rightEye")) / 2
    return np.array([0.0, eyes[1] + 0.022, eyes[2] - 0.085])


def distances(mesh: Mesh, origin: Floats, directions: Floats) -> Floats:
    """How far the mesh is from ``origin`` in each direction (r, 3): its outermost surface, m."""
    a, b, c = (mesh.points[mesh.triangles[:, corner]] - origin for corner in range(3))
    normal = np.cross(b - a, c - a)
    size = (normal**2).sum(1)
    found = np.zeros(len(directions))
    for ray, direction in enumerate(directions):
        facing = normal @ direction
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = (normal * a).sum(1) / facing
        hit = distance[:, None] * direction
        inside = facing > 0.02 * np.sqrt(size)
        for one, other in ((a, b), (b, c), (c, a)):
            side = (np.cross(other - one, hit - one) * normal).sum(1)
            inside &= side >= -1e-6 * size
        found[ray] = distance[inside].max(initial=0.0)
    return found


def hair(body: Body, skin: Mesh, style: Hair) -> Mesh:
    """The hair as one shell, moved by the head."""
    origin = middle(body)
    scalp = skin.select((skin.columns["ears"][skin.triangles, 0] < 0.2).all(1))
    scalp = scalp.select((scalp.points[scalp.triangles, 1] > origin[1] - 0.16).all(1))
    turn = np.arange(style.strands) * 2 * np.pi / style.strands
    folded = np.degrees(np.abs((turn + np.pi) % (2 * np.pi) - np.pi))
    end = np.radians(np.interp(folded, style.around, style.line))
    crown = np.radians(90.0)
    share = np.linspace(0, 1, style.rows)
    elevation = crown + (end[:, None] - crown) * share  # (strands, rows)
    level = np.cos(elevation)
    directions = np.stack(
        [np.sin(turn)[:, None] * level, np.sin(elevation), np.cos(turn)[:, None] * level], axis=2
    )
    radius = distances(scalp, origin, directions.reshape(-1, 3)).reshape(level.shape)
    wave = 1 + style.ripple * np.sin(turn * style.strands / 2 + 0.8 * np.sin(3 * turn))[:, None]
    fall = np.sqrt(np.clip(1 - share**3, 0, 1))
    thick = style.thickness_m * (fall * wave + 0.0) - 0.002 * (share > 0.99)
    points = origin + directions * (radius + thick)[..., None]
    return _shell(body, points, style, turn)


def _shell(body: Body, points: Floats, style: Hair, turn: Floats) -> Mesh:
    strands, rows, _ = points.shape
    index = np.arange(strands * rows).reshape(strands, rows)
    beside = np.roll(index, -1, axis=0)
    upper, lower = index[:, :-1].ravel(), index[:, 1:].ravel()
    upper_beside, lower_beside = beside[:, :-1].ravel(), beside[:, 1:].ravel()
    triangles = np.concatenate(
        [
            np.stack([upper, lower, lower_beside], axis=1),
            np.stack([upper, lower_beside, upper_beside], axis=1),
        ]
    )
    flat = points.reshape(-1, 3)
    light = 0.5 + 0.5 * np.sin(turn * 11 + np.sin(5 * turn))
    share = np.repeat(0.7 * light, rows)[:, None]
    count = len(flat)
    weights = np.zeros((count, body.weights.shape[1]))
    weights[:, body.skeleton.index("head")] = 1.0
    columns = {
        "point": flat,
        "colour": linear(style.colour) * (1 - share) + linear(style.light) * share,
        "weights": weights,
        "tint": np.zeros((count, 1)),
    }
    mesh = Mesh(triangles, columns)
    area = np.linalg.norm(mesh.area_normals(), axis=1)
    return mesh.select(area > 1e-12)
