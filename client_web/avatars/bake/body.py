"""Owns one undressed body: shaped, rigged, brought into the T-pose and set on its soles."""

from dataclasses import dataclass

import numpy as np

from client_web.avatars.bake.arrays import Floats
from client_web.avatars.bake.basemesh import BaseMesh
from client_web.avatars.bake.mesh import Mesh, quads_to_mesh
from client_web.avatars.bake.pose import posed, posed_vertices, t_pose
from client_web.avatars.bake.rig import SIDES, Skeleton, read_skeleton, read_weights
from client_web.avatars.bake.shape import Build, shaped
from client_web.avatars.bake.source import Source

# The last part of the forearm follows the hand's twist: (metres from the wrist, the hand's share).
WRIST_M = (-0.085, -0.06, -0.03, 0.0, 0.02, 0.035)
WRIST_SHARE = (0.0, 0.06, 0.22, 0.5, 0.85, 1.0)
# The palm's centre from the wrist, as a share of the hand: palm_m and hand_length_m by default.
PALM_SHARE = 0.08 / 0.19


@dataclass
class Body:
    """Every vertex of the base mesh, in the T-pose: metres, Y up, facing +Z, soles at y = 0."""

    source: Source
    base: BaseMesh
    skeleton: Skeleton
    points: Floats  # (n, 3)
    weights: Floats  # (n, bones)
    sole_m: float

    def mesh(self, *groups: str) -> Mesh:
        """Groups of the base mesh, with plain columns."""
        quads = np.concatenate([self.base.quads[group] for group in groups])
        count = len(self.points)
        columns = {
            "point": self.points,
            "weights": self.weights,
            "colour": np.zeros((count, 3)),
            "tint": np.zeros((count, 1)),
        }
        return quads_to_mesh(quads, columns | self.masks())

    def masks(self) -> dict[str, Floats]:
        """MakeHuman's pictures of where lips, ears and nails are, as columns (n, 1)."""
        names = {"lips": "lips", "ears": "ears", "nails": "fingernails", "mouth": "inside-mouth"}
        return {
            column: self.base.sample(self.source.mask(name))[:, None]
            for column, name in names.items()
        }

    def head(self, bone: str) -> Floats:
        return self.skeleton.head(bone)


def hand_length_m(body: Body) -> float:
    """From the wrist to the tip of the middle finger."""
    reach = body.points[body.base.members("body"), 0].max()
    return float(reach - body.head("leftHand")[0])


def palm_centre(body: Body, side: str) -> Floats:
    """The middle of the palm's flesh, as far along the hand as docs/conventions.md puts it."""
    wrist, knuckle = body.head(f"{side}Hand"), body.head(f"{side}MiddleProximal")
    along = (knuckle - wrist) / np.linalg.norm(knuckle - wrist)
    place = wrist + PALM_SHARE * hand_length_m(body) * along
    around = body.points[body.base.members("body")]
    near = np.hypot(around[:, 0] - place[0], around[:, 2] - place[2]) < 0.013
    place[1] = (around[near, 1].min() + around[near, 1].max()) / 2
    return place


def firm_palms(body: Body) -> Floats:
    """Weights with the flesh around the palm's centre moved by the hand alone."""
    weights = body.weights.copy()
    for _, side in SIDES:
        centre = palm_centre(body, side)
        away = np.hypot(body.points[:, 0] - centre[0], body.points[:, 2] - centre[2])
        firm = np.clip((0.030 - away) / 0.012, 0, 1)[:, None]
        weights *= 1 - firm
        weights[:, body.skeleton.index(f"{side}Hand")] += firm[:, 0]
    return weights


def share_wrist(points: Floats, weights: Floats, skeleton: Skeleton) -> Floats:
    """Let the forearm's end follow the hand bit by bit, so that its twist has no sharp place."""
    shared = weights.copy()
    for _, side in SIDES:
        lower, hand = (skeleton.index(f"{side}{part}") for part in ("LowerArm", "Hand"))
        sign = np.sign(skeleton.heads[hand, 0])
        beyond = sign * points[:, 0] - sign * skeleton.heads[hand, 0]
        pair = shared[:, lower] + shared[:, hand]
        hands = np.interp(beyond, WRIST_M, WRIST_SHARE)
        shared[:, hand] = pair * hands
        shared[:, lower] = pair * (1 - hands)
    return shared


def make_body(source: Source, base: BaseMesh, build: Build, sole_m: float) -> Body:
    """Shape, rig and pose one body; it stands on soles of ``sole_m``."""
    vertices = shaped(source, base, build)
    rest = read_skeleton(source, base, vertices)
    weights = read_weights(source, base, rest)
    turns = t_pose(rest)
    skeleton = posed(rest, turns)
    points = posed_vertices(vertices, weights, rest, turns, skeleton)
    lift = sole_m - points[base.members("body"), 1].min()
    points[:, 1] += lift
    skeleton.heads[:, 1] += lift
    skeleton.tails[:, 1] += lift
    weights = share_wrist(points, weights, skeleton)
    body = Body(source, base, skeleton, points, weights, sole_m)
    body.weights = firm_palms(body)
    return body
