"""Owns ``armspan plumb``: the tubular parts of a mesh, as a table, JSON, picture and document."""

import json
import math
import time
from pathlib import Path

import click
import numpy as np
from armspan.protocol.objects import DocumentError, LengthUnit, write_document
from armspan.server.commands.output import check_outputs, json_path, say, write_text
from armspan.server.commands.progress import Progress, part_of, progress_shown
from armspan.server.commands.settings_options import fail
from armspan.server.objects.drafting import draft_object
from armspan.server.objects.folder import ObjectFileError, bring_mesh, write_object
from armspan.server.objects.found_shape import FoundShape, report, table
from armspan.server.objects.implied_sites import load_plumber
from armspan.server.objects.mesh_files import MeshFile, MeshFileError, read_mesh
from armspan.solvers.meshes.cleaning import clean
from armspan.solvers.meshes.topology import MeshError
from armspan.solvers.meshes.units import Unit
from armspan.solvers.tubes.plumber import DEFAULT_SCALES_M, PlumberError, find_tubes

_FILE = click.Path(path_type=Path)
_COMPILES = "a minute or two for each kind of work; `armspan warm` does all of it ahead"
_SMALLEST_SCALE_M, _LARGEST_SCALE_M = 0.0005, 5.0
_MOST_SCALES = 32
_LARGEST_MESH = 1000.0  # largest spheres' radii: 60 m, for the usual ones
_READ, _CLEANED = 0.1, 0.25  # shares of the work, roughly


class _Scales(click.ParamType[tuple[float, ...]]):
    """Radii in metres with commas between, from the smallest up."""

    name = "metres"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        words = [word.strip() for word in str(value).split(",")]
        try:
            scales = [float(word) for word in words]
        except ValueError:
            self.fail(f"{value!r} is no list of radii; write metres like 0.009,0.013", param, ctx)
        if len(scales) > _MOST_SCALES:
            self.fail(f"{len(scales)} radii; at most {_MOST_SCALES} are wanted", param, ctx)
        return tuple(sorted(set(scales)))


@click.command()
@click.argument("mesh", metavar="MESH", type=_FILE)
@click.option("--scales", type=_Scales(), metavar="M,M,...",
              help="Radii of the spheres, metres, with commas between.  [default: "
              + ",".join(f"{scale:g}" for scale in DEFAULT_SCALES_M) + "]")  # fmt: skip
@click.option("--unit", type=click.Choice([unit.value for unit in LengthUnit]),
              help="The file's unit; guessed from the size unless given.")  # fmt: skip
@click.option("-o", "--output", metavar="OBJECT.xml", type=_FILE,
              help="Write a smart object: the mesh, its tubes, and a grasp site at each tube that "
              "a hand can close round.")  # fmt: skip
@click.option("--json", "json_file", type=click.Path(), help="Write the result; - for stdout.")
@click.option("--plot", type=_FILE, help="Draw the mesh with its tubes as PNG.")
@click.option("--threads", type=click.IntRange(1, 64), default=2, show_default=True)
def plumb(
    mesh: Path,
    scales: tuple[float, ...] | None,
    unit: str | None,
    output: Path | None,
    json_file: str | None,
    plot: Path | None,
    threads: int,
) -> None:
    """Find the tubular parts of a mesh: handles, protrusions, free bars, tunnels and wells.

    MESH is an STL, OBJ, PLY, glTF or GLB file, of a CAD program or a scanner; it may be open,
    broken, or in several pieces, of which the largest is kept. What was guessed or left out is
    said on standard error. Radii are those of the spheres that roll through the tubes: a tube is
    found by a sphere more than twice as thick, so the usual ones find tubes of a radius of 2 to
    30 mm.

    A document that -o replaces is kept with a ~ behind its name. A mesh from elsewhere is copied
    beside the document.
    """
    check_outputs((output, plot, json_path(json_file)), sources=(mesh,))
    scales = DEFAULT_SCALES_M if scales is None else scales
    _check_scales(scales)
    try:
        with progress_shown(_COMPILES) as progress:
            found = _find(mesh, scales, unit, threads, progress)
    except MeshFileError as broken:
        fail(broken)
    except (MeshError, PlumberError) as broken:
        fail(ValueError(f"{mesh.name}: {broken}"))
    for sentence in found.sentences:
        click.echo(f"armspan: {sentence}", err=True)
    text = "" if json_file is None else json.dumps(report(found), allow_nan=False)
    say(text if json_file == "-" else table(found))
    if json_file not in (None, "-"):
        write_text(Path(str(json_file)), text + "\n")
    if plot is not None:
        _draw(found, plot)
    if output is not None:
        _write_object(found, output)


def _check_scales(scales: tuple[float, ...]) -> None:
    for scale in scales:
        if not _SMALLEST_SCALE_M <= scale <= _LARGEST_SCALE_M:
            size = "no size" if math.isnan(scale) else "more metres than any tube has"
            if scale < _SMALLEST_SCALE_M:
                size = "nothing that a hand could hold"
            fail(ValueError(f"a sphere of {scale:g} m is {size}; --scales takes radii from "
                            f"{_SMALLEST_SCALE_M:g} to {_LARGEST_SCALE_M:g} m"))  # fmt: skip


def _find(
    path: Path, scales: tuple[float, ...], unit: str | None, threads: int, progress: Progress
) -> FoundShape:
    progress(0.0, "reading")
    read = read_mesh(path, Unit(unit) if unit else None)
    load_plumber()
    cleaned = clean(read.vertices, read.faces, part_of(progress, _READ, _CLEANED))
    _check_fit(read, float(np.ptp(cleaned.mesh.vertices, axis=0).max()), scales)
    began_s = time.perf_counter()
    shape = find_tubes(
        cleaned.mesh, scales, threads=threads, on_progress=part_of(progress, _CLEANED, 1.0)
    )
    seconds = time.perf_counter() - began_s
    return FoundShape(path, read, cleaned, shape, scales, seconds)


def _check_fit(read: MeshFile, longest_m: float, scales: tuple[float, ...]) -> None:
    """Refuse a mesh that no sphere could say anything about: most often its unit is wrong."""
    smallest, largest = scales[0], scales[-1]
    if longest_m > _LARGEST_MESH * largest:
        wrong = f"spheres of up to {largest:g} m are lost on it"
    elif longest_m < 2.0 * smallest:
        wrong = f"even a sphere of {smallest:g} m holds all of it"
    else:
        return
    how = "guessed to be in" if read.guessed else "taken in"
    raise MeshError(
        f"is {longest_m:.3g} m long, {how} {read.unit.value}, and {wrong}; give another --unit, or "
        "--scales that fit"
    )


def _draw(found: FoundShape, plot: Path) -> None:
    from armspan.server.plots.tubes import draw_tubes

    try:
        draw_tubes(found.cleaned.mesh, found.shape, plot, found.path.name)
    except OSError as failure:
        fail(OSError(f"{plot}: cannot be written ({failure.strerror})"))


def _write_object(found: FoundShape, output: Path) -> None:
    try:
        file, copied = bring_mesh(found.path, output)
        unit = LengthUnit(found.read.unit.value)
        drafted = draft_object(output.stem[:64] or "object", file, unit, found.shape)
        kept = write_object(output, write_document(drafted))
    except ObjectFileError as broken:
        fail(broken)
    except DocumentError as broken:
        fail(DocumentError(f"{output}: {broken}"))
    if copied:
        click.echo(f"armspan: {file} is copied to {output.parent / file}", err=True)
    if kept is not None:
        click.echo(f"armspan: what {output} was before is kept as {kept}", err=True)
    if not drafted.grasp_sites:
        click.echo(
            f"armspan: {output} has no grasp site: no tube is one that a hand closes round",
            err=True,
        )
