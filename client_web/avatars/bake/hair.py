"""Owns the hair: strands laid from the crown over the scalp, ending at the hairline or hanging."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from client_web.avatars.bake.arrays import Flags, Floats
from client_web.avatars.bake.body import Body
from client_web.avatars.bake.mesh import Mesh
from client_web.avatars.bake.paint import bump, linear, ramp


@dataclass(frozen=True)
class Hair:
    """A hairstyle. Tables go around the head: degrees from the front, both sides alike -> value."""

    colour: str
    light: str  # the colour of the lighter strands
    thickness_m: float
    line: Mapping[int, float]  # elevation from the head's middle where the hair leaves the scalp
    tips_m: Mapping[int, float] = field(
        default_factory=dict[int, float]
    )  # how far below the eyes it hangs; none for short hair
    parting: float | None = None  # degrees to the left of the front
    fade: str = ""  # the colour that the shortest hair shows through
    curl_m: float = 0.0  # roughness of curly hair
    strands: int = 72
    rows: int = 10
    ripple: float = 0.12


HANGING_ROWS = 6


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


def folded(turn: Floats) -> Floats:
    """Angles around the head as degrees from the front, 0…180."""
    return np.degrees(np.abs((turn + np.pi) % (2 * np.pi) - np.pi))


def around(degrees: Floats, table: Mapping[int, float]) -> Floats:
    """A table's values at some angles from the front."""
    return np.interp(degrees, list(table), list(table.values()))


def covered(body: Body, mesh: Mesh, style: Hair) -> Flags:
    """Which triangles (m,) of the skin lie so far under the hair that nobody sees them."""
    away = mesh.points - middle(body)
    turn = folded(np.arctan2(away[:, 0], away[:, 2]))
    elevation = np.degrees(np.arctan2(away[:, 1], np.hypot(away[:, 0], away[:, 2])))
    # Above an ear the hair is narrow, and one can look under it.
    margin = np.where((turn > 72) & (turn < 125), 22.0, 8.0)
    under = elevation > around(turn, style.line) + margin
    if style.tips_m:
        under |= (mesh.columns["ears"][:, 0] > 0.2) & (turn > 60)
    head = mesh.columns["weights"][:, body.skeleton.index("head")] > 0.9
    hidden = under & head
    return (
        hidden[mesh.triangles[:, 0]] & hidden[mesh.triangles[:, 1]] & hidden[mesh.triangles[:, 2]]
    )


def hair(body: Body, skin: Mesh, style: Hair) -> Mesh:
    """The hair as one shell, moved by the head."""
    origin = middle(body)
    scalp = skin.select((skin.columns["ears"][skin.triangles, 0] < 0.2).all(1))
    scalp = scalp.select((scalp.points[scalp.triangles, 1] > origin[1] - 0.2).all(1))
    turn = np.arange(style.strands) * 2 * np.pi / style.strands
    end = np.radians(around(folded(turn), style.line))
    share = np.linspace(0, 1, style.rows)
    elevation = np.pi / 2 + (end[:, None] - np.pi / 2) * share  # (strands, rows)
    level = np.cos(elevation)
    directions = np.stack(
        [np.sin(turn)[:, None] * level, np.sin(elevation), np.cos(turn)[:, None] * level], axis=2
    )
    radius = distances(scalp, origin, directions.reshape(-1, 3)).reshape(level.shape)
    points = origin + directions * (radius + thickness(style, turn, share))[..., None]
    if style.tips_m:
        points = np.concatenate([points, hanging(body, style, turn, points)], axis=1)
    return shell(body, points, style, turn)


def thickness(style: Hair, turn: Floats, share: Floats) -> Floats:
    """How far off the scalp the hair is (strands, rows), metres."""
    wave = 1 + style.ripple * np.sin(turn * style.strands / 4 + 0.8 * np.sin(3 * turn))[:, None]
    hangs = ramp(folded(turn), 40.0, 58.0)[:, None] if style.tips_m else np.zeros((len(turn), 1))
    fall = np.sqrt(np.clip(1 - share**3, 0, 1)) * (1 - hangs) + hangs
    thick = style.thickness_m * fall * wave
    if style.parting is not None:
        away = np.degrees((turn - np.radians(style.parting) + np.pi) % (2 * np.pi) - np.pi)
        thick *= 1 - 0.75 * bump(away, 5.0)[:, None] * ramp(share, 0.05, 0.25)
    rough = np.random.default_rng(2).uniform(-1, 1, thick.shape) * style.curl_m
    return thick + rough * ramp(fall, 0.3, 0.7) - 0.002 * (share > 0.99) * (1 - hangs)


def hanging(body: Body, style: Hair, turn: Floats, points: Floats) -> Floats:
    """The rows (strands, rows, 3) that hang from the scalp's last row, curling in at the tips."""
    start = points[:, -1]
    low = body.head("leftEye")[1] - around(folded(turn), style.tips_m)
    low = np.minimum(low, start[:, 1])
    centre = middle(body)
    rows: list[Floats] = []
    for share in np.linspace(0, 1, HANGING_ROWS + 1)[1:]:
        row = start.copy()
        row[:, 1] += share * (low - start[:, 1])
        # Hair falls a little outward, then its tips turn in.
        spread = (
            1
            + 0.05 * np.sin(np.pi * min(share * 1.2, 1.0))
            - 0.10 * ramp(np.array(share), 0.6, 1.0)
        )
        longest = ramp(start[:, 1] - low, 0.0, 0.05)[:, None]
        flat = (row - centre) * (1.0, 0.0, 1.0)
        rows.append(row + longest * (spread - 1) * flat)
    inside = rows[-1] - ramp(start[:, 1] - low, 0.0, 0.05)[:, None] * (
        0.25 * (rows[-1] - centre) * (1.0, 0.0, 1.0) - 0.015 * np.array([0.0, 1.0, 0.0])
    )
    return np.stack([*rows, inside], axis=1)


def shell(body: Body, points: Floats, style: Hair, turn: Floats) -> Mesh:
    """Strands (strands, rows, 3) as one closed surface, in strands of darker and lighter hair."""
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
    chance = np.random.default_rng(3)
    light = 0.45 + 0.3 * np.sin(turn * 9 + np.sin(5 * turn)) + 0.25 * chance.uniform(-1, 1, strands)
    share = np.clip(light, 0, 1)[:, None, None] * np.ones((1, rows, 1))
    colour = linear(style.colour) * (1 - share) + linear(style.light) * share
    if style.fade:
        sides = ramp(folded(turn), 35.0, 60.0)[:, None, None]
        through = ramp(np.linspace(0, 1, rows), 0.7, 1.0)[None, :, None] * 0.75 * sides
        colour = colour * (1 - through) + linear(style.fade) * through
    count = strands * rows
    weights = np.zeros((count, body.weights.shape[1]))
    weights[:, body.skeleton.index("head")] = 1.0
    columns = {
        "point": points.reshape(-1, 3),
        "colour": colour.reshape(-1, 3),
        "weights": weights,
        "tint": np.zeros((count, 1)),
    }
    mesh = Mesh(triangles, columns)
    return mesh.select(np.linalg.norm(mesh.area_normals(), axis=1) > 1e-12)
