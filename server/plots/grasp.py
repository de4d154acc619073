"""Owns the picture of a grasp: the hand with its skin on the object, and where they touch."""

# matplotlib types its keyword arguments as unknown
# pyright: reportUnknownMemberType=false

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from armspan.server.plots.hand import hand_surface, joined, moved
from armspan.server.plots.shading import Camera, Floats, Ints, Surface, look_along, render
from armspan.server.plots.views import fit_camera
from armspan.solvers.grasp.site import Contact, Grasp
from armspan.solvers.hand import Hand
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
# Toward the eye, in a right palm's frame: before the thumb, and below the finger tips.
_EYES = ((-0.85, 0.35, -0.40), (-0.35, -0.60, -0.70))


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
    object_from_palm = scene.grasp.object_from_palm
    skin = moved(hand_surface(scene.hand, scene.grasp.joint_angles), object_from_palm)
    near = _near_palm(scene, object_from_palm[:3])
    colours = np.tile(_OBJECT, (len(near), 1))
    surface = joined([Surface(scene.vertices, near, colours), skin])
    shown = np.vstack([scene.vertices[near].reshape(-1, 3), skin.vertices])
    figure, panels = _lay_out()
    for axes, way in zip(panels, _views(scene), strict=True):
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


def _views(scene: Scene) -> list[Floats]:
    mirror = 1.0 if int(scene.hand.side) else -1.0  # for a left hand
    x, y, z, w = (float(number) for number in scene.grasp.object_from_palm[3:])
    axes = np.array(quat_axes((x, y, z, w)))
    return [look_along(np.array([mirror * eye[0], *eye[1:]]) @ axes, axes[1]) for eye in _EYES]


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
