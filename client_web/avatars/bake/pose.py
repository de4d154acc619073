"""Owns the T-pose that VRM 1.0 asks for, and how a body is brought into it."""

import numpy as np

from client_web.avatars.bake.arrays import Floats
from client_web.avatars.bake.rig import FINGERS, PHALANGES, SIDES, THUMB, Skeleton

DOWN = np.array([0.0, -1.0, 0.0])
FORWARD = np.array([0.0, 0.0, 1.0])


def turning(a: Floats, b: Floats) -> Floats:
    """The rotation (3, 3) by the smallest angle that turns direction ``a`` into ``b``."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    x, y, z = np.cross(a, b)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + cross + cross @ cross / (1 + a @ b)


def t_pose(skeleton: Skeleton) -> Floats:
    """World rotations (bones, 3, 3) that bring each bone from where it is into the T-pose."""
    rotations = np.tile(np.eye(3), (len(skeleton.names), 1, 1))

    def direction(start: str, end: str) -> Floats:
        return skeleton.head(end) - skeleton.head(start)

    for (_, side), out in zip(SIDES, (1.0, -1.0), strict=True):
        sideways = np.array([out, 0.0, 0.0])
        upper, lower, hand = (f"{side}{part}" for part in ("UpperArm", "LowerArm", "Hand"))
        palm = turning(direction(hand, f"{side}MiddleProximal"), sideways)
        across = palm @ direction(f"{side}LittleProximal", f"{side}IndexProximal")
        across[0] = 0.0
        palm = turning(across, FORWARD) @ palm  # the index finger in front: palm down
        turns = {
            upper: turning(direction(upper, lower), sideways),
            lower: turning(direction(lower, hand), sideways),
            hand: palm,
            f"{side}UpperLeg": turning(direction(f"{side}UpperLeg", f"{side}LowerLeg"), DOWN),
            f"{side}LowerLeg": turning(direction(f"{side}LowerLeg", f"{side}Foot"), DOWN),
        }
        straight = {
            f"{side}{finger}{part}": sideways for _, finger in FINGERS for part in PHALANGES
        }
        straight |= {f"{side}Thumb{part}": sideways + FORWARD for part in THUMB}
        for name, goal in straight.items():
            bone = palm @ (skeleton.tail(name) - skeleton.head(name))
            turns[name] = turning(bone, goal) @ palm
        for name, turn in turns.items():
            rotations[skeleton.index(name)] = turn
    return rotations


def posed(skeleton: Skeleton, rotations: Floats) -> Skeleton:
    """The skeleton with each bone turned by its world rotation (bones, 3, 3)."""
    heads = skeleton.heads.copy()
    for bone, parent in enumerate(skeleton.parents):
        if parent >= 0:
            offset = skeleton.heads[bone] - skeleton.heads[parent]
            heads[bone] = heads[parent] + rotations[parent] @ offset
    reach = np.einsum("bij,bj->bi", rotations, skeleton.tails - skeleton.heads)
    return Skeleton(skeleton.names, skeleton.parents, heads, heads + reach)


def posed_vertices(
    vertices: Floats, weights: Floats, skeleton: Skeleton, rotations: Floats, after: Skeleton
) -> Floats:
    """Where the vertices (n, 3) are in the new pose, such that skinning back gives them again.

    Bending the baked T-pose down to MakeHuman's own pose then gives exactly the shape that was
    sculpted, and arms that hang are nearer to that pose than to the T.
    """
    back = rotations.transpose(0, 2, 1)
    shift = skeleton.heads - np.einsum("bij,bj->bi", back, after.heads)
    matrices = np.einsum("nb,bij->nij", weights, back)
    return np.linalg.solve(matrices, (vertices - weights @ shift)[..., None])[..., 0]
