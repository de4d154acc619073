"""A site refuses numbers that make no tube, each with a word that helps."""

import numpy as np
import pytest
from armspan.solvers.grasp.site import GraspError, GraspSite, Span

POINTS = np.array([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0]])
RADII = np.array([0.01, 0.01])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"points": POINTS[:1], "radii": RADII[:1]}, "at least 2 points"),
        ({"points": POINTS[:, :2]}, "shape"),
        ({"points": [["a", "b", "c"]]}, "plain numbers"),
        ({"points": POINTS * np.nan}, "finite"),
        ({"points": POINTS * 1e5}, "millimetres"),
        ({"points": POINTS * 0.0}, "no length"),
        ({"points": POINTS * 1e-300}, "no length"),
        ({"points": POINTS * 1e-8}, "no length"),
        ({"radii": RADII * 1e-4}, "no hand feels"),
        ({"radii": RADII * 5e-322}, "no hand feels"),
        ({"radii": RADII[:1]}, "as many radii"),
        ({"radii": RADII * 0.0}, "more than 0"),
        ({"radii": RADII * 1e4}, "millimetres"),
        ({"closed": True}, "at least 3 points"),
        ({"normal": np.zeros(3)}, "not all 0"),
        ({"sign": 0}, "1 or -1"),
        ({"tolerance_m": 0.0}, "tolerance"),
        ({"tolerance_m": float("nan")}, "tolerance"),
        ({"max_postures": 0}, "postures"),
        ({"fingers": (True, False, False, False, False)}, "no finger"),
        ({"fingers": (True, True)}, "five"),
    ],
)
def test_what_makes_no_tube_is_refused(wrong, says):
    with pytest.raises(GraspError, match=says):
        GraspSite(**({"points": POINTS, "radii": RADII} | wrong))


@pytest.mark.parametrize(("low", "high"), [(1.0, 0.0), (float("nan"), 1.0), (0.0, float("inf"))])
def test_a_span_has_two_finite_ends_in_order(low, high):
    with pytest.raises(GraspError, match="span"):
        Span(low, high)


def test_a_site_keeps_its_own_copy():
    points = POINTS.copy()
    site = GraspSite(points, RADII)
    points[0] = 9.0
    np.testing.assert_array_equal(site.points, POINTS)
