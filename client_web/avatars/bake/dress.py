"""Owns how a person is put together: skin, hair and clothes as parts, and the parts' budgets."""

import numpy as np

from client_web.avatars.bake.ambient import openness, shaded
from client_web.avatars.bake.arrays import Floats
from client_web.avatars.bake.basemesh import BaseMesh
from client_web.avatars.bake.body import Body, make_body
from client_web.avatars.bake.bottoms import bare, shoes, trousers
from client_web.avatars.bake.eyewear import glasses
from client_web.avatars.bake.face import eyes, lashes, mouth, skin
from client_web.avatars.bake.hair import covered, hair
from client_web.avatars.bake.levels import simplified, welded
from client_web.avatars.bake.mesh import Mesh, join
from client_web.avatars.bake.people import Person
from client_web.avatars.bake.source import Source
from client_web.avatars.bake.tops import cloth_of_top, top

# Triangles of each part at each level, most detailed first.
BUDGETS = {
    "head": (3740, 1100, 330),
    "hands": (1950, 680, 104),
    "eyes0": (700, 0, 0),
    "eyes1": (0, 160, 0),
    "eyes2": (0, 0, 48),
    "lashes": (180, 20, 0),
    "mouth": (100, 30, 14),
    "hair": (1100, 320, 86),
    "glasses": (440, 90, 0),
    "collar": (720, 155, 32),
    "top": (1450, 520, 130),
    "details": (470, 0, 0),
    "belt": (150, 60, 20),
    "trousers": (860, 380, 92),
    "shoes": (540, 220, 46),
}
LEVELS = 3
WRITTEN = ("point", "normal", "colour", "tint", "weights")
# Creases of the face are millimetres wide; those of the clothes are not.
FINE = ("head", "eyes0", "eyes1", "eyes2", "lashes", "mouth", "hair")
FINE_CELL_M, CELL_M = 0.003, 0.010
SHADE = {
    "eyes0": 0.75,
    "eyes1": 0.6,
    "eyes2": 0.0,
    "lashes": 0.0,
    "collar": 0.1,
    "details": 0.3,
    "belt": 0.0,
    "glasses": 0.0,
}
USUAL_SHADE = 0.7


def dressed(source: Source, base: BaseMesh, person: Person) -> tuple[Body, dict[str, Mesh]]:
    """A person's body, and everything that is seen of them, by part."""
    body = make_body(source, base, person.build, person.sole_m)
    whole = skin(body, person.look)
    seen = bare(body, whole.select(~covered(body, whole, person.hair)), person.outfit)
    far = np.abs(seen.points[seen.triangles, 0]).mean(1) > body.head("leftUpperArm")[0]
    shirt, folded, sewn_on = top(body, person.outfit)
    shoe = shoes(body, person.outfit)
    under = cloth_of_top(body, person.outfit)
    legs, belt = trousers(body, person.outfit, under, shoe)
    parts = {
        "head": seen.select(~far),
        "hands": seen.select(far),
        **{f"eyes{number}": eyes(body, person.look, number) for number in range(LEVELS)},
        "lashes": lashes(body, person.look),
        "mouth": mouth(body),
        "hair": hair(body, whole, person.hair),
        "top": shirt,
        "collar": folded,
        "details": sewn_on,
        "trousers": legs,
        "belt": belt,
        "shoes": shoe,
    }
    if person.glasses:
        parts["glasses"] = glasses(body, person.glasses)
    return body, lit(
        body, {name: finished(mesh) for name, mesh in parts.items() if len(mesh.triangles)}
    )


def finished(mesh: Mesh) -> Mesh:
    """A part with its normals, only the columns that are written, and no vertex twice."""
    mesh = mesh.with_columns(normal=mesh.normals())
    return welded(Mesh(mesh.triangles, {name: mesh.columns[name] for name in WRITTEN}))


def lit(body: Body, parts: dict[str, Mesh]) -> dict[str, Mesh]:
    """The parts with the soft shade that all of them together cast."""
    everything = join([mesh for name, mesh in parts.items() if name not in ("eyes1", "eyes2")])
    near = everything.points[everything.triangles, 1].min(1) > body.head("neck")[1] - 0.10
    aside = np.abs(everything.points[everything.triangles, 0]).max(1) < 0.2
    above = everything.select(near & aside)
    shades: dict[str, Floats] = {}
    for names, around, cell_m in (
        ([name for name in parts if name in FINE], above, FINE_CELL_M),
        ([name for name in parts if name not in FINE], everything, CELL_M),
    ):
        seen = openness(join([parts[name] for name in names]), around, cell_m)
        starts = np.cumsum([len(parts[name].points) for name in names])[:-1]
        shades |= dict(zip(names, np.split(seen, starts), strict=True))
    return {
        name: shaded(mesh, shades[name], SHADE.get(name, USUAL_SHADE))
        for name, mesh in parts.items()
    }


def level(body: Body, parts: dict[str, Mesh], number: int) -> Mesh:
    """One level of detail (0 is the finest) of all parts, as one mesh."""
    budgets = {name: BUDGETS[name][number] for name in parts}
    return join(
        [simplified(mesh, budgets[name], body) for name, mesh in parts.items() if budgets[name]]
    )
