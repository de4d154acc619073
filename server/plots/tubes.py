"""Owns the picture of a mesh with its tubes, coloured by scale: axes, sections and a legend."""

# matplotlib types its keyword arguments as unknown
# pyright: reportUnknownMemberType=false

from pathlib import Path

import numpy as np
from armspan.server.plots.shading import Camera, Floats, Ints, Picture, Surface, render
from armspan.server.plots.views import choose_axes, fit_camera, standing_up
from armspan.solvers.meshes.topology import Mesh
from armspan.solvers.tubes.shape import EndKind, Shape, Tube, TubeKind
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import Normal, Stroke
from numpy.typing import NDArray

_INK = "#1f2937"
_GREY = "#6b7280"
_BODY = np.array([0.88, 0.88, 0.86])
_SQUAT = 0.88  # a view's height for its width
_MOST_ROWS = 12  # in the legend; an object with more has them counted
_SECTION_GAP = 14.0  # pixels between drawn sections, at least
# From tubes for fingertips to tubes for arms, told apart by colour-blind people, too.
_SCALE_COLOURS = np.array(
    [
        [0.49, 0.31, 0.64],
        [0.20, 0.44, 0.71],
        [0.10, 0.62, 0.65],
        [0.28, 0.66, 0.35],
        [0.86, 0.70, 0.15],
        [0.90, 0.47, 0.16],
        [0.78, 0.24, 0.26],
    ]
)
_SMALLEST_M, _LARGEST_M = 0.006, 0.060


def draw_tubes(mesh: Mesh, shape: Shape, path: Path, title: str, pixels: int = 860) -> None:
    """Write the picture as PNG: two views, each ``pixels`` wide, and a legend.

    Raises OSError if it cannot be written.
    """
    owners = tube_of_face(len(mesh.faces), shape)
    colours = np.tile(_BODY, (len(mesh.faces), 1))
    for number, tube in enumerate(shape.tubes):
        colours[owners == number] = scale_colour(tube.scale_m)
    surface = Surface(mesh.vertices, mesh.faces, colours)
    up = standing_up(mesh.vertices, mesh.faces)
    rows = max(1, min(len(shape.tubes), _MOST_ROWS + 1))
    figure, panels, legend = _lay_out(rows)
    for axes, turned in zip(panels, choose_axes(surface, owners, up), strict=True):
        camera = fit_camera(mesh.vertices, turned, pixels, round(_SQUAT * pixels))
        _draw_view(axes, surface, owners, shape, camera)
    _draw_legend(legend, shape, rows)
    size = np.ptp(mesh.vertices, axis=0)
    figure.text(0.02, 0.975, title, color=_INK, fontsize=15, va="top", weight="bold")
    says = f"{len(mesh.faces):,} faces · {_size(size)}"
    figure.text(0.98, 0.972, says, color=_GREY, fontsize=10.5, va="top", ha="right")
    figure.savefig(path, dpi=130, format="png")


def tube_of_face(count: int, shape: Shape) -> Ints:
    """For each face the tube it belongs to, or -1."""
    owners = np.full(count, -1, dtype=np.int32)
    for number, tube in enumerate(shape.tubes):
        owners[tube.faces] = number
    return owners


def scale_colour(scale_m: float) -> Floats:
    """RGB of tubes found by spheres of this radius; even steps for even ratios."""
    place = np.log(scale_m / _SMALLEST_M) / np.log(_LARGEST_M / _SMALLEST_M)
    at = float(np.clip(place, 0.0, 1.0)) * (len(_SCALE_COLOURS) - 1)
    low = min(int(at), len(_SCALE_COLOURS) - 2)
    return _SCALE_COLOURS[low] + (at - low) * (_SCALE_COLOURS[low + 1] - _SCALE_COLOURS[low])


def _size(size: Floats) -> str:
    unit, factor = ("mm", 1e3) if size.max() < 1.0 else ("m", 1.0)
    return " \u00d7 ".join(f"{factor * s:.3g}" for s in size) + f" {unit}"


def _lay_out(rows: int) -> tuple[Figure, list[Axes], Axes]:
    wide, view, line, head = 13.6, 6.0, 0.27, 0.55
    low = 0.25 + line * rows
    tall = head + view + low
    figure = Figure(figsize=(wide, tall), facecolor="white")
    FigureCanvasAgg(figure)
    panels = [figure.add_axes((x, low / tall, 0.485, view / tall)) for x in (0.01, 0.505)]
    legend = figure.add_axes((0.02, 0.1 / tall, 0.96, line * rows / tall))
    for axes in (*panels, legend):
        axes.set_axis_off()
    return figure, panels, legend


def _draw_view(axes: Axes, surface: Surface, owners: Ints, shape: Shape, camera: Camera) -> None:
    picture = render(surface, camera)
    image = _with_holes(picture, surface, owners, shape, camera)
    image = image * picture.cover[..., None] + (1.0 - picture.cover[..., None])
    axes.imshow(np.clip(image, 0.0, 1.0), interpolation="antialiased")
    axes.set_xlim(0, camera.width)
    axes.set_ylim(camera.height, 0)
    labels: list[Floats] = []
    for number, tube in enumerate(shape.tubes):
        _draw_sections(axes, tube, camera, picture)
        _draw_axis(axes, tube, camera, picture, owners == number)
    for number, tube in enumerate(shape.tubes):
        _draw_number(axes, number, tube, camera, labels)
    _draw_compass(axes, camera)
    _draw_ruler(axes, camera)


def _with_holes(
    picture: Picture, surface: Surface, owners: Ints, shape: Shape, camera: Camera
) -> Floats:
    """The picture with tunnels and wells shining through the material before them."""
    concave = [n for n, tube in enumerate(shape.tubes) if tube.kind.concave]
    inner = np.isin(owners, concave)
    if not inner.any():
        return picture.rgb
    alone = Surface(surface.vertices, surface.faces[inner], surface.colours[inner])
    through = render(alone, camera)
    covered = (picture.face >= 0) & ~inner[picture.face]
    share = 0.45 * (through.cover * covered)[..., None]
    return picture.rgb * (1.0 - share) + through.rgb * share


def _pixels(points: Floats, camera: Camera) -> tuple[Floats, Ints, Ints]:
    at = camera.project(points)
    column = np.clip(at[..., 0], 0, camera.width - 1).astype(np.int32)
    row = np.clip(at[..., 1], 0, camera.height - 1).astype(np.int32)
    return at, row, column


def _draw_axis(
    axes: Axes, tube: Tube, camera: Camera, picture: Picture, own: NDArray[np.bool_]
) -> None:
    """Strong where the tube itself is what one sees, faint where something else is before it."""
    line = np.concatenate([tube.axis, tube.axis[:1]]) if tube.closed else tube.axis
    at, row, column = _pixels(line, camera)
    face = picture.face[row, column]
    clear = np.logical_or(face < 0, own[face])
    axes.plot(at[:, 0], at[:, 1], color=_INK, linewidth=0.9, alpha=0.55, linestyle=(0, (3, 2)))
    strong = np.where(clear[:, None], at[:, :2], np.nan)
    halo = [Stroke(linewidth=3.6, foreground="white", alpha=0.9), Normal()]
    axes.plot(strong[:, 0], strong[:, 1], color=_INK, linewidth=1.7, path_effects=halo)


def _draw_sections(axes: Axes, tube: Tube, camera: Camera, picture: Picture) -> None:
    last: Floats | None = None
    for place, polygon in zip(tube.axis, tube.sections, strict=True):
        if not len(polygon):
            continue
        here = camera.project(place)[:2]
        if last is not None and np.linalg.norm(here - last) < _SECTION_GAP:
            continue
        last = here
        at, row, column = _pixels(np.concatenate([polygon, polygon[:1]]), camera)
        seen = at[:, 2] > picture.depth[row, column] - 4.0 * camera.pixel_m
        ring = np.where(seen[:, None], at[:, :2], np.nan)
        axes.plot(ring[:, 0], ring[:, 1], color=_INK, linewidth=0.8, alpha=0.6)


def _draw_number(axes: Axes, number: int, tube: Tube, camera: Camera, labels: list[Floats]) -> None:
    at = camera.project(tube.axis)[:, :2]
    places = [at[int(share * (len(at) - 1))] for share in (0.5, 0.3, 0.7, 0.15, 0.85)]
    free = [p for p in places if all(np.linalg.norm(p - q) > 26.0 for q in labels)]
    place = free[0] if free else places[0]
    labels.append(place)
    colour = scale_colour(tube.scale_m)
    axes.text(
        float(place[0]),
        float(place[1]),
        str(number + 1),
        color="white",
        fontsize=9.5,
        weight="bold",
        ha="center",
        va="center",
        bbox={
            "boxstyle": "circle,pad=0.28",
            "facecolor": tuple(0.72 * colour),
            "edgecolor": "white",
            "linewidth": 1.2,
        },
    )


def _draw_compass(axes: Axes, camera: Camera) -> None:
    """The object's own axes, in the lower left."""
    x0, y0, reach = 46.0, camera.height - 46.0, 30.0
    for k, name in enumerate("xyz"):
        right, up, _ = camera.axes[:, k] * reach
        axes.plot([x0, x0 + right], [y0, y0 - up], color=_GREY, linewidth=1.4)
        if np.hypot(right, up) > 5.0:
            far = 1.0 + 10.0 / float(np.hypot(right, up))
            axes.text(
                x0 + far * right,
                y0 - far * up,
                name,
                color=_GREY,
                fontsize=9,
                ha="center",
                va="center",
            )


def _draw_ruler(axes: Axes, camera: Camera) -> None:
    """A round length, near a fifth of the picture, in the lower right."""
    most = 0.22 * camera.width * camera.pixel_m
    power = 10.0 ** np.floor(np.log10(most))
    length = float(power * max(m for m in (1, 2, 5) if m * power <= most))
    x1, y = camera.width - 24.0, camera.height - 24.0
    x0 = x1 - length / camera.pixel_m
    axes.plot([x0, x1], [y, y], color=_GREY, linewidth=2.2, solid_capstyle="butt")
    says = f"{1e3 * length:g} mm" if length < 1.0 else f"{length:g} m"
    axes.text(0.5 * (x0 + x1), y - 8, says, color=_GREY, fontsize=9.5, ha="center", va="bottom")


def _draw_legend(axes: Axes, shape: Shape, rows: int) -> None:
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(rows, 0.0)
    if not shape.tubes:
        axes.text(0.0, 0.5, "no tubes at these scales", color=_INK, fontsize=11, va="center")
    for number, tube in enumerate(shape.tubes[:_MOST_ROWS]):
        y = number + 0.5
        colour = scale_colour(tube.scale_m)
        axes.plot([0.004], [y], "o", color=tuple(colour), markersize=9, clip_on=False)
        says = (
            (0.020, f"{number + 1}"),
            (0.045, _kind(tube)),
            (0.170, f"radius {1e3 * tube.radius_m:.1f} mm"),
            (0.290, f"length {1e3 * tube.length_m:.1f} mm"),
            (0.420, f"spheres of {1e3 * tube.scale_m:g} mm"),
            (0.570, _ends(tube)),
        )
        for x, text in says:
            axes.text(x, y, text, color=_INK, fontsize=10.5, va="center")
    more = len(shape.tubes) - _MOST_ROWS
    if more > 0:
        says = f"and {more} more tube{'s' if more > 1 else ''}"
        axes.text(0.045, rows - 0.5, says, color=_GREY, fontsize=10.5, va="center")


def _kind(tube: Tube) -> str:
    kind = "bar" if tube.kind is TubeKind.FREE else tube.kind.value
    return f"{kind}, closed" if tube.closed else kind


def _ends(tube: Tube) -> str:
    """What is at the two ends, in words."""
    if tube.closed:
        return "a ring"
    words = {
        EndKind.CAP: "a bottom" if tube.kind.concave else "a tip",
        EndKind.OPEN: "an open rim",
    }
    named = [
        words.get(end.kind) or f"{'tube' if end.kind is EndKind.TUBE else 'body'} {end.index + 1}"
        for end in tube.ends
    ]
    return f"from {named[0]} to {named[1]}"
