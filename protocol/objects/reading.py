"""Owns the reading of smart objects: anyone's bytes in, a checked ``SmartObject`` out."""

from collections.abc import Callable, Iterator
from enum import Enum
from typing import TypeVar, cast

from armspan.protocol.objects.document import (
    DEFAULT_MAX_POSTURES,
    DEFAULT_TOLERANCE_M,
    NAMESPACE,
    ZERO,
    Contact,
    GraspSite,
    Mass,
    ParameterSet,
    Posture,
    Section,
    SmartObject,
    Span,
    TubeRegion,
)
from armspan.protocol.objects.errors import DocumentError, Problem
from armspan.protocol.objects.geometry import (
    Box,
    Capsule,
    Cylinder,
    MeshFile,
    Piece,
    Pose,
    Quaternion,
    Sphere,
    Torus,
    Vector,
)
from armspan.protocol.objects.parsing import parse
from armspan.protocol.objects.schema import find_problems
from armspan.protocol.objects.tree import Element, canonical, name_of
from armspan.protocol.objects.vocabulary import (
    Digit,
    HandSegment,
    LengthUnit,
    Side,
    ThumbToward,
    ThumbUse,
    Touching,
    TubeKind,
)

_Word = TypeVar("_Word", bound=Enum)
_Made = TypeVar("_Made")


def read_document(payload: bytes) -> SmartObject:
    """Return the smart object that a document tells of.

    Raises DocumentError with every problem that was found, each in one line of text with its line
    in the document: bytes that are no XML, a document type, what the schema refuses, and then what
    the schema cannot see (a span's ends, a quaternion's length, a path that climbs).
    """
    root = parse(payload)
    problems = find_problems(parse(payload))
    if problems:
        raise DocumentError(*problems)
    reader = _Reader()
    read = reader.take(root, _object)
    if reader.problems or read is None:
        raise DocumentError(*reader.problems)
    return read


class _Reader:
    """Builds pieces of the document; remembers what is wrong with them, and goes on."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def take(self, element: Element, make: "Callable[[_Reader, Element], _Made]") -> _Made | None:
        """Return what an element stands for, or note what is wrong and at which line."""
        known = len(self.problems)
        try:
            return make(self, element)
        except DocumentError as wrong:
            # What broke inside was said there; that it is missing here is no news.
            if len(self.problems) == known:
                self.problems += wrong.at_line(element.sourceline or 0).problems
            return None

    def all(
        self,
        parent: Element,
        name: str,
        make: "Callable[[_Reader, Element], _Made]",
    ) -> tuple[_Made, ...]:
        """Return what the children of a name, or of a path of names, stand for."""
        return tuple(
            made
            for child in _children(parent, name)
            if (made := self.take(child, make)) is not None
        )


def _object(reader: _Reader, root: Element) -> SmartObject:
    described = next(_children(root, "description"), None)
    weighed = next(_children(root, "mass"), None)
    parts = {
        "geometry": reader.all(root, "geometry/*", _piece),
        "tubes": reader.all(root, "tubes/tube", _tube),
        "grasp_sites": reader.all(root, "grasp_sites/grasp_site", _grasp_site),
        "postures": reader.all(root, "postures/posture", _posture),
    }
    if reader.problems:
        raise DocumentError(*reader.problems)
    return SmartObject(
        name=" ".join(_text(root, "name").split()),
        description="" if described is None else (described.text or "").strip(),
        mass=None if weighed is None else _mass(weighed),
        extension=tuple(canonical(child) for child in _children(root, "extension/*")),
        **parts,  # pyright: ignore[reportArgumentType]
    )


def _mass(element: Element) -> Mass:
    return Mass(_number(element, "mass_kg"), _vector_or_none(element, "centre_m"))


def _piece(_reader: _Reader, element: Element) -> Piece:
    pose = Pose(
        _vector_or_none(element, "position_m") or Pose.position_m,
        cast(Quaternion, _numbers(element, "rotation_xyzw")) or Pose.rotation_xyzw,
    )
    kind = name_of(element)[1]
    if kind == "mesh":
        unit = element.get("unit")
        return MeshFile(_text(element, "file"), LengthUnit(unit) if unit else None, pose)
    if kind == "box":
        return Box(cast(Vector, _numbers(element, "size_m")), pose)
    radius_m = _number(element, "radius_m")
    if kind == "sphere":
        return Sphere(radius_m, pose)
    if kind == "torus":
        return Torus(radius_m, _number(element, "tube_radius_m"), pose)
    return (Cylinder if kind == "cylinder" else Capsule)(
        radius_m, _number(element, "length_m"), pose
    )


def _tube(_reader: _Reader, element: Element) -> TubeRegion:
    return TubeRegion(
        name=_text(element, "name"),
        kind=TubeKind(_text(element, "kind")),
        sections=tuple(
            Section(_vector(child, "position_m"), _number(child, "radius_m"))
            for child in _children(element, "section")
        ),
        closed=_or(element, "closed", "false") in ("true", "1"),
        normal=_vector_or_none(element, "normal"),
    )


def _grasp_site(reader: _Reader, element: Element) -> GraspSite:
    return GraspSite(
        name=_text(element, "name"),
        tube=_text(element, "tube"),
        parameter_sets=reader.all(element, "parameter_set", _parameter_set),
    )


def _parameter_set(_reader: _Reader, element: Element) -> ParameterSet:
    return ParameterSet(
        name=_text(element, "name"),
        hands=_words(element, "hands", Side),
        thumb=ThumbUse(_or(element, "thumb", ThumbUse.CLOSED.value)),
        thumb_toward=ThumbToward(_or(element, "thumb_toward", ThumbToward.END.value)),
        fingers=_words(element, "fingers", Digit),
        tolerance_m=float(_or(element, "tolerance_m", str(DEFAULT_TOLERANCE_M))),
        along_m=_span(element, "along_m"),
        around_rad=_span(element, "around_rad"),
        distance_m=_span(element, "distance_m"),
        forward_m=_span(element, "forward_m"),
        tilt_rad=_span(element, "tilt_rad"),
        pitch_rad=_span(element, "pitch_rad") or ZERO,
        roll_rad=_span(element, "roll_rad") or ZERO,
        spread_rad=_span(element, "spread_rad"),
        max_postures=int(_or(element, "max_postures", str(DEFAULT_MAX_POSTURES))),
    )


def _posture(_reader: _Reader, element: Element) -> Posture:
    palm = next(_children(element, "palm_from_object"))
    angles = next(_children(element, "joint_angles_rad"))
    return Posture(
        site=_text(element, "site"),
        parameter_set=_text(element, "parameter_set"),
        hand=Side(_text(element, "hand")),
        hand_length_m=_number(element, "hand_length_m"),
        palm_from_object=Pose(
            _vector(palm, "position_m"), cast(Quaternion, _numbers(palm, "rotation_xyzw"))
        ),
        joint_angles_rad=tuple(angle for digit in Digit for angle in _numbers(angles, digit.value)),
        contacts=tuple(_contact(child) for child in _children(element, "contact")),
        quality=_number(element, "quality") if "quality" in element.attrib else None,
    )


def _contact(element: Element) -> Contact:
    return Contact(
        finger=Touching(_text(element, "finger")),
        segment=HandSegment(_text(element, "segment")),
        gap_m=_number(element, "gap_m"),
        point_m=_vector(element, "point_m"),
        normal=_vector(element, "normal"),
    )


def _children(element: Element, path: str) -> Iterator[Element]:
    steps = (step if step == "*" else f"{{{NAMESPACE}}}{step}" for step in path.split("/"))
    return element.iterfind("/".join(steps))


def _or(element: Element, name: str, usual: str) -> str:
    told = element.get(name)
    return usual if told is None else told.strip()


def _text(element: Element, name: str) -> str:
    return element.attrib[name]


def _number(element: Element, name: str) -> float:
    return float(element.attrib[name])


def _numbers(element: Element, name: str) -> tuple[float, ...]:
    return tuple(float(word) for word in (element.get(name) or "").split())


def _vector(element: Element, name: str) -> Vector:
    return cast(Vector, _numbers(element, name))


def _vector_or_none(element: Element, name: str) -> Vector | None:
    return _vector(element, name) if name in element.attrib else None


def _words(element: Element, name: str, words: type[_Word]) -> tuple[_Word, ...]:
    told = element.get(name)
    return tuple(words) if told is None else tuple(words(word) for word in told.split())


def _span(element: Element, name: str) -> Span | None:
    ends = _numbers(element, name)
    try:
        return Span(ends[0], ends[-1]) if ends else None
    except DocumentError as wrong:
        raise DocumentError(f"{name} is {wrong}") from None
