"""Owns ``armspan grasp``: the posture with which a hand grasps an object, or why it cannot."""

import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from armspan.protocol.objects import (
    DocumentError,
    GraspSite,
    Side,
    SmartObject,
)
from armspan.server.commands.output import check_outputs, json_path, say, write_text
from armspan.server.commands.progress import Progress, part_of, progress_shown
from armspan.server.commands.settings_options import fail
from armspan.server.commands.skeleton_files import read_lengths
from armspan.server.objects.folder import (
    Geometry,
    ObjectFileError,
    ObjectFolder,
    add_posture,
    open_object,
)
from armspan.server.objects.grasp_report import (
    caption,
    lines,
    nothing_to_grasp,
    ranking,
    report,
    sentence,
)
from armspan.server.objects.grasping import Attempt, Grasper, load_search, make_grasper
from armspan.server.objects.implied_sites import with_sites
from armspan.server.objects.primitives import Floats, tube_triangles
from armspan.server.traces.recording import RecordingError
from armspan.solvers.body.skeleton import DEFAULT_LENGTHS, HAND_LENGTH
from armspan.solvers.grasp.candidates import MOST_CANDIDATES
from armspan.solvers.grasp.reach import Room
from armspan.solvers.grasp.site import GraspError
from armspan.solvers.hand import LONGEST_HAND_M, SHORTEST_HAND_M
from armspan.solvers.meshes.topology import MeshError
from armspan.solvers.tubes.plumber import PlumberError

_FILE = click.Path(path_type=Path)
_COMPILES = "a minute or two for each kind of work; `armspan warm` does all of it ahead"
_MOST_POSTURES = 1_000_000
_FARTHEST = 100.0  # metres, or radians


class _Place(click.ParamType[tuple[float, ...]]):
    """Three or four numbers with commas between."""

    name = "place"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        try:
            numbers = tuple(float(word) for word in str(value).split(","))
        except ValueError:
            numbers = ()
        if len(numbers) not in (3, 4) or not all(abs(number) <= _FARTHEST for number in numbers):
            self.fail(f"{value!r} is no place; write metres like 0.2,1.1,-0.4", param, ctx)
        return numbers


@click.command()
@click.argument("document", metavar="OBJECT.xml", type=_FILE)
@click.option("--site", "site_name", metavar="NAME", help="The grasp site; the best one of all "
              "unless given.")  # fmt: skip
@click.option("--hand", type=click.Choice([side.value for side in Side]), default="right",
              show_default=True)  # fmt: skip
@click.option("--hand-length", "hand_length_m", metavar="M", type=float,
              help="From the wrist to the tip of the middle finger, metres.  [default: the "
              f"skeleton's, or {DEFAULT_LENGTHS[HAND_LENGTH]:g}]")  # fmt: skip
@click.option("--all", "every", is_flag=True,
              help="Search all places, also of one --site, and rank the grasps.")  # fmt: skip
@click.option("--max-postures", type=click.IntRange(1, _MOST_POSTURES), metavar="N",
              help="How many postures are tested at a site, at most; as the document says unless "
              "given.")  # fmt: skip
@click.option("--skeleton", type=_FILE, help="The person's lengths, JSON; with --at grasps are "
              "ranked by the arm, too.")  # fmt: skip
@click.option("--at", type=_Place(), metavar="X,Y,Z[,TURN]",
              help="Where the object stands before the person, who stands at the origin and looks "
              "along -Z: metres, and radians to the left.")  # fmt: skip
@click.option("-o", "--output", metavar="OBJECT.xml", type=_FILE,
              help="Write the document with the posture in it.")  # fmt: skip
@click.option("--json", "json_file", type=click.Path(), help="Write the result; - for stdout.")
@click.option("--plot", type=_FILE, help="Draw the hand on the object as PNG.")
def grasp(
    document: Path,
    site_name: str | None,
    hand: str,
    hand_length_m: float | None,
    every: bool,
    max_postures: int | None,
    skeleton: Path | None,
    at: tuple[float, ...] | None,
    output: Path | None,
    json_file: str | None,
    plot: Path | None,
) -> None:
    """Search the posture with which a hand grasps an object, for the hand that grasps.

    OBJECT.xml is a smart object; armspan plumb -o writes a first one of a mesh. With --site, its
    ways are tried in the document's order until one is a grasp. Without it, all of the object is
    searched, place by place, and the grasps are ranked by how large a disturbance they withstand;
    with --at also by how far the arm's posture is from its limits.

    That a hand cannot grasp it is an answer, too: exit status 1, and why.
    """
    check_outputs((plot, json_path(json_file)), sources=(document,))
    check_outputs((output, plot, json_path(json_file)), sources=(skeleton,))
    try:
        lengths = DEFAULT_LENGTHS if skeleton is None else read_lengths(skeleton)
        question = _Question(
            side=Side(hand),
            hand_length_m=_hand_length(hand_length_m, lengths),
            max_postures=max_postures,
            room=None if at is None else Room(lengths, _standing(at)),
        )
        folder = open_object(document)
        with progress_shown(_COMPILES) as progress:
            answer = _answered(folder, site_name, every, question, progress)
    except (ObjectFileError, RecordingError) as broken:
        fail(broken)
    except (GraspError, PlumberError, MeshError) as broken:
        fail(ValueError(f"{document}: {broken}"))
    for said in answer.sentences:
        click.echo(f"armspan: {said}", err=True)
    _tell(document, answer, json_file)
    if not answer.grasped:
        sys.exit(1)
    if plot is not None:
        _draw(document, answer, plot)
    if output is not None:
        _write(folder, answer.found[0], output)


@dataclass(frozen=True, eq=False)
class _Question:
    """Whose hand it is, and where the object stands."""

    side: Side
    hand_length_m: float
    max_postures: int | None
    room: Room | None


@dataclass(frozen=True, eq=False)
class _Answer:
    """Grasps, the best first, or the one attempt that says why there is none."""

    grasper: Grasper
    geometry: Geometry | None
    found: list[Attempt]

    @property
    def grasped(self) -> bool:
        return bool(self.found) and self.found[0].grasp.grasped

    @property
    def sentences(self) -> tuple[str, ...]:
        return () if self.geometry is None else self.geometry.sentences


def _hand_length(told_m: float | None, lengths: Floats) -> float:
    if told_m is None:
        return float(lengths[HAND_LENGTH])
    if not SHORTEST_HAND_M <= told_m <= LONGEST_HAND_M:
        raise click.BadParameter(
            f"a hand of {told_m:g} m; {SHORTEST_HAND_M} to {LONGEST_HAND_M} metres are wanted",
            param_hint="--hand-length",
        )
    return told_m


def _standing(at: tuple[float, ...]) -> Floats:
    """The pose (7,) of an object at a place, turned to the left about the vertical."""
    turn = at[3] if len(at) > 3 else 0.0
    return np.array([*at[:3], 0.0, math.sin(0.5 * turn), 0.0, math.cos(0.5 * turn)])


def _answered(
    folder: ObjectFolder,
    site_name: str | None,
    every: bool,
    question: _Question,
    progress: Progress,
) -> _Answer:
    progress(0.0, "reading")
    geometry = folder.geometry()
    told = with_sites(folder.told, geometry, part_of(progress, 0.05, 0.3))
    sites = _sites(folder.path, told, site_name)
    progress(0.3, "measuring where the object is")
    grasper = make_grasper(
        told, sites, geometry, question.side, question.hand_length_m, question.max_postures
    )
    progress(0.5, "searching")
    load_search(grasper, sites)
    if site_name is not None and not every and question.room is None:
        first = grasper.first(sites[0])
        return _Answer(grasper, geometry, [] if first is None else [first])
    found = grasper.ranked(sites, question.room, MOST_CANDIDATES, part_of(progress, 0.5, 1.0))
    if not found:
        missed = (grasper.first(site) for site in sites)
        found = [attempt for attempt in missed if attempt is not None][:1]
    return _Answer(grasper, geometry, found)


def _sites(path: Path, told: SmartObject, name: str | None) -> tuple[GraspSite, ...]:
    if name is None:
        return told.grasp_sites
    site = told.site(name)
    if site is None:
        has = ", ".join(site.name for site in told.grasp_sites) or "none"
        raise click.BadParameter(
            f"{path} has no grasp site {name!r}; it has {has}", param_hint="--site"
        )
    return (site,)


def _tell(document: Path, answer: _Answer, json_file: str | None) -> None:
    found, grasper = answer.found, answer.grasper
    if found:
        told = report(found[0])
        told["candidates"] = [report(other) for other in found[1:]]
        why = sentence(found[0])
    else:
        why = _why_nowhere(grasper)
        told = nothing_to_grasp(why, grasper.side, grasper.hand.length_m)
    text = json.dumps(told, allow_nan=False)
    if json_file not in (None, "-"):
        write_text(Path(str(json_file)), text + "\n")
    if json_file == "-":
        say(text)
    elif answer.grasped:
        say(f"{document.name}: {lines(found[0])}")
        if len(found) > 1:
            say("\n" + ranking(found))
    if not answer.grasped:
        click.echo(f"armspan: {document}: {why}", err=True)


def _why_nowhere(grasper: Grasper) -> str:
    if not grasper.told.grasp_sites:
        return (
            "has no tube that a hand could close round; where it has one that no spheres found, "
            "write it into the document"
        )
    return f"no parameter set of its grasp sites is for a {grasper.side.value} hand"


def _draw(document: Path, answer: _Answer, plot: Path) -> None:
    from armspan.server.plots.grasp import Scene, draw_grasp

    best = answer.found[0]
    if answer.geometry is None:
        vertices, faces = tube_triangles(best.way.numbers.points, best.way.numbers.radii)
    else:
        vertices, faces = answer.geometry.vertices, answer.geometry.faces
    try:
        scene = Scene(vertices, faces, best.hand, best.grasp)
        draw_grasp(scene, plot, document.name, caption(best))
    except OSError as failure:
        fail(OSError(f"{plot}: cannot be written ({failure.strerror})"))


def _write(folder: ObjectFolder, best: Attempt, output: Path) -> None:
    if folder.told.site(best.way.site.name) is None:
        fail(ValueError(
            f"{folder.path}: has no grasp site to tell a posture of; armspan plumb -o writes sites"
        ))  # fmt: skip
    try:
        kept = add_posture(folder, best.posture(), output)
    except DocumentError as broken:
        fail(DocumentError(f"{output}: {broken}"))
    except ObjectFileError as broken:
        fail(broken)
    if kept is not None:
        click.echo(f"armspan: what {output} was before is kept as {kept}", err=True)
