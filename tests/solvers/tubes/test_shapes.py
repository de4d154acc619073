"""The shapes themselves: closed surfaces that hold what their truth says they hold."""

import numpy as np
import pytest

from tests.solvers.tubes import shapes
from tests.solvers.tubes.solids import solid_of

_GENUS = {
    "torus": 1,
    "capsule": 0,
    "cylinder": 0,
    "y_junction": 0,
    "mug": 1,
    "plate": 3,
    "blind_hole": 0,
}


@pytest.mark.parametrize("name", sorted(_GENUS))
def test_a_shape_is_a_closed_surface_seen_from_outside(name: str):
    shape = getattr(shapes, name)()
    solid = solid_of(shape.arrays)
    assert solid.genus() == _GENUS[name]
    assert solid.volume() > 0.0


def test_a_torus_holds_what_pappus_says():
    solid = solid_of(shapes.torus(ring_m=0.04, radius_m=0.01).arrays)
    assert solid.volume() == pytest.approx(2.0 * np.pi**2 * 0.04 * 0.01**2, rel=1e-3)
