"""Owns what is told of a shape: the table for people, and the JSON for programs."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from armspan.server.objects.drafting import tube_names
from armspan.server.objects.mesh_files import MeshFile
from armspan.solvers.meshes.cleaning import Cleaned
from armspan.solvers.tubes.shape import EndKind, Shape, Tube, TubeEnd, TubeKind
from numpy.typing import NDArray

_DECIMALS = 7  # of a metre in JSON: a tenth of a micrometre
_COLUMNS = ("", "tube", "radius", "length", "sphere", "from", "to")
_RIGHT = (False, False, True, True, True, False, False)


@dataclass(frozen=True)
class FoundShape:
    """A mesh file, what was made of it, and the shape that was found; ``seconds`` finding it."""

    path: Path
    read: MeshFile
    cleaned: Cleaned
    shape: Shape
    scales_m: tuple[float, ...]
    seconds: float

    @property
    def sentences(self) -> tuple[str, ...]:
        """What a user should know of the file: what was guessed, mended and left out."""
        return (*self.read.sentences, *self.cleaned.report.sentences())


def table(found: FoundShape) -> str:
    """Return the lines for a terminal."""
    shape, mesh = found.shape, found.cleaned.mesh
    extent = np.ptp(mesh.vertices, axis=0)
    lines = [f"{found.path.name}: {len(mesh.faces):,} faces, {_size(extent)}"]
    if shape.tubes:
        names = tube_names(shape)
        rows = [_COLUMNS] + [
            (str(number), _named(name, tube), _length(tube.radius_m), _length(tube.length_m),
             _length(tube.scale_m), *_ends(tube, names))
            for number, (name, tube) in enumerate(zip(names, shape.tubes, strict=True), start=1)
        ]  # fmt: skip
        lines += _aligned(rows)
    lines.append(f"{_counted(shape)}, in {found.seconds:.2f} s")
    return "\n".join(lines)


def report(found: FoundShape) -> dict[str, Any]:
    """Return the JSON. Faces are counted as the file has them, from 0."""
    shape, cleaned = found.shape, found.cleaned
    names = tube_names(shape)
    face_of = cleaned.face_of
    return {
        "file": found.path.name,
        "unit": found.read.unit.value,
        "unit_guessed": found.read.guessed,
        "faces": len(cleaned.mesh.faces),
        "extent_m": _numbers(np.ptp(cleaned.mesh.vertices, axis=0)),
        "watertight": cleaned.report.watertight,
        "components": cleaned.report.components,
        "left_out": {
            "faces": cleaned.report.faces_left_out,
            "area_m2": cleaned.report.area_left_out_m2,
        },
        "sentences": list(found.sentences),
        "scales_m": list(found.scales_m),
        "tubes": [
            _tube(name, tube, face_of) for name, tube in zip(names, shape.tubes, strict=True)
        ],
        "bodies": [
            {
                "name": f"body-{number}",
                "area_m2": body.area_m2,
                "centre_m": _numbers(body.centre),
                "faces": face_of[body.faces].tolist(),
            }
            for number, body in enumerate(shape.bodies, start=1)
        ],
        "graph": {
            "nodes": [*names, *(f"body-{number + 1}" for number in range(len(shape.bodies)))],
            "edges": [
                {
                    "tube": names[joint.tube],
                    "end": ("start", "end")[joint.end],
                    "to": names[joint.tube]
                    if joint.kind is EndKind.ITSELF
                    else names[joint.index]
                    if joint.kind is EndKind.TUBE
                    else f"body-{joint.index + 1}",
                }
                for joint in shape.attachments
            ],
        },
        "seconds": round(found.seconds, 4),
    }


def _tube(name: str, tube: Tube, face_of: Any) -> dict[str, Any]:
    return {
        "name": name,
        "kind": tube.kind.value,
        "closed": tube.closed,
        "radius_m": tube.radius_m,
        "length_m": tube.length_m,
        "scale_m": tube.scale_m,
        "flatness": tube.flatness,
        "ends": [end.kind.value for end in tube.ends],
        "axis": _numbers(tube.axis),
        "section_radii_m": _numbers(tube.section_radii_m),
        "sections": [_numbers(section) for section in tube.sections],
        "faces": face_of[tube.faces].tolist(),
    }


def _numbers(values: NDArray[np.float64]) -> list[Any]:
    return np.round(values, _DECIMALS).tolist()


def _named(name: str, tube: Tube) -> str:
    return f"{name} (ring)" if tube.closed else name


def _ends(tube: Tube, names: list[str]) -> tuple[str, str]:
    if tube.closed:
        return "itself", ""
    start, end = (_end(told, tube, names) for told in tube.ends)
    return start, end


def _end(end: TubeEnd, tube: Tube, names: list[str]) -> str:
    if end.kind is EndKind.BODY:
        return f"body-{end.index + 1}"
    if end.kind is EndKind.TUBE:
        return names[end.index]
    if end.kind is EndKind.OPEN:
        return "open rim"
    return "bottom" if tube.kind is TubeKind.WELL else "tip"


def _counted(shape: Shape) -> str:
    """How many of each kind, in words."""
    count = Counter(tube.kind for tube in shape.tubes)
    words = [_plural(count[kind], _KINDS[kind]) for kind in TubeKind if count[kind]]
    words.append(_plural(len(shape.bodies), ("body", "bodies")) if shape.bodies else "no body")
    return ", ".join(words if shape.tubes else ["no tube at these scales", *words])


_KINDS = {
    TubeKind.HANDLE: ("handle", "handles"),
    TubeKind.PROTRUSION: ("protrusion", "protrusions"),
    TubeKind.FREE: ("bar", "bars"),
    TubeKind.TUNNEL: ("tunnel", "tunnels"),
    TubeKind.WELL: ("well", "wells"),
}


def _plural(number: int, words: tuple[str, str]) -> str:
    return f"{number} {words[number != 1]}"


def _length(metres: float) -> str:
    return f"{1e3 * metres:.1f} mm" if metres < 1.0 else f"{metres:.3f} m"


def _size(extent: Any) -> str:
    most = float(extent.max())
    unit, factor = ("mm", 1e3) if most < 1.0 else ("m", 1.0)
    digits = 0 if factor * most >= 100 else 1 if factor * most >= 10 else 2
    return " \u00d7 ".join(f"{factor * side:.{digits}f}" for side in extent) + f" {unit}"


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    return [
        "  ".join(
            f"{cell:>{width}}" if right else f"{cell:<{width}}"
            for cell, width, right in zip(row, widths, _RIGHT, strict=True)
        ).rstrip()
        for row in rows
    ]
