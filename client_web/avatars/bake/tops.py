"""Owns the upper garment: shirt, polo or jumper, which takes on the person's colour."""

import numpy as np

from client_web.avatars.bake.arrays import Floats, Indices
from client_web.avatars.bake.body import Body
from client_web.avatars.bake.cloth import (
    UP,
    Outfit,
    between,
    disc,
    front,
    hems,
    loosened,
    patch,
)
from client_web.avatars.bake.mesh import Mesh, flange, join, loops, split, unit
from client_web.avatars.bake.paint import linear, painted, ramp

NECK_AXIS = np.array([0.0, 0.93, 0.37])
NECKLINE = np.array([0.0, 0.80, 0.60])
NECKLINE_UP_M = 0.022
NECK_SLACK_M = 0.004
SINK_M = 0.006
COLLAR_COLUMNS = 37
COLLAR_GAP = 0.16  # radians to each side of the front
CUFF = [(-0.006, -0.0035), (0.011, -0.0035), (0.012, -0.0055), (0.0, -0.007)]


def neckline_field(body: Body, points: Floats, above_m: float) -> Floats:
    """Positive (n,) above the neckline, a plane through the neck that dips in front."""
    return (points - body.head("neck") - above_m * UP) @ NECKLINE


def sleeve_end(body: Body, outfit: Outfit) -> float:
    """How far from the middle a sleeve reaches, metres."""
    shoulder, wrist = body.head("leftUpperArm")[0], body.head("leftHand")[0]
    return float(shoulder + outfit.sleeve * (wrist - shoulder))


def waist_m(body: Body, outfit: Outfit) -> float:
    """The height of the shirt's lower edge, or of the belt over a shirt that is tucked in."""
    return float(body.head("leftUpperLeg")[1]) + outfit.hem_m


def cloth_of_top(body: Body, outfit: Outfit) -> Mesh:
    """The garment's main piece, without edges and colours."""
    mesh = body.mesh("helper-tights")
    lower = waist_m(body, outfit) - (0.03 if outfit.tucked else 0.0)
    mesh, _ = split(mesh, mesh.points[:, 1] - lower)
    mesh, _ = split(mesh, sleeve_end(body, outfit) - np.abs(mesh.points[:, 0]))
    mesh, _ = split(mesh, -neckline_field(body, mesh.points, NECKLINE_UP_M))
    below = -neckline_field(body, mesh.points, NECKLINE_UP_M)
    slack = NECK_SLACK_M + (outfit.slack_m - NECK_SLACK_M) * ramp(below, 0.0, 0.06)
    mesh = loosened(mesh, slack, 12)
    return hanging(body, mesh, lower)


def sunk(body: Body, mesh: Mesh) -> Mesh:
    """The garment drawn in under its collar, so that it never comes through it."""
    below = -neckline_field(body, mesh.points, NECKLINE_UP_M)
    depth = SINK_M * (1 - ramp(below, 0.015, 0.040))
    return mesh.with_columns(point=mesh.points - depth[:, None] * mesh.normals())


def hanging(body: Body, mesh: Mesh, lower: float) -> Mesh:
    """Let the cloth hang from the chest to the hem in place of following the waist inward."""
    points = mesh.points.copy()
    trunk = np.abs(points[:, 0]) < body.head("leftUpperArm")[0] + 0.03
    chest = float(body.head("upperChest")[1])
    share = ramp(chest - points[:, 1], 0.0, chest - lower) * trunk
    points[:, 0] *= 1 + 0.04 * share
    return mesh.with_columns(point=points)


def top(body: Body, outfit: Outfit) -> tuple[Mesh, Mesh, Mesh]:
    """The upper garment; its collar and cuffs; and small parts that only the finest level shows."""
    mesh = cloth_of_top(body, outfit)
    cloth = linear(outfit.top)
    rims = loops(mesh)
    neckline = max(rims, key=lambda rim: mesh.points[rim, 1].mean())
    shade, tint = (0.88 * cloth, 1.0) if outfit.own_collar else (linear(outfit.trim), 0.0)
    folded, edge = (painted(part, shade, tint) for part in collar(mesh, neckline))
    mesh = sunk(body, mesh)
    main = [painted(mesh, cloth, 1.0), *hems(mesh, rims, cloth, 1.0)]
    trim = [folded]
    if outfit.cuffs:
        ends = [rim for rim in rims if np.ptp(mesh.points[rim, 0]) < 0.03]
        trim += [painted(flange(mesh, rim, CUFF), linear(outfit.trim)) for rim in ends]
    return join(main), join(trim), join([edge, *details(body, mesh, outfit, neckline)])


def collar(mesh: Mesh, neckline: Indices) -> tuple[Mesh, Mesh]:
    """A collar around the neckline, and its edge.

    It stands, folds over and lies on the cloth, open in front.
    """
    turn = np.linspace(COLLAR_GAP, 2 * np.pi - COLLAR_GAP, COLLAR_COLUMNS)
    columns = _around(mesh, neckline, turn)
    base = columns["point"]
    radial = base - mesh.points[neckline].mean(0)
    outward = unit(radial - (radial @ NECK_AXIS)[:, None] * NECK_AXIS)
    to_front = np.abs(np.abs(turn - np.pi) - np.pi) / np.pi  # 0 in front, 1 at the back
    stand = (0.016 + 0.012 * to_front)[:, None] * NECK_AXIS
    length = (0.042 - 0.018 * ramp(to_front, 0.05, 0.5))[:, None]
    lean = (0.001 + 0.005 * np.sin(np.pi * to_front))[:, None] * outward
    rows = [base - 0.022 * NECK_AXIS - 0.002 * outward, base + stand - lean]
    rows.append(base + stand * 1.1 + 0.003 * outward - lean)
    for share in (0.15, 0.5, 1.0):
        down = stand - share * (stand + length * NECK_AXIS)
        spread = (0.005 + 0.012 * share) * outward - (1 - share) * lean
        rows.append(between(base + down + spread, mesh, 0.0030, 0.0055 - 0.001 * share))
    edge = [rows[-1], between(rows[-1], mesh, -0.002, -0.001)]
    return _sheet(rows, columns), _sheet(edge, columns)


def _around(mesh: Mesh, rim: Indices, turn: Floats) -> dict[str, Floats]:
    """The columns of a rim at some angles around its middle, from the front to the left."""
    away = mesh.points[rim] - mesh.points[rim].mean(0)
    angle = np.arctan2(away[:, 0], away[:, 2]) % (2 * np.pi)
    order = np.argsort(angle)

    def at(values: Floats) -> Floats:
        rows = values[rim][order].T
        return np.stack([np.interp(turn, angle[order], row, period=2 * np.pi) for row in rows], 1)

    return {name: at(values) for name, values in mesh.columns.items()}


def _sheet(rows: list[Floats], columns: dict[str, Floats]) -> Mesh:
    """Rows of points as one sheet; its front is to the left of going along a row, then down."""
    width, height = len(rows[0]), len(rows)
    index = np.arange(width * height).reshape(height, width)
    a, b = index[:-1, :-1].ravel(), index[:-1, 1:].ravel()
    c, d = index[1:, :-1].ravel(), index[1:, 1:].ravel()
    triangles = np.concatenate([np.stack([a, c, b], 1), np.stack([b, c, d], 1)])
    repeated = {name: np.concatenate([values] * height) for name, values in columns.items()}
    return Mesh(triangles, repeated | {"point": np.concatenate(rows)})


def details(body: Body, mesh: Mesh, outfit: Outfit, neckline: Indices) -> list[Mesh]:
    """Placket, buttons and pocket: raised cloth of the same colour."""
    cloth = linear(outfit.top)
    high = float(mesh.points[neckline][:, 1].min())
    forward, aside = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    ahead = (forward, float(body.head("spine")[2]))
    parts: list[Mesh] = []
    if outfit.placket_m:
        low = high - outfit.placket_m
        sides = [ahead, (aside, -0.016), (-aside, -0.016), (UP, low)]
        parts.append(painted(patch(mesh, sides, 0.0016), 0.93 * cloth, 1.0))
        for number in range(outfit.buttons):
            y = high - 0.012 - (outfit.placket_m - 0.03) * number / max(outfit.buttons - 1, 1)
            centre, normal = front(body, mesh, 0.0, y)
            button = disc(centre + 0.002 * normal, normal, mesh, 0.0050)
            parts.append(painted(button, linear("#e8e4da")))
    if outfit.pocket:
        y = float(body.head("upperChest")[1]) + 0.065
        sides = [ahead, (aside, 0.055), (-aside, -0.135), (UP, y - 0.10), (-UP, -y)]
        parts.append(painted(patch(mesh, sides, 0.0022), 0.93 * cloth, 1.0))
    return parts
