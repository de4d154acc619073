"""Owns what is worn below the waist: trousers with a belt, and shoes; and which skin stays bare."""

import numpy as np

from client_web.avatars.bake.body import Body
from client_web.avatars.bake.cloth import UP, Outfit, between, hems, loosened
from client_web.avatars.bake.mesh import Mesh, flange, join, loops, split
from client_web.avatars.bake.paint import linear, painted, ramp
from client_web.avatars.bake.tops import NECKLINE_UP_M, neckline_field, sleeve_end, waist_m

BELT = [(-0.034, -0.001), (-0.034, 0.006), (-0.002, 0.006), (-0.002, -0.002)]


def trousers(body: Body, outfit: Outfit, shirt: Mesh, shoe: Mesh) -> tuple[Mesh, Mesh]:
    """Straight trousers, inside or outside the shirt and outside the shoes; and their belt."""
    mesh = body.mesh("helper-tights")
    ankle = float(body.head("leftFoot")[1])
    high = waist_m(body, outfit) + (0.0 if outfit.tucked else 0.03)
    mesh, _ = split(mesh, high - mesh.points[:, 1])
    # Shorter in front, where the trousers meet the instep.
    forward = mesh.points[:, 2] - body.head("leftFoot")[2]
    mesh, _ = split(mesh, mesh.points[:, 1] - (ankle - 0.045) - 0.16 * forward)
    mesh = straight_legs(body, loosened(mesh, 0.006, 8), outfit.leg_m)
    points = mesh.points.copy()
    upper = points[:, 1] > waist_m(body, outfit) - 0.07
    low, far = (0.004, 0.02) if outfit.tucked else (-0.05, -0.007)
    meet = ramp(points[upper, 1], waist_m(body, outfit) - 0.06, waist_m(body, outfit) - 0.01)
    moved = between(points[upper], shirt, low, far)
    points[upper] += meet[:, None] * (moved - points[upper])
    cuffs = points[:, 1] < ankle + 0.03
    points[cuffs] = between(points[cuffs], shoe, 0.009, 0.2)
    mesh = mesh.with_columns(point=points)
    cloth = linear(outfit.trousers)
    rims = loops(mesh)
    parts = [painted(mesh, cloth), *hems(mesh, rims, cloth, 0.0)]
    waist = max(rims, key=lambda rim: mesh.points[rim, 1].mean())
    belt = painted(flange(mesh, waist, BELT), linear(outfit.shoes))
    if not outfit.tucked:
        belt = belt.select(np.zeros(len(belt.triangles), dtype=bool))
    return join(parts), belt


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
        axis[:, 1] -= 0.004
        radial = points[:, [0, 2]] - axis
        size = np.linalg.norm(radial, axis=1)
        wanted = np.interp(below, (0.0, 1.0, 1.6), (least_m, least_m * 0.98, 0.0))
        grown = np.maximum(size, 0.75 * wanted + 0.25 * size)
        moved = axis + radial * (grown / size)[:, None]
        points[mine, 0], points[mine, 2] = moved[mine, 0], moved[mine, 1]
    return mesh.with_columns(point=points)


def shoes(body: Body, outfit: Outfit) -> Mesh:
    """Low shoes: the foot without its toes' forms, on a sole with a straight edge."""
    mesh = body.mesh("helper-tights")
    ankle = float(body.head("leftFoot")[1])
    mesh, _ = split(mesh, ankle + 0.015 - mesh.points[:, 1])
    mesh = loosened(mesh, 0.004, 25)
    line = 1.25 * body.sole_m
    upper, under = split(mesh, mesh.points[:, 1] - line)
    wall = [(0.0, 0.0), (0.0, 0.0045), (line - 0.003, 0.0055), (line, 0.003)]
    parts = [painted(upper, linear(outfit.shoes))]
    for loop in loops(upper):
        if upper.points[loop, 1].mean() < line + 0.001:
            parts.append(painted(flange(upper, loop, wall, -UP), linear(outfit.soles)))
    flat = under.with_columns(point=under.points * (1.0, 0.0, 1.0))
    parts.append(painted(flat, linear(outfit.soles)))
    return join(parts)


def bare(body: Body, mesh: Mesh, outfit: Outfit) -> Mesh:
    """The skin that clothes leave in sight, and a little more, which sinks in under their edges."""
    across = np.abs(mesh.points[:, 0])
    above = neckline_field(body, mesh.points, NECKLINE_UP_M)
    beyond = across - sleeve_end(body, outfit)
    arm = across > 0.15
    hidden = np.where(arm, -beyond, -above)
    depth = np.where(arm, 0.008, 0.012) * ramp(hidden, 0.0, 0.02)
    mesh = mesh.with_columns(point=mesh.points - depth[:, None] * mesh.columns["normal"])
    seen, _ = split(mesh, np.where(arm, beyond + 0.03, np.minimum(above + 0.02, 0.11 - across)))
    return seen
