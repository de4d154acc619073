"""Owns the matrix of shapes and of what is done to them; as a command, what is found in each.

python -m tests.solvers.tubes.matrix [SHAPE…] [--changes CHANGE…] [--plot FOLDER]
"""

import argparse
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

from armspan.server.plots.tubes import draw_tubes
from armspan.solvers.meshes.cleaning import clean
from armspan.solvers.meshes.topology import Mesh
from armspan.solvers.tubes.plumber import DEFAULT_SCALES_M, find_tubes
from armspan.solvers.tubes.shape import Shape as Found

from tests.solvers.tubes import changes, compounds, level_sets, shapes
from tests.solvers.tubes.random_shapes import FAMILIES, random_shape
from tests.solvers.tubes.shapes import Shape
from tests.solvers.tubes.sweeps import Cap, MeshArrays
from tests.solvers.tubes.truth import describe, differences

SHAPES: dict[str, Callable[[], Shape]] = {
    "torus": shapes.torus,
    "torus, fat": lambda: shapes.torus(ring_m=0.032, radius_m=0.013),
    "torus, thin": lambda: shapes.torus(ring_m=0.06, radius_m=0.004, sides=20, rings=360),
    "torus, large": lambda: shapes.torus(ring_m=0.18, radius_m=0.016, rings=200),
    "torus, coarse": lambda: shapes.torus(sides=16, rings=48),
    "capsule": shapes.capsule,
    "capsule, long": lambda: shapes.capsule(length_m=0.30, radius_m=0.012),
    "capsule, short": lambda: shapes.capsule(length_m=0.08, radius_m=0.012),
    "capsule, coarse": lambda: shapes.capsule(sides=16, step_m=0.006),
    "cylinder": shapes.cylinder,
    "cylinder, thin triangles": lambda: shapes.cylinder(step_m=0.1, cap=Cap.FAN),
    "cylinder, thick": lambda: shapes.cylinder(length_m=0.20, radius_m=0.025, step_m=0.005),
    "cylinder, slim": lambda: shapes.cylinder(length_m=0.15, radius_m=0.004, sides=24),
    "arc": shapes.arc,
    "arc, tight": lambda: shapes.arc(ring_m=0.03, angle_rad=3.0),
    "s": shapes.s_bend,
    "helix": shapes.helix,
    "hairpin": compounds.hairpin,
    "y": shapes.y_junction,
    "t": shapes.t_junction,
    "cross": compounds.cross,
    "ladder": compounds.ladder,
    "theta": compounds.theta,
    "mug": shapes.mug,
    "mug, raw": lambda: shapes.mug(edge_m=None),
    "drawer": compounds.drawer_handle,
    "grip": compounds.straight_handle,
    "cup": shapes.cup,
    "plate": shapes.plate,
    "plate, raw": lambda: shapes.plate(edge_m=None),
    "plate, one hole": lambda: shapes.plate(radii_m=(0.010,)),
    "plate, thin": lambda: shapes.plate(thickness_m=0.026, radii_m=(0.010, 0.010)),
    "bent tunnel": compounds.bent_tunnel,
    "bead": compounds.bead,
    "well": shapes.blind_hole,
    "well, round": lambda: shapes.blind_hole(rounded=True),
    "well, raw": lambda: shapes.blind_hole(edge_m=None),
    "dumbbell": compounds.dumbbell,
    "mallet": compounds.mallet,
    "pin": compounds.pin_on_block,
    "pin, raw": lambda: compounds.pin_on_block(edge_m=None),
    "legs": compounds.slab_with_legs,
    "ring on stick": compounds.ring_on_stick,
    "scissors": compounds.scissors,
    "frame": compounds.frame,
    "trefoil": compounds.trefoil,
    "oval": shapes.oval,
    "cone": shapes.cone,
    "bar": shapes.square_bar,
    "bar, raw": lambda: shapes.square_bar(edge_m=None),
    "cube": shapes.cube,
    "cube, raw": lambda: shapes.cube(edge_m=None),
    "sphere": shapes.sphere,
    "open tube": compounds.open_tube,
    "soft torus": level_sets.soft_torus,
    "soft rod": level_sets.soft_rod,
    "soft mug": level_sets.soft_mug,
    "soft block": level_sets.soft_block,
    "soft well": level_sets.soft_well,
}


def _thinnest(shape: Shape) -> float:
    return min((tube.radius_m for tube in shape.tubes), default=0.02)


def _closed(shape: Shape, change: Callable[[MeshArrays], MeshArrays]) -> MeshArrays:
    """Changes that need a closed surface leave an open one as it is."""
    return shape.arrays if shape.name == "open" else change(shape.arrays)


CHANGES: dict[str, Callable[[Shape], MeshArrays]] = {
    "as it is": lambda s: s.arrays,
    "moved": lambda s: changes.moved(s.arrays, 7),
    "mirrored": lambda s: changes.mirrored(s.arrays),
    "half": lambda s: changes.scaled(s.arrays, 0.5),
    "double": lambda s: changes.scaled(s.arrays, 2.0),
    "shuffled": lambda s: changes.shuffled(s.arrays, 3),
    "finer": lambda s: _closed(s, lambda a: changes.finer(a, 0.4 * _thinnest(s))),
    "thinned": lambda s: _closed(s, lambda a: changes.thinned(a, 0.01 * _thinnest(s))),
    "noisy": lambda s: changes.noisy(s.arrays, 0.01 * _thinnest(s), 5),
    "soup": lambda s: changes.soup(s.arrays),
    "all": lambda s: changes.noisy(
        changes.moved(
            changes.shuffled(
                changes.mirrored(_closed(s, lambda a: changes.thinned(a, 0.01 * _thinnest(s)))), 1
            ),
            2,
        ),
        0.007 * _thinnest(s),
        3,
    ),
}
_FACTORS = {"half": 0.5, "double": 2.0}


def factor_of(change: str) -> float:
    """How much larger a change makes a shape, and the spheres with it."""
    return _FACTORS.get(change, 1.0)


def mesh_of(arrays: MeshArrays) -> Mesh:
    """The mesh as people's files come to be one."""
    return clean(*arrays).mesh


def examine(shape: Shape, change: str) -> tuple[Mesh, Found, list[str]]:
    """Find the tubes of a changed shape, and say what is wrong with them."""
    factor = factor_of(change)
    mesh = mesh_of(CHANGES[change](shape))
    found = find_tubes(mesh, tuple(factor * s for s in DEFAULT_SCALES_M))
    return mesh, found, differences(shape.enlarged(factor), found)


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("shapes", nargs="*", default=[])
    parser.add_argument("--changes", nargs="*", default=["as it is"])
    parser.add_argument("--plot", type=Path, default=None)
    parser.add_argument("--random", type=int, nargs=2, metavar=("FIRST", "LAST"), default=None)
    given = parser.parse_args()
    kinds = list(CHANGES) if given.changes == ["every"] else given.changes
    if given.random:
        numbers = range(given.random[0], given.random[1] + 1)
        made = {
            f"{family} {n}": partial(random_shape, family, n)
            for family in given.shapes or FAMILIES
            for n in numbers
        }
    else:
        made = {name: SHAPES[name] for name in given.shapes or SHAPES}
    good = [_tell(make(), name, kind, given.plot) for name, make in made.items() for kind in kinds]
    print(f"{sum(good)} of {len(good)} as known")  # noqa: T201


def _tell(shape: Shape, name: str, change: str, plots: Path | None) -> bool:
    start = time.perf_counter()
    try:
        mesh, found, wrong = examine(shape, change)
    except Exception:  # the next shape has something to say, too
        wrong = traceback.format_exc().splitlines()
        print(f"WRONG {name}, {change}", *wrong, sep="\n", flush=True)  # noqa: T201
        return False
    size = f"{len(mesh.faces)} faces, {time.perf_counter() - start:.2f} s"
    head = [f"{'WRONG' if wrong else 'ok':6}{name}, {change}, {size}"]
    if wrong:
        head += [f"      {describe(found)}", *(f"      - {line}" for line in wrong)]
    print(*head, sep="\n", flush=True)  # noqa: T201
    if plots:
        path = plots / f"{name} {change}.png".replace(" ", "_").replace(",", "")
        draw_tubes(mesh, found, path, f"{name}, {change}")
    return not wrong


if __name__ == "__main__":
    _main()
