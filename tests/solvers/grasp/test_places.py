"""The places that are tried: inside their spans, the preferred one first, without clusters."""

import math

import numpy as np
import pytest
from armspan.solvers.body.skeleton import Side
from armspan.solvers.grasp.frame import make_axis
from armspan.solvers.grasp.places import (
    FORWARD,
    NUMBERS,
    PREFERRED,
    along_span,
    free_numbers,
    place_ranges,
    write_place,
)
from armspan.solvers.grasp.search import search_grasp
from armspan.solvers.grasp.site import GraspError, GraspSite, Span
from armspan.solvers.hand import make_hand

from tests.solvers.grasp.dense import arc_site


def ranges_of(hand_length=0.19, radius=0.02, **settings):
    site = arc_site(radius, math.inf, **settings)
    return place_ranges(site, make_axis(site), make_hand(hand_length, Side.RIGHT))


def places(ranges, count):
    out = np.empty((count, NUMBERS))
    for attempt in range(count):
        write_place(ranges, attempt, out[attempt])
    return out


def test_a_given_span_is_tried_from_its_middle():
    ranges = ranges_of(tilt=Span(-0.2, 0.6), around=Span(1.0, 1.0), along=Span(0.05, 0.07))
    first = places(ranges, 1)[0]
    np.testing.assert_allclose(first[[0, 1, 4]], [0.06, 1.0, 0.2])


def test_places_stay_inside_and_fill_their_spans():
    ranges = ranges_of()
    tried = places(ranges, 400)
    assert np.all(tried >= ranges[:, 0] - 1e-12)
    assert np.all(tried <= ranges[:, 2] + 1e-12)
    widths = ranges[:, 2] - ranges[:, 0]
    free = widths > 0.0
    assert free_numbers(ranges) == free.sum() == 5
    shares = (tried[24:, free] - ranges[free, 0]) / widths[free]
    for column in shares.T:
        counts, _ = np.histogram(column, bins=8, range=(0.0, 1.0))
        assert counts.min() > 0


def test_the_first_places_are_near_the_preferred_one():
    ranges = ranges_of(tilt=Span(-1.0, 1.0))
    tried = places(ranges, 24)
    for attempt in range(1, 24):
        assert abs(tried[attempt, 4]) <= math.sqrt(attempt / 24) + 1e-12


def test_thick_tubes_are_taken_nearer_to_the_fingers():
    thin, thick = ranges_of(radius=0.01), ranges_of(radius=0.03)
    assert thick[FORWARD, PREFERRED] > thin[FORWARD, PREFERRED] + 0.005


@pytest.mark.parametrize("by", [0.85, 1.1])
def test_what_is_chosen_for_a_hand_grows_with_it(by):
    usual, other = ranges_of(), ranges_of(hand_length=0.19 * by, radius=0.02 * by)
    np.testing.assert_allclose(other[2:4], by * usual[2:4], rtol=1e-9)


def test_what_lies_beyond_an_open_tubes_ends_is_refused_or_left_out():
    points, radii = np.array([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0]]), np.array([0.01, 0.01])

    def span(low: float, high: float) -> Span | None:
        return along_span(GraspSite(points, radii, along=Span(low, high)), 0.2)

    for low, high in ((0.5, 0.6), (-0.2, -0.1), (0.21, 0.21)):
        with pytest.raises(GraspError, match=f"from {low:g} to {high:g} m.* is 0.2 m long"):
            span(low, high)
    assert span(-0.1, 0.05) == Span(0.0, 0.05)
    assert span(0.15, 0.5) == Span(0.15, 0.2)
    assert span(0.2 + 1e-9, 0.2 + 1e-9) == Span(0.2, 0.2)
    assert span(0.05, 0.1) == Span(0.05, 0.1)
    with pytest.raises(GraspError, match="beyond"):
        search_grasp(GraspSite(points, radii, along=Span(0.5, 0.6)), make_hand(0.19, Side.RIGHT))


def test_a_closed_tube_goes_on():
    turns = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    ring = 0.06 * np.stack([np.cos(turns), np.sin(turns), 0.0 * turns], axis=1)
    site = GraspSite(ring, np.full(24, 0.01), closed=True, along=Span(0.5, 0.6))
    assert along_span(site, 0.37) == Span(0.5, 0.6)
