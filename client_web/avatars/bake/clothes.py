"""Owns the clothes: cut from the body's tights, loosened, hemmed, and set over each other."""

from dataclasses import dataclass

import numpy as np

from client_web.avatars.bake.arrays import Floats, Indices
from client_web.avatars.bake.body import Body
from client_web.avatars.bake.mesh import Mesh, flange, join, loops, smooth, split
from client_web.avatars.bake.paint import linear, painted

# An edge turned inward shows the cloth's thickness: (beyond the rim, out of the surface), metres.
HEM = [(0.0, 0.0), (0.0015, -0.002), (-0.002, -0.006)]
# A collar that stands up, folds over and lies down again on the cloth.
COLLAR = [
    (0.0, 0.0), (0.010, 0.0015), (0.020, 0.003), (0.024, 0.007), (0.018, 0.011), (0.003, 0.015),
    (-0.006, 0.016), (-0.006, 0.012),
]  # fmt: skip
BAND = [(0.0, 0.0), (0.006, 0.001), (0.014, 0.0), (0.015, -0.003), (0.010, -0.006)]


UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Outfit:
    """What a person wears; colours as #rrggbb, lengths in metres."""

    top: str
    trousers: str
    shoes: str
    soles: str
    trim: str  # collar, buttons, belt
    sleeve: float  # where sleeves end: share of the way from the shoulder to the wrist
    collar: bool
    hem_m: float = -0.02  # the shirt's lower edge above the hip joints
    slack_m: float = 0.009
    leg_m: float = 0.080  # least radius of a trouser leg at the ankle


def collar_field(body: Body, mesh: Mesh, above_m: float) -> Floats:
    """Positive (n,) above the neckline, a plane through the neck that dips in front."""
    neck = body.head("neck") + above_m * UP
    normal = np.array([0.0, 0.80, 0.60])
    return (mesh.points - neck) @ normal


def sleeve_end(body: Body, share: float) -> float:
    """How far from the middle a sleeve reaches, metres."""
    shoulder, wrist = body.head("leftUpperArm")[0], body.head("leftHand")[0]
    return shoulder + share * (wrist - shoulder)


def waist_m(body: Body, outfit: Outfit) -> float:
    return float(body.head("leftUpperLeg")[1]) + outfit.hem_m


def loosened(body: Body, mesh: Mesh, slack_m: float, rounds: int) -> Mesh:
    """Cloth over a part of the tights: without the body's small forms, and off the skin."""
    relaxed = mesh.with_columns(point=smooth(mesh, mesh.points, rounds))
    normals = relaxed.normals()
    depth = ((mesh.points - relaxed.points) * normals).sum(1, keepdims=True)
    depth = smooth(mesh, np.maximum(depth, 0.0), 6)
    return relaxed.with_columns(point=relaxed.points + (slack_m + depth) * normals)


def hemmed(mesh: Mesh, profile: list[tuple[float, float]] | None = None) -> Mesh:
    """The mesh with every rim turned inward."""
    return join([mesh, *(flange(mesh, loop, profile or HEM) for loop in loops(mesh))])


def top(body: Body, outfit: Outfit) -> Mesh:
    """The upper garment, which takes the person's colour."""
    mesh = body.mesh("helper-tights")
    mesh, _ = split(mesh, mesh.points[:, 1] - waist_m(body, outfit))
    mesh, _ = split(mesh, sleeve_end(body, outfit.sleeve) - np.abs(mesh.points[:, 0]))
    mesh, _ = split(mesh, -collar_field(body, mesh, 0.018))
    mesh = loosened(body, mesh, outfit.slack_m, 14)
    mesh = straight_torso(body, mesh, outfit)
    cloth = linear(outfit.top)
    rims = loops(mesh)
    neckline = max(rims, key=lambda loop: mesh.points[loop, 1].mean())
    parts = [painted(mesh, cloth, 1.0)]
    for loop in rims:
        if loop is neckline:
            parts.append(neckband(body, mesh, loop, outfit))
        else:
            parts.append(painted(flange(mesh, loop, HEM), cloth * 0.85, 1.0))
    return join(parts)


def neckband(body: Body, mesh: Mesh, loop: Indices, outfit: Outfit) -> Mesh:
    """What finishes the neckline: a collar, or a band of the same cloth."""
    axis = np.array([0.0, 0.93, 0.37])
    strip = flange(mesh, loop, COLLAR if outfit.collar else BAND, axis)
    if outfit.collar:
        strip = Mesh(strip.triangles[:, ::-1], strip.columns)  # its outside is the folded part
        return painted(strip, linear(outfit.trim))
    return painted(strip, 0.8 * linear(outfit.top), 1.0)


def straight_torso(body: Body, mesh: Mesh, outfit: Outfit) -> Mesh:
    """Let the cloth hang from chest to hem in place of following the waist."""
    points = mesh.points.copy()
    chest, hips = body.head("upperChest"), body.head("hips")
    share = np.clip((chest[1] - points[:, 1]) / (chest[1] - hips[1]), 0, 1)
    trunk = np.abs(points[:, 0]) < body.head("leftUpperArm")[0] + 0.05
    points[:, 0] *= np.where(trunk, 1 + 0.03 * share, 1.0)
    return mesh.with_columns(point=points)


def trousers(body: Body, outfit: Outfit) -> Mesh:
    """Straight trousers from under the shirt to over the shoes."""
    mesh = body.mesh("helper-tights")
    ankle = float(body.head("leftFoot")[1])
    mesh, _ = split(mesh, waist_m(body, outfit) + 0.05 - mesh.points[:, 1])
    mesh, _ = split(mesh, mesh.points[:, 1] - (ankle - 0.035))
    mesh = loosened(body, mesh, 0.005, 8)
    mesh = straight_legs(body, mesh, outfit.leg_m)
    cloth = linear(outfit.trousers)
    parts = [painted(mesh, cloth)]
    parts += [painted(flange(mesh, loop, HEM), cloth * 0.8) for loop in loops(mesh)]
    return join(parts)


def straight_legs(body: Body, mesh: Mesh, least_m: float) -> Mesh:
    """Widen the legs below the knees to tubes, the more the lower."""
    points = mesh.points.copy()
    for side, sign in (("left", 1.0), ("right", -1.0)):
        hip, foot = body.head(f"{side}UpperLeg"), body.head(f"{side}Foot")
        knee = body.head(f"{side}LowerLeg")
        mine = (points[:, 0] * sign > 0) & (points[:, 1] < hip[1] - 0.12)
        below = np.clip((points[:, 1] - foot[1]) / (knee[1] - foot[1]), 0, None)
        axis = np.stack(
            [np.interp(points[:, 1], (foot[1], hip[1]), (foot[i], hip[i])) for i in (0, 2)], 1
        )
        axis[:, 1] -= 0.012
        radial = points[:, [0, 2]] - axis
        size = np.linalg.norm(radial, axis=1)
        wanted = np.interp(below, (0.0, 1.0, 1.6), (least_m, least_m * 0.98, 0.0))
        grown = np.maximum(size, 0.75 * wanted + 0.25 * size)
        points[mine[:, None] & [True, False, True]] = (axis + radial * (grown / size)[:, None])[
            mine
        ].ravel()
    return mesh.with_columns(point=points)


def shoes(body: Body, outfit: Outfit) -> Mesh:
    """Low shoes: the foot without its toes' forms, on a sole with a straight edge."""
    mesh = body.mesh("helper-tights")
    ankle = float(body.head("leftFoot")[1])
    mesh, _ = split(mesh, ankle + 0.01 - mesh.points[:, 1])
    mesh = loosened(body, mesh, 0.005, 25)
    points = mesh.points.copy()
    low = body.sole_m
    points[:, 1] = np.maximum(points[:, 1], 0.0)
    points[:, 1] = np.where(points[:, 1] < low * 0.6, 0.0, points[:, 1])
    mesh = mesh.with_columns(point=points)
    upper, sole = split(mesh, mesh.points[:, 1] - low * 1.15)
    edge = sole.normals()
    edge[:, 1] = 0.0
    sole = sole.with_columns(point=sole.points + 0.003 * edge)
    return join([painted(upper, linear(outfit.shoes)), painted(sole, linear(outfit.soles))])


def bare(body: Body, mesh: Mesh, outfit: Outfit) -> Mesh:
    """The skin that clothes leave in sight, and a little more under their edges."""
    neck = np.minimum(collar_field(body, mesh, -0.03), 0.30 - np.abs(mesh.points[:, 0]))
    arms = np.abs(mesh.points[:, 0]) - (sleeve_end(body, outfit.sleeve) - 0.03)
    seen, _ = split(mesh, np.maximum(neck, arms))
    return seen
