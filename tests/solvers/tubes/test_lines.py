"""Lines are spaced evenly, their tangents are a curve's, and normals go along without twist."""

import numpy as np
import pytest
from armspan.solvers.tubes.lines import (
    any_normal,
    carry_normals,
    length_of,
    spread_evenly,
    tangents_of,
)
from armspan.solvers.tubes.surface import Floats


def circle(points: int, radius_m: float = 0.04) -> Floats:
    turns = 2.0 * np.pi * np.arange(points) / points
    return radius_m * np.stack([np.cos(turns), np.sin(turns), np.zeros(points)], axis=1)


def test_an_open_line_keeps_its_ends_and_its_length():
    line = np.array([[0.0, 0, 0], [0.03, 0, 0], [0.04, 0, 0]])
    spaced = spread_evenly(line, False, 0.004, 2, 100)
    np.testing.assert_array_equal(spaced[[0, -1]], line[[0, -1]])
    np.testing.assert_allclose(np.diff(spaced[:, 0]), 0.004, rtol=1e-12)
    assert length_of(spaced, False) == pytest.approx(0.04)


def test_a_closed_line_stays_closed_and_does_not_repeat_its_first_point():
    spaced = spread_evenly(circle(90), True, 0.004, 8, 1000)
    steps = np.linalg.norm(np.roll(spaced, -1, axis=0) - spaced, axis=1)
    assert steps.min() > 0.9 * steps.max()
    assert length_of(spaced, True) == pytest.approx(2 * np.pi * 0.04, rel=2e-3)


def test_the_number_of_points_is_bounded():
    line = np.array([[0.0, 0, 0], [1.0, 0, 0]])
    assert len(spread_evenly(line, False, 1e-9, 2, 50)) == 51
    assert len(spread_evenly(line, False, 1e9, 2, 50)) == 2


@pytest.mark.parametrize("closed", [True, False])
def test_tangents_of_a_circle_are_square_to_its_spokes(closed: bool):
    line = circle(60)[: 60 if closed else 40]
    tangents = tangents_of(line, closed)
    np.testing.assert_allclose(np.linalg.norm(tangents, axis=1), 1.0, rtol=1e-12)
    across = np.abs((tangents * line).sum(axis=1)) / 0.04
    assert across.max() < 2e-3


def test_normals_of_a_planar_line_stay_in_or_square_to_its_plane():
    line = circle(50)
    tangents = tangents_of(line, True)
    normals = np.empty_like(line)
    carry_normals(line, tangents, np.array([0.0, 0.0, 1.0]), normals)
    np.testing.assert_allclose(normals, np.tile([0.0, 0.0, 1.0], (50, 1)), atol=1e-9)
    carry_normals(line, tangents, line[0] / 0.04, normals)
    np.testing.assert_allclose((normals * line).sum(axis=1) / 0.04, 1.0, atol=1e-2)


def test_carried_normals_are_unit_and_square_to_the_tangents():
    turns = np.linspace(0.0, 9.0, 80)
    line = np.stack([np.cos(turns), np.sin(turns), 0.3 * turns], axis=1)
    tangents = tangents_of(line, False)
    normals = np.empty_like(line)
    carry_normals(line, tangents, any_normal(tangents[0]), normals)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose((normals * tangents).sum(axis=1), 0.0, atol=1e-12)


def test_any_normal_is_square_to_every_axis():
    for tangent in np.eye(3):
        assert abs(float(any_normal(tangent) @ tangent)) < 1e-15
