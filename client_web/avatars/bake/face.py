"""Owns the skin and the face: brows, lips, lids and eyes as crisp fields of colour."""

from dataclasses import dataclass

import numpy as np

from client_web.avatars.bake.arrays import Floats, Indices
from client_web.avatars.bake.body import Body
from client_web.avatars.bake.mesh import Mesh, join, split
from client_web.avatars.bake.paint import bump, linear, mixed, painted, ramp

# An eyebrow, from the nose outward: metres from the eye's centre, and half its height.
BROW_OUT_M = (-0.0175, -0.0125, -0.004, 0.006, 0.014, 0.021)
BROW_UP_M = (0.0150, 0.0162, 0.0182, 0.0200, 0.0188, 0.0150)
BROW_HALF_M = (0.0018, 0.0029, 0.0030, 0.0026, 0.0018, 0.0004)


@dataclass(frozen=True)
class Complexion:
    """The colours of skin, lips, brows and eyes, as #rrggbb."""

    skin: str
    flush: str  # where blood shows: cheeks, nose, ears, knuckles
    lips: str
    brows: str
    iris: str
    palms: str
    brow_height: float = 1.0  # how strong the brows are


def mouth(body: Body) -> Mesh:
    """The inside of the mouth, dark, so that there is something between the lips."""
    mesh = body.mesh("body")
    inside = mesh.select(mesh.columns["mouth"][mesh.triangles, 0].mean(1) > 0.5)
    return painted(inside, linear("#2a100e"))


def skin(body: Body, look: Complexion) -> Mesh:
    """The whole outer skin, painted."""
    mesh = body.mesh("body")
    mesh = mesh.select(mesh.columns["mouth"][mesh.triangles, 0].mean(1) <= 0.5)
    mesh = mesh.with_columns(normal=mesh.normals())
    mesh = mesh.with_columns(colour=tones(body, mesh, look))
    lips, mesh = split(mesh, mesh.columns["lips"][:, 0] - 0.5)
    base, lip = linear(look.skin), linear(look.lips)
    full = ramp(lips.columns["lips"][:, 0], 0.4, 0.95)
    lips = lips.with_columns(colour=mixed(mixed(base, lip, np.full(len(full), 0.55)), lip, full))
    brows, mesh = split(mesh, brow_field(body, mesh, look.brow_height))
    brows = painted(brows, linear(look.brows))
    nails, mesh = split(mesh, mesh.columns["nails"][:, 0] - 0.5)
    nail = mixed(linear(look.skin), linear("#f0c8b8"), np.full(len(nails.points), 0.45))
    return join([mesh, lips, brows, nails.with_columns(colour=nail)])


def tones(body: Body, mesh: Mesh, look: Complexion) -> Floats:
    """Skin colours (n, 3): the same tone everywhere would look like plastic."""
    points = mesh.points
    eye = body.head("leftEye")
    across = np.abs(points[:, 0])
    head = mesh.columns["weights"][:, body.skeleton.index("head")]
    cheek = bump(np.hypot(across - eye[0] - 0.012, points[:, 1] - eye[1] + 0.038), 0.020)
    nose = bump(np.hypot(across, points[:, 1] - eye[1] + 0.040), 0.012)
    front = ramp(points[:, 2], eye[2] - 0.03, eye[2])
    ears = mesh.columns["ears"][:, 0] * 0.5
    palms = ramp(-mesh.columns["normal"][:, 1], 0.2, 0.8) * (across > body.head("leftHand")[0])
    share = np.clip((0.55 * cheek + 0.45 * nose) * front * head + ears * head, 0, 1)
    tone = mixed(linear(look.skin), linear(look.flush), share)
    return mixed(tone, linear(look.palms), 0.8 * palms)


def brow_field(body: Body, mesh: Mesh, strength: float) -> Floats:
    """Positive (n,) on the eyebrows, by metres from their edge."""
    eye = body.head("leftEye")
    out = np.abs(mesh.points[:, 0]) - eye[0]
    up = mesh.points[:, 1] - eye[1]
    middle = np.interp(out, BROW_OUT_M, BROW_UP_M)
    half = strength * np.interp(out, BROW_OUT_M, BROW_HALF_M)
    ends = np.minimum(out - BROW_OUT_M[0], BROW_OUT_M[-1] - out)
    facing = mesh.points[:, 2] - (eye[2] - 0.02)
    return np.minimum(np.minimum(half - np.abs(up - middle), ends), facing)


# Rings of an eyeball by level of detail: (degrees from where it looks, which colour).
EYE_RINGS = (
    (
        (0.0, "pupil"), (9.5, "pupil"), (9.5, "inner"), (17.0, "iris"), (23.5, "limbus"),
        (25.5, "white"), (45.0, "white"), (75.0, "shade"), (100.0, "shade"),
    ),
    (
        (0.0, "pupil"), (10.0, "pupil"), (10.0, "iris"), (24.5, "iris"), (24.5, "white"),
        (80.0, "shade"),
    ),
    ((0.0, "limbus"), (30.0, "limbus"), (30.0, "white"), (85.0, "white")),
)  # fmt: skip
EYE_SEGMENTS = (24, 12, 6)


def eyes(body: Body, look: Complexion, level: int) -> Mesh:
    """Two eyeballs with pupil, iris and a small light in each, moved by the eyes' bones."""
    iris = linear(look.iris)
    colours = {
        "pupil": linear("#080707"),
        "inner": iris * 1.5,
        "iris": iris,
        "limbus": iris * 0.35,
        "white": linear("#e9e4df"),
        "shade": linear("#b9a9a2"),
    }
    parts: list[Mesh] = []
    for letter, side in (("l", "left"), ("r", "right")):
        members = body.base.members(f"helper-{letter}-eye")
        radius = float(np.ptp(body.points[members, 1])) / 2
        bone = body.skeleton.index(f"{side}Eye")
        centre = body.head(f"{side}Eye")
        pieces = [_rings(centre, radius, colours, level)]
        if level == 0:
            pieces.append(_spot(centre, radius))
        for piece in pieces:
            count = len(piece.points)
            weights = np.zeros((count, body.weights.shape[1]))
            weights[:, bone] = 1.0
            parts.append(piece.with_columns(weights=weights, tint=np.zeros((count, 1))))
    return join(parts)


def _rings(centre: Floats, radius: float, colours: dict[str, Floats], level: int) -> Mesh:
    rings, segments = EYE_RINGS[level], EYE_SEGMENTS[level]
    turn = np.arange(segments) * 2 * np.pi / segments
    this, following = np.arange(segments), np.roll(np.arange(segments), -1)
    points: list[Floats] = []
    colour: list[Floats] = []
    triangles: list[Indices] = []
    for ring, (degrees, name) in enumerate(rings):
        angle = np.radians(degrees)
        # The cornea stands out a little, so that the iris never sinks under the lids' edges.
        size = radius * (1.0 + 0.02 * np.cos(angle) ** 8)
        flat = np.stack([np.cos(turn), np.sin(turn)], axis=1) * np.sin(angle)
        deep = np.full((segments, 1), np.cos(angle))
        points.append(centre + size * np.concatenate([flat, deep], axis=1))
        colour.append(np.tile(colours[name], (segments, 1)))
        if ring and rings[ring - 1][0] < degrees:
            low, high = (ring - 1) * segments, ring * segments
            if rings[ring - 1][0] > 0:
                triangles.append(np.stack([low + this, high + this, low + following], 1))
            triangles.append(np.stack([low + following, high + this, high + following], 1))
    return Mesh(
        np.concatenate(triangles),
        {"point": np.concatenate(points), "colour": np.concatenate(colour)},
    )


def _spot(centre: Floats, radius: float) -> Mesh:
    """The reflection that makes an eye look alive: a small bright disc on the cornea."""
    turn = np.arange(8) * 2 * np.pi / 8
    disc = np.stack([np.cos(turn), np.sin(turn)], axis=1) * 0.0011 + (0.0018, 0.0022)
    deep = np.sqrt((radius * 1.03) ** 2 - (disc**2).sum(1))
    points = centre + np.concatenate([disc, deep[:, None]], axis=1)
    triangles = np.array([[0, corner, corner + 1] for corner in range(1, 7)])
    return Mesh(triangles, {"point": points, "colour": np.tile(linear("#ffffff"), (8, 1))})


def lashes(body: Body, look: Complexion) -> Mesh:
    """The upper lashes, as a dark line over each eye."""
    groups = [group for group in body.base.quads if group.endswith("eyelashes-2")]
    mesh = body.mesh(*groups)
    return painted(mesh, linear(look.brows) * 0.5)
