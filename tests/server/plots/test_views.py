"""From where an object is looked at."""

import numpy as np
from armspan.server.plots.shading import Surface, look_along
from armspan.server.plots.views import choose_axes, fit_camera, standing_up

from tests.solvers.tubes import shapes
from tests.solvers.tubes.changes import mirrored
from tests.solvers.tubes.scans import scan

_Z = np.array([0.0, 0.0, 1.0])


def test_a_mug_stands_on_its_bottom_whichever_axis_that_is_along():
    vertices, faces = shapes.mug(edge_m=None).arrays
    np.testing.assert_array_equal(standing_up(vertices, faces), _Z)
    on_y = np.ascontiguousarray(vertices[:, [1, 2, 0]])
    np.testing.assert_array_equal(standing_up(on_y, faces), [0.0, 1.0, 0.0])


def test_a_ball_has_no_base_and_keeps_y_up():
    vertices, faces = shapes.sphere(sides=32).arrays
    np.testing.assert_array_equal(standing_up(vertices, faces), [0.0, 1.0, 0.0])


def test_the_whole_object_is_in_the_picture_and_fills_it():
    vertices, _ = shapes.mug(edge_m=None).arrays
    for way in ([0.0, 0, 1], [1.0, 2, 0.3]):
        camera = fit_camera(vertices, look_along(np.array(way), _Z), 300, 200)
        at = camera.project(vertices)
        share = np.ptp(at[:, :2], axis=0) / [300, 200]
        assert at[:, :2].min() > 0.0
        assert (at[:, :2] < [300, 200]).all()
        assert 0.89 < share.max() < 0.91


def test_the_part_of_interest_is_looked_at_from_its_own_side():
    for change in (lambda arrays: arrays, mirrored):
        vertices, faces = change(shapes.cube(side_m=0.1, edge_m=None).arrays)
        middles = vertices[faces].mean(axis=1)
        side = -1.0 if change is mirrored else 1.0
        owners = np.where(side * middles[:, 0] > 0.0499, 0, -1).astype(np.int32)
        surface = Surface(vertices, faces, np.ones((len(faces), 3)))
        first, second = choose_axes(surface, owners, _Z)
        assert side * first[2, 0] > 0.5
        assert abs(first[2] @ second[2]) < 0.9


def test_a_scanned_pitcher_stands_on_its_hollow_bottom():
    np.testing.assert_array_equal(standing_up(*scan("019_pitcher_base")), _Z)
