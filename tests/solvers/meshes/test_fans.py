"""A vertex where surface meets itself becomes several."""

import pytest
from armspan.solvers.meshes.cleaning import clean

from tests.solvers.meshes.solids import checked, cube, joined


def test_solids_that_touch_at_a_corner_stay_two():
    cleaned = checked(clean(*joined(cube(), cube(1.5, (1.0, 1.0, 1.0)))))
    assert cleaned.report.components == 2
    assert cleaned.mesh.watertight
    assert cleaned.mesh.areas.sum() == pytest.approx(6 * 2.25)
