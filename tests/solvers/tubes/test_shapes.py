"""Tubes of shapes that are known: kinds, numbers, closedness, attachments, radii and lengths.

The first tests are of the shapes themselves: a truth that is wrong proves nothing.
"""

import numpy as np
import pytest
from armspan.solvers.meshes.topology import build_mesh
from armspan.solvers.tubes.plumber import DEFAULT_SCALES_M, find_tubes
from numba import config

from tests.solvers.tubes import changes, compounds, shapes
from tests.solvers.tubes.matrix import CHANGES, SHAPES, examine, mesh_of
from tests.solvers.tubes.random_shapes import FAMILIES, junction_start, random_shape
from tests.solvers.tubes.solids import solid_of
from tests.solvers.tubes.truth import describe, differences

compiled = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="takes minutes interpreted")

_GENUS = {
    "torus": 1,
    "capsule": 0,
    "cylinder": 0,
    "y": 0,
    "mug": 1,
    "plate": 3,
    "well": 0,
    "theta": 2,
    "bead": 1,
    "trefoil": 1,
}

# One of each kind that must be found, with a change that is hard for it.
_QUICK = (
    ("torus", "as it is"),
    ("torus, fat", "thinned"),
    ("capsule", "noisy"),
    ("cylinder", "mirrored"),
    ("cylinder, thin triangles", "as it is"),
    ("arc, tight", "moved"),
    ("s", "half"),
    ("helix", "as it is"),
    ("y", "all"),
    ("t", "as it is"),
    ("mug", "thinned"),
    ("mug", "double"),
    ("plate", "noisy"),
    ("plate, raw", "as it is"),
    ("well", "moved"),
    ("well, round", "as it is"),
    ("cube", "as it is"),
    ("soft block", "as it is"),
)

_ISSUE = ("torus", "capsule", "cylinder", "arc", "s", "y", "t", "mug", "plate", "well")


def check(name: str, change: str) -> None:
    _, found, wrong = examine(SHAPES[name](), change)
    assert not wrong, f"{describe(found)}: {'; '.join(wrong)}"


@pytest.mark.parametrize("name", sorted(_GENUS))
def test_a_shape_is_one_closed_surface_seen_from_outside(name: str):
    solid = solid_of(SHAPES[name]().arrays)
    assert solid.genus() == _GENUS[name]
    assert len(solid.decompose()) == 1
    assert solid.volume() > 0.0


def test_a_torus_holds_what_pappus_says():
    solid = solid_of(shapes.torus(ring_m=0.04, radius_m=0.01).arrays)
    assert solid.volume() == pytest.approx(2.0 * np.pi**2 * 0.04 * 0.01**2, rel=1e-3)


def test_a_swept_tube_has_the_section_it_says_all_along():
    shape = shapes.helix()
    (tube,) = shape.tubes
    sides = tube.length_m - 2.0 * tube.radius_m
    expected = np.pi * tube.radius_m**2 * (sides + 4.0 / 3.0 * tube.radius_m)
    assert solid_of(shape.arrays).volume() == pytest.approx(expected, rel=5e-3)


def test_rods_of_a_t_begin_where_geometry_says():
    ways = np.array([[1.0, 0, 0], [-1.0, 0, 0], [0, -1.0, 0]])
    assert junction_start(ways, 0, 1.0) == pytest.approx(1.0 / np.pi, rel=1e-3)
    assert junction_start(ways, 2, 1.0) == pytest.approx(2.0 / np.pi, rel=1e-3)


@pytest.mark.parametrize("change", sorted(set(CHANGES) - {"half", "double", "noisy", "all"}))
def test_a_change_keeps_a_solid_what_it_is(change: str):
    shape = shapes.mug(edge_m=0.008)
    mesh = mesh_of(CHANGES[change](shape))
    solid = solid_of((mesh.vertices, mesh.faces))
    assert solid.genus() == 1
    assert solid.volume() == pytest.approx(solid_of(shape.arrays).volume(), rel=0.01)


@compiled
def test_a_wrong_find_is_called_wrong():
    """The judge must be able to say no: other sizes, other kinds, another number."""
    torus, rod = shapes.torus(), shapes.capsule(length_m=0.12)
    found = find_tubes(build_mesh(*torus.arrays))
    assert not differences(torus, found)
    assert differences(torus.enlarged(1.04), found)
    assert differences(rod, found)
    assert differences(shapes.sphere(), found)
    assert differences(compounds.dumbbell(), found)
    assert differences(torus, find_tubes(build_mesh(*rod.arrays)))


@compiled
@pytest.mark.parametrize(("name", "change"), _QUICK)
def test_tubes_are_what_they_are_known_to_be(name: str, change: str):
    check(name, change)


@compiled
def test_what_is_found_turns_with_the_mesh():
    """Axes and radii, not only counts, to what rounding and the samples' places allow."""
    shape = shapes.mug(edge_m=0.006)
    turned = changes.moved(shape.arrays, 11)
    here, there = (find_tubes(build_mesh(*arrays)) for arrays in (shape.arrays, turned))
    middle, goal = shape.vertices.mean(axis=0), turned[0].mean(axis=0)
    turn = np.linalg.lstsq(turned[0] - goal, shape.vertices - middle)[0]
    back = (there.tubes[0].axis - goal) @ turn + middle
    apart = np.linalg.norm(back[:, None] - here.tubes[0].axis[None], axis=2).min(axis=1)
    assert apart.max() < 0.001
    assert there.tubes[0].radius_m == pytest.approx(here.tubes[0].radius_m, rel=0.01)


@compiled
def test_the_number_of_threads_changes_nothing():
    mesh = build_mesh(*shapes.plate().arrays)
    one, four = (find_tubes(mesh, threads=threads) for threads in (1, 4))
    assert describe(one) == describe(four)
    for left, right in zip(one.tubes, four.tubes, strict=True):
        np.testing.assert_array_equal(left.axis, right.axis)
        np.testing.assert_array_equal(left.faces, right.faces)


@compiled
def test_spheres_larger_than_twice_the_radius_see_a_tube_and_smaller_ones_do_not():
    mesh = build_mesh(*shapes.torus(ring_m=0.05, radius_m=0.010).arrays)
    assert not find_tubes(mesh, (0.013, 0.019)).tubes
    (tube,) = find_tubes(mesh, (0.021,)).tubes
    assert tube.closed
    assert tube.scale_m == 0.021


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SHAPES))
def test_every_shape_has_its_tubes(name: str):
    check(name, "as it is")


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("change", sorted(set(CHANGES) - {"as it is"}))
@pytest.mark.parametrize("name", _ISSUE)
def test_every_change_leaves_the_tubes(name: str, change: str):
    check(name, change)


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("change", ["as it is", "all"])
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_shapes_at_random_have_their_tubes(family: str, change: str):
    for number in (1, 2):
        shape = random_shape(family, number)
        _, found, wrong = examine(shape, change)
        assert not wrong, f"{family} {number}: {describe(found)}: {'; '.join(wrong)}"


def test_default_scales_reach_from_a_finger_to_an_arm():
    assert DEFAULT_SCALES_M[0] == 0.006
    assert DEFAULT_SCALES_M[-1] == 0.060
