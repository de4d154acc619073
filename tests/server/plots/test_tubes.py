"""The picture of a mesh with its tubes."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from armspan.server.plots.tubes import draw_tubes, scale_colour, tube_of_face
from armspan.solvers.meshes.topology import Mesh, build_mesh
from armspan.solvers.tubes.shape import Body, EndKind, Shape, Tube, TubeEnd, TubeKind
from matplotlib.image import imread
from numba import config

from tests.solvers.tubes import shapes

_SCALES_M = (0.006, 0.009, 0.013, 0.019, 0.028, 0.042, 0.060)


def half_ring(kind: TubeKind) -> tuple[Mesh, Shape]:
    """A torus of which the half at x > 0 is called a tube, as found by spheres of 28 mm."""
    mesh = build_mesh(*shapes.torus(sides=16, rings=48).arrays)
    right = mesh.vertices[mesh.faces][:, :, 0].mean(axis=1) > 0.0
    turn = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 20)
    axis = 0.04 * np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    section = np.array([[0.05, 0, 0], [0.04, 0, 0.01], [0.03, 0, 0]])
    tube = Tube(
        kind=kind,
        closed=False,
        axis=axis,
        section_radii_m=np.full(20, 0.01),
        sections=(np.empty((0, 3)), section) + (np.empty((0, 3)),) * 18,
        radius_m=0.01,
        length_m=0.04 * np.pi,
        faces=np.flatnonzero(right).astype(np.int32),
        scale_m=0.028,
        flatness=1.0,
        ends=(TubeEnd(EndKind.BODY, 0), TubeEnd(EndKind.BODY, 0)),
    )
    rest = np.flatnonzero(~right).astype(np.int32)
    return mesh, Shape((tube,), (Body(rest, 1.0, np.zeros(3)),))


def share_of_hue(picture: np.ndarray, colour: np.ndarray) -> float:
    """Of all pixels, those whose colour leans to this one and away from grey."""
    lean = colour - colour.mean()
    pixels = picture[..., :3] - picture[..., :3].mean(axis=-1, keepdims=True)
    return float((pixels @ lean > 0.5 * (lean @ lean)).mean())


def test_colours_of_the_default_scales_are_told_apart():
    colours = [scale_colour(scale_m) for scale_m in _SCALES_M]
    apart = [np.abs(a - b).max() for a, b in itertools.combinations(colours, 2)]
    assert min(apart) > 0.1
    np.testing.assert_array_equal(scale_colour(0.001), scale_colour(0.006))
    np.testing.assert_array_equal(scale_colour(1.0), scale_colour(0.060))


def test_each_face_knows_its_tube():
    mesh, shape = half_ring(TubeKind.HANDLE)
    owners = tube_of_face(len(mesh.faces), shape)
    np.testing.assert_array_equal(np.flatnonzero(owners == 0), shape.tubes[0].faces)
    assert (owners == -1).sum() == len(shape.bodies[0].faces)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="a picture takes minutes interpreted")
@pytest.mark.parametrize("kind", [TubeKind.HANDLE, TubeKind.TUNNEL])
def test_a_tube_shows_in_the_colour_of_its_scale_and_no_other(tmp_path: Path, kind: TubeKind):
    mesh, shape = half_ring(kind)
    draw_tubes(mesh, shape, tmp_path / "ring.png", "ring", 320)
    picture = imread(tmp_path / "ring.png")
    assert picture.shape[1] > 1500
    assert share_of_hue(picture, scale_colour(0.028)) > 0.03
    assert share_of_hue(picture, scale_colour(0.006)) < 0.002


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="a picture takes minutes interpreted")
def test_a_mesh_without_tubes_and_one_with_very_many_are_drawn(tmp_path: Path):
    mesh, shape = half_ring(TubeKind.HANDLE)
    whole = Body(np.arange(len(mesh.faces), dtype=np.int32), 1.0, np.zeros(3))
    draw_tubes(mesh, Shape((), (whole,)), tmp_path / "none.png", "none", 320)
    assert share_of_hue(imread(tmp_path / "none.png"), scale_colour(0.028)) < 0.002
    draw_tubes(mesh, Shape(shape.tubes * 40, shape.bodies), tmp_path / "many.png", "many", 320)
    none, many = (imread(tmp_path / f"{name}.png") for name in ("none", "many"))
    assert 50 < many.shape[0] - none.shape[0] < 600


def test_a_folder_that_is_not_there_is_an_os_error(tmp_path: Path):
    mesh, shape = half_ring(TubeKind.HANDLE)
    with pytest.raises(OSError, match="nowhere"):
        draw_tubes(mesh, shape, tmp_path / "nowhere" / "ring.png", "ring", 320)
