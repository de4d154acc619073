"""Gaps to tubes and meshes: right, and the quick ways round the work change nothing."""

import math

import numpy as np
import pytest
from armspan.solvers.grasp.frame import make_axis
from armspan.solvers.grasp.gaps import (
    FAR_M,
    capsules_gap,
    solid_gap,
    tube_capsules,
    tube_direction,
    tube_gap,
)
from armspan.solvers.grasp.site import GraspSite
from armspan.solvers.meshes.field import DistanceField, free_field

from tests.solvers.grasp.dense import gaps


def helix(count: int) -> GraspSite:
    turns = np.linspace(0.0, 5.0, count)
    points = np.stack([0.06 * np.cos(turns), 0.06 * np.sin(turns), 0.03 * turns], axis=1)
    return GraspSite(points, 0.01 + 0.004 * np.sin(turns))


def capsules(source, count: int) -> np.ndarray:
    out = np.empty((count, 7))
    out[:, :3] = source.uniform(-0.1, 0.1, (count, 3))
    out[:, 3:6] = out[:, :3] + source.normal(size=(count, 3)) * 0.03
    out[:, 6] = source.uniform(0.005, 0.015, count)
    return out


def test_a_tube_of_few_capsules_is_as_far_away_as_its_own_line():
    site, chord = helix(300), 1e-4
    tube = tube_capsules(make_axis(site), chord)
    assert 10 < len(tube) < 60
    near = np.arange(len(tube))
    shares = np.linspace(0.0, 1.0, 65)[:, None]
    for row in capsules(np.random.default_rng(1), 40):
        points = row[:3] + shares * (row[3:6] - row[:3])
        expected = gaps(points[None, None], row[6:], site.points, site.radii)[0]
        found = tube_gap(row[None], 0, tube, near, len(tube), FAR_M)
        assert found == pytest.approx(expected, abs=2.0 * chord + 2e-5)


def test_what_is_passed_over_is_farther_than_what_counts():
    tube = tube_capsules(make_axis(helix(200)), 1e-4)
    near = np.arange(len(tube))
    rows = capsules(np.random.default_rng(2), 60)
    for row in range(len(rows)):
        whole = tube_gap(rows, row, tube, near, len(tube), FAR_M)
        normal, least = tube_direction(rows, row, tube, near, len(tube))
        alone = min(tube_gap(rows, row, tube, near[k:], 1, FAR_M) for k in range(len(tube)))
        assert whole == pytest.approx(least, abs=1e-15)
        assert whole == pytest.approx(alone, abs=1e-15)
        assert np.linalg.norm(normal) == pytest.approx(1.0)
        assert tube_gap(rows, row, tube, near, len(tube), whole - 0.01) == whole - 0.01


def test_a_gap_between_capsules_is_that_of_the_nearest():
    rows = capsules(np.random.default_rng(3), 8)
    pairs = [capsules_gap(rows, 0, rows[k : k + 1]) for k in range(1, 8)]
    assert capsules_gap(rows, 0, rows[1:]) == min(pairs)


def ball_field(radius: float) -> DistanceField:
    """The exact distances of a ball at the origin on a grid of 4 mm, with no fine bricks."""
    places = np.linspace(-0.064, 0.064, 33)[::8]
    x, y, z = np.meshgrid(places, places, places, indexing="ij")
    empty = free_field()
    return DistanceField(
        np.full(3, -0.064),
        0.004,
        (np.sqrt(x * x + y * y + z * z) - radius).astype(np.float32),
        np.full((4, 4, 4), -1, np.int32),
        empty.bricks,
    )


def test_far_outside_a_fields_region_the_gap_still_grows():
    """The palm comes down on an object from where its field knows nothing."""
    field, home = ball_field(0.02), np.concatenate([np.zeros(3), np.eye(3).ravel()])
    last = 0.0
    for away in np.linspace(0.08, 0.5, 30):
        row = np.array([[away, 0.01, 0.0, away, -0.01, 0.0, 0.01]])
        gap = solid_gap(row, 0, field, home, FAR_M, 0.004)
        assert last < gap <= away - 0.03 + 1e-3
        last = gap
    assert last > 0.3


def test_a_mesh_is_met_where_the_palm_is():
    """The capsule's own frame is turned and moved; the ball stays where it is."""
    field = ball_field(0.02)
    turn = 0.7
    axes = np.array(
        [[math.cos(turn), math.sin(turn), 0.0], [-math.sin(turn), math.cos(turn), 0.0], [0, 0, 1]]
    )
    origin = np.array([0.03, -0.02, 0.01])
    place = np.concatenate([origin, axes.ravel()])
    plain = np.concatenate([np.zeros(3), np.eye(3).ravel()])
    for row in 0.4 * capsules(np.random.default_rng(4), 20):
        there = np.concatenate([origin + row[:3] @ axes, origin + row[3:6] @ axes, row[6:]])
        a = solid_gap(row[None], 0, field, place, FAR_M, 0.002)
        b = solid_gap(there[None], 0, field, plain, FAR_M, 0.002)
        assert a == pytest.approx(b, abs=1e-9)
