"""Owns the picture of a grasp: the hand with its skin on the object, and where they touch."""

# matplotlib types its keyword arguments as unknown
# pyright: reportUnknownMemberType=false

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from armspan.server.plots.hand import hand_surface, joined, moved
from armspan.server.plots.shading import Camera, Floats, Ints, Surface, render
from armspan.server.plots.views import choose_axes, fit_camera
from armspan.solvers.grasp.site import Contact, Grasp
from armspan.solvers.hand import FIRST_PALM, SEGMENTS, Hand
from armspan.solvers.quaternion import quat_axes
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

_INK = "#1f2937"
_TOUCH = "#b3133b"
_OBJECT = np.array([0.60, 0.70, 0.80])
_WIDTH, _HEIGHT = 860, 760  # pixels of a view
_AROUND = 1.9  # hand's lengths from the palm: what is shown of a large object
_HIDDEN_M = 0.012  # a contact deeper behind what is seen is drawn faintly


@dataclass(frozen=True, eq=False)
class Scene:
    """What is drawn: the object's triangles in its own frame, the hand and its grasp."""

    vertices: Floats
    faces: Ints
    hand: Hand
    grasp: Grasp


def draw_grasp(scene: Scene, path: Path, title: str, says: str) -> None:
    """Write the picture as PNG: two views, and what is said of them.

    Raises OSError if it cannot be written.
    """
    palm = scene.grasp.object_from_palm
    own = hand_surface(scene.hand, scene.grasp.joint_angles)
    parts = _parts_of_hand(scene, own)
    skin = moved(own, palm)
    near = _near_palm(scene, palm[:3])
    surface = joined([Surface(scene.vertices, near, np.tile(_OBJECT, (len(near), 1))), skin])
    shown = np.vstack([scene.vertices[near].reshape(-1, 3), skin.vertices])
    owners = np.concatenate([np.full(len(near), -1, np.int32), parts])
    figure, panels = _lay_out()
    # The back of the hand up, and the digits in sight: two ways of looking at it.
    for axes, way in zip(panels, choose_axes(surface, owners, _back(palm)), strict=True):
        camera = fit_camera(shown, way, _WIDTH, _HEIGHT)
        _draw_view(axes, surface, camera, scene.grasp.contacts)
    figure.text(0.02, 0.965, title, color=_INK, fontsize=15, va="top", weight="bold")
    figure.text(0.02, 0.085, says, color=_INK, fontsize=10.5, va="top", linespacing=1.5)
    figure.savefig(path, dpi=130, format="png")


def _near_palm(scene: Scene, palm: Floats) -> Ints:
    """Faces near the hand: all of them, unless the object is much larger than the hand."""
    away = np.linalg.norm(scene.vertices[scene.faces] - palm, axis=2).min(axis=1)
    near = away < _AROUND * scene.hand.length_m
    return scene.faces[near] if near.any() else scene.faces


def _parts_of_hand(scene: Scene, own: Surface) -> Ints:
    """For each face of the skin its digit, or -1 for the palm, which need not be seen."""
    middles = own.vertices[own.faces].mean(axis=1)
    capsules = scene.hand.capsules(scene.grasp.joint_angles)
    start, line = capsules[:, :3], capsules[:, 3:6] - capsules[:, :3]
    long = np.maximum(np.einsum("ck,ck->c", line, line), 1e-12)
    share = np.clip(np.einsum("fck,ck->fc", middles[:, None] - start, line) / long, 0.0, 1.0)
    away = np.linalg.norm(middles[:, None] - start - share[..., None] * line, axis=2)
    nearest = (away - capsules[:, 6]).argmin(axis=1)
    return np.where(nearest < FIRST_PALM, nearest // SEGMENTS, -1).astype(np.int32)


def _back(palm: Floats) -> Floats:
    """Out of the back of the hand."""
    x, y, z, w = (float(number) for number in palm[3:])
    return np.array(quat_axes((x, y, z, w)))[1]


def _lay_out() -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(13.6, 7.2), facecolor="white")
    FigureCanvasAgg(figure)
    panels = [figure.add_axes((x, 0.10, 0.485, 0.82)) for x in (0.01, 0.505)]
    for axes in panels:
        axes.set_axis_off()
    return figure, panels


def _draw_view(axes: Axes, surface: Surface, camera: Camera, contacts: tuple[Contact, ...]) -> None:
    picture = render(surface, camera)
    image = picture.rgb * picture.cover[..., None] + (1.0 - picture.cover[..., None])
    axes.imshow(np.clip(image, 0.0, 1.0), interpolation="antialiased")
    axes.set_xlim(0, camera.width)
    axes.set_ylim(camera.height, 0)
    for contact in contacts:
        x, y, near = camera.project(contact.point)
        row = int(np.clip(y, 0, camera.height - 1))
        column = int(np.clip(x, 0, camera.width - 1))
        seen = bool(near > picture.depth[row, column] - _HIDDEN_M)
        axes.plot([x], [y], "o", color=_TOUCH, markersize=5.5 if seen else 4.0,
                  alpha=0.95 if seen else 0.35, markeredgecolor="white",
                  markeredgewidth=0.9)  # fmt: skip
