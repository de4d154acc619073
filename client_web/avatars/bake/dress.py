"""Owns how a person is put together: skin, hair and clothes as parts, and the parts' budgets."""

import numpy as np

from client_web.avatars.bake.arrays import Floats
from client_web.avatars.bake.basemesh import BaseMesh
from client_web.avatars.bake.body import Body, make_body
from client_web.avatars.bake.clothes import bare, shoes, top, trousers
from client_web.avatars.bake.face import eyes, lashes, skin
from client_web.avatars.bake.hair import hair
from client_web.avatars.bake.levels import simplified, welded
from client_web.avatars.bake.mesh import Mesh, join
from client_web.avatars.bake.people import Person
from client_web.avatars.bake.source import Source

# Triangles of each part at each level, most detailed first.
BUDGETS = {
    "head": (4200, 1200, 260),
    "hands": (2400, 700, 160),
    "eyes": (660, 120, 24),
    "lashes": (180, 20, 0),
    "hair": (1100, 320, 80),
    "top": (1700, 620, 180),
    "trousers": (1000, 380, 120),
    "shoes": (600, 220, 60),
}
LEVELS = 3
WRITTEN = ("point", "normal", "colour", "tint", "weights")


def dressed(source: Source, base: BaseMesh, person: Person) -> tuple[Body, dict[str, Mesh]]:
    """A person's body, and everything that is seen of them, by part."""
    body = make_body(source, base, person.build, person.sole_m)
    whole = skin(body, person.look)
    seen = bare(body, whole, person.outfit)
    far = np.abs(seen.points[seen.triangles, 0]).mean(1) > body.head("leftUpperArm")[0]
    parts = {
        "head": seen.select(~far),
        "hands": seen.select(far),
        "eyes": eyes(body, person.look),
        "lashes": lashes(body, person.look),
        "hair": hair(body, whole, person.hair),
        "top": top(body, person.outfit),
        "trousers": trousers(body, person.outfit),
        "shoes": shoes(body, person.outfit),
    }
    return body, {name: _finished(mesh) for name, mesh in parts.items()}


def _finished(mesh: Mesh) -> Mesh:
    mesh = mesh.with_columns(normal=mesh.normals())
    return welded(Mesh(mesh.triangles, {name: mesh.columns[name] for name in WRITTEN}))


def level(body: Body, parts: dict[str, Mesh], number: int) -> Mesh:
    """One level of detail (0 is the finest) of all parts, as one mesh."""
    reduced = []
    for name, mesh in parts.items():
        budget = BUDGETS[name][number]
        if budget:
            reduced.append(simplified(mesh, budget, _bent(body, mesh)))
    return join(reduced)


def _bent(body: Body, mesh: Mesh) -> Floats:
    return mesh.points * 0
