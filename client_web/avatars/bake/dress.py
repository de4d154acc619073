"""Owns how a person is put together: skin, hair and clothes as parts, and the parts' budgets."""

import numpy as np

from client_web.avatars.bake.ambient import shaded
from client_web.avatars.bake.basemesh import BaseMesh
from client_web.avatars.bake.body import Body, make_body
from client_web.avatars.bake.bottoms import bare, shoes, trousers
from client_web.avatars.bake.face import eyes, lashes, skin
from client_web.avatars.bake.hair import hair
from client_web.avatars.bake.levels import simplified, welded
from client_web.avatars.bake.mesh import Mesh, join
from client_web.avatars.bake.people import Person
from client_web.avatars.bake.source import Source
from client_web.avatars.bake.tops import cloth_of_top, top

# Triangles of each part at each level, most detailed first.
BUDGETS = {
    "head": (4000, 1200, 260),
    "hands": (2100, 700, 160),
    "eyes": (660, 120, 24),
    "lashes": (180, 20, 0),
    "hair": (1100, 320, 80),
    "top": (1800, 620, 180),
    "details": (420, 0, 0),
    "trousers": (1000, 380, 120),
    "shoes": (560, 220, 60),
}
LEVELS = 3
WRITTEN = ("point", "normal", "colour", "tint", "weights")
# Creases of the face are millimetres wide; those of the clothes are not.
FINE = ("head", "eyes", "lashes", "hair")
FINE_CELL_M, CELL_M = 0.0025, 0.008
SHADE = {"eyes": 0.75, "lashes": 0.0}
USUAL_SHADE = 0.7


def dressed(source: Source, base: BaseMesh, person: Person) -> tuple[Body, dict[str, Mesh]]:
    """A person's body, and everything that is seen of them, by part."""
    body = make_body(source, base, person.build, person.sole_m)
    whole = skin(body, person.look)
    seen = bare(body, whole, person.outfit)
    far = np.abs(seen.points[seen.triangles, 0]).mean(1) > body.head("leftUpperArm")[0]
    shirt, sewn_on = top(body, person.outfit)
    shoe = shoes(body, person.outfit)
    under = cloth_of_top(body, person.outfit)
    parts = {
        "head": seen.select(~far),
        "hands": seen.select(far),
        "eyes": eyes(body, person.look),
        "lashes": lashes(body, person.look),
        "hair": hair(body, whole, person.hair),
        "top": shirt,
        "details": sewn_on,
        "trousers": trousers(body, person.outfit, under, shoe),
        "shoes": shoe,
    }
    return body, lit(
        body, {name: finished(mesh) for name, mesh in parts.items() if len(mesh.triangles)}
    )


def finished(mesh: Mesh) -> Mesh:
    """A part with its normals, only the columns that are written, and no vertex twice."""
    mesh = mesh.with_columns(normal=mesh.normals())
    return welded(Mesh(mesh.triangles, {name: mesh.columns[name] for name in WRITTEN}))


def lit(body: Body, parts: dict[str, Mesh]) -> dict[str, Mesh]:
    """The parts with the soft shade that all of them together cast."""
    everything = join(list(parts.values()))
    near = everything.points[everything.triangles, 1].min(1) > body.head("neck")[1] - 0.10
    aside = np.abs(everything.points[everything.triangles, 0]).max(1) < 0.2
    above = everything.select(near & aside)
    return {
        name: shaded(
            mesh,
            above if name in FINE else everything,
            FINE_CELL_M if name in FINE else CELL_M,
            SHADE.get(name, USUAL_SHADE),
        )
        for name, mesh in parts.items()
    }


def level(body: Body, parts: dict[str, Mesh], number: int) -> Mesh:
    """One level of detail (0 is the finest) of all parts, as one mesh."""
    budgets = {name: BUDGETS[name][number] for name in parts}
    return join(
        [simplified(mesh, budgets[name], body) for name, mesh in parts.items() if budgets[name]]
    )
